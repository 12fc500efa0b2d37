def names(people):
    found = []
    for person in people:
        <cursor>
