fn area(shape: &Shape) -> f64 {
    match shape {
        Shape::Circle(r) => PI * r * r,
        <cursor>
    }
}
