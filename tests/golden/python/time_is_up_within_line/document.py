def total(items):
    <cursor>
