while n < 10
	<cursor>
end
