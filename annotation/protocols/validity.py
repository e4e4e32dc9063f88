"""What makes a protocol one: found at start, before it meets anybody's answers. Pure.

First its shape (``shapes``), then what it says of itself, here, then what it does with sample
answers (``trials``): each is asked only of what passed the one before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from annotation.protocols.base import Better, Dimension, Level, Parts, Wording
from annotation.protocols.columns import (
    OF_MARKS,
    OF_PAIRS,
    OF_SEVERAL,
    OWN_LAYOUTS,
    READ_BY_EXPORTS,
    RESERVED,
    aggregated_names,
)
from annotation.protocols.kinds import (
    KINDS,
    BracketedScale,
    Choice,
    Choices,
    Edits,
    Field,
    Flag,
    Keyword,
    Marks,
    Slider,
    Text,
    Whole,
)
from annotation.protocols.kinds.bracketed import CROSSING_WORDS, POLICIES
from annotation.protocols.kinds.edit_rules import SIDES_OF_OPERATIONS
from annotation.protocols.protocol import ORIGINAL, SIMPLIFICATION, Expectation, Protocol
from annotation.protocols.shapes import called_or_read, half_said, misshapen, tried
from annotation.protocols.trials import trial_faults

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
LONGEST_DIMENSION = 60
CONTROLS = ("identical", "unrelated")
"""The kinds of control pair that there are."""
MOST_WHOLES = 1000
MOST_DIMENSIONS = 40
"""SQLite joins 64 tables at most, and agreement reads a judgment's dimensions in one query."""
OF_FORMS = frozenset(
    ("action", "key", "base_revision", "csrfmiddlewaretoken", "user", "answers", "seconds")
)
"""What the page's own controls are called."""
OF_STUDIES = frozenset(
    (
        *("key", "title", "licence", "seed", "guidance_seconds", "hours_budget", "is_blind"),
        *("context_arm", "aid_renderings", "aid_glossary", "glossary_number", "questions"),
        "version",
    )
)
"""Names beside which a study's rulings stand in published files."""
OF_LANGUAGES = ("key", "fr", "en")
"""What tables add to the name of a dimension for the words of its values."""
SMALLEST, LARGEST = -32768, 32767
"""What the database's column of a rating's value holds."""


def faults(protocol: Protocol) -> list[str]:
    """Why this is no protocol that Barème can run, each in a sentence; empty for a sound one."""
    for ask in (misshapen, half_said, _silences, _faults, trial_faults):
        if reasons := list(tried(partial(ask, protocol), "it cannot be examined: ".__add__)):
            return reasons
    return []


def _faults(protocol: Protocol) -> Iterator[str]:
    if not NAME.fullmatch(protocol.key):
        yield f"its key {protocol.key!r} is no name: small letters, digits and «_»"
    if not re.fullmatch(r"[0-9A-Za-z.]{1,10}", protocol.version):
        yield f"its version {protocol.version!r} is none: digits, letters and points, 10 at most"
    if not protocol.title.fr:
        yield "it has no title in French"
    yield from _step_faults(protocol)
    yield from _twice("field", (f.name for f in protocol.fields))
    yield from _twice("ruling", (ruling.name for ruling in protocol.rulings))
    for ruling in protocol.rulings:
        if ruling.name in OF_STUDIES or not NAME.fullmatch(ruling.name):
            yield f"it leaves {ruling.name!r} to studies, which is a setting of every study or none"
    for f in protocol.fields:
        for fault in (*_condition_faults(protocol, f), *_field_faults(protocol, f)):
            yield f"its field {f.name!r} {fault}"
    yield from _shown_faults(protocol)
    yield from _scale_faults(protocol)
    yield from _side_faults(protocol)
    yield from _column_faults(protocol)
    yield from _reference_faults(protocol)
    yield from _flag_faults(protocol)
    yield from _layout_faults(protocol)
    yield from _said_faults(protocol)


