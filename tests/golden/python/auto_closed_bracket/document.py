def total(items):
    return sum(<cursor>)
