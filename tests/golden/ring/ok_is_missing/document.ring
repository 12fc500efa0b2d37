func main
	if n > 1
		<cursor>
