switch nChoice
on 1
	see "one" + nl
<cursor>
off
