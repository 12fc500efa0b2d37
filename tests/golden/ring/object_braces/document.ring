new Cart {
	<cursor>
}
