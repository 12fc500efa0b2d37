"""The model that benches measure: in a process of its own, whatever editors share beside it."""

from __future__ import annotations

from bowerbird.settings import InferenceSettings

OWN = InferenceSettings(shared="never")
OWN_OPTIONS = {"shared": OWN.shared}
"""The same, as editors send it."""
