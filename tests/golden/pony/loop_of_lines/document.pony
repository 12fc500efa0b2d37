actor Main
  new create(env: Env) =>
    <cursor>
