package shop

func open(r rune) bool {
	<cursor>
}
