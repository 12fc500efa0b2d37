"""Is this machine on battery?"""

from __future__ import annotations

import psutil  # type: ignore[import-untyped]

CANNOT_TELL = (AttributeError, OSError, RuntimeError, ValueError)
"""What psutil raises without sensors, and where a driver lies."""


def on_battery() -> bool:
    """No, where there is no battery or nobody can tell."""
    try:
        battery = psutil.sensors_battery()
    except CANNOT_TELL:
        return False
    return battery is not None and battery.power_plugged is False
