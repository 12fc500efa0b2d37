IF n > 1
	<cursor>
OK
