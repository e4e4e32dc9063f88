"""What is no protocol is refused at start, with the file and the reason."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from annotation import apps
from annotation.protocols import registry
from annotation.protocols.base import (
    NO_WORDING,
    Better,
    Dimension,
    Option,
    Problem,
    Ruling,
    Wording,
)
from annotation.protocols.kinds import (
    KINDS,
    Bracket,
    BracketedScale,
    Choice,
    Choices,
    Edits,
    Field,
    Flag,
    Keyword,
    Marks,
    Operation,
    OperationGroup,
    Scale,
    Slider,
    Text,
    When,
    Whole,
    shape_error,
)
from annotation.protocols.kinds.bracketed import CROSSING_WORDS
from annotation.protocols.protocol import About, Expectation, JudgeWords, Panel, Protocol, Step
from annotation.protocols.registry import PROTOCOLS
from annotation.protocols.validity import MOST_OPTIONS, MOST_QUESTIONS, faults
from tests.protocols.said import english
from tests.protocols.samples.plain import PROTOCOL as PLAIN
from tests.protocols.samples.plain import levels

LABEL = Wording("x", "x")
SOUND = Scale("clarity", label=LABEL, options=levels(3), required=True)


class Unlabelled(Scale):
    """A kind that does not say what is rated by it."""

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        return tuple(replace(scale, label=NO_WORDING) for scale in super().dimensions)


BRACKETS = (Bracket(1, "only", 1, 5, LABEL, LABEL),)
THREE = (
    Bracket(1, "low", 1, 1, LABEL, LABEL),
    Bracket(2, "middle", 2, 4, LABEL, LABEL),
    Bracket(3, "high", 5, 10, LABEL, LABEL),
)
KEPT_OR_MOVED = ("kept", "moved")


def holding(*fields: Field, **changed: Any) -> Protocol:
    """A protocol of one step with these fields."""
    return replace(PLAIN, steps=(Step("only", LABEL, fields),), **changed)


def bracketed(*others: Field, **changed: Any) -> Protocol:
    """A bracketed scale that takes off its marks, beside other fields."""
    scale = {
        "label": LABEL,
        "brackets": BRACKETS,
        "dimension_name": "worth",
        "required": True,
        "deducts": "flaws",
    }
    marks = Marks("flaws", label=LABEL, types=levels(1))
    return holding(BracketedScale("tier", **(scale | changed)), marks, *others)


def crossed(was: Field | None = None, **changed: Any) -> Protocol:
    """A scale of three brackets that asks what becomes of a score below one."""
    answer = {name: changed.pop(name) for name in ("allowed", "stored_with") if name in changed}
    return bracketed(
        Keyword(
            "went", label=LABEL, **({"allowed": KEPT_OR_MOVED, "stored_with": "tier"} | answer)
        ),
        was or Whole("was", label=LABEL, lowest=2, highest=3, stored_with="tier"),
        **({"brackets": THREE, "crossing": "went", "moved_from": "was"} | changed),
    )


def edits(*operations: Operation, **changed: Any) -> Edits:
    """A field of edits of these operations, in one group."""
    offered = (OperationGroup("g", LABEL, operations or (Operation(1, "a", LABEL),)),)
    return Edits("edits", label=LABEL, **({"operations": offered} | changed))


@dataclass(frozen=True)
class Homeless(Field):
    """A kind that says nothing of itself."""

    kind: ClassVar[str] = "homeless"


@dataclass(frozen=True)
class Forgetful(Text):
    """A kind that stores its answer and does not read it back."""

    kind: ClassVar[str] = "forgetful"

    def restore(self, parts: Any) -> dict[str, Any]:
        return {}


@dataclass(frozen=True)
class Mute(Text):
    """A kind that says nothing to programs."""

    kind: ClassVar[str] = "mute"

    def schema(self) -> dict[str, Any]:
        return Field.schema(self)


@dataclass(frozen=True)
class Failing(Text):
    """A kind that cannot say what it is rated on."""

    kind: ClassVar[str] = "failing"

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        raise KeyError("gone")


@dataclass(frozen=True)
class Wordless(Text):
    """A kind that fails where an answer is put into words."""

    kind: ClassVar[str] = "wordless"

    def lines(self, value: Any, say: Any) -> list[str]:
        return [str(1 // (len(value) - len(value)))]


@dataclass(frozen=True)
class Dated(Text):
    """A kind that reads fewer texts than its schema says."""

    kind: ClassVar[str] = "dated"

    def clean(self, received: object) -> str:
        if received and received != "2024-01-01":
            raise shape_error(self.name, received, "une date", "a date")
        return super().clean(received)


@dataclass(frozen=True)
class Called(Text):
    """A kind with a method where a property belongs, and a property where a method does."""

    kind: ClassVar[str] = "called"

    def samples(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("Trop court.",)

    @property
    def facts(self) -> dict[str, Any]:  # type: ignore[override]
        return {}


@dataclass(frozen=True)
class Sampled(Dated):
    """The same, with a sample."""

    kind: ClassVar[str] = "sampled"

    @property
    def samples(self) -> tuple[Any, ...]:
        return ("2024-01-01",)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (Failing, Wordless, Dated, Sampled):
        monkeypatch.setitem(KINDS, kind.kind, kind)


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=lambda protocol: protocol.name)
def test_every_published_protocol_is_sound(protocol: Protocol) -> None:
    assert faults(protocol) == []


REFUSED: dict[str, tuple[Protocol, str]] = {
    "a key that is no name": (replace(PLAIN, key="Très bien"), "its key 'Très bien' is no name"),
    "a version too long": (replace(PLAIN, version="of yesterday"), "its version 'of yesterday'"),
    # Addresses have it as a part of their own, which «..» is not.
    "a version that is no part of an address": (replace(PLAIN, version=".."), "its version '..'"),
    "a title that no list shows": (
        replace(PLAIN, title=Wording("t" * 121, "T")),
        "its title has 121 characters: a list shows 120 at most",
    ),
    "no step": (replace(PLAIN, steps=()), "it has no step"),
    "no rating": (holding(Text("reason")), "it has no dimension"),
    "no rating that must be": (
        holding(replace(SOUND, required=False)),
        "no dimension of it is always rated",
    ),
    "a condition on several of several that asks for none of them": (
        holding(
            SOUND,
            Choices("many", label=LABEL, options=(Option(1, "one", LABEL),)),
            Text("why", label=LABEL, required_when=When("many")),
        ),
        "its field 'why' depends on 'many' being answered at all: say by which of its options",
    ),
    "a line whose steps miss its end": (
        holding(SOUND, Slider("line", label=LABEL, lowest=0, highest=10, step=3)),
        "its field 'line' has a step of 3, by which its highest value cannot be reached",
    ),
    "a line without a step": (
        holding(SOUND, Slider("line", label=LABEL, step=0)),
        "its field 'line' has a step of 0",
    ),
    "a number with too many values": (
        holding(SOUND, Whole("count", label=LABEL, lowest=0, highest=5000)),
        "its field 'count' counts to more than 1000 values",
    ),
    "an option whose key is no name": (
        holding(SOUND, Choice("kind", label=LABEL, options=(Option(1, "it's", LABEL),))),
        "its field 'kind' has an option whose key \"it's\" is no name",
    ),
    "a ruling that every study has": (
        holding(SOUND, rulings=(Ruling("title", LABEL),)),
        "it leaves 'title' to studies, which is a setting of every study or none",
    ),
    "a field called as the page's button": (
        holding(SOUND, Text("action", label=LABEL)),
        "its field 'action' is called as a control of the page itself",
    ),
    "a scale of one level": (
        holding(SOUND, Scale("one", label=LABEL, options=(Option(1, "only", LABEL),))),
        "its field 'one' has a scale of one level",
    ),
    "two options of one key": (
        holding(
            SOUND,
            Choice("pair", label=LABEL, options=tuple(Option(v, "same", LABEL) for v in (1, 2))),
        ),
        "its field 'pair' has two options of one key",
    ),
    "an option without words": (
        holding(
            SOUND,
            Choice(
                "mute",
                label=LABEL,
                options=(Option(1, "a", NO_WORDING), Option(2, "b", LABEL)),
            ),
        ),
        "its field 'mute' has an option without a French label, 'a'",
    ),
    "no title": (replace(PLAIN, title=NO_WORDING), "it has no title"),
    "more dimensions than can be read": (
        holding(
            SOUND,
            Choices(
                "many",
                label=LABEL,
                options=tuple(Option(v, f"o{v}", LABEL) for v in range(41)),
            ),
        ),
        "it rates 42 dimensions: 40 can be read at once",
    ),
    "a control pair of no kind": (
        replace(PLAIN, controls={"funny": ()}),
        "it expects something of 'funny' pairs",
    ),
    "a control pair that nobody can pass": (
        replace(PLAIN, controls={"identical": (Expectation("clarity", 99, 99),)}),
        "it expects of identical pairs a 'clarity' that nobody can give",
    ),
    "a field twice": (holding(SOUND, SOUND), "it names the field 'clarity' 2 times"),
    "a step twice": (
        replace(PLAIN, steps=(PLAIN.steps[0], replace(PLAIN.steps[1], key="clarity"))),
        "it names the step 'clarity' 2 times",
    ),
    "a step without fields": (
        replace(PLAIN, steps=(*PLAIN.steps, Step("empty", LABEL, ()))),
        "its step 'empty' has no field",
    ),
    "a question without French": (
        replace(PLAIN, steps=(replace(PLAIN.steps[0], question=NO_WORDING),)),
        "its step 'clarity' asks nothing in French",
    ),
    "a text without a panel": (
        replace(PLAIN, steps=(replace(PLAIN.steps[0], sides=("reference",)),)),
        "its step 'clarity' shows 'reference', for which it has no panel",
    ),
    "a panel of no text": (
        replace(PLAIN, panels=(*PLAIN.panels, Panel("reference", LABEL))),
        "its panel 'reference' is neither",
    ),
    "two dimensions of one name": (
        bracketed(SOUND, dimension_name="clarity"),
        "it names the dimension 'clarity' 2 times",
    ),
    "a ruling twice": (
        holding(SOUND, rulings=(Ruling("strict", LABEL), Ruling("strict", LABEL))),
        "it names the ruling 'strict' 2 times",
    ),
    "a ruling whose default is none of its words": (
        holding(SOUND, rulings=(Ruling("strict", LABEL, (("yes", LABEL),), default="no"),)),
        "a default of its rulings is none: “strict” is one of these values: yes",
    ),
    "a scale without levels": (
        holding(SOUND, Scale("style")),
        "its field 'style' has nothing to choose from",
    ),
    "two levels of one value": (
        holding(replace(SOUND, options=(*levels(2), Option(2, "again", LABEL)))),
        "its field 'clarity' has two options of one value",
    ),
    "a slider that goes nowhere": (
        holding(Slider("warmth", label=LABEL, lowest=5, highest=5, required=True)),
        "its field 'warmth' has no scale: its lowest value 5 is not below its highest, 5",
    ),
    "a slider that no column holds": (
        holding(Slider("warmth", label=LABEL, highest=100_000, required=True)),
        "its field 'warmth' rates 'warmth' outside of",
    ),
    "a dimension without a name": (
        bracketed(dimension_name=""),
        "its field 'tier' has a dimension whose name '' has no or too many letters",
    ),
    "a dimension without a label": (
        holding(Unlabelled("clarity", label=LABEL, options=levels(3), required=True)),
        "its field 'clarity' has a dimension without a French label",
    ),
    "a field that is no name": (
        holding(SOUND, Flag("Très")),
        "its field 'Très' is no name",
    ),
    "a kind that nobody knows": (
        holding(SOUND, Homeless("lost")),
        "its field 'lost' is of a kind that protocols/kinds does not know (Homeless)",
    ),
    "an answer without a home": (
        holding(SOUND, Homeless("lost")),
        "its field 'lost' does not say where its answer is stored",
    ),
    "a method where a property belongs": (
        holding(SOUND, Called("lost")),
        "its field 'lost' has samples as a method: put @property above it",
    ),
    "a property where a method belongs": (
        holding(SOUND, Called("lost")),
        "its field 'lost' has facts as a property: take @property away",
    ),
    "an answer that no program can be told of": (
        holding(SOUND, Mute("lost")),
        "its field 'lost' Mute has no schema",
    ),
    "an answer that does not come back": (
        holding(SOUND, Forgetful("lost")),
        "its field 'lost' does not give its own answer back",
    ),
    "a condition on no field": (
        holding(SOUND, Text("reason", shown_when=When("gone"))),
        "its field 'reason' depends on 'gone', which is no other field",
    ),
    "a requirement on itself": (
        holding(SOUND, Text("reason", required_when=When("reason"))),
        "its field 'reason' depends on 'reason', which is no other field",
    ),
    "an answer stored with no field": (
        holding(SOUND, Keyword("kept", allowed=("yes",), stored_with="gone")),
        "its field 'kept' is stored with 'gone', which is no other field",
    ),
    "a bracket off its scale": (
        bracketed(highest=4),
        "its field 'tier' has a bracket 'only' that leaves its scale",
    ),
    "deductions that are no marks": (
        bracketed(SOUND, deducts="clarity"),
        "its field 'tier' deducts 'clarity', which is no list of marks",
    ),
    "half of a crossing": (
        bracketed(Keyword("kept", allowed=("kept",), stored_with="tier"), crossing="kept"),
        "its field 'tier' names only one of the fields that answer a crossing",
    ),
    "a crossing answered by others": (
        bracketed(Flag("kept"), Whole("was", highest=2), crossing="kept", moved_from="was"),
        "its field 'tier' is crossed by 'kept' and 'was', which are no such fields",
    ),
    "a crossing answered in other words than its page sends": (
        crossed(allowed=("keep", "move")),
        "its field 'tier' is crossed by 'went', which allows keep, move; its page sends kept, "
        "moved: write allowed=('kept', 'moved')",
    ),
    "a crossing answered by one word more": (
        crossed(allowed=("kept", "moved", "unsure")),
        "its field 'tier' is crossed by 'went', which allows kept, moved, unsure",
    ),
    "a crossing whose answer is stored apart": (
        crossed(stored_with=""),
        "its field 'tier' is crossed by 'went', which is stored apart from it: write "
        "stored_with='tier'",
    ),
    "a crossing whose former bracket is stored with another": (
        crossed(Whole("was", lowest=2, highest=3, stored_with="flaws")),
        "its field 'tier' is crossed by 'was', which is stored apart from it: write "
        "stored_with='tier'",
    ),
    "a crossing from brackets that cannot be stored": (
        crossed(Whole("was", lowest=2, highest=2, stored_with="tier")),
        "its field 'tier' is moved from brackets up to 3, and its field 'was' holds 2…2: write "
        "lowest=2, highest=3",
    ),
    "a crossing into a bracket that is not numbered": (
        crossed(brackets=(THREE[0], replace(THREE[1], value=5), replace(THREE[2], value=9))),
        "its field 'tier' has brackets numbered 1, 5, 9, and who crosses one moves to the number "
        "below",
    ),
    "a crossing of a single bracket": (
        crossed(brackets=(replace(THREE[2], value=1),), lowest=5),
        "its field 'tier' has a single bracket, and who crosses it has none to move to: leave out "
        "crossing and moved_from",
    ),
    "a crossing out of the lowest bracket": (
        crossed(lowest=0),
        "its field 'tier' has a bracket 'low' that can be crossed and has none below it: let it "
        "begin at 0",
    ),
    "a policy that nobody rules": (
        bracketed(policy_ruling="strict"),
        "its field 'tier' asks for a ruling 'strict' that the protocol does not leave to studies",
    ),
    "a passage that nobody rules": (
        holding(SOUND, Marks("flaws", types=levels(1), span_ruling="strict")),
        "its field 'flaws' asks for a ruling 'strict' it lacks",
    ),
    "a prediction of nothing": (
        holding(SOUND, predicted="beauty"),
        "it predicts 'beauty', which is no dimension of it",
    ),
    "a prediction of ranks": (
        holding(
            SOUND,
            Slider("place", label=LABEL, required=True, better=Better.LOWER),
            predicted="place",
        ),
        "it predicts 'place', of which higher is not better: scorers learn that an identical text "
        "gets the highest value. Predict another, or none",
    ),
    "classes of which lower is better": (
        holding(SOUND, Choice("sort", label=LABEL, options=levels(2), better=Better.LOWER)),
        "its field 'sort' says that lower is better of classes, which have no order: make it a "
        "Scale, or take better out",
    ),
    "a side that is a word": (
        holding(SOUND, Slider("place", label=LABEL, better="lower")),
        "its field 'place' has better='lower': a Better is needed",
    ),
    "a file of nothing": (
        holding(SOUND, imported=("beauty",)),
        "it takes 'beauty' from files, which is no dimension of it",
    ),
    "a file of something or nothing": (
        holding(SOUND, imported=(("clarity", "beauty"),)),
        "it takes 'beauty' from files, which is no dimension of it",
    ),
    "a file of one of none": (
        holding(SOUND, imported=((),)),
        "it takes one of no dimensions from files: name those that would do",
    ),
    "controls of nothing": (
        holding(SOUND, controls={"identical": (Expectation("beauty", 1, 1),)}),
        "it expects of identical pairs 'beauty', no dimension of it",
    ),
    "two columns of one name": (
        holding(SOUND, Text("clarity_key", label=LABEL)),
        "it names the exported column 'clarity_key' 2 times: rename one of the fields that they "
        "come from, or say with stored_with whom one qualifies",
    ),
    "an answer called as a column that every table has": (
        holding(SOUND, Keyword("source", allowed=("yes",))),
        "it has an answer called 'source': every exported table has such a column",
    ),
    "a condition on an answer that is none": (
        holding(SOUND, Text("reason", shown_when=When("clarity", ("perhaps",)))),
        "its field 'reason' depends on an answer to 'clarity' that is none",
    ),
    "a condition on yes where a number answers": (
        holding(SOUND, Text("reason", shown_when=When("clarity", (True,)))),
        "its field 'reason' depends on an answer to 'clarity' that is none",
    ),
    "a condition on a number where a text answers": (
        holding(SOUND, Text("why", label=LABEL), Text("reason", shown_when=When("why", (1,)))),
        "its field 'reason' depends on an answer to 'why' that is none",
    ),
    "a condition on yes where several options answer": (
        holding(
            SOUND,
            Choices("many", label=LABEL, options=(Option(1, "one", LABEL),)),
            Text("why", label=LABEL, required_when=When("many", (True,))),
        ),
        "its field 'why' depends on an answer to 'many' that is none",
    ),
    "a gap between two brackets": (
        bracketed(brackets=(THREE[0], replace(THREE[1], bottom=3), THREE[2])),
        "its field 'tier' has a bracket 'middle' from 3, and the one before ends at 1",
    ),
    "a scale that goes on above its brackets": (
        bracketed(highest=7),
        "its field 'tier' has a highest bracket up to 5, and the scale goes to 7",
    ),
    "a scorer of what has no order": (
        holding(
            Choice("reader", label=LABEL, options=levels(2), required=True), predicted="reader"
        ),
        "it predicts 'reader', whose classes have no order",
    ),
    "a condition on marks by a number": (
        holding(
            SOUND,
            Marks("flaws", label=LABEL, types=levels(1)),
            Text("reason", shown_when=When("flaws", (1,))),
        ),
        "its field 'reason' depends on an answer to 'flaws' that is none",
    ),
    "classes of what has an order": (
        holding(SOUND, classified=("clarity",)),
        "it classifies pairs by 'clarity', which is no nominal dimension of it",
    ),
    "a note on nothing": (
        holding(SOUND, about=About(notes={"beauty": LABEL})),
        "it says something of 'beauty', which is no dimension of it",
    ),
    "the quality of nothing": (
        holding(SOUND, about=About(quality={"beauty": ("goodness", "content")})),
        "it tells the quality of 'beauty', which is no dimension of it",
    ),
    "a label that is a text": (
        holding(SOUND, Text("why", label="Why")),
        "its field 'why' has label='Why': write Wording(fr, en)",
    ),
    "a question that is a text": (
        replace(PLAIN, steps=(replace(PLAIN.steps[0], question="Clear?"),)),
        "its step 'clarity' has question='Clear?': write Wording(fr, en)",
    ),
    "a version that is a number": (
        replace(PLAIN, version=1),
        "it has version=1: write a text between quotation marks",
    ),
    "a step that is no tuple of fields": (
        replace(PLAIN, steps=(Step("only", LABEL, SOUND),)),
        "its step 'only' has fields=Scale(",
    ),
    "options in a list": (
        holding(replace(SOUND, options=[*levels(2)])),
        "its field 'clarity' has options=[Option(",
    ),
    "an option whose label is a text": (
        holding(replace(SOUND, options=(Option(1, "a", "A"), Option(2, "b", LABEL)))),
        "its field 'clarity', option 'a' has label='A': write Wording(fr, en)",
    ),
    "a range of three": (
        replace(PLAIN, controls={"identical": (Expectation("clarity", 1, 2, (1, 2, 3)),)}),
        "it has strictly=(1, 2, 3): write a tuple",
    ),
    "a finding that is none": (
        replace(PLAIN, finding="none"),
        "it has finding='none': a Callable is needed",
    ),
    "a label in one language": (
        holding(SOUND, Text("why", label=Wording("Pourquoi", " "))),
        "its field 'why' says 'Pourquoi' without English: give both",
    ),
    "a panel in one language": (
        replace(PLAIN, panels=(Panel("original", Wording("", "Before")),)),
        "its panel 'original' says 'Before' without French: give both",
    ),
    "a field without a label": (holding(SOUND, Text("bare")), "its field 'bare' has no label"),
    "rules that read what is not asked": (
        replace(PLAIN, rules=lambda answers, _facts, _rulings: answers["ghost"]),
        "its rules fail on no answers: KeyError: 'ghost'",
    ),
    "rules that fail on an answer": (
        replace(PLAIN, rules=lambda a, _facts, _rulings: a["ghost"] if a["style"] == 7 else []),
        "its rules fail on sample answers: KeyError: 'ghost'",
    ),
    "a rule about no field": (
        replace(PLAIN, rules=lambda *_: [Problem("ghost", "wrong", LABEL)]),
        "its rules name 'ghost', which is no field of it",
    ),
    "rules that say texts": (
        replace(PLAIN, rules=lambda *_: ["no"]),
        "its rules say 'no': they say a Problem",
    ),
    "a finding that says a text": (
        replace(PLAIN, finding=lambda *_: "no"),
        "its finding says 'no': it says a Wording(fr, en), or None",
    ),
    "a finding that fails": (
        replace(PLAIN, finding=lambda answers, _facts: answers["ghost"]),
        "its finding fails on no answers: KeyError: 'ghost'",
    ),
    "hints that fail": (
        replace(PLAIN, judge=JudgeWords("Tu lis.", lambda rulings: [str(rulings["ghost"])])),
        "its hints fail: KeyError: 'ghost'",
    ),
    "hints that are no texts": (
        replace(PLAIN, judge=JudgeWords("Tu lis.", lambda _rulings: [LABEL])),  # type: ignore[list-item]
        "its hints to models are no texts",
    ),
    "fields shown only by each other": (
        holding(
            SOUND,
            Text("one", label=LABEL, shown_when=When("other")),
            Text("other", label=LABEL, shown_when=When("one")),
        ),
        "its field 'one' is never shown: one waits for other waits for one",
    ),
    "a confirmation of nothing": (
        holding(SOUND, Flag("sure", label=LABEL, confirms="ghost")),
        "its field 'sure' confirms 'ghost', which is no field",
    ),
    "a layout that is none": (
        replace(PLAIN, layouts=("ghost",)),
        "it names the layout 'ghost', which is none: there are csmd, frjudge, jades",
    ),
    "a layout of what it does not ask": (
        replace(PLAIN, layouts=("csmd",)),
        "its layout 'csmd' is made of 'comment', which it does not ask",
    ),
    "a word twice": (
        holding(SOUND, Keyword("word", label=LABEL, allowed=("a", "a"))),
        "its field 'word' allows a word twice",
    ),
    "a word that says nothing": (
        holding(SOUND, Keyword("word", label=LABEL, allowed=("", "a"))),
        "its field 'word' allows '', which says that nothing was answered",
    ),
    "more words than are allowed": (
        holding(SOUND, Keyword("word", label=LABEL, allowed=("a",), words=(LABEL, LABEL))),
        "its field 'word' has 2 words for 1 that it allows",
    ),
    "a word without a text": (
        holding(SOUND, Keyword("word", label=LABEL, allowed=("a",), words=(NO_WORDING,))),
        "its field 'word' has a word without a French text",
    ),
    "a text without room": (
        holding(SOUND, Text("why", label=LABEL, max_length=0)),
        "its field 'why' has max_length=0: nobody could write anything",
    ),
    "marks without room": (
        holding(SOUND, Marks("flaws", label=LABEL, types=levels(1), max_errors=0)),
        "its field 'flaws' has no room for a mark or its note",
    ),
    "edits without an operation": (
        holding(SOUND, Edits("edits", label=LABEL)),
        "its field 'edits' has nothing to choose from",
    ),
    "edits without room": (
        holding(SOUND, edits(max_edits=0)),
        "its field 'edits' has no room for an edit or its note",
    ),
    "edits that ask for a ruling": (
        holding(SOUND, edits(suggests_ruling="strict")),
        "its field 'edits' asks for a ruling 'strict' it lacks",
    ),
    "a group without operations": (
        holding(SOUND, edits(operations=(OperationGroup("g", LABEL, ()),))),
        "its field 'edits' has a group 'g' without operations",
    ),
    "an operation on no side": (
        holding(SOUND, edits(Operation(1, "a", LABEL, side="left"))),
        "its field 'edits' marks 'a' on the side 'left', which is none: there are original,",
    ),
    "an operation twice": (
        holding(SOUND, edits(Operation(1, "toImp", LABEL), Operation(2, "toimp", LABEL))),
        "its field 'edits' has the operation 'toimp' 2 times, whatever its capitals",
    ),
    "an operation whose key is no name": (
        holding(SOUND, edits(Operation(1, "a b", LABEL))),
        "its field 'edits' has the operation 'a b', which is no name",
    ),
    "a severity without words": (
        holding(SOUND, edits(Operation(1, "a", LABEL), severities=(Option(1, "s", NO_WORDING),))),
        "its field 'edits' has the severity 's' without a French label",
    ),
    "a step whose key is no name": (
        replace(PLAIN, steps=(replace(PLAIN.steps[0], key="../one x"),)),
        "its step '../one x' is no name",
    ),
    "a step that rates no text": (
        replace(PLAIN, steps=(replace(PLAIN.steps[0], sides=()),)),
        "its step 'clarity' rates texts and shows none",
    ),
    "a text twice beside a step": (
        replace(PLAIN, steps=(replace(PLAIN.steps[0], sides=("original", "original")),)),
        "it names the text beside its step 'clarity', 'original' 2 times",
    ),
    "a control pair beyond the scale": (
        replace(PLAIN, controls={"identical": (Expectation("clarity", 2, 9),)}),
        "it expects of identical pairs a 'clarity' from 2 to 9, which leaves its scale, 1…3",
    ),
    "a control pair that is narrowly nothing": (
        replace(PLAIN, controls={"identical": (Expectation("clarity", 1, 2, (8, 9)),)}),
        "it expects of identical pairs a 'clarity' that nobody can give",
    ),
    "an option whose key says none of these": (
        holding(SOUND, Choices("many", label=LABEL, options=(Option(0, "zero", LABEL),))),
        "its field 'many' has an option of value 0, whose key says “none of these”",
    ),
    "two columns of one name in a released table": (
        holding(SOUND, Slider("clarity_mean", label=LABEL)),
        "the table 'aggregated' would have 2 columns 'clarity_mean'",
    ),
    "a text called as a figure of a dimension": (
        holding(SOUND, Text("clarity_mean", label=LABEL)),
        "its field 'clarity_mean' is called 'clarity_mean', as tables call a figure or the words ",
    ),
    "a text called as the words of a dimension": (
        holding(SOUND, Text("clarity_en", label=LABEL)),
        "its field 'clarity_en' is called 'clarity_en', as tables call a figure or the words of",
    ),
    "a kind that fails when it is asked": (
        holding(SOUND, Failing("odd", label=LABEL)),
        "its field 'odd' cannot be examined: KeyError: 'gone'",
    ),
    "a kind that fails on an answer": (
        holding(SOUND, Wordless("odd", label=LABEL)),
        "its field 'odd' fails on the answer",
    ),
    "a kind that does not read its own schema": (
        holding(SOUND, Dated("odd", label=LABEL)),
        "its field 'odd' cannot be tried: ValueError: it does not read 'É",
    ),
    "a text beside the ratings called as what a judgment has": (
        holding(SOUND, Text("guide_id", label=LABEL)),
        "its field 'guide_id' stores 'guide_id', as a judgment itself has: rename it",
    ),
    "a panel in no language": (
        replace(PLAIN, panels=(Panel("original", LABEL, "old French"), *PLAIN.panels[1:])),
        "its panel 'original' is in 'old French', no code of a language",
    ),
    "hints that are one text": (
        replace(PLAIN, judge=JudgeWords("Tu lis.", lambda _rulings: "Réponds.")),
        "its hints to models are no texts",
    ),
    "passages required by a ruling of words": (
        replace(
            holding(SOUND, Marks("flaws", label=LABEL, types=levels(1), span_ruling="strict")),
            rulings=(Ruling("strict", LABEL, (("no", LABEL), ("yes", LABEL)), "no"),),
        ),
        "its field 'flaws' asks yes or no of 'strict', a ruling of words",
    ),
    "brackets ruled by words of one's own": (
        replace(
            bracketed(policy_ruling="below"),
            rulings=(Ruling("below", LABEL, (("drop", LABEL),), "drop"),),
        ),
        "its field 'tier' asks for a ruling 'below' of other words than ask, fall_through, clamp",
    ),
    "brackets ruled by yes or no": (
        replace(bracketed(policy_ruling="below"), rulings=(Ruling("below", LABEL),)),
        "its field 'tier' asks for a ruling 'below' of words, and it is one of yes or no",
    ),
    "two doubts": (
        holding(SOUND, Flag("unsure", is_doubt=True), Flag("doubt", is_doubt=True)),
        "it has two flags of doubt",
    ),
}


@pytest.mark.parametrize(("protocol", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_protocol_is_refused_for_its_reason(protocol: Protocol, reason: str) -> None:
    found = english(faults(protocol))
    assert [fault for fault in found if fault.startswith(reason)], found


def test_the_start_names_the_file_and_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = holding(SOUND, SOUND)
    monkeypatch.setitem(PROTOCOLS, (PLAIN.key, PLAIN.version), broken)
    with pytest.raises(SystemCheckError, match=r"samples/plain\.py.*'clarity' 2 times") as refused:
        call_command("check")
    assert "bareme.E009" in str(refused.value)


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        ("annotation.protocols.gone", "No module named"),
        ("annotation.protocols.base", "has no attribute 'PROTOCOL'"),
        ("tests.protocols.other_plain", "has published 'plain 2.0' already"),
        ("tests.protocols.no_protocol", "is no protocol"),
    ],
)
def test_a_setting_that_names_no_protocol_is_refused_with_its_name(
    module: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = {
        "tests.protocols.other_plain": SimpleNamespace(PROTOCOL=PLAIN),
        "tests.protocols.no_protocol": SimpleNamespace(PROTOCOL="plain"),
    }
    imported = registry.import_module
    monkeypatch.setattr(registry, "import_module", lambda name: modules.get(name) or imported(name))
    with pytest.raises(ImproperlyConfigured, match=f"BAREME_PROTOCOLS names '{module}'.*{reason}"):
        apps.publish([module])


def test_what_is_installed_twice_by_one_name_is_published_once() -> None:
    before = dict(PROTOCOLS)
    apps.publish(["tests.protocols.samples.plain"])
    assert before == PROTOCOLS


def test_a_choice_may_be_nominal_whatever_its_values() -> None:
    assert faults(holding(Choice("reader", label=LABEL, options=levels(2), required=True))) == []


def test_a_text_may_depend_on_marks_of_a_type() -> None:
    marks = Marks("flaws", label=LABEL, types=levels(1))
    asked_for = Text("why", label=LABEL, shown_when=When("flaws", (marks.types[0].key,)))
    assert faults(holding(SOUND, marks, asked_for)) == []


def test_a_bracket_may_be_crossed() -> None:
    assert faults(crossed()) == []
    assert faults(crossed(allowed=("moved", "kept"))) == [], "the order is the protocol's"


def test_the_words_of_a_crossing_are_those_that_its_page_sends() -> None:
    kinds = Path(__file__).parents[2] / "templates" / "judging" / "kinds"
    page = (kinds / "_crossing.html").read_text(encoding="utf-8")
    sent = re.findall(r'type="radio" name="{{ field.name }}" value="(\w+)"', page)
    assert tuple(sent) == CROSSING_WORDS == KEPT_OR_MOVED


def test_a_kind_may_give_the_samples_that_it_is_tried_by() -> None:
    assert faults(holding(SOUND, Sampled("odd", label=LABEL))) == []


def test_an_expected_range_may_be_narrower_and_a_step_may_ask_beside_the_texts() -> None:
    remark = Step("more", LABEL, (Text("why", label=LABEL),), sides=())
    controls = {"identical": (Expectation("clarity", 1, 3, (2, 3)),)}
    more = replace(PLAIN, steps=(*PLAIN.steps, remark), controls=controls)
    assert faults(replace(more, rules=lambda *_: [Problem("clarity", "wrong", LABEL)])) == []


def test_a_module_that_cannot_be_read_is_refused_with_its_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "unread_protocol.py").write_text("PROTOCOL = (\n", encoding="utf-8")
    (tmp_path / "failing_protocol.py").write_text("\nPROTOCOL = {}['x']\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for module, reason in (
        ("unread_protocol", r"SyntaxError: .*\[.*unread_protocol\.py:1\]"),
        ("failing_protocol", r"KeyError: 'x' \[.*failing_protocol\.py:2\]"),
    ):
        with pytest.raises(ImproperlyConfigured, match=f"names '{module}', which .*{reason}"):
            apps.publish([module])


def test_more_than_a_page_holds_is_refused_before_it_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What trying costs grows with the square of it, and anybody may compose a protocol."""
    monkeypatch.setattr("annotation.protocols.validity.trial_faults", lambda _protocol: 1 / 0)
    texts = tuple(Text(f"t_{number}", label=LABEL) for number in range(MOST_QUESTIONS))
    step = Step("one", LABEL, (SOUND, *texts))
    assert english(faults(replace(PLAIN, steps=(step,)))) == [
        "it asks 151 questions: a page holds 150 at most"
    ]
    many = replace(SOUND, options=levels(MOST_OPTIONS + 1))
    assert english(faults(replace(PLAIN, steps=(Step("one", LABEL, (many,)),)))) == [
        "it offers 1,001 answers: a page holds 1,000 at most"
    ]
