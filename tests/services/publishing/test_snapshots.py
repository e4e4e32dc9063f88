"""A snapshot: the same data are the same bytes, nobody is named, nothing ever changes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import (
    Annotator,
    Assignment,
    DatasetSnapshot,
    Event,
    GuideVersion,
    Judgment,
    Study,
)
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from annotation.services.publishing.snapshots import (
    snapshot_damage,
    snapshot_folder,
    snapshots_folder,
    snapshots_standing,
    study_freeze,
)
from annotation.services.studies.studies import guide_publish
from tests.factories import make_annotator, make_pair, make_study, make_user, save

MOMENT = datetime(2025, 4, 1, 9, 30, tzinfo=UTC)
ANSWERS: dict[tuple[str, str], dict[str, Any]] = {
    ("item-0001", "A"): {"simplicity": 1},
    ("item-0001", "B"): {
        "simplicity": 1,
        "characterization": 3,
        "comment": "Écrire à Brice Tremblay, b@uni.example.",
    },
    ("item-0001", "C"): {"simplicity": 2, "bracket": 2, "errors": []},
    ("item-0002", "A"): {"simplicity": 1, "errors": []},
    ("item-0002", "B"): {"simplicity": 2, "characterization": 9},
    ("item-0002", "C"): {"simplicity": 3, "characterization": 12, "bracket": 1, "errors": []},
}


def judged_study(*, backwards: bool = False) -> Study:
    """Two main pairs × three annotators; ``backwards``: everything was stored in the other
    order."""
    study = make_study("etude", state="main")
    numbers, letters = [1, 2], ["A", "B", "C"]
    if backwards:
        numbers, letters = numbers[::-1], letters[::-1]
    pairs = {
        number: make_pair(study, key=f"item-{number:04}", original=f"Clause numéro {number}.")
        for number in numbers
    }
    for number, pair in pairs.items():
        type(pair.item).objects.filter(pk=pair.item_id).update(position=10 + number)
    for letter in letters:
        name = {"A": "Anne Gagnon", "B": "Brice Tremblay", "C": "Chloé Roy"}[letter]
        make_annotator(
            study, make_user(name, email=f"{letter.lower()}@uni.example"), pseudonym=letter
        )
    assignments_fill(actor=None, study=study)
    for assignment in Assignment.objects.order_by("-pk" if backwards else "pk"):
        answered = ANSWERS[assignment.simplification.item.key, assignment.annotator.pseudonym]
        judgment_submit(
            actor=assignment.annotator.user,
            assignment=assignment,
            save=save(active_seconds=70, **answered),
        )
    guide_publish(actor=None, study=study, body_fr="Lisez, puis écrivez à a@uni.example.")
    Judgment.objects.update(started_at=MOMENT, submitted_at=MOMENT)
    GuideVersion.objects.update(published_at=MOMENT)
    Study.objects.update(state="closed", title="Étude")
    return Study.objects.get(pk=study.pk)


def rows(snapshot: DatasetSnapshot, name: str) -> list[dict[str, Any]]:
    text = (snapshot_folder(snapshot) / name).read_text("utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def every_byte(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.django_db
class TestFreezing:
    def test_what_is_frozen(self):
        study = judged_study()
        made = study_freeze(actor=None, study=study)
        assert (made.name, made.number, made.path) == ("etude-1", 1, "snapshots/etude-1")
        assert len(rows(made, "items.jsonl")) == len(rows(made, "simplifications.jsonl")) == 2
        assert len(rows(made, "judgments.jsonl")) == 6
        assert len(rows(made, "ratings.jsonl")) == 18
        assert {row["type"] for row in rows(made, "errors.jsonl")} == {"omission"}
        assert snapshot_damage(made) == []
        stored = json.loads((snapshot_folder(made) / "manifest.json").read_text("utf-8"))
        assert stored == made.manifest
        event = Event.objects.get(verb="study_frozen")
        assert event.details["content_digest"] == made.content_digest
        assert not list(snapshots_folder().glob(".*"))

    def test_each_label_says_where_it_comes_from(self):
        labels = {
            (row["simplification_key"], row["dimension"]): row
            for row in rows(study_freeze(actor=None, study=judged_study()), "labels.jsonl")
        }
        assert labels["item-0001/0", "simplicity"]["value"] == 1
        assert labels["item-0001/0", "simplicity"]["provenance"] == "majority"
        drawn = labels["item-0002/0", "characterization"]
        assert (drawn["provenance"], drawn["tied"]) == ("drawn", [7, 9, 12])
        assert drawn["value"] in drawn["tied"]
        scale = labels["item-0002/0", "legal_meaning"]
        assert scale["distribution"] == {"1": 1, "9": 1, "10": 1}
        assert (scale["value"], scale["median"]) == (pytest.approx(20 / 3), 9)
        assert scale["severity_adjusted_mean"] is not None

    def test_an_adjudication_settles_or_leaves_divided(self):
        study = judged_study()
        first, second = (
            pair.pk for item in study.items.order_by("key") for pair in item.simplifications.all()
        )
        rulings = {
            (first, "simplicity"): ("settled", 2),
            (second, "legal_meaning"): ("divided", None),
        }
        labels = {
            (row["simplification_key"], row["dimension"]): row
            for row in rows(study_freeze(actor=None, study=study, rulings=rulings), "labels.jsonl")
        }
        settled, divided = (
            labels["item-0001/0", "simplicity"],
            labels["item-0002/0", "legal_meaning"],
        )
        assert (settled["value"], settled["provenance"], settled["adjudication"]) == (
            2,
            "adjudicated",
            "settled",
        )
        assert (settled["computed_value"], settled["computed_provenance"]) == (1, "majority")
        assert (divided["value"], divided["adjudication"], divided["ratings"]) == (
            None,
            "divided",
            3,
        )
        assert divided["computed_value"] == pytest.approx(20 / 3)

    def test_the_order_in_which_rows_were_stored_changes_no_byte(self):
        made, digests = [], set()
        for backwards in (False, True):
            with transaction.atomic():
                frozen = study_freeze(actor=None, study=judged_study(backwards=backwards))
                made.append(every_byte(snapshot_folder(frozen)))
                digests.add(frozen.content_digest)
                transaction.set_rollback(True)
        for files in made:
            files.pop("manifest.json")
        assert made[0] == made[1]
        assert len(digests) == 1

    def test_nobody_is_named(self):
        lead = make_user("Lucie Lavoie", email="lucie@uni.example")
        study = judged_study()
        content = b"".join(
            every_byte(snapshot_folder(study_freeze(actor=lead, study=study))).values()
        ).decode()
        for name in ("Gagnon", "Tremblay", "Chlo", "Lavoie", "uni.example"):
            assert name not in content
        assert "Écrire à […], […]" in content

    def test_who_has_withdrawn_is_in_no_later_snapshot(self):
        study = judged_study()
        before = study_freeze(actor=None, study=study)
        Annotator.objects.filter(pseudonym="C").update(withdrawn_at=timezone.now())
        after = study_freeze(actor=None, study=study)
        assert after.number == 2
        assert {row["annotator"] for row in rows(before, "judgments.jsonl")} == {"A", "B", "C"}
        for name in ("judgments.jsonl", "ratings.jsonl", "errors.jsonl"):
            assert {row["annotator"] for row in rows(after, name)} <= {"A", "B"}
        assert "legal_meaning_C" not in rows(after, "wide.jsonl")[0]
        assert (
            json.loads((snapshot_folder(after) / "study.json").read_text())["withdrawn_annotators"]
            == 1
        )

    def test_each_stands_with_what_came_before_it_and_who_has_withdrawn_since(self):
        study = judged_study()
        first, second = (study_freeze(actor=None, study=study) for _ in range(2))
        assert first.manifest["follows"] is None
        before = {"number": 1, "content_digest": first.content_digest}
        assert second.manifest["follows"] == before
        stand = snapshots_standing([second, first])
        assert [own.follows and own.follows.number for own in stand] == [1, None]
        assert [own.withdrawn_since for own in stand] == [[], []]
        Annotator.objects.filter(pseudonym="B").update(withdrawn_at=timezone.now())
        third = study_freeze(actor=None, study=study)
        stand = snapshots_standing([third, second])
        assert [own.withdrawn_since for own in stand] == [[], ["B"]]

    def test_practice_is_kept_apart(self):
        study = judged_study()
        made = study_freeze(actor=None, study=study)
        assert rows(made, "practice.jsonl") == []


@pytest.mark.django_db
class TestRefusals:
    def test_an_open_study_needs_a_reason(self):
        study = judged_study()
        Study.objects.update(state="main")
        with pytest.raises(RuleError) as refused:
            study_freeze(actor=None, study=study)
        assert refused.value.problems[0].field == "reason"
        made = study_freeze(
            actor=None, study=study, reason="Rapport d'étape demandé par Anne Gagnon."
        )
        assert made.reason == "Rapport d'étape demandé par […]."
        assert made.manifest["study_closed"] is False

    def test_without_judgments_there_is_nothing(self):
        with pytest.raises(RuleError, match="no judgment"):
            study_freeze(actor=None, study=make_study(state="closed"))

    @pytest.mark.parametrize(
        ("recipe", "field"),
        [
            ({"labels": {"rules": {"characterization": "mean"}}}, "labels.rules.characterization"),
            ({"labels": {"rules": {"beauty": "mean"}}}, "labels.rules.beauty"),
            ({"labels": {"seed": -1}}, "labels.seed"),
            ({"colour": 1}, "colour"),
            ({"draws": 0}, "draws"),
            ({"confidence": 2.0}, "confidence"),
        ],
    )
    def test_a_recipe_that_is_none(self, recipe, field):
        study = make_study(state="closed")
        with pytest.raises(RuleError) as refused:
            study_freeze(actor=None, study=study, recipe=recipe)
        assert refused.value.problems[0].field == field

    def test_a_failure_leaves_nothing(self, monkeypatch):
        study = judged_study()
        monkeypatch.setattr(
            "annotation.services.publishing.snapshots.event_record", lambda **_: 1 / 0
        )
        with pytest.raises(ZeroDivisionError):
            study_freeze(actor=None, study=study)
        assert not DatasetSnapshot.objects.exists()
        assert list(snapshots_folder().iterdir()) == []


@pytest.mark.django_db
class TestNothingChanges:
    def test_neither_one_row_nor_many(self):
        made = study_freeze(actor=None, study=judged_study())
        made.content_digest = "0"
        for change in (made.save, made.delete, DatasetSnapshot.objects.all().delete):
            with pytest.raises(TypeError, match="a snapshot is never"):
                change()
        with pytest.raises(TypeError, match="a snapshot is never"):
            DatasetSnapshot.objects.update(number=F("number") + 1)

    def test_a_damaged_file_is_noticed(self):
        made = study_freeze(actor=None, study=judged_study())
        with (snapshot_folder(made) / "labels.jsonl").open("a") as file:
            file.write("{}\n")
        (snapshot_folder(made) / "items.jsonl").unlink()
        (snapshot_folder(made) / "manifest.json").write_text("{}")
        assert snapshot_damage(made) == ["items.jsonl", "labels.jsonl", "manifest.json"]
