"""JSON -> frozen dataclasses of plain values, or a `ValueError` where it does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

LARGEST_NUMBER = 2**53  # nothing that we keep comes near it, and what is shown can be added up and rounded

T = TypeVar("T")


def structure(kind: type[T], data: object) -> T:
    """`data` as a `kind`. Unknown fields are left out, fields with a default may be missing."""
    if not isinstance(data, Mapping):
        raise ValueError(f"a {kind.__name__} is an object")
    values = {}
    known: Any = kind
    for name, (wanted, required) in _fields(known).items():
        if name in data:
            values[name] = _value(wanted, data[name])
        elif required:
            raise ValueError(f"a {kind.__name__} has a {name}")
    return kind(**values)


@cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    """Each field's type, and whether it must be given."""
    hints = get_type_hints(kind)
    return {
        field.name: (hints[field.name], field.default is MISSING and field.default_factory is MISSING)
        for field in fields(kind)
    }


def _value(wanted: Any, value: object) -> Any:
    if get_origin(wanted) is tuple:
        if not isinstance(value, list):
            raise ValueError("not a list")
        return tuple(_value(get_args(wanted)[0], item) for item in value)
    if is_dataclass(wanted):
        return structure(wanted, value)  # type: ignore[arg-type]
    if issubclass(wanted, StrEnum):
        return wanted(value)
    if wanted is float and type(value) is int:
        wanted = int
    if type(value) is not wanted or (isinstance(value, int | float) and not abs(value) <= LARGEST_NUMBER):
        raise ValueError(f"not a {wanted.__name__}")
    return value
