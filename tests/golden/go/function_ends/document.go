package shop

func Count(items []Item) int {
	<cursor>
