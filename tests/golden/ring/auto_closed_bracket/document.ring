see upper(<cursor>)
