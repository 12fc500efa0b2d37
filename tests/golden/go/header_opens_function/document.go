package shop

func Count(<cursor>
