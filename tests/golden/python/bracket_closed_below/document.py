COLOURS = [
    "red",
    <cursor>
]
