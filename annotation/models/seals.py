"""What makes a judgment complete and consistent under its protocol, as SQL conditions on the row
that is being sealed: generated from the published protocols, so that a further one needs no
migration.

Each condition is true of a judgment that must be refused. ``triggers`` puts them into the database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from annotation.protocols.base import Dimension
from annotation.protocols.kinds import Bracket, BracketedScale, Evidence, Field, When
from annotation.protocols.protocol import Protocol

JUDGMENT, RATING, ERROR, SIDE = (
    "annotation_judgment",
    "annotation_rating",
    "annotation_errordeduction",
    "annotation_sideanswer",
)
_TABLES = {"rating": (RATING, "dimension"), "mark": (ERROR, "field"), "side": (SIDE, "field")}
_VALUES = {"rating": "value", "mark": "type", "side": "value"}
_STUDY = (
    "(SELECT s.protocol_key || ' ' || s.protocol_version FROM annotation_study s WHERE s.id = "
    "(SELECT w.study_id FROM annotation_annotator w WHERE w.id = "
    "(SELECT a.annotator_id FROM annotation_assignment a WHERE a.id = NEW.assignment_id)))"
)

Condition = str | dict[str, str]
"""True of what must be refused; or by the protocol's name, of those that have such a rule."""
Refusal = tuple[Condition, str]
"""A condition and what is said of a judgment of which it is true."""
_NEVER = "1 = 0"


def refusals(protocols: Iterable[Protocol]) -> list[Refusal]:
    """Every refusal that depends on the protocol, in the order in which they are asked. The order
    of publication does not count: the same protocols make the same rules in every process."""
    known = sorted(protocols, key=lambda protocol: protocol.name)
    return [
        (
            # One that is no longer installed is let through: an erasure seals again what it opened.
            f"NEW.protocol <> {_STUDY}",
            "judgment_protocol: it was judged by another protocol than its study pins",
        ),
        (
            _by_protocol(known, _incomplete),
            "judgment_incomplete: one rating per dimension of the protocol is needed",
        ),
        (
            _by_protocol(known, _in_part),
            "judgment_incomplete: an answer of several dimensions is rated on all of them or none",
        ),
        (
            _by_protocol(known, _off_scale),
            "rating_value_on_its_scale: a rating is on no dimension or off the scale of its own",
        ),
        (
            _by_protocol(known, _wrongly_derived),
            "rating_says_how_it_was_derived: only a bracketed scale has a score that is not stated",
        ),
        (
            _by_protocol(known, _miscounted),
            "judgment_deductions: as many errors are needed as points were taken off",
        ),
        (
            _by_protocol(known, _uncounted),
            "judgment_marks: as many marks are needed as the judgment counts",
        ),
        (
            _by_protocol(known, _miscalculated),
            "rating_is_bracket_minus_deductions: the score is not what its bracket and errors give",
        ),
        (
            _by_protocol(known, _unanswered_crossing),
            "rating_crossing_was_answered: a score below its bracket, and what becomes of it",
        ),
        (
            f"EXISTS (SELECT 1 FROM {RATING} r WHERE r.judgment_id = NEW.id AND "
            "r.derivation = 'imported' AND NEW.origin <> 'imported')",
            "judgment_origin: a score without bracket is for imported judgments only",
        ),
        (
            _by_protocol(known, _marked_import),
            "judgment_origin: an imported score has no error rows",
        ),
        (
            _by_protocol(known, _unexplained),
            "judgment_explanation: an answer is missing that another one asks for",
        ),
        (
            _by_protocol(known, _homeless),
            "judgment_answers: an answer or a mark belongs to no field of the protocol",
        ),
    ]


def rules_size(protocols: Iterable[Protocol]) -> int:
    """Characters of what is refused of these protocols in particular."""
    conditions = [condition for condition, _said in refusals(protocols)]
    each = [condition for condition in conditions if isinstance(condition, dict)]
    return sum(len(clause) for condition in each for clause in condition.values())


def _by_protocol(protocols: list[Protocol], condition: Callable[[Protocol], str]) -> dict[str, str]:
    each = {protocol.name: condition(protocol) for protocol in protocols}
    return {_text(name): said for name, said in each.items() if said != _NEVER}


def _incomplete(protocol: Protocol) -> str:
    required = [dimension.name for dimension in protocol.scales if dimension.required]
    if not protocol.imported:
        return _lacks(required)
    return (
        f"(NEW.origin <> 'imported' AND {_lacks(required)}) OR "
        f"(NEW.origin = 'imported' AND ({_lacks_any(protocol.needed)}))"
    )


