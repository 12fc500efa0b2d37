def total(items):
    result = 0
    <cursor>
    return result