def _silences(protocol: Protocol) -> Iterator[str]:
    """Fields that cannot even say what they are rated on, stored as and called."""
    if spoken := list(called_or_read(protocol.fields)):
        yield from spoken
        return
    for f in protocol.fields:
        if not _choiceless(f):
            yield from tried(
                partial(_examine, f), f"its field {f.name!r} cannot be examined: ".__add__
            )


def _examine(f: Field) -> Iterator[str]:
    _ = (f.dimensions, f.sides, f.marks, f.free_members, f.compared(), f.beside_marks())
    yield from ()


def _step_faults(protocol: Protocol) -> Iterator[str]:
    if not protocol.steps:
        yield "it has no step"
    yield from _twice("step", (step.key for step in protocol.steps))
    for step in protocol.steps:
        if not step.fields:
            yield f"its step {step.key!r} has no field"
        if not NAME.fullmatch(step.key):
            yield f"its step {step.key!r} is no name: small letters, digits and «_», 40 at most"
        if not step.question.fr:
            yield f"its step {step.key!r} asks nothing in French"
        yield from _twice(f"text beside its step {step.key!r},", step.sides)
        rated = [f for f in step.fields if not _choiceless(f) and (f.dimensions or f.marks)]
        if rated and not step.sides:
            yield (
                f"its step {step.key!r} rates texts and shows none: name {ORIGINAL!r}, "
                f"{SIMPLIFICATION!r} or both in its sides"
            )
        for side in set(step.sides) - {panel.side for panel in protocol.panels}:
            yield f"its step {step.key!r} shows {side!r}, for which it has no panel"
    yield from _panel_faults(protocol)


def _panel_faults(protocol: Protocol) -> Iterator[str]:
    yield from _twice("panel", (panel.side for panel in protocol.panels))
    for panel in protocol.panels:
        if panel.side not in (ORIGINAL, SIMPLIFICATION):
            yield f"its panel {panel.side!r} is neither {ORIGINAL!r} nor {SIMPLIFICATION!r}"
        if panel.language and not LANGUAGE.fullmatch(panel.language):
            yield (
                f"its panel {panel.side!r} is in {panel.language!r}, no code of a language: "
                "'fr', 'en-CA', or '' for texts in any"
            )


def _scale_faults(protocol: Protocol) -> Iterator[str]:
    scales = [d for f in protocol.fields if not _choiceless(f) for d in f.dimensions]
    yield from _twice("dimension", (dimension.name for dimension in scales))
    if len(scales) > MOST_DIMENSIONS:
        yield f"it rates {len(scales)} dimensions: {MOST_DIMENSIONS} can be read at once"
    if not scales:
        yield "it has no dimension: nothing would be rated"
    elif not any(dimension.required for dimension in scales):
        yield "no dimension of it is always rated: a judgment could be empty"


def _shown_faults(protocol: Protocol) -> Iterator[str]:
    """Fields that are shown only by each other: nobody would ever see one of them."""
    shown_by = {f.name: f.shown_when.field for f in protocol.fields if f.shown_when}
    for name in shown_by:
        way = [name]
        while (after := shown_by.get(way[-1])) and after not in way:
            way.append(after)
        if after == name:
            yield f"its field {name!r} is never shown: {' waits for '.join((*way, name))}"


def _side_faults(protocol: Protocol) -> Iterator[str]:
    """Texts beside the ratings, by whose names exports read them."""
    yield from _twice("text beside the ratings,", protocol.sides)
    for f in protocol.beside:
        for side in f.sides:
            if not NAME.fullmatch(side) or not (side == f.name or side.startswith(f"{f.name}_")):
                yield (
                    f"its field {f.name!r} stores {side!r}: a side is called as its field, or "
                    f"{f.name}_ and more, 40 characters at most"
                )
            if side in READ_BY_EXPORTS:
                yield f"its field {f.name!r} stores {side!r}, as a judgment itself has: rename it"


