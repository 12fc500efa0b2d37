print("<cursor>")
