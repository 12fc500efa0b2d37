def total(items):
    for item in items:
        print(item)
        <cursor>
