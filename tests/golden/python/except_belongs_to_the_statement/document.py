def read(path):
    try:
        return <cursor>
