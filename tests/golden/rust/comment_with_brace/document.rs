fn main() {
    <cursor>
}
