"""Simplicity-DA's ratings, of simplicity alone, by a protocol that asks three questions: in, and
through all that a study of judgments goes through."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.urls import reverse

from annotation.corpus.judging import Judging
from annotation.corpus.pairs_file import PairsFile, read_pairs_file
from annotation.models import Judgment, Study, User
from annotation.protocols.registry import protocol
from annotation.release.bundle import write_bundle
from annotation.scoring.errors import ScoringError
from annotation.selectors.publishing.exports import export_chunks, export_spec
from annotation.services.items.judged import judged_import
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from annotation.services.scoring.sources import set_of_snapshot
from annotation.services.studies.studies import study_change_state, study_create
from tests.factories import make_user
from tests.release.test_recompute_agreement import said

DIRECT = protocol("direct_assessment", "1")
NAMES = {
    "id": "sent_id",
    "system": "sys_name",
    "original": "orig_sent",
    "simplification": "simp_sent",
    "annotator": "rater_id",
}
HEAD = "sent_id,sys_name,orig_sent,simp_sent,rater_id"
TEXTS, SYSTEMS, RATERS = range(8), ("ACCESS", "Hybrid"), (8, 11, 12)


def ratings(*questions: str) -> bytes:
    """As the file was released: a row for each output and rater."""
    rows = [
        f"{text},{system},The insurer pays clause {text}.,{system} pays {text}.,{rater},"
        + ",".join(str((17 * text + 29 * rater + 50 * place) % 101) for _ in questions)
        for text in TEXTS
        for place, system in enumerate(SYSTEMS)
        for rater in RATERS
    ]
    return "\n".join([",".join([HEAD, *questions]), *rows, ""]).encode()


def read(content: bytes, **more: str) -> PairsFile:
    judging = Judging(DIRECT, DIRECT.clean_rulings({}), take=True, names=NAMES | more)
    return read_pairs_file(content, judging=judging)


@pytest.fixture
def study(db: None) -> Study:
    lead = make_user("leading")
    return study_create(actor=lead, key="da", title="Simplicité", protocol_key="direct_assessment")


@pytest.fixture
def judged(study: Study) -> Study:
    lead = User.objects.get(email="leading@example.org")
    parsed = read(ratings("simplicity"))
    assert parsed.judged is not None, parsed.fatal
    judged_import(actor=lead, study=study, judged=parsed.judged)
    study = study_change_state(actor=lead, study=study, to="main", reason="essai")
    return study_change_state(actor=lead, study=study, to="closed", reason="essai")


@pytest.mark.parametrize("question", ["meaning", "fluency", "simplicity"])
def test_one_question_of_the_three_will_do(study, question):
    parsed = read(ratings(question))
    assert (parsed.fatal, parsed.judged.problems) == (None, [])
    outcome = judged_import(actor=None, study=study, judged=parsed.judged)
    assert (outcome.items, outcome.simplifications, outcome.judgments) == (8, 16, 48)
    rated = Judgment.objects.values_list("ratings__dimension", flat=True).distinct()
    assert [*rated] == [question]


def test_none_of_them_will_not():
    parsed = read(ratings("grade"))
    assert (parsed.fatal.code, parsed.fatal.field) == ("unmapped", "meaning")
    assert parsed.fatal.message.fr == (
        "Aucune colonne n'est choisie pour « Préservation du sens », « Fluidité » ou "
        "« Simplicité »."
    )
    assert parsed.fatal.message.en == (
        "No column is chosen for “Meaning preservation”, “Fluency” or “Simplicity”."
    )


def test_a_row_without_any_of_them_is_named():
    content = ratings("simplicity").decode().splitlines()
    content[3] = f"{content[3].rpartition(',')[0]},"
    parsed = read("\n".join(content).encode())
    (problem,) = parsed.judged.problems
    assert (problem.row, problem.code) == (4, "missing_answer")
    assert "« Préservation du sens », « Fluidité » ou « Simplicité »" in problem.message.fr
    assert "“Meaning preservation”, “Fluency” or “Simplicity”" in problem.message.en


def test_the_database_asks_for_one_too(judged):
    judgment = Judgment.objects.first()
    rows = Judgment.objects.filter(pk=judgment.pk)
    rows.update(submitted_at=None)
    judgment.ratings.all().delete()
    with pytest.raises(Exception, match="judgment_incomplete"):
        rows.update(submitted_at=judgment.submitted_at)


def test_agreement_is_of_what_was_answered(judged, client):
    client.force_login(User.objects.get(email="leading@example.org"))
    for name in ("meaning", "simplicity"):
        page = client.get(reverse("study_agreement", args=[judged.key]), {"dimension": name})
        assert page.status_code == 200
    for path in ("agreement/", "systems/", "adjudication/"):
        answer = client.get(f"/api/v1/studies/{judged.key}/{path}")
        assert answer.status_code == 200, (path, answer.content)
    figures: dict[str, Any] = client.get(f"/api/v1/studies/{judged.key}/agreement/").json()
    counted = {name: facts["n"]["ratings"] for name, facts in figures["dimensions"].items()}
    assert counted == {"meaning": 0, "fluency": 0, "simplicity": 48}


def test_it_is_released_and_computed_again(judged, tmp_path, capsys):
    made = study_freeze(actor=None, study=judged, recipe={"draws": 100}, reason="essai")
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    write_bundle(snapshot_folder(made), bundle)
    assert said(bundle, capsys).endswith(" numbers are as published.\n")
    labels = (bundle / "data" / "labels.jsonl").read_text("utf-8").splitlines()
    final = [row for row in map(json.loads, labels) if row["value"] is not None]
    assert {row["dimension"] for row in final} == {"simplicity"}
    assert len(final) == len(TEXTS) * len(SYSTEMS)


def test_documents_say_nothing_of_what_was_put_to_nobody(judged, tmp_path):
    made = study_freeze(actor=None, study=judged, recipe={"draws": 100}, reason="essai")
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    write_bundle(snapshot_folder(made), bundle)
    methods, card = ((bundle / name).read_text("utf-8") for name in ("METHODS.md", "README.md"))
    assert "Étiquettes finales\u00a0: simplicité, moyenne; aucune" in methods
    assert "Final labels: simplicity, mean; no label is drawn by lot." in methods
    assert "is not defined for" not in methods
    assert "Recipe version 2: simplicity: mean. " in card
    assert "undefined" not in card
    assert "simplifications de textes (simplicité), avec" in card
    assert not re.search(r"`(meaning|fluency)`|\| (meaning|fluency) \|", card)
    heds = json.loads((bundle / "heds_answers.json").read_text("utf-8"))
    assert {answer["criterion"] for answer in heds["answers"]} == {None, "simplicity"}
    described = json.loads((bundle / "croissant.json").read_text("utf-8"))["description"]
    assert described.endswith(" of 8 passages: simplicity.")


@pytest.mark.parametrize("layout", ["csmd", "standardized", "long", "wide"])
def test_every_layout_of_the_protocol_is_written(judged, layout):
    kind = "tsv" if layout == "csmd" else "csv"
    chunks = [*export_chunks(judged, export_spec(layout, kind, {}))]
    text = "".join(chunk.text for chunk in chunks)
    # Of meaning, which is what CSMD holds, nobody has said anything.
    assert len(text.splitlines()) == {"csmd": 1, "standardized": 17, "long": 49}.get(layout, 17)


def test_nothing_can_be_learned_of_meaning_and_that_is_said(judged):
    made = study_freeze(actor=None, study=judged, recipe={"draws": 100}, reason="essai")
    with pytest.raises(ScoringError, match="no pair that is judged on “Meaning preservation”"):
        set_of_snapshot(made)
