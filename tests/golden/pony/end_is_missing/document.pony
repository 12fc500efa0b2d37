actor Main
  new create(env: Env) =>
    if env.args.size() > 1 then
      <cursor>
