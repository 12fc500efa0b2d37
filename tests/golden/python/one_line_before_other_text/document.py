def area(width, height):
    return max(<cursor>, height)
