package shop

func main() {
	fmt.Println("<cursor>")
}
