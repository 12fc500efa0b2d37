class Cart:
    def total(self):
        prices = [item.price for item in self.items]
        <cursor>
