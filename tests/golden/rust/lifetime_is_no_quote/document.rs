fn first<'a>(items: &'a [Item]) -> &'a Item {
    <cursor>
}
