def usage():
    <cursor>
