def area(width, height):
    return <cursor> + border
