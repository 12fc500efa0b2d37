package shop

func Sum(items []Item) int {
	total := 0
	<cursor>
}
