def total(items):
    print(<cursor>)
