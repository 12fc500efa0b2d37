int max(<cursor>
