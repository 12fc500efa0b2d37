class Shop:
    def total(
        self,
        <cursor>
