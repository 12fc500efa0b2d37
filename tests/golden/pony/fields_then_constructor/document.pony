class Item
  let name: String
  <cursor>