def _column_faults(protocol: Protocol) -> Iterator[str]:
    """Two columns of one name: in a table one of them would hide the other."""
    yield from _exported_faults(protocol)
    yield from _derived_faults(protocol)
    known = [f for f in protocol.fields if not _choiceless(f)]
    scales = [dimension for f in known for dimension in f.dimensions]
    beside = [group for f in known if (group := f.beside_marks())]
    tables: dict[str, list[str]] = {
        "aggregated": [
            *OF_PAIRS,
            *(n for dimension in scales for n in aggregated_names(dimension)),
        ],
        "wide": [compared.column.name for f in known for compared in f.compared()],
        "errors": [
            *(*OF_MARKS, *RESERVED),
            *([OF_SEVERAL] if len(protocol.marked) > 1 else []),
            *(c.name for group in beside for c in group.columns),
            *{c.name for f in known for c in f.mark_columns},
        ],
    }
    for table, names in tables.items():
        for name, number in Counter(names).items():
            if number > 1:
                yield (
                    f"the table {table!r} would have {number} columns {name!r}: rename one of the "
                    "fields that they come from"
                )


def _derived_faults(protocol: Protocol) -> Iterator[str]:
    """What tables call a figure of one dimension, and another field calls its answer."""
    known = [f for f in protocol.fields if not _choiceless(f)]
    derived = {
        name: (f, dimension.name)
        for f in known
        for dimension in f.dimensions
        for name in (
            *aggregated_names(dimension),
            *(f"{dimension.name}_{word}" for word in OF_LANGUAGES),
        )
        if name != dimension.name
    }
    for f in known:
        for name in dict.fromkeys((f.name, *f.sides, *(d.name for d in f.dimensions))):
            of, dimension = derived.get(name, (f, ""))
            if of is not f and f.stored_with != of.name:
                yield (
                    f"its field {f.name!r} is called {name!r}, as tables call a figure or the "
                    f"words of {dimension!r}: call it otherwise"
                )


def _exported_faults(protocol: Protocol) -> Iterator[str]:
    names = []
    for f in protocol.fields:
        try:
            exported = None if _choiceless(f) else f.export()
        except NotImplementedError:
            continue  # said of the field itself
        names += [c.name for c in exported.columns] if exported else []
    remedy = (
        "rename one of the fields that they come from, or say with stored_with whom one qualifies"
    )
    yield from (f"{fault}: {remedy}" for fault in _twice("exported column", names))
    for name in names:
        if name in RESERVED:
            yield f"it has an answer called {name!r}: every exported table has such a column"


def _twice(what: str, names: Iterable[str]) -> Iterator[str]:
    for name, number in Counter(names).items():
        if number > 1:
            yield f"it names the {what} {name!r} {number} times"


def _choiceless(f: Field) -> bool:
    """Whether it offers options, types, brackets or words, and has none."""
    offered = ("options", "types", "brackets", "allowed", "operations")
    return any(getattr(f, name, None) == () for name in offered)


def _condition_faults(protocol: Protocol, f: Field) -> Iterator[str]:
    names = {field.name for field in protocol.fields} - {f.name}
    for when in (f.shown_when, f.required_when):
        if when is None:
            continue
        if when.field not in names:
            yield f"depends on {when.field!r}, which is no other field"
            continue
        other = next(field for field in protocol.fields if field.name == when.field)
        if isinstance(other, Choices) and not when.values:
            yield f"depends on {when.field!r} being answered at all: say by which of its options"
        try:
            for value in when.values or (None,):
                other.evidence(value)
                if value is not None and not _is_answer(other, value):
                    raise ValueError(value)
        except (NotImplementedError, ValueError):  # a ``ShapeError`` is one
            yield f"depends on an answer to {when.field!r} that is none or cannot be asked for"
    if f.stored_with and f.stored_with not in names:
        yield f"is stored with {f.stored_with!r}, which is no other field"


