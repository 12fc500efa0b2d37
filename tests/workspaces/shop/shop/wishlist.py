"""What a customer would like to have, one day."""


class Wishlist:
    """Some goods that nobody has bought yet."""

    def __init__(self, customer, currency):
        self.customer = customer