def _lacks_any(needed: Sequence[Sequence[str]]) -> str:
    """Not all are rated that stand alone, or none of those of which one will do."""
    alone = [name for names in needed for name in names if len(names) == 1]
    conditions = [_lacks(alone)] if alone else []
    conditions += [
        f"NOT EXISTS (SELECT 1 FROM {RATING} r WHERE r.judgment_id = NEW.id AND r.dimension IN "
        f"({_list(names)}))"
        for names in needed
        if len(names) > 1
    ]
    return " OR ".join(conditions)


def _in_part(protocol: Protocol) -> str:
    """Some of the dimensions of one answer are rated and others are not."""
    whole = [field.dimensions for field in protocol.fields if len(field.dimensions) > 1]
    conditions = [
        f"(SELECT COUNT(*) FROM {RATING} r WHERE r.judgment_id = NEW.id AND r.dimension IN "
        f"({_list(dimension.name for dimension in dimensions)})) NOT IN (0, {len(dimensions)})"
        for dimensions in whole
    ]
    return " OR ".join(conditions) or _NEVER


def _side_fits(field: Field, side: str) -> str:
    name = f"x.field = {_text(side)}"
    allowed = field.allowed_sides
    return f"({name} AND x.value IN ({_list(allowed)}))" if allowed else name


def _lacks(required: Sequence[str]) -> str:
    return (
        f"(SELECT COUNT(*) FROM {RATING} r WHERE r.judgment_id = NEW.id AND r.dimension IN "
        f"({_list(required)})) <> {len(required)}"
    )


def _off_scale(protocol: Protocol) -> str:
    fits = " OR ".join(_on_scale(dimension) for dimension in protocol.scales)
    return f"EXISTS (SELECT 1 FROM {RATING} r WHERE r.judgment_id = NEW.id AND NOT ({fits}))"


def _on_scale(dimension: Dimension) -> str:
    scale, name = dimension.scale, f"r.dimension = {_text(dimension.name)}"
    if scale == tuple(range(scale[0], scale[-1] + 1)):
        return f"({name} AND r.value BETWEEN {scale[0]} AND {scale[-1]})"
    if not dimension.options:
        inside = f"r.value BETWEEN {scale[0]} AND {scale[-1]}"
        return f"({name} AND {inside} AND (r.value - {scale[0]}) % {dimension.step} = 0)"
    return f"({name} AND r.value IN ({', '.join(map(str, scale))}))"


def _wrongly_derived(protocol: Protocol) -> str:
    bracketed = [scale.dimension_name for scale in protocol.bracketed]
    derived = f"r.dimension IN ({_list(bracketed)})" if bracketed else _NEVER
    return (
        f"EXISTS (SELECT 1 FROM {RATING} r WHERE r.judgment_id = NEW.id AND "
        f"(r.derivation <> 'stated') <> ({derived}))"
    )


def _each_bracketed(protocol: Protocol, condition: Callable[[BracketedScale], str]) -> str:
    conditions = [
        f"EXISTS (SELECT 1 FROM {RATING} r WHERE r.judgment_id = NEW.id AND "
        f"r.dimension = {_text(scale.dimension_name)} AND {condition(scale)})"
        for scale in protocol.bracketed
    ]
    return " OR ".join(conditions) or _NEVER


def _miscounted(protocol: Protocol) -> str:
    return _each_bracketed(
        protocol,
        lambda scale: (
            f"r.derivation = 'derived' AND r.deductions <> (SELECT COUNT(*) FROM {ERROR} e "
            f"WHERE e.judgment_id = NEW.id AND e.field = {_text(scale.deducts)})"
        ),
    )


def _uncounted(protocol: Protocol) -> str:
    conditions = [
        f"EXISTS (SELECT 1 FROM {RATING} r WHERE r.judgment_id = NEW.id AND "
        f"r.dimension = {_text(field.counted)} AND r.value <> (SELECT COUNT(*) FROM {ERROR} e "
        f"WHERE e.judgment_id = NEW.id AND e.field = {_text(field.name)}))"
        for field in protocol.marked
        if field.counted
    ]
    return " OR ".join(conditions) or _NEVER


def _miscalculated(protocol: Protocol) -> str:
    return _each_bracketed(protocol, _is_miscalculated)


