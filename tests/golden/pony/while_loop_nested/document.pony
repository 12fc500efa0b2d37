actor Main
  new create(env: Env) =>
    var i: U32 = 0
    while i < 3 do
      <cursor>
    end
