fn main() {
    println!("{}", <cursor>);
}
