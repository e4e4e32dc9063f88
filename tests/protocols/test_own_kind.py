"""A kind of somebody's own, that stores a rating and what people typed beside it: judged, exported,
frozen, erased."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from html import unescape
from typing import Any, ClassVar, Literal

import pytest
from django.test import Client

from annotation.models import Assignment, PracticeNote, SideAnswer, Study, triggers
from annotation.protocols.base import (
    Answers,
    Dimension,
    Level,
    MarkValue,
    Parts,
    RatingValue,
    Rulings,
)
from annotation.protocols.columns import Column, ColumnGroup, ComparedColumn, Slot, said
from annotation.protocols.kinds import KINDS, Field, Text
from annotation.protocols.registry import PROTOCOLS
from annotation.protocols.validity import faults
from annotation.selectors.base.redaction import MARK
from annotation.selectors.privacy.erasure_places import places
from annotation.selectors.privacy.identity import Identity
from annotation.services.publishing.replacements import snapshot_replacements
from annotation.services.publishing.snapshots import (
    snapshot_folder,
    study_freeze,
)
from annotation.services.studies.studies import study_change_state
from tests.factories import make_annotator, make_pair, make_study, make_user
from tests.protocols.judged import answer
from tests.protocols.said import english
from tests.protocols.samples.effort import LABEL, PROTOCOL, Effort, asking

NOTE = f"Dit par Zoé Lavigne, {'zoe'}@example.org."


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (
        Effort,
        Unproven,
        InJson,
        Undeclared,
        Uncovered,
        Escaped,
        Disclosed,
        Compared,
        Given,
        Unnamed,
    ):
        monkeypatch.setitem(KINDS, kind.kind, kind)


@pytest.fixture
def judged(db: None, monkeypatch: pytest.MonkeyPatch) -> Study:
    """A closed study of the kind's protocol, with one answer that names a person of it."""
    monkeypatch.setitem(PROTOCOLS, ("effort", "1"), PROTOCOL)
    triggers.create()
    lead = make_user("lead")
    study = make_study(lead=lead, protocol_key="effort", protocol_version="1", state="main")
    judge = make_user("zoe")
    judge.name = "Zoé Lavigne"
    judge.save()
    row = Assignment.objects.create(
        annotator=make_annotator(study, judge),
        simplification=make_pair(study),
        position=1,
    )
    answer(row, {"effort": {"value": 3, "note": NOTE}})
    return study_change_state(actor=lead, study=study, to="closed", reason="essai")


def test_such_a_kind_is_sound() -> None:
    assert faults(PROTOCOL) == []


def test_a_rating_and_a_text_of_one_answer_are_stored(judged: Study) -> None:
    assert SideAnswer.objects.get().value == NOTE


