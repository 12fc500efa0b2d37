func main {
	for cItem in aItems {
		<cursor>
	}
}
