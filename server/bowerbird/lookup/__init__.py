"""The product that tells what library names mean: hover, member lists, signatures, search."""
