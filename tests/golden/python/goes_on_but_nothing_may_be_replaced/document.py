def total(items):
    result = sum(<cursor>)