def _is_miscalculated(scale: BracketedScale) -> str:
    known = ", ".join(str(bracket.value) for bracket in scale.brackets)
    top, bottom = _of_bracket(scale.brackets, "top"), _of_bracket(scale.brackets, "bottom")
    fallen = f"{top} - r.deductions"
    floor = f"(CASE r.crossing_policy WHEN 'clamp' THEN {bottom} ELSE {scale.lowest} END)"
    value = f"(CASE WHEN {fallen} < {floor} THEN {floor} ELSE {fallen} END)"
    return f"r.derivation = 'derived' AND (r.bracket NOT IN ({known}) OR r.value <> {value})"


def _unanswered_crossing(protocol: Protocol) -> str:
    return _each_bracketed(protocol, _is_unanswered)


def _is_unanswered(scale: BracketedScale) -> str:
    if not scale.crossing:
        return "r.derivation = 'derived' AND (r.crossing_answer <> '' OR r.crossing_policy = 'ask')"
    bottom = _of_bracket(scale.brackets, "bottom")
    return (
        "r.derivation = 'derived' AND r.crossing_policy = 'ask' AND "
        f"((r.value >= {bottom} AND r.crossing_answer = 'kept') OR "
        f"(r.value < {bottom} AND r.crossing_answer = ''))"
    )


def _of_bracket(brackets: Iterable[Bracket], attribute: str) -> str:
    """The top or bottom of the row's bracket as SQL."""
    cases = "".join(f" WHEN {b.value} THEN {getattr(b, attribute)}" for b in brackets)
    return f"(CASE r.bracket{cases} END)"


def _marked_import(protocol: Protocol) -> str:
    return _each_bracketed(
        protocol,
        lambda scale: (
            f"r.derivation = 'imported' AND EXISTS (SELECT 1 FROM {ERROR} e WHERE "
            f"e.judgment_id = NEW.id AND e.field = {_text(scale.deducts)})"
        ),
    )


def _unexplained(protocol: Protocol) -> str:
    """What a person did not say: what is required beside the dimensions that are always rated."""
    conditions = []
    for field in protocol.fields:
        if field.stored_with:
            continue
        # A kind says how an answer is known only where one may be asked for (protocols.trials).
        if field.required_when is not None:
            conditions.append(f"({_holds(protocol, field.required_when)} AND {_missing(field)})")
        if field.required and field.shown_when is not None:
            conditions.append(f"({_holds(protocol, field.shown_when)} AND {_missing(field)})")
        elif field.required and not field.dimensions:
            conditions.append(_missing(field))
    return f"NEW.origin <> 'imported' AND ({' OR '.join(conditions)})" if conditions else _NEVER


def _missing(field: Field) -> str:
    return f"NOT {_exists(field.evidence(None))}"


def _holds(protocol: Protocol, when: When) -> str:
    field: Field = protocol.field(when.field)
    return _exists(*(field.evidence(value) for value in when.values or (None,)))


def _exists(*evidence: Evidence) -> str:
    """Any of these is there. Those of one name are asked for together: a condition may have a
    hundred words."""
    rows: dict[tuple[str, str], list[int | str | None]] = {}
    for each in evidence:
        rows.setdefault((each.table, each.name), []).append(each.value)
    conditions = []
    for (kind, name), values in rows.items():
        table, column = _TABLES[kind]
        row = f"x.judgment_id = NEW.id AND x.{column} = {_text(name)}"
        known = [
            str(value) if isinstance(value, int) else _text(value)
            for value in values
            if value is not None
        ]
        if len(known) == len(values):
            row += f" AND x.{_VALUES[kind]} IN ({', '.join(known)})"
        conditions.append(f"EXISTS (SELECT 1 FROM {table} x WHERE {row})")
    return conditions[0] if len(conditions) == 1 else f"({' OR '.join(conditions)})"


def _homeless(protocol: Protocol) -> str:
    sides = " OR ".join(
        _side_fits(field, side) for field in protocol.beside for side in field.sides
    )
    marks = " OR ".join(
        f"(e.field = {_text(field.name)} AND e.type IN ({_list(o.key for o in field.marks)}))"
        for field in protocol.marked
    )
    return (
        f"EXISTS (SELECT 1 FROM {SIDE} x WHERE x.judgment_id = NEW.id AND "
        f"NOT ({sides or '1 = 0'})) OR "
        f"EXISTS (SELECT 1 FROM {ERROR} e WHERE e.judgment_id = NEW.id AND "
        f"NOT ({marks or '1 = 0'}))"
    )


def _list(names: Iterable[str]) -> str:
    return ", ".join(_text(name) for name in names)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