def test_what_was_typed_into_a_part_of_an_answer_is_redacted(judged: Study) -> None:
    frozen = study_freeze(actor=judged.leads.get().user, study=judged, recipe={}, reason="")
    for path in snapshot_folder(frozen).iterdir():
        assert "Lavigne" not in path.read_text(encoding="utf-8"), path.name
    [line] = (snapshot_folder(frozen) / "judgments.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["effort_note"].startswith(f"Dit par {MARK}")
    [shown] = snapshot_replacements(frozen)["answers"]
    assert shown.startswith(f"Dit par {MARK}")


def test_an_erasure_finds_it(judged: Study) -> None:
    user = Assignment.objects.get().annotator.user
    columns = {place.column for place in places(Identity.of(user))}
    assert "sideanswer.value" in columns


@dataclass(frozen=True)
class Unproven(Effort):
    """Nobody has to answer it and nothing depends on it: it need not say how an answer is known."""

    kind: ClassVar[str] = "unproven"
    evidence = Field.evidence


@pytest.mark.django_db
def test_a_kind_on_which_nothing_depends_needs_no_evidence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that is always rated, and one that nobody has to answer."""
    fields = Unproven("effort", label=LABEL, required=True), Unproven("more", label=LABEL)
    protocol = replace(PROTOCOL, steps=(replace(PROTOCOL.steps[0], fields=fields),))
    assert faults(protocol) == []
    monkeypatch.setitem(PROTOCOLS, ("effort", "1"), protocol)
    triggers.create()
    study = make_study(protocol_key="effort", protocol_version="1", state="main")
    row = Assignment.objects.create(
        annotator=make_annotator(study), simplification=make_pair(study), position=1
    )
    answer(row, {"effort": {"value": 3, "note": ""}})
    assert row.judgment.ratings.get().value == 3


@dataclass(frozen=True)
class InJson(Effort):
    kind: ClassVar[str] = "in_json"

    def store(self, answers: Answers, rulings: Rulings, parts: Parts) -> None:
        if answers[self.name]:
            parts.rate(RatingValue(self.name, answers[self.name]["value"]))
            parts.sides[f"{self.name}_note"] = json.dumps({"note": answers[self.name]["note"]})

    def restore(self, parts: Parts) -> Answers:
        written = parts.sides.get(f"{self.name}_note")
        rating = parts.ratings.get(self.name)
        note = json.loads(written)["note"] if written else ""
        return {self.name: {"value": rating.value, "note": note} if rating else None}


@dataclass(frozen=True)
class Undeclared(Effort):
    kind: ClassVar[str] = "undeclared"

    @property
    def sides(self) -> tuple[str, ...]:
        return Field.sides.fget(self)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Uncovered(Effort):
    kind: ClassVar[str] = "uncovered"

    def export(self) -> ColumnGroup:
        return ColumnGroup(
            (Column(self.name, "integer", said(self.label)),),
            cells=lambda value: [value],
            reads=(f"{self.name}.value",),
        )


@dataclass(frozen=True)
class Escaped(Effort):
    """Its column holds the note, in JSON where no redaction reads it."""

    kind: ClassVar[str] = "escaped"

    def export(self) -> ColumnGroup:
        column = Column(f"{self.name}_note", "text", said(self.label), free=self.free_members)
        return ColumnGroup(
            (column,), cells=lambda note: [json.dumps(note)], reads=(f"{self.name}_note",)
        )


@dataclass(frozen=True)
class Disclosed(Text):
    """What it exports is typed, and its column does not say so."""

    kind: ClassVar[str] = "disclosed"

    def export(self) -> ColumnGroup:
        group = super().export()
        plain = Column(f"{self.name}_again", "text", said(self.label))
        cells = lambda text: [text or "", text or ""]  # noqa: E731
        return ColumnGroup((*group.columns, plain), cells=cells, reads=group.reads)


@dataclass(frozen=True)
class Compared(Effort):
    kind: ClassVar[str] = "compared"

    def compared(self) -> tuple[ComparedColumn, ...]:
        note = Column(f"{self.name}_note", "text", said(self.label))
        return (*super().compared(), ComparedColumn(f"{self.name}_note", note))


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (InJson, "does not store what people write at effort.note as it is"),
        (InJson, "stores what people write inside JSON"),
        (Undeclared, "stores the text 'effort_note' beside the ratings: name it in its sides"),
        (Uncovered, "lets people write at effort.note, which no exported column covers"),
        (Escaped, "has a column 'effort_note' with what people type where no redaction finds it"),
        (Compared, "compares 'effort_note', which is no part of a rating"),
    ],
)
def test_what_would_be_found_too_late_is_refused_at_start(kind: Any, reason: str) -> None:
    all_faults = english(faults(asking(kind("effort", label=LABEL, required=True))))
    assert [fault for fault in all_faults if fault.startswith(f"its field 'effort' {reason}")], (
        all_faults
    )


def test_a_further_column_with_what_people_type_is_refused() -> None:
    effort = Effort("effort", label=LABEL, required=True)
    protocol = asking(effort)
    [step] = protocol.steps
    both = (effort, Disclosed("why", label=LABEL))
    changed = type(step)(step.key, step.question, both)
    all_faults = english(faults(type(protocol)("effort", "1", protocol.title, (changed,))))
    assert any("a column 'why_again' with what people type" in fault for fault in all_faults), (
        all_faults
    )


def answered_by(parts: Parts, **changed: Any) -> None:
    parts.rate(RatingValue("effort", 3))
    parts.sides |= changed.get("sides", {})
    parts.marks += changed.get("marks", [])
    for rating in changed.get("ratings", []):
        parts.rate(rating)


def storing(**changed: Any) -> Any:
    """A ``store`` that adds this to what it should."""
    return lambda _self, answers, _rulings, parts: (
        answered_by(parts, **changed) if answers["effort"] else None
    )


def exporting(cells: Any, **column: Any) -> Any:
    """An ``export`` of one column of the note, with these cells."""

    def export(self: Effort) -> ColumnGroup:
        described = Column("effort_note", "json", said(LABEL), free=self.free_members, **column)
        return ColumnGroup((described,), cells=cells, reads=("effort_note",))

    return export


SCALES = tuple(Dimension(name, LABEL, Level.ORDINAL, 1, 5) for name in ("effort", "other"))


@pytest.mark.parametrize(
    ("name", "instead", "reason"),
    [
        ("schema", lambda _: {"enum": []}, "cannot be tried: ValueError: its schema describes no"),
        ("schema", lambda _: {"type": ["null"]}, "cannot be tried: ValueError: nothing is made of"),
        (
            "samples",
            property(lambda _: ({"value": 3},)),
            "lets people write at effort.note, where its samples have no text",
        ),
        ("restore", lambda _self, _parts: {"effort": None}, "gives None back where {'value'"),
        ("store", storing(sides={"effort_note": ""}), "stores '' as 'effort_note': a side is"),
        (
            "allowed_sides",
            property(lambda _: ("x",)),
            "stores 'É\"\\\\Zoé' as 'effort_note', which is none of its allowed_sides",
        ),
        (
            "store",
            storing(marks=[MarkValue("effort", 1, "gap")]),
            "stores a mark of 'effort', 'gap'",
        ),
        ("store", storing(ratings=[RatingValue("x", 1)]), "rates 'x', which is none of its dim"),
        ("store", storing(ratings=[RatingValue("effort", 9)]), "rates 'effort' by 9, which is not"),
        ("dimensions", property(lambda _: SCALES), "rates some of its dimensions and not all"),
        (
            "export",
            exporting(lambda note: [json.dumps(note)], free_under=("*",)),
            "stores 'effort.value', which none of its columns reads (export)",
        ),
        ("export", lambda _: None, "stores 'effort_note', which none of its columns reads"),
        (
            "compared",
            lambda _: (),
            "rates 'effort', of which the table 'wide' has no column (compared)",
        ),
        ("export", exporting(lambda _note: []), "makes 0 cells for 1 columns"),
        (
            "export",
            exporting(lambda note: [json.dumps([{"note": note}, 1])], free_under=("other",)),
            "has a column 'effort_note' with what people type where no redaction finds it",
        ),
        ("brief", lambda _self, _value, _say: None, "says ["),
        ("sides", property(lambda _: ("note",)), "stores 'note': a side is called as its field"),
        (
            "export",
            lambda self: ColumnGroup(
                (Column("effort", "integer", LABEL, free=self.free_members),),
                cells=lambda value: [value],
                reads=("ghost",),
            ),
            "has columns that read 'ghost', which is stored nowhere",
        ),
        (
            "export",
            lambda self: ColumnGroup(
                (Column("effort", "integer", LABEL, free=self.free_members),),
                cells=lambda value: [value],
                reads=("effort.bracket",),
            ),
            "has columns that read 'effort.bracket', which is stored nowhere",
        ),
    ],
)
def test_a_kind_that_does_not_do_as_it_says_is_refused(
    name: str, instead: Any, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Effort, name, instead)
    all_faults = english(faults(PROTOCOL))
    assert [fault for fault in all_faults if fault.startswith(f"its field 'effort' {reason}")], (
        all_faults
    )


def test_typed_json_is_redacted_wherever_its_texts_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    def export(self: Effort) -> ColumnGroup:
        columns = (
            Column("effort", "integer", said(LABEL)),
            Column("effort_note", "json", said(LABEL), free=self.free_members),
        )
        return ColumnGroup(
            columns,
            cells=lambda read: [read[0], json.dumps({"why": [read[1]]})],
            reads=("effort.value", "effort_note"),
        )

    monkeypatch.setattr(Effort, "export", export)
    monkeypatch.setattr(Effort, "slots", lambda _: ())
    assert faults(PROTOCOL) == []
    assert "effort_note" in PROTOCOL.free_names


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (
            {"slots": Field.slots, "take": Field.take},
            'does not read what its own columns say (slots, take): Unreadable answer: "1"',
        ),
        (
            {"slots": lambda self: (Slot("rank", self.label),)},
            "reads a column 'rank' of a table (slots), and exports none that is called so",
        ),
        (
            {"take": lambda _self, _cells, _facts, _rulings, parts: answered_by(parts)},
            "takes {'value': 3, 'note': ''} from its own columns where",
        ),
        ({"slots": lambda _: ()}, ""),
    ],
)
def test_what_would_not_come_in_again_is_refused(
    changed: dict[str, Any], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, instead in changed.items():
        monkeypatch.setattr(Effort, name, instead)
    all_faults = english(faults(PROTOCOL))
    assert [fault for fault in all_faults if fault.startswith(f"its field 'effort' {reason}")] or (
        not reason and not all_faults
    ), all_faults


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (
            {"posted": lambda _self, values, _post: values[-1]},
            """does not read '{"value": 1, "note": "É""",
        ),
        ({"posted": lambda *_: None}, "reads None from a plain form that shows '{"),
        ({"control": "box"}, ""),
    ],
)
def test_what_a_plain_form_would_lose_is_refused(
    changed: dict[str, Any], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, instead in changed.items():
        monkeypatch.setattr(Effort, name, instead)
    all_faults = english(faults(PROTOCOL))
    assert [fault for fault in all_faults if fault.startswith(f"its field 'effort' {reason}")] or (
        not reason and not all_faults
    ), all_faults


def test_a_reference_of_practice_holds_it(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROTOCOLS, ("effort", "1"), PROTOCOL)
    triggers.create()
    lead = make_user("lead")
    study = make_study(lead=lead, protocol_key="effort", protocol_version="1", state="practice")
    pair = make_pair(study, round="practice")
    client, url = Client(), f"/studies/{study.key}/practice/{pair.pk}/"
    client.force_login(lead)
    blank = client.get(url).content.decode()
    assert 'name="effort" rows="2"></textarea>' in blank
    given = {"value": 2, "note": "dit «tout»"}
    said = {"action": "save", "note": "", "effort": json.dumps(given)}
    assert client.post(url, said).status_code == 302
    assert PracticeNote.objects.get().reference == {"effort": given}
    # Whatever the order in which a database keeps an answer's parts.
    _, _, shown = client.get(url).content.decode().partition('name="effort" rows="2">')
    assert json.loads(unescape(shown.partition("</textarea>")[0])) == given


@dataclass(frozen=True)
class Given(Effort):
    """Parameters of every type."""

    kind: ClassVar[str] = "given"

    count: int = field(default=1, kw_only=True)
    anything: Any = field(default=None, kw_only=True)
    mode: Literal["a", "b"] | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Unnamed(Effort):
    """A parameter whose type nobody can look up."""

    kind: ClassVar[str] = "unnamed"

    odd: Nowhere | None = field(default=None, kw_only=True)  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (Given("effort", label=LABEL, required=True, anything=3, mode="a"), ""),
        (
            Given("effort", label=LABEL, required=True, count=True),
            "its field 'effort' has count=True: write a whole number",
        ),
        (Unnamed("effort", label=LABEL, required=True), ""),
    ],
)
def test_parameters_of_ones_own_are_of_their_types(given: Effort, reason: str) -> None:
    assert english(faults(asking(given))) == ([reason] if reason else [])
