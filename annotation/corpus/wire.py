"""What a reader found, as JSON and back: it comes from a process that read a stranger's bytes, so
never as a pickle.

Types say how a value is taken back, and a value of another form is an error. Rows are written as
lists: there may be a hundred thousand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")
_PLAIN = (str, int, float, bool, NoneType)


def dumps(value: object) -> str:
    """A dataclass (or what is made of them) as JSON."""
    # ASCII: whatever a text holds, its bytes can be written.
    return json.dumps(_packed(value), separators=(",", ":"))


def loads(kind: type[T], text: str | bytes) -> T:
    """The value again. Raises ``ValueError`` where it is none of that kind."""
    try:
        value: T = _reader(kind)(json.loads(text))  # type: ignore[arg-type]  # a class is hashable
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"no {kind.__name__}: {error}") from error
    return value


def _packed(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, _PLAIN):
        return value
    if is_dataclass(value):
        members = [(field.name, _packed(getattr(value, field.name))) for field in fields(value)]
        return [member for _name, member in members] if _is_row(type(value)) else dict(members)
    if isinstance(value, Mapping):
        return {str(name): _packed(member) for name, member in value.items()}
    if isinstance(value, Sequence):
        return [_packed(member) for member in value]
    raise TypeError(f"{type(value).__name__} is not sent")


def _is_row(kind: type) -> bool:
    return "__slots__" in vars(kind)


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """What takes a value of this kind back from its JSON."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is UnionType:
        (inner,) = (_reader(argument) for argument in arguments if argument is not NoneType)
        return lambda data: None if data is None else inner(data)
    if origin in (list, tuple, Sequence):
        inner, sequence = _reader(arguments[0]), list if origin is not tuple else tuple
        return lambda data: sequence(map(inner, _checked(list, data)))
    if origin in (dict, Mapping):
        key, inner = _reader(arguments[0]), _reader(arguments[1])
        return lambda data: {
            key(name): inner(member) for name, member in _checked(dict, data).items()
        }
    if is_dataclass(kind) and isinstance(kind, type):
        return _row_reader(kind) if _is_row(kind) else _dataclass_reader(kind)
    return _simple_reader(kind)


def _simple_reader(kind: Any) -> Callable[[Any], Any]:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if isinstance(kind, type) and issubclass(kind, tuple):  # a named one
        members = tuple(map(_reader, get_type_hints(kind).values()))
        return lambda data: kind(
            *(read(part) for read, part in zip(members, _checked(list, data), strict=True))
        )
    if kind is int:
        return lambda data: data if isinstance(data, int) else int(_checked(str, data))
    if kind is float:
        return float
    return lambda data: _checked(kind, data)


def _dataclass_reader(kind: type) -> Callable[[Any], Any]:
    hints = get_type_hints(kind)
    readers = {field.name: _reader(hints[field.name]) for field in fields(kind)}
    return lambda data: kind(
        **{name: readers[name](member) for name, member in _checked(dict, data).items()}
    )


def _row_reader(kind: type) -> Callable[[Any], Any]:
    return lambda data: kind(*_checked(list, data))


def _checked(kind: Any, data: Any) -> Any:
    if not isinstance(data, kind):
        raise TypeError(f"{type(data).__name__} in place of {kind.__name__}")
    return data
