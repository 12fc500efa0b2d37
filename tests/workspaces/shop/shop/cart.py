"""What a customer wants to buy."""

from shop.money import Money


class Cart:
    """Some goods and how many of each."""

    def __init__(self, customer, currency):
        self.customer = customer
        self.currency = currency
        self.lines = []

    def add(self, good, count=1):
        """Put a good into the cart."""
        self.lines.append((good, count))

    def total(self):
        """What all of it costs."""
        total = Money(0, self.currency)
        for good, count in self.lines:
            total += good.price_in(self.currency) * count
        return total