def _is_answer(f: Field, value: int | str | bool) -> bool:
    """Whether an answer can be this value, by its type too: True is 1 to Python and a text «1» is 1
    to the database, and neither to the page."""
    if f.marks:
        return isinstance(value, str)
    if isinstance(f, Choices):
        return not isinstance(value, bool)
    return type(f.clean(value)) is type(value)


def _field_faults(protocol: Protocol, f: Field) -> Iterator[str]:
    if not NAME.fullmatch(f.name):
        yield "is no name: small letters, digits and «_», 40 at most"
    if f.name in OF_FORMS:
        yield "is called as a control of the page itself: call it otherwise"
    if KINDS.get(f.kind) is not type(f):
        yield f"is of a kind that protocols/kinds does not know ({type(f).__name__})"
    if not f.label.fr.strip():
        yield "has no label: give it label=Wording(fr, en)"
    if _choiceless(f):
        yield "has nothing to choose from"
        return
    yield from _parameter_faults(f)
    yield from _option_faults(f)
    if scale := list(_measure_faults(f)):
        yield from scale
        return
    if isinstance(f, BracketedScale):
        yield from _bracket_faults(protocol, f)
    yield from _dimension_faults(f)
    yield from _home_faults(f)


def _option_faults(f: Field) -> Iterator[str]:
    values = [option.value for option in getattr(f, "options", ())]
    if len(set(values)) != len(values):
        yield "has two options of one value"
    keys = list(_keys(f))
    if len(set(keys)) != len(keys):
        yield "has two options of one key"
    for option in getattr(f, "options", ()) or getattr(f, "types", ()):
        if not option.label.fr:
            yield f"has an option without a French label, {option.key!r}"
    if isinstance(f, Choice) and f.level == Level.NOMINAL and f.better == Better.LOWER:
        yield (
            "says that lower is better of classes, which have no order: make it a Scale, or take "
            "better out"
        )
    if isinstance(f, Choice) and len(values) < 2:
        yield "has a scale of one level: nothing could be told apart"
    for key in keys:
        if not NAME.fullmatch(key):
            yield f"has an option whose key {key!r} is no name: small letters, digits and «_»"


def _parameter_faults(f: Field) -> Iterator[str]:
    """What a kind of ours is given and cannot work with."""
    if isinstance(f, Keyword):
        yield from _keyword_faults(f)
    if isinstance(f, Text) and f.max_length < 1:
        yield f"has max_length={f.max_length}: nobody could write anything"
    if isinstance(f, Marks) and (f.max_errors < 1 or f.max_note < 1):
        yield "has no room for a mark or its note: max_errors and max_note are 1 or more"
    if isinstance(f, Choices) and any(option.value == 0 for option in f.options):
        yield "has an option of value 0, whose key says “none of these”: number them from 1"
    if isinstance(f, Edits):
        yield from _edits_faults(f)


def _keyword_faults(f: Keyword) -> Iterator[str]:
    if "" in f.allowed:
        yield "allows '', which says that nothing was answered: take it out of allowed"
    if len(set(f.allowed)) != len(f.allowed):
        yield "allows a word twice"
    if len(f.words) > len(f.allowed):
        yield f"has {len(f.words)} words for {len(f.allowed)} that it allows"
    if not all(word.fr for word in f.words):
        yield "has a word without a French text"


def _edits_faults(f: Edits) -> Iterator[str]:
    """The operations of a kind that takes their names from published data, capitals included."""
    if f.max_edits < 1 or f.max_note < 1:
        yield "has no room for an edit or its note: max_edits and max_note are 1 or more"
    operations = [operation for group in f.operations for operation in group.operations]
    for group in f.operations:
        if not group.operations:
            yield f"has a group {group.key!r} without operations"
    for operation in operations:
        if operation.side not in SIDES_OF_OPERATIONS:
            known = ", ".join(SIDES_OF_OPERATIONS)
            yield (
                f"marks {operation.key!r} on the side {operation.side!r}, which is none: "
                f"there are {known}"
            )
    for what, named in (
        *(("operation", operations), ("group", f.operations), ("severity", f.severities)),
    ):
        yield from _name_faults(what, [(part.key, part.label) for part in named])


