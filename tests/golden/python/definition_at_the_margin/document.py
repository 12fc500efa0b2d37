class Shop:
    def name(self):
        return self._name


<cursor>


class Street:
    pass
