"""An amount in a currency."""


class Money:
    """Whole cents, so that nothing is lost."""

    def __init__(self, cents, currency):
        self.cents = cents
        self.currency = currency

    def __add__(self, other):
        if other.currency != self.currency:
            raise ValueError(f"{other.currency} cannot be added to {self.currency}")
        return Money(self.cents + other.cents, self.currency)

    def __mul__(self, count):
        return Money(self.cents * count, self.currency)

    def __str__(self):
        return f"{self.cents // 100}.{self.cents % 100:02} {self.currency}"
