actor Main
  new create(env: Env) =>
    for arg in env.args.values() do
      env.out.print(arg)
      <cursor>
