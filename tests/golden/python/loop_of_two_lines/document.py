def check(a):
    <cursor>
