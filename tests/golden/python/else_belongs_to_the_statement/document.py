def sign(number):
    if number < 0:
        <cursor>