def _name_faults(what: str, named: Sequence[tuple[str, Wording]]) -> Iterator[str]:
    for key, number in Counter(key.lower() for key, _label in named).items():
        if number > 1:
            yield f"has the {what} {key!r} {number} times, whatever its capitals"
    for key, label in named:
        if not NAME.fullmatch(key.lower()):
            yield f"has the {what} {key!r}, which is no name: letters, digits and «_», 40 at most"
        if not label.fr:
            yield f"has the {what} {key!r} without a French label"


def _measure_faults(f: Field) -> Iterator[str]:
    for lowest, highest in _bounds(f):
        if lowest >= highest:
            yield f"has no scale: its lowest value {lowest} is not below its highest, {highest}"
    if isinstance(f, Slider) and (f.step < 1 or (f.highest - f.lowest) % f.step):
        yield f"has a step of {f.step}, by which its highest value cannot be reached"
    if isinstance(f, Whole) and f.highest - f.lowest > MOST_WHOLES:
        yield f"counts to more than {MOST_WHOLES} values: ask it as a slider"


def _keys(f: Field) -> Iterator[str]:
    """What options, types of marks and brackets are called where data are published."""
    for name in ("options", "types", "brackets"):
        yield from (option.key for option in getattr(f, name, ()))


def _bounds(f: Field) -> Iterator[tuple[int, int]]:
    if hasattr(f, "lowest") and hasattr(f, "highest"):
        yield f.lowest, f.highest


def _dimension_faults(f: Field) -> Iterator[str]:
    for dimension in f.dimensions:
        if not dimension.name or len(dimension.name) > LONGEST_DIMENSION:
            yield f"has a dimension whose name {dimension.name!r} has no or too many letters"
        if dimension.lowest < SMALLEST or dimension.highest > LARGEST:
            yield f"rates {dimension.name!r} outside of {SMALLEST}…{LARGEST}"
        if not dimension.label.fr:
            yield f"has a dimension without a French label, {dimension.name!r}"


def _bracket_faults(protocol: Protocol, f: BracketedScale) -> Iterator[str]:
    yield from _tiling_faults(f)
    fields = {field.name: field for field in protocol.fields}
    if not isinstance(fields.get(f.deducts), Marks):
        yield f"deducts {f.deducts!r}, which is no list of marks"
    if bool(f.crossing) != bool(f.moved_from):
        yield "names only one of the fields that answer a crossing"
    if f.crossing and f.moved_from:
        yield from _crossing_faults(f, fields.get(f.crossing), fields.get(f.moved_from))
    ruling = next((ruling for ruling in protocol.rulings if ruling.name == f.policy_ruling), None)
    if f.policy_ruling and ruling is None:
        yield f"asks for a ruling {f.policy_ruling!r} that the protocol does not leave to studies"
    if ruling is not None and not {word for word, _label in ruling.options} <= {*POLICIES}:
        yield f"asks for a ruling {ruling.name!r} of other words than {', '.join(POLICIES)}"
    elif ruling is not None and not ruling.options:
        yield f"asks for a ruling {ruling.name!r} of words, and it is one of yes or no"


def _tiling_faults(f: BracketedScale) -> Iterator[str]:
    """Values that no bracket has, or two: no page could show whose they are."""
    for bracket in f.brackets:
        if not f.lowest <= bracket.bottom <= bracket.top <= f.highest:
            yield f"has a bracket {bracket.key!r} that leaves its scale"
    for before, after in pairwise(f.brackets):
        if after.bottom != before.top + 1:
            yield (
                f"has a bracket {after.key!r} from {after.bottom}, and the one before ends at "
                f"{before.top}: each begins where the one before ends, plus 1"
            )
    if f.brackets[-1].top != f.highest:
        yield (
            f"has a highest bracket up to {f.brackets[-1].top}, and the scale goes to {f.highest}: "
            "nobody could give what is above"
        )


