func first aItems
	return aItems[1]

func last aItems
	<cursor>
