#[test]
fn adds() {
    assert_eq!(sum(1, 2), 3);
}

#[test]
fn subtracts() {<cursor>
