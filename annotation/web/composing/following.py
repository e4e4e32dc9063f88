"""What is said elsewhere in a protocol's file of a question, of what is rated by it, of its answers
or of a ruling: it follows these where they are called otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from annotation.protocols.files import members
from annotation.protocols.kinds import KINDS
from annotation.web.composing.given import questions_at, rows_of, scales_of

REFERS: Mapping[str, tuple[str, ...]] = {
    "deducts": ("marks",),
    "confirms": ("choice", "scale"),
    "crossing": ("keyword",),
    "moved_from": ("whole",),
    "refused": ("refusals",),
    "stored_with": tuple(KINDS),
}
"""Members that name another question, and of which kinds that is."""
RATED = ("predicted", "dimension")
"""Members that name what is rated."""
RULINGS = ("policy_ruling", "span_ruling", "suggests_ruling")
"""Members that name a ruling."""
Became = Mapping[Any, Any]
"""What each is called now, by what it was called."""


@contextmanager
def kept_references(given: dict[str, Any]) -> Iterator[None]:
    """Whoever changes the name of a question within, of what is rated by it or of a ruling, or the
    value of an answer, means it wherever that stands; so does whoever chooses the former name
    meanwhile, as a form offers it. What was changed otherwise stays as it was changed."""
    former = deepcopy(given)
    yield
    before, now = questions_at(former), questions_at(given)
    pairs = [(was, now[place]) for place, was in before.items() if place in now]
    names = _became((was.get("name"), after.get("name")) for was, after in pairs)
    rated = _became(each for was, after in pairs for each in _rated_pairs(was, after))
    answers = {
        was["name"]: _answers(was, after)
        for was, after in pairs
        if isinstance(was.get("name"), str)
    }
    rulings = [*zip(*(rows_of(file.get("rulings")) for file in (former, given)), strict=True)]
    for was, ruling in rulings:
        _follow_default(ruling, was)
    decided = _became((was.get("name"), ruling.get("name")) for was, ruling in rulings)
    for was, part in zip(_referring(former), _referring(given), strict=True):
        for name in ("shown_when", "required_when"):
            if isinstance(part.get(name), dict):
                condition = was.get(name)
                _follow_condition(
                    part[name], condition if isinstance(condition, dict) else {}, names, answers
                )
        for members_of, became in ((REFERS, names), (RATED, rated), (RULINGS, decided)):
            for name in members_of:
                _follow_member(part, was, name, became)
    _follow_rated(given, rated)


def _became(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Not of what two were called, nor of what had no name, or has none now."""
    known = [
        (was, now) for was, now in pairs if type(was) in (int, str) and type(now) in (int, str)
    ]
    number = Counter(was for was, _now in known)
    return {was: now for was, now in known if number[was] == 1 and "" not in (was, now)}


def _in_order(before: Sequence[Any], after: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Pairs of as many; none where some were added or taken away."""
    return zip(before, after, strict=True) if len(before) == len(after) else iter(())


def _rated_pairs(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    before, after = ([scale.name for scale in scales_of(given)] for given in (was, now))
    if before and after:
        return _in_order(before, after)
    # One of them cannot be read just now.
    return iter([tuple(given.get("dimension_name", given.get("name")) for given in (was, now))])


def _answers(was: Mapping[str, Any], now: Mapping[str, Any]) -> dict[Any, Any]:
    """Of options by their keys, of types of marks and of words by their places."""
    keys_before, keys_now = (
        _became((row.get("key"), row.get("value")) for row in rows_of(given.get("options")))
        for given in (was, now)
    )
    options = [(keys_before[key], keys_now[key]) for key in keys_before if key in keys_now]
    return _became(
        [
            *options,
            *_in_order(*([row.get("key") for row in rows_of(g.get("types"))] for g in (was, now))),
            *_in_order(*(_list(given.get("allowed")) for given in (was, now))),
        ]
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _referring(given: Mapping[str, Any]) -> list[Any]:
    """Everything that names a question, or what is rated."""
    controls = given.get("controls")
    rows: Iterable[Any] = controls.values() if isinstance(controls, dict) else ()
    return [given, *questions_at(given).values(), *(each for row in rows for each in rows_of(row))]


def _is_meant(said: Any, said_before: Any, became: Became) -> bool:
    """Whether a name is of before: it was not touched, or was chosen as the form offered it, and
    names nothing now."""
    return type(said) in (int, str) and (said == said_before or said not in became.values())


def _follow_member(part: dict[str, Any], was: Mapping[str, Any], name: str, became: Became) -> None:
    silent = where_silent(part, name)
    said, said_before = part.get(name, silent), was.get(name, silent)
    if _is_meant(said, said_before, became) and became.get(said, said) != said:
        part[name] = became[said]


def where_silent(part: Mapping[str, Any], name: str) -> Any:
    """What a question names where its file does not say."""
    kind = part.get("kind")
    known = KINDS.get(kind) if isinstance(kind, str) else None
    return getattr(known, name, None) if known is not None and name in members(known) else None


def _follow_condition(
    when: dict[str, Any],
    was: Mapping[str, Any],
    names: Became,
    answers: Mapping[str, Became],
) -> None:
    field = when.get("field")
    if not _is_meant(field, was.get("field"), names):
        return
    when["field"] = names.get(field, field)
    if isinstance(when.get("values"), list) and when["values"] == was.get("values"):
        new = answers.get(str(field), {})
        when["values"] = [new.get(v, v) if type(v) in (int, str) else v for v in when["values"]]


def _follow_default(ruling: dict[str, Any], was: Mapping[str, Any]) -> None:
    """A ruling holds by the word that it held by, or that was chosen for it."""
    words = _became(_in_order(_words(was), _words(ruling)))
    default = ruling.get("default")
    if isinstance(default, str) and _is_meant(default, was.get("default"), words):
        ruling["default"] = words.get(default, default)


def _words(ruling: Mapping[str, Any]) -> list[Any]:
    return [pair[0] for pair in _list(ruling.get("options")) if isinstance(pair, list) and pair]


def _follow_rated(given: dict[str, Any], rated: Became) -> None:
    """What tables and lists of names say of what is rated."""
    about = given.get("about")
    for name in ("notes", "quality"):
        table = about.get(name) if isinstance(about, dict) else None
        if isinstance(about, dict) and isinstance(table, dict):
            followed = {rated.get(key, key): value for key, value in table.items()}
            # Of two under one name one would be lost.
            about[name] = followed if len(followed) == len(table) else table
    for name in ("classified", "imported"):
        if isinstance(given.get(name), list):
            given[name] = [_renamed(each, rated) for each in given[name]]


def _renamed(each: Any, rated: Became) -> Any:
    if isinstance(each, list):
        return [_renamed(inner, rated) for inner in each]
    return rated.get(each, each) if isinstance(each, str) else each
