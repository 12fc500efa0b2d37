def main():
    """<cursor>"""
