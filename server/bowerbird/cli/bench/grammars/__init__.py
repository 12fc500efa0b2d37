"""`bowerbird bench grammars`: our grammars beside each language's own parser."""
