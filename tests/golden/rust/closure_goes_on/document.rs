fn main() {
    let prices = items.map(<cursor>)
}
