"""Sources by path."""

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bowerbird.knowledge.shelf import Shelf
from bowerbird.knowledge.snippet import Source

names = st.lists(st.sampled_from(("a", "a-", "a0", "aa", "b", "é")), min_size=1, max_size=3).map("/".join)


@given(st.lists(st.tuples(st.booleans(), names)), names)
def test_a_shelf_is_an_ordered_dictionary(changes: list[tuple[bool, str]], folder: str) -> None:
    """After any changes the paths are those put and not removed, in order; those below a folder are found."""
    shelf, expected = Shelf(), dict[str, Source]()
    for put, name in changes:
        if put:
            shelf.put(name, source := Source(Path(name), name, ""))
            expected[name] = source
        else:
            shelf.remove(name)
            expected.pop(name, None)
    assert shelf.paths() == sorted(expected)
    assert shelf.sources() == [expected[name] for name in sorted(expected)]
    assert shelf.below(folder) == [name for name in sorted(expected) if name.startswith(folder + os.sep)]
    assert len(shelf) == len(expected)
    assert all(shelf.get(name) is expected.get(name) for name in (*expected, folder))
