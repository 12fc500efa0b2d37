class Cart {
  constructor(private items: Item[]) {}

  total(): number {
    <cursor>
