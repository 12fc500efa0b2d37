package shop

func sign(n int) int {
	if n < 0 {
		<cursor>
	}
	return 0
}