def _crossing_faults(
    f: BracketedScale, answer: Field | None, moved_from: Field | None
) -> Iterator[str]:
    """What a page that asks what becomes of a crossing could not send, or a judgment not keep: its
    annotators would be stuck there."""
    if not (isinstance(answer, Keyword) and isinstance(moved_from, Whole)):
        yield (
            f"is crossed by {f.crossing!r} and {f.moved_from!r}, which are no such fields: "
            "a Keyword and a Whole"
        )
        return
    if set(answer.allowed) != {*CROSSING_WORDS}:
        yield (
            f"is crossed by {answer.name!r}, which allows {_words(answer.allowed)}; its page sends "
            f"{_words(CROSSING_WORDS)}: write allowed={CROSSING_WORDS!r}, and in words what "
            "they say to people"
        )
    for qualifying in (answer, moved_from):
        if qualifying.stored_with != f.name:
            yield (
                f"is crossed by {qualifying.name!r}, which is stored apart from it: write "
                f"stored_with={f.name!r} there"
            )
    values = [bracket.value for bracket in f.brackets]
    if len(values) == 1:
        yield (
            "has a single bracket, and who crosses it has none to move to: leave out crossing and "
            "moved_from"
        )
    elif values != [*range(values[0], values[0] + len(values))]:
        yield (
            f"has brackets numbered {_words(map(str, values))}, and who crosses one moves to the "
            "number below: number them upward by ones"
        )
    elif f.brackets[0].bottom > f.lowest:
        yield (
            f"has a bracket {f.brackets[0].key!r} that can be crossed and has none below it: let "
            f"it begin at {f.lowest}"
        )
    elif not (moved_from.lowest <= values[0] + 1 and values[-1] <= moved_from.highest):
        yield (
            f"is moved from brackets up to {values[-1]}, and its field {moved_from.name!r} holds "
            f"{moved_from.lowest}…{moved_from.highest}: write lowest={values[0] + 1}, "
            f"highest={values[-1]}"
        )


def _words(words: Iterable[str]) -> str:
    return ", ".join(words)


def _said_faults(protocol: Protocol) -> Iterator[str]:
    """What it says of dimensions that it does not have."""
    scales = [d for f in protocol.fields if not _choiceless(f) for d in f.dimensions]
    names = {dimension.name for dimension in scales}
    nominal = {dimension.name for dimension in scales if dimension.level == Level.NOMINAL}
    for name in set(protocol.classified or ()) - nominal:
        yield f"it classifies pairs by {name!r}, which is no nominal dimension of it"
    for name in set(protocol.about.notes) - names:
        yield f"it says something of {name!r}, which is no dimension of it"
    for name in set(protocol.about.quality) - names:
        yield f"it tells the quality of {name!r}, which is no dimension of it"
    yield from _taken_faults(protocol, names)
    for kind, expected in protocol.controls.items():
        if kind not in CONTROLS:
            yield f"it expects something of {kind!r} pairs: they are {' or '.join(CONTROLS)}"
        for expectation in expected:
            if expectation.dimension not in names:
                yield f"it expects of {kind} pairs {expectation.dimension!r}, no dimension of it"
                continue
            yield from _expected_faults(
                kind, expectation, next(d for d in scales if d.name == expectation.dimension)
            )


def _taken_faults(protocol: Protocol, names: Collection[str]) -> Iterator[str]:
    for taken in protocol.imported:
        for name in (taken,) if isinstance(taken, str) else taken:
            if name not in names:
                yield f"it takes {name!r} from files, which is no dimension of it"
        if not taken:
            yield "it takes one of no dimensions from files: name those that would do"


