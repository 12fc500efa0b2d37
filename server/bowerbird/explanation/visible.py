"""Text as it may be shown: what would steer a terminal or turn a line round is shown by its name."""

from __future__ import annotations

CONTROL_PICTURES = 0x2400  # a picture for each control character, in their order
DELETE, DELETE_PICTURE = 0x7F, 0x2421
KEPT = "\t\n"
STEERING = [
    *range(0x80, 0xA0),
    0x061C,
    *range(0x200B, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    0xFEFF,
]
"""Further controls, direction marks and characters without width."""
SURROGATES = range(0xD800, 0xE000)

NAMES: dict[int, str] = {
    **{code: chr(CONTROL_PICTURES + code) for code in range(0x20) if chr(code) not in KEPT},
    DELETE: chr(DELETE_PICTURE),
    **{code: f"⟨U+{code:04X}⟩" for code in (*STEERING, *SURROGATES)},
}


def visible(text: str) -> str:
    """`text` with nothing in it that acts."""
    return text.translate(NAMES)
