"""Answers that a protocol is tried on: what a field's ``schema`` describes, or its ``samples``.
Where people write freely, one holds a text that stands verbatim only where it was written so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from annotation.protocols.base import PairFacts, Wording
from annotation.protocols.fault_words import error_words, of_field, quoted
from annotation.protocols.kinds import Field, ShapeError

TYPED = 'É"\\Zoé'
"""What JSON writes otherwise than it is."""
FACTS = (
    PairFacts(40, 30),
    PairFacts(30, 30, is_identical=True),
    PairFacts(40, 30, is_other_language=True),
)
"""The pairs that it is tried on."""
_MOST = 60
"""Samples of one field."""


class Unsampled(ValueError):
    """A field that describes no answer that it reads."""

    def __init__(self, words: Wording) -> None:
        super().__init__(words.en)
        self.words = words


def sample_faults(f: Field, into: dict[str, list[Any]]) -> Iterator[Wording]:
    """Why there is none of this field; else they are put ``into``."""
    try:
        into[f.name] = _samples(f)
    except Unsampled as error:
        yield untried(f.name, Wording(error.words.fr, f"ValueError: {error.words.en}"))


def _samples(f: Field) -> list[Any]:
    """Answers that it reads, as it stores them. Raises ``Unsampled`` where it reads none."""
    made = f.samples or _made(f.schema(), set(f.free_members), (f.name,))
    samples = []
    for sample in islice((_typed_in(f, sample) for sample in made), _MOST):
        try:
            samples.append(f.clean(sample))
        except ShapeError as error:
            words = error_words(error)
            raise Unsampled(
                Wording(
                    f"il ne lit pas {quoted(sample)}, que son schema décrit\u00a0: {words.fr}",
                    f"it does not read {sample!r}, which its schema describes: {words.en}",
                )
            ) from error
    if not samples:
        raise Unsampled(
            Wording("son schema ne décrit aucune réponse", "its schema describes no answer")
        )
    return samples


def _typed_in(f: Field, sample: Any) -> Any:
    """The sample with what people may type wherever they may, if it is read so."""
    typed = sample
    for member in f.free_members:
        typed = _put(typed, member[1:])
    try:
        f.clean(typed)
    except ShapeError:
        return sample
    return typed


def _put(value: Any, way: tuple[str, ...]) -> Any:
    if not way:
        return TYPED if isinstance(value, str) else value
    if isinstance(value, list) and way[0] == "*":
        return [_put(inner, way[1:]) for inner in value]
    if isinstance(value, dict) and way[0] in value:
        return value | {way[0]: _put(value[way[0]], way[1:])}
    return value


def _made(schema: Mapping[str, Any], free: set[tuple[str, ...]], way: tuple[str, ...]) -> list[Any]:
    """Values that a JSON schema describes, as different as it allows in few."""
    if "enum" in schema:
        return [value for value in schema["enum"] if value not in (None, "")] or [*schema["enum"]]
    kinds = schema.get("type")
    kind = next((k for k in kinds if k != "null"), "") if isinstance(kinds, list) else kinds
    match kind:
        case "boolean":
            return [True]
        case "integer" | "number":
            lowest = schema.get("minimum", 0)
            return [*dict.fromkeys((lowest, schema.get("maximum", lowest)))]
        case "string":
            text = TYPED if way in free else "a" * max(1, schema.get("minLength", 1))
            return [text[: schema.get("maxLength")]]
        case "array":
            return [[value] for value in _made(schema["items"], free, (*way, "*"))]
        case "object":
            each = {
                name: _made(inner, free, (*way, name))
                for name, inner in schema.get("properties", {}).items()
            }
            first = {name: values[0] for name, values in each.items()}
            others = [first | {n: v} for n, values in each.items() for v in values[1:]]
            return [first, *others]
    raise Unsampled(
        Wording(
            f"rien ne peut être fait du schema {dict(schema)!r}",
            f"nothing is made of the schema {dict(schema)!r}",
        )
    )


def untried(name: str, error: Wording) -> Wording:
    """What is said of a field of which there is none."""
    return of_field(
        name,
        Wording(
            f"ne peut pas être essayé\u00a0: {error.fr}. Corrigez son schema, ou donnez-lui des "
            "samples",
            f"cannot be tried: {error.en}. Mend its schema, or give it samples",
        ),
    )
