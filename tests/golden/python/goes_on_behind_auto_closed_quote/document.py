def greet(name):
    print("<cursor>")
