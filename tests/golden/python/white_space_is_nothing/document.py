x = 1
<cursor>
