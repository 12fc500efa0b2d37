from dataclasses import dataclass

LIMIT = 10

<cursor>
class Shop:
    name: str
