SIZES = dict(
    small=1,
    <cursor>
