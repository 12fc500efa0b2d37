def broken(:
    pass

def total(items):
    result = 0
    <cursor>
