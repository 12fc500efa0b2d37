"""What is known before a model is loaded: the request, the threads, if the file can be one and is shared."""

from __future__ import annotations

import os
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from bowerbird.inference.families import texts_to_probe
from bowerbird.inference.generator import ModelCorrupt, ModelMissing
from bowerbird.inference.pipe import Message
from bowerbird.settings import InferenceSettings

GGUF_MAGIC = b"GGUF"
SHARED_FROM_BYTES = 200_000_000  # a smaller one starts faster, and has one hop less, in a process of its own


def load_message(model_path: Path, settings: InferenceSettings) -> Message:
    """The message `load` for these settings."""
    return {
        "type": "load",
        "path": str(model_path.absolute()),
        "threads": threads_for(settings.threads),
        "gpu_layers": settings.gpu_layers,
        "context_tokens": settings.context_tokens,
        "micro_batch_tokens": settings.micro_batch_tokens,
        "draft_tokens": settings.draft_tokens,
        "probe": texts_to_probe(),
        "vocabulary_only": False,
    }


def threads_for(setting: int) -> int:
    """Threads for the model: the setting, or one less than the physical cores that we may use."""
    if setting > 0:
        return setting
    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = min(cores, len(os.sched_getaffinity(0)))
    return max(1, cores - 1)


def check_file(path: Path) -> tuple[int, int]:
    """Its size and time, if it may be a GGUF; raises `ModelMissing`, `ModelCorrupt`."""
    try:
        with path.open("rb") as file:
            magic = file.read(len(GGUF_MAGIC))
            status = os.fstat(file.fileno())
    except FileNotFoundError as error:
        raise ModelMissing(f"There is no model file {path}.") from error
    except IsADirectoryError as error:
        raise ModelCorrupt(f"{path} is a folder, not a GGUF file.") from error
    except OSError as error:
        raise ModelCorrupt(f"{path} cannot be read: {error.strerror}.") from error
    if magic != GGUF_MAGIC:
        raise ModelCorrupt(f"{path} is no GGUF file: it does not begin with the letters GGUF.")
    return status.st_size, status.st_mtime_ns


def is_shared(wish: str, size_bytes: int) -> bool:
    """Do editors share a file of this size? `wish` is the setting `inference.shared`."""
    return wish == "always" or (wish == "auto" and size_bytes >= SHARED_FROM_BYTES)
