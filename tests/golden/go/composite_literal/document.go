package shop

var sizes = []string{
	"small",
	<cursor>
}
