"""What is said of a question elsewhere in a protocol's file, once its name is changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from annotation.protocols.files import members
from annotation.protocols.kinds import KINDS
from annotation.web.composing.given import questions_at, rows_of, scales_of

REFERS = ("deducts", "confirms", "crossing", "moved_from", "refused", "stored_with")
"""Members that name another question."""
RATED = ("predicted", "dimension")
"""Members that name what is rated."""
RULINGS = ("policy_ruling", "span_ruling", "suggests_ruling")
"""Members that name a ruling."""


@contextmanager
def kept_references(given: dict[str, Any]) -> Iterator[None]:
    """Whoever changes the name of a question within, of what is rated by it or of a ruling, or the
    value of an option, means it wherever that stands; what was changed there itself stays as it was
    changed."""
    former = deepcopy(given)
    yield
    before, now = questions_at(former), questions_at(given)
    known = {
        field["name"]: (field, now[place])
        for place, field in before.items()
        if place in now and isinstance(field.get("name"), str)
    }
    names = {name: after.get("name") for name, (_was, after) in known.items()}
    rated = dict(names)
    for was, after in known.values():
        if was != after:
            rated |= _changed(_rated_names(was), _rated_names(after))
    rulings = _follow_rulings(rows_of(former.get("rulings")), rows_of(given.get("rulings")))
    values = {name: _values_changed(was, after) for name, (was, after) in known.items()}
    for was, part in zip(_referring(former), _referring(given), strict=True):
        for name in ("shown_when", "required_when"):
            if isinstance(part.get(name), dict):
                before_it = was.get(name)
                _follow(part[name], before_it if isinstance(before_it, dict) else {}, names, values)
        for members_of, renamed in ((REFERS, names), (RATED, rated), (RULINGS, rulings)):
            for name in members_of:
                _follow_member(part, was, name, renamed)
    _follow_rated(given, rated)


def _follow_member(
    part: dict[str, Any], was: Mapping[str, Any], name: str, renamed: Mapping[str, Any]
) -> None:
    silent = _where_silent(part, name)
    said, said_before = part.get(name, silent), was.get(name, silent)
    if isinstance(said, str) and _is_meant(said, said_before, renamed):
        after = renamed.get(said, said)
        if after != said:
            part[name] = after


def _where_silent(part: Mapping[str, Any], name: str) -> Any:
    """What a question names where its file does not say."""
    kind = part.get("kind")
    cls = KINDS.get(kind) if isinstance(kind, str) else None
    return getattr(cls, name, None) if cls is not None and name in members(cls) else None


def _is_meant(said: str, said_before: Any, renamed: Mapping[str, Any]) -> bool:
    """Whether a name is the one that was there before: it was not touched, or it was chosen while
    nothing was called otherwise yet, and names nothing now."""
    return said == said_before or said not in renamed.values()


def _rated_names(given: Mapping[str, Any]) -> list[str]:
    return [scale.name for scale in scales_of(given)]


def _changed(before: Sequence[str], after: Sequence[str]) -> dict[str, str]:
    """What each is called now, by what it was called, of as many in the same order."""
    pairs = zip(before, after, strict=True) if len(before) == len(after) else ()
    return {was: now for was, now in pairs if was != now}


def _follow_rulings(was: Sequence[Any], now: Sequence[Any]) -> dict[str, str]:
    """What each is called now; each holds by the word that it held by."""
    for former, ruling in zip(was, now, strict=True):
        words = _changed(_words(former), _words(ruling))
        default = ruling.get("default")
        if isinstance(default, str) and (
            default == former.get("default") or default not in _words(ruling)
        ):
            ruling["default"] = words.get(default, default)
    return _changed(*([row["name"] for row in rows if _is_named(row)] for rows in (was, now)))


def _is_named(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("name"), str)


def _words(ruling: Mapping[str, Any]) -> list[str]:
    options = ruling.get("options")
    pairs = options if isinstance(options, list) else []
    return [str(pair[0]) for pair in pairs if isinstance(pair, list) and pair]


def _follow_rated(given: dict[str, Any], rated: Mapping[str, Any]) -> None:
    """What has no form, and says something of what is rated."""
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


def _renamed(each: Any, rated: Mapping[str, Any]) -> Any:
    if isinstance(each, list):
        return [_renamed(inner, rated) for inner in each]
    return rated.get(each, each) if isinstance(each, str) else each


def _referring(given: Mapping[str, Any]) -> list[Any]:
    """Everything that names a question."""
    controls = given.get("controls")
    rows: Iterable[Any] = controls.values() if isinstance(controls, dict) else ()
    return [given, *questions_at(given).values(), *(each for row in rows for each in rows_of(row))]


def _values_changed(was: Mapping[str, Any], now: Mapping[str, Any]) -> dict[int | str, Any]:
    """What became of the values of options that kept their keys, of the keys of types of marks and
    of words."""
    present = {option["key"]: option.get("value") for option in _keyed(now)}
    values = {
        option["value"]: present[option["key"]]
        for option in _keyed(was)
        if type(option.get("value")) is int and option["key"] in present
    }
    return values | _changed(_answer_words(was), _answer_words(now))


def _answer_words(field: Mapping[str, Any]) -> list[str]:
    """What conditions name of its answers by words."""
    allowed = field.get("allowed")
    words = [str(row.get("key", "")) for row in rows_of(field.get("types"))]
    return [*words, *map(str, allowed if isinstance(allowed, list) else ())]


def _keyed(field: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [row for row in rows_of(field.get("options")) if isinstance(row.get("key"), str)]


def _follow(
    when: dict[str, Any],
    was: Mapping[str, Any],
    names: Mapping[str, Any],
    values: Mapping[str, Mapping[int | str, Any]],
) -> None:
    """A condition that names the question that it named before, or by the name that it had."""
    field = when.get("field")
    if not isinstance(field, str) or not _is_meant(field, was.get("field"), names):
        return
    when["field"] = names.get(field, field)
    if isinstance(when.get("values"), list) and when["values"] == was.get("values"):
        new = values.get(field, {})
        when["values"] = [new.get(v, v) if type(v) in (int, str) else v for v in when["values"]]