def _expected_faults(kind: str, expectation: Expectation, scale: Dimension) -> Iterator[str]:
    ranges = [
        (expectation.lowest, expectation.highest),
        *([expectation.strictly] if expectation.strictly else []),
    ]
    for lowest, highest in ranges:
        if lowest > highest or not any(lowest <= value <= highest for value in scale.scale):
            yield f"it expects of {kind} pairs a {expectation.dimension!r} that nobody can give"
        elif lowest < scale.scale[0] or highest > scale.scale[-1]:
            yield (
                f"it expects of {kind} pairs a {expectation.dimension!r} from {lowest} to "
                f"{highest}, which leaves its scale, {scale.scale[0]}…{scale.scale[-1]}"
            )


def _home_faults(f: Field) -> Iterator[str]:
    """An answer without a home is an error at start, never a silence."""
    if type(f).store is Field.store:
        yield "does not say where its answer is stored"
    try:
        restored = f.restore(Parts())
    except NotImplementedError as error:
        yield str(error)
        return
    if not f.stored_with and f.name not in restored:
        yield "does not give its own answer back from what is stored"
    for ask in (f.schema, f.model_schema, f.export):
        try:
            ask()
        except NotImplementedError as error:
            yield str(error)


def _reference_faults(protocol: Protocol) -> Iterator[str]:
    scales = {d.name: d for f in protocol.fields if not _choiceless(f) for d in f.dimensions}
    if protocol.predicted and protocol.predicted not in scales:
        yield f"it predicts {protocol.predicted!r}, which is no dimension of it"
    elif protocol.predicted and scales[protocol.predicted].level == Level.NOMINAL:
        yield f"it predicts {protocol.predicted!r}, whose classes have no order: predict another"
    elif protocol.predicted and _is_worse_above(scales[protocol.predicted]):
        yield (
            f"it predicts {protocol.predicted!r}, of which higher is not better: scorers learn "
            "that an identical text gets the highest value. Predict another, or none"
        )
    rulings = {ruling.name: ruling for ruling in protocol.rulings}
    for field in protocol.fields:
        ruling_name = field.span_ruling if isinstance(field, Marks) else ""
        ruling_name = field.suggests_ruling if isinstance(field, Edits) else ruling_name
        if ruling_name and ruling_name not in rulings:
            yield f"its field {field.name!r} asks for a ruling {ruling_name!r} it lacks"
        elif ruling_name and rulings[ruling_name].options:
            yield f"its field {field.name!r} asks yes or no of {ruling_name!r}, a ruling of words"
    try:
        protocol.clean_rulings({})
    except ValueError as error:
        yield f"a default of its rulings is none: {error}"


def _is_worse_above(scale: Dimension) -> bool:
    return scale.level != Level.NOMINAL and scale.better != Better.HIGHER


def _flag_faults(protocol: Protocol) -> Iterator[str]:
    for flag in protocol.fields:
        if isinstance(flag, Flag) and flag.confirms:
            confirmed = {f.name for f in protocol.fields if isinstance(f, Choice)}
            if flag.confirms not in confirmed - {flag.name}:
                yield (
                    f"its field {flag.name!r} confirms {flag.confirms!r}, which is no field with "
                    "options to choose one of"
                )
    if sum(isinstance(f, Flag) and f.is_doubt for f in protocol.fields) > 1:
        yield "it has two flags of doubt"


def _layout_faults(protocol: Protocol) -> Iterator[str]:
    dimensions = {d.name for f in protocol.fields if not _choiceless(f) for d in f.dimensions}
    for layout in protocol.layouts:
        if layout not in OWN_LAYOUTS:
            known = ", ".join(sorted(OWN_LAYOUTS))
            yield f"it names the layout {layout!r}, which is none: there are {known}"
        elif lacking := {*OWN_LAYOUTS[layout]} - {*dimensions, *protocol.sides}:
            yield f"its layout {layout!r} is made of {min(lacking)!r}, which it does not ask"
