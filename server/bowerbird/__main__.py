"""`python -P -m bowerbird` is the console script `bowerbird`."""

from bowerbird.cli.app import main

if __name__ == "__main__":
    main()
