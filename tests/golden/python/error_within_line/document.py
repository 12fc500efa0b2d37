def total(items):
    <cursor>


def after():
    pass
