package shop

func Load(path string) (*Cart, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		<cursor>
	}
	return parse(data)
}
