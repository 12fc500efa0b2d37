COLOURS = [
    "red",
    <cursor>
