def save(self):
    self.store.write(self.items)
    <cursor>
