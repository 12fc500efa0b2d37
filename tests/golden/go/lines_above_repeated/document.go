package shop

func main() {
	cart := NewCart()
	cart.Add(apple)
	<cursor>
}
