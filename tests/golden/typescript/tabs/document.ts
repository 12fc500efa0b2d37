class Cart {
	total(): number {
		<cursor>
	}
}
