primitive Sign
  fun apply(n: I32): I32 =>
    match n
    <cursor>
    end
