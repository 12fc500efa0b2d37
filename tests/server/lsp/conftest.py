"""The pair of an editor and a server, for each test anew."""

from pathlib import Path

import pytest

from lsp_pair import Connect, connector


@pytest.fixture
def connect(tmp_path: Path) -> Connect:
    """See `lsp_pair.connector`."""
    return connector(tmp_path)
