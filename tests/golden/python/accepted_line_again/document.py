class Wishlist:
    def __init__(self, customer, currency):
        self.customer = customer
        self.currency = currency<cursor>
