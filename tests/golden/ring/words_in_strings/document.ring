if n > 1
	<cursor>
ok
