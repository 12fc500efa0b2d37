"""Where a measurement finds Microsoft's services for Power Query M: those of `make parts` count, too."""

from __future__ import annotations

import os
from pathlib import Path

from bowerbird.execution.powerquery import LANGUAGE, packages_folder, why_missing

PARTS = "BOWERBIRD_PARTS"
"""The environment variable with the folder that `make parts` fills."""


def services_folder(option: Path | None) -> Path:
    """The folder of ``--judge``, else the user's own, else that among the parts. It need not exist."""
    if option is not None:
        return option
    own, parts = packages_folder(), os.environ.get(PARTS, "")
    return Path(parts, LANGUAGE) if parts and why_missing(own) else own
