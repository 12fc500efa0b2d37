def run(self):
    <cursor>
