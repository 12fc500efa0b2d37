impl Cart {
    pub fn total(&self) -> u32 {
        <cursor>
