def run(self):
    if self.ready:
        self.start(<cursor>
