def setup(self):
    <cursor>
