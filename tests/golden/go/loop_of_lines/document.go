package shop

func main() {
	<cursor>
}
