"""A study whose protocol is gone together with a kind of its fields, and one whose kind takes other
parameters now."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotation.agreement.studies.wording import UNREADABLE
from annotation.errors import RuleError
from annotation.models import Assignment, Draft, Judgment, PublishedProtocol, SideAnswer, triggers
from annotation.models.descriptions import descriptions_keep
from annotation.protocols import description
from annotation.protocols.base import Answers, PairFacts, Parts, RatingValue, Wording
from annotation.protocols.columns import Column, ColumnGroup
from annotation.protocols.description import described, recovered
from annotation.protocols.kinds import Former, Marks, Scale, Slider, Text
from annotation.protocols.protocol import Protocol, Step
from annotation.protocols.registry import PROTOCOLS
from annotation.selectors.agreement.studies import Part, sent_back_figures
from annotation.selectors.privacy import free_text
from annotation.selectors.privacy.free_text import answer_members
from annotation.selectors.publishing.exports import export_chunks, export_spec, layouts_of
from annotation.services.base.sealing import judgment_seal
from annotation.services.guides.rejudging import rejudge_request
from annotation.services.judging.drafts import Save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.judging.taking_back import judgment_take_back
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from api.throttling import PersonThrottle
from tests.factories import make_user
from tests.protocols import answered
from tests.protocols.judged import Judged, judged
from tests.protocols.samples.everything import EASE, FLAWS
from tests.web.test_access_matrix import URLS

NAMED = "Violaine Tremblay-Roy"


@dataclass(frozen=True)
class Thermometer(Slider):
    """A rating with words beside it, from an answer that nothing else could read."""

    kind: ClassVar[str] = "thermometer"
    scripts: ClassVar[tuple[str, ...]] = ()
    unit: str = field(default="C", kw_only=True)

    def clean(self, received: object) -> Any:
        return received or None

    def store(self, answers: Answers, rulings: Any, parts: Parts) -> None:
        if answers[self.name]:
            parts.rate(RatingValue(self.name, answers[self.name]["degrees"]))
            parts.sides[f"{self.name}_note"] = answers[self.name]["note"]

    def restore(self, parts: Parts) -> Answers:
        rating, note = parts.ratings.get(self.name), parts.sides.get(f"{self.name}_note", "")
        return {self.name: {"degrees": rating.value, "note": note} if rating else None}

    @property
    def sides(self) -> tuple[str, ...]:
        return (f"{self.name}_note",)

    @property
    def free_members(self) -> tuple[tuple[str, ...], ...]:
        return ((self.name, "note"),)

    def export(self) -> ColumnGroup:
        rated, name = super().export(), f"{self.name}_note"
        note = Column(name, "text", Wording("Note", "Note"), free=self.free_members)
        return ColumnGroup(
            (*rated.columns, note), cells=lambda read: read, reads=(*rated.reads, name)
        )


class Letter(Text):
    """Free text under another name."""

    kind: ClassVar[str] = "letter"


class Stains(Marks):
    kind: ClassVar[str] = "stains"


OWN = (Thermometer, Letter, Stains)
PROTOCOL = Protocol(
    key="vanishing",
    version="1",
    title=Wording("Ce qui s'en va", "What goes"),
    steps=(
        Step(
            "all",
            Wording("Que vaut-elle?", "What is it worth?"),
            (
                Scale("ease", label=Wording("Aisance", "Ease"), options=EASE, required=True),
                Thermometer("warmth", label=Wording("Chaleur", "Warmth"), required=True),
                Letter("letter", label=Wording("Lettre", "Letter")),
                Stains("stains", label=Wording("Taches", "Stains"), types=FLAWS),
            ),
        ),
    ),
)


def given(who: str, n: int) -> dict[str, Any]:
    return {
        "ease": n,
        "warmth": {"degrees": 40 + n, "note": f"note de {NAMED}"},
        "letter": f"Demandez à {NAMED}.",
        "stains": [
            {
                "type": "typo",
                "note": f"comme {NAMED}",
                "original_start": 0,
                "original_end": 3,
                "simplification_start": None,
                "simplification_end": None,
            }
        ],
    }


@dataclass
class Gone:
    found: Judged
    away: Any


@pytest.fixture
def gone(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> Iterator[Gone]:
    """A study judged while protocol and kinds were there; ``away()`` takes both away."""
    identity = (PROTOCOL.key, PROTOCOL.version)
    cache.clear()
    PersonThrottle.forget()
    monkeypatch.setitem(PROTOCOLS, identity, PROTOCOL)
    monkeypatch.setitem(answered._ANSWERS, PROTOCOL.name, given)
    for kind in OWN:
        monkeypatch.setitem(description._KINDS, kind.__name__, kind)
    triggers.create()
    descriptions_keep()
    judged_study = judged(PROTOCOL, closed=False)

    def away() -> None:
        monkeypatch.delitem(PROTOCOLS, identity)
        for kind in OWN:
            monkeypatch.delitem(description._KINDS, kind.__name__)
        triggers.create()
        free_text._answer_members.cache_clear()
        judged_study.study.refresh_from_db()

    yield Gone(judged_study, away)
    monkeypatch.undo()
    PublishedProtocol.objects.filter(key=PROTOCOL.key).delete()
    triggers.create()


def forget_amounts() -> None:
    """The description as it was kept before it said what kinds make of their fields."""
    kept = PublishedProtocol.objects.get(key=PROTOCOL.key)
    for kept_field in kept.description["steps"][0]["fields"]:
        del kept_field["_amounts"]
    kept.save()
    free_text._answer_members.cache_clear()


def rows(judged_study: Judged, layout: str = "long") -> list[dict[str, Any]]:
    spec = export_spec(layout, "jsonl", {})
    text = "".join(chunk.text for chunk in export_chunks(judged_study.study, spec))
    return [json.loads(line) for line in text.splitlines()]


def close(judged_study: Judged) -> None:
    judged_study.study.state = "closed"
    judged_study.study.save()


class TestPages:
    def test_those_who_run_the_study_read_it(self, gone: Gone) -> None:
        gone.away()
        close(gone.found)
        lead = gone.found.client(gone.found.lead)
        walked = [
            reverse(name, args=["walked"])
            for name, url in URLS.items()
            if set(url.pattern.converters) == {"study"}
        ]
        assert len(walked) > 30
        for path in walked:
            assert lead.get(path).status_code < 500, path
        for path in ("", "settings/", "agreement/", "systems/", "exports/", "remarks/"):
            assert lead.get(f"/studies/walked/{path}").status_code == 200, path
        page = html.unescape(lead.get("/studies/walked/").content.decode())
        assert "n'est plus installé ici" in page
        assert "Chaleur" in page
        assert "Thermometer" in page
        item = gone.found.pair.item.key
        page = lead.get(f"/studies/walked/agreement/items/{item}/").content.decode()
        assert f"Demandez à {NAMED}." in html.unescape(page)

    def test_what_was_sent_back_is_read_as_far_as_it_can_be(self, gone: Gone) -> None:
        study, key = gone.found.study, gone.found.pair.item.key
        rejudge_request(actor=gone.found.lead, study=study, keys=[key], reason="essai")
        mine = Assignment.objects.get(
            annotator__user=gone.found.judges[0], simplification=gone.found.pair
        )
        answers = given("A", 2) | {"warmth": {"degrees": 90, "note": "plus"}}
        again = Save(answers=answers, base_revision=1, key=uuid4(), active_seconds=5)
        judgment_submit(actor=mine.annotator.user, assignment=mine, save=again)
        whole = sent_back_figures(study, Part()).dimensions
        assert whole["warmth"].undefined is None
        gone.away()
        figures = sent_back_figures(gone.found.study, Part()).dimensions
        assert figures["warmth"].undefined == UNREADABLE
        assert figures["ease"].as_dict() == whole["ease"].as_dict()

    def test_annotators_read_what_they_answered(self, gone: Gone) -> None:
        gone.away()
        client = gone.found.client(gone.found.judges[1])
        for path in ("mine/", "work/", "2/history/", "options/warmth/", "2/", "keys/"):
            assert client.get(f"/annotate/walked/{path}").status_code in (200, 404), path
        for path in ("", "next/", "assignments/", "assignments/2/history/", "hours/"):
            assert client.get(f"/api/v1/my/studies/walked/{path}").status_code < 500, path
        assert client.get("/account/keys/?protocol=vanishing-1").status_code < 500
        page = html.unescape(client.get("/annotate/walked/2/").content.decode())
        assert "n'est plus installé" in page
        assert "Chaleur" in page
        assert f"Demandez à {NAMED}." in page
        assert client.get("/annotate/walked/mine/").status_code == 200
        judgment = client.get("/api/v1/my/studies/walked/assignments/2/").json()
        assert judgment["editable"] is False
        assert judgment["answers"]["warmth"] == {"degrees": 41, "note": f"note de {NAMED}"}


class TestFiles:
    @pytest.mark.parametrize("is_old", [False, True], ids=["kept", "from_before"])
    def test_what_is_stored_is_exported(self, gone: Gone, is_old: bool) -> None:
        if is_old:
            forget_amounts()
        gone.away()
        descriptions_keep()
        first = rows(gone.found)[0]
        assert (first["ease"], first["warmth"]) == (0, 40)
        # What stood beside a rating is told since descriptions say so.
        assert first.get("warmth_note") == (None if is_old else f"note de {NAMED}")
        assert first["letter"] == f"Demandez à {NAMED}."
        assert first["stains"][0]["note"] == f"comme {NAMED}"
        assert [rows(gone.found, "wide")[0][f"warmth_{who}"] for who in "ABC"] == [40, 41, 42]
        for name in layouts_of(gone.found.study.protocol):
            form = "json" if name == "codebook" else "csv"
            assert list(export_chunks(gone.found.study, export_spec(name, form, {})))

    def test_answers_are_compared_and_left_as_they_are(self, gone: Gone, capsys: Any) -> None:
        gone.away()
        call_command("check_answers", study="walked")
        assert "0 differ" in capsys.readouterr().out
        judgment = Judgment.objects.filter(submitted_at__isnull=False).order_by("pk").last()
        assert judgment is not None
        revision = judgment.assignment.revisions.get()
        revision.answers |= {"ease": 4}
        revision.save()
        call_command("check_answers", study="walked", rebuild=True)
        assert "ease" in capsys.readouterr().out
        assert judgment.ratings.filter(dimension="warmth").exists()

    @pytest.mark.parametrize("is_old", [False, True], ids=["kept", "from_before"])
    def test_it_is_frozen_without_names(
        self, gone: Gone, is_old: bool, settings: Any, tmp_path: Any
    ) -> None:
        settings.ARTEFACTS_DIR = tmp_path
        make_user("violaine")
        gone.found.judges[0].name = NAMED
        gone.found.judges[0].save()
        if is_old:
            forget_amounts()
        gone.away()
        descriptions_keep()
        close(gone.found)
        made = study_freeze(actor=gone.found.lead, study=gone.found.study, reason="essai")
        text = (snapshot_folder(made) / "judgments.jsonl").read_text()
        assert '"warmth": 40' in text
        assert NAMED not in text


class TestPeople:
    @pytest.mark.parametrize("is_old", [False, True], ids=["kept", "from_before"])
    def test_a_person_is_erased_in_it(self, gone: Gone, is_old: bool) -> None:
        judge = gone.found.judges[0]
        judge.name = NAMED
        judge.save()
        if is_old:
            forget_amounts()
        gone.away()
        call_command("erase_person", judge.email, reason="demande", judgments="keep")
        assert not SideAnswer.objects.filter(value__contains="Violaine").exists()
        assert all("Violaine" not in json.dumps(draft.answers) for draft in Draft.objects.all())
        assert Judgment.objects.filter(submitted_at__isnull=True).count() == 0

    def test_a_person_outside_of_it_is_shown(self, gone: Gone, capsys: Any) -> None:
        gone.away()
        user = make_user("elsewhere")
        user.name = NAMED
        user.save()
        call_command("erase_person", "elsewhere@example.org", show=True)
        assert "walked" not in capsys.readouterr().out

    def test_what_cannot_be_read_at_all_stops_no_erasure(self, gone: Gone) -> None:
        gone.away()
        PublishedProtocol.objects.filter(key=PROTOCOL.key).update(description={"key": "x"})
        free_text._answer_members.cache_clear()
        assert ("*", "**") in answer_members()
        leaves = list(
            free_text.leaves({"letter": "a", "stains": [{"note": "b"}]}, answer_members())
        )
        assert sorted(text for _way, text in leaves) == ["a", "b"]

    def test_nothing_is_emptied_that_could_not_be_written_again(self, gone: Gone) -> None:
        gone.away()
        judgment = Judgment.objects.filter(submitted_at__isnull=False).order_by("pk").last()
        assert judgment is not None
        before = (judgment.ratings.count(), judgment.submitted_at)
        with pytest.raises(RuleError) as refused:
            judgment_seal(judgment, gone.found.study, {}, timezone.now())
        assert refused.value.problems[0].code == "not_installed"
        judgment.refresh_from_db()
        assert (judgment.ratings.count(), judgment.submitted_at) == before

    def test_nothing_is_taken_back_that_could_not_be_written_again(self, gone: Gone) -> None:
        gone.away()
        row = Judgment.objects.filter(submitted_at__isnull=False).order_by("pk").last().assignment
        with pytest.raises(RuleError) as refused:
            judgment_take_back(actor=row.annotator.user, assignment=row, number=1)
        assert refused.value.problems[0].code == "not_installed"


def test_a_kind_that_takes_other_parameters_is_stood_in_for() -> None:
    protocol_json = described(PROTOCOLS["direct_assessment", "1"])
    protocol_json["steps"][0]["fields"][0]["former_parameter"] = 1
    back = recovered(json.loads(json.dumps(protocol_json)))
    first = back.fields[0]
    assert isinstance(first, Former)
    assert back.former == (first,)
    assert first.was == "Slider"
    assert back.scales == PROTOCOLS["direct_assessment", "1"].scales


def test_what_was_kept_of_a_field_may_be_unreadable_too() -> None:
    protocol_json = described(PROTOCOLS["direct_assessment", "1"])
    protocol_json["steps"][0]["fields"][0] |= {
        "_class": "Gone",
        "_amounts": {"scales": [{"_class": "No"}]},
    }
    first = recovered(protocol_json).fields[0]
    assert first.dimensions == ()
    assert first.free_members == ((first.name, "**"),)


def test_its_answers_are_said_as_they_are_stored() -> None:
    def french(wording: Wording) -> str:
        return wording.fr

    scale = replace(PROTOCOLS["jades", "1"].scales[0], name="x")
    former_field = Former("x", was="Gone", scales=(scale,), label=Wording("X", "X"))
    lowest = scale.options[0]
    assert former_field.lines(lowest.value, french) == [f"{lowest.value} · {lowest.label.fr}"]
    assert former_field.lines(99, french) == ["99"]
    assert former_field.lines({"x": 99, "y": True}, french) == [
        f"{scale.label.fr} · 99",
        "y · true",
    ]
    assert former_field.lines(None, french) == former_field.lines("", french) == []
    assert former_field.lines([{"type": "a", "note": None}, "b"], french) == ["a", "b"]
    assert former_field.clean(None) is None
    assert former_field.export() is not None
    assert Former("x", was="Gone", stored_with="y").export() is None
    assert Former("x", was="Gone", stored_with="y").restore(Parts()) == {}


def test_programs_are_told_what_it_was() -> None:
    former_field = Former("x", was="Gone", said="A gauge.")
    assert former_field.model_schema() == former_field.schema()
    assert "Gone" in former_field.schema()["description"]
    assert former_field.facts(str) == {"was": "Gone"}
    assert former_field.presented == "A gauge."
    assert former_field.problems({}, PairFacts(1, 1), {}) == []
    blank = Former("x", was="Gone", blank=())
    assert blank.empty == []
    assert blank.empty is not blank.empty


def test_several_texts_and_parts_of_ratings_are_read_as_they_are_stored() -> None:
    former_field = Former("x", was="Gone", texts=("x_a", "x_b"))
    parts = Parts()
    parts.sides |= {"x_b": "écrit", "other": "non"}
    assert former_field.restore(parts) == {"x": {"x_b": "écrit"}}
    exported = former_field.export()
    assert exported is not None
    assert exported.cells(("", "écrit")) == [None, "écrit"]
    assert former_field.free_names == {"x", "x_a", "x_b", "note"}
    scale = replace(PROTOCOLS["jades", "1"].scales[0], name="x")
    rated = Former("x", was="Gone", scales=(scale,), reads=("x.value", "x.top", "x.crossing"))
    exported = rated.export()
    assert exported is not None
    assert [(c.name, c.kind) for c in exported.columns] == [
        ("x", "category"),
        ("x_top", "integer"),
        ("x_crossing", "text"),
    ]
    marked = Former("x", was="Gone", has_marks=True).export()
    assert marked is not None
    assert marked.cells(None) == [None]


def test_any_text_of_it_may_be_somebody_s() -> None:
    protocol = Protocol(
        key="k",
        version="1",
        title=Wording("K", "K"),
        steps=(Step("s", Wording("Q", "Q"), (Former("x", was="Gone"),)),),
    )
    answers = {"x": [{"a": "un"}, "deux", 3]}
    assert sorted(protocol.typed(answers)) == ["deux", "un"]


def test_a_kind_that_does_not_say_what_it_exports_is_described_all_the_same() -> None:
    class Mute(Text):
        def export(self) -> ColumnGroup:
            raise NotImplementedError

    step = Step("s", Wording("Q", "Q"), (Mute("x", label=Wording("X", "X")),))
    protocol_json = described(replace(PROTOCOL, steps=(step,)))
    assert protocol_json["steps"][0]["fields"][0]["_amounts"]["columns"] == []
