class Cart
  var _total: U32 = 0

  fun total(): U32 =>
    <cursor>
