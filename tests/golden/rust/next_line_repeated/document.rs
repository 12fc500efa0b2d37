fn main() {
    let cart = Cart::new();
    <cursor>
    println!("{}", cart.total());
}
