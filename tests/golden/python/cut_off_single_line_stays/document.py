def total(items):
    return <cursor>
