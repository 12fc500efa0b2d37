class Shop:
    @property
    def name(self):<cursor>
