package shop

func Sum(items []Item) int {<cursor>
