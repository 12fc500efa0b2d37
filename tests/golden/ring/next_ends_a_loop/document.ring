for item in aItems
	<cursor>
next
