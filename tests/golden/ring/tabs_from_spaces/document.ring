func total aItems
	nSum = 0
	<cursor>
