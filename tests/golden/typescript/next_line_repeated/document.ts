function main() {
  const cart = new Cart();
  <cursor>
  console.log(cart.total());
}
