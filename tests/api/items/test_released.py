"""Released files by the API: known as on the import page, with their judgments; what cannot be
taken is refused by its name, never as duplicates."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation import jobs
from annotation.corpus import frjudge, jades
from annotation.models import Item, Job, Judgment, Study
from annotation.services.intake.readings_work import reading_carry_out
from tests.api.conftest import bearer
from tests.cast import Cast
from tests.corpus.test_frjudge_real import RELEASED
from tests.factories import make_study
from tests.selectors.publishing.test_exports import exported

pytestmark = pytest.mark.django_db

FRJUDGE = "".join(
    frjudge.format_row(
        original=f"Original {pair}.",
        simplification=f"Simplification {pair}.",
        simplicity=1,
        qualification=8,
        legal_meaning=judge,
    )
    for judge in (5, 6, 7)
    for pair in (1, 2)
)
JADES = f"""[
{
    jades.format_row(
        number=0,
        sentence=1,
        system="BART",
        original="Un texte.",
        reference="Un mot.",
        simplification="Mot.",
        scores={judge: {"fluency": 3, "meaning": 2, "simplicity": judge + 1} for judge in range(3)},
    )
}
]"""
CSMD = "original\tsimplification\tlabel\nUn texte.\tUn mot.\t71.5\n"
PAIRS, JUDGMENTS = "pairs/file/", "judgments/file/"


@pytest.fixture
def send(cast: Cast, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jobs, "_send", lambda *message: None)
    lead = bearer(cast.lead)
    for key, protocol in (
        ("gamma", "legal_meaning"),
        ("delta", "jades"),
        ("epsilon", "direct_assessment"),
    ):
        make_study(key, lead=cast.lead, protocol_key=protocol)

    def send(content, study="gamma", to=PAIRS, name="a.jsonl", **options):
        content = content if isinstance(content, bytes) else content.encode()
        body = {"file": SimpleUploadedFile(name, content)} | options
        return lead.post(f"/api/v1/studies/{study}/{to}", body)

    return send


def counts(answer):
    said = answer.json()
    assert answer.status_code == 201, said
    return said["items"], said["simplifications"], said["judgments"], said["judges"]


@pytest.mark.parametrize("to", [PAIRS, JUDGMENTS])
@pytest.mark.parametrize(
    ("content", "study", "name", "brought"),
    [
        (FRJUDGE, "gamma", "FrJUDGE.jsonl", (2, 2, 6, 3)),
        (JADES, "delta", "scores.json", (1, 2, 3, 3)),
        (CSMD, "epsilon", "train.tsv", (1, 1, 1, 1)),
    ],
)
def test_it_comes_with_its_judgments(send, content, study, name, brought, to):
    assert counts(send(content, study, to, name)) == brought
    assert Judgment.objects.count() == brought[2]
    assert set(Judgment.objects.values_list("origin", flat=True)) == {"imported"}


@pytest.mark.parametrize("to", [PAIRS, JUDGMENTS])
def test_a_worker_knows_it_too(send, monkeypatch, to):
    monkeypatch.setattr("annotation.services.intake.readings.STORED_AT_ONCE", 1)
    assert send(FRJUDGE, to=to).status_code == 202
    reading_carry_out(Job.objects.get().public_id)
    job = Job.objects.get()
    assert (job.state, job.result["judgments"]) == ("done", 6), job.result


def test_its_pairs_alone_are_asked_for(send):
    answer = send(CSMD, "epsilon", name="train.tsv", pairs_only="true")
    assert counts(answer) == (1, 1, 0, 0)
    answer = send(FRJUDGE, pairs_only="true", skip_duplicates="true")
    assert counts(answer) == (2, 2, 0, 0)
    assert answer.json()["skipped"] == 4


@pytest.mark.parametrize(
    ("options", "study", "problem"),
    [
        ({"round": "practice"}, "gamma", ("round", "released")),
        ({"columns": json.dumps({"original": "original"})}, "gamma", ("columns", "released")),
        ({}, "delta", ("study", "other_protocol")),
    ],
)
def test_what_cannot_be_asked_of_it_is_named(send, options, study, problem):
    answer = send(FRJUDGE, study, **options)
    assert answer.status_code == 422
    (said,) = answer.json()["problems"]
    assert (said["field"], said["code"]) == problem
    assert not Item.objects.filter(study__key=study).exists()


def test_an_own_export_comes_back(send, cast: Cast):
    send(FRJUDGE)
    make_study("zeta", lead=cast.lead)
    lines = exported(Study.objects.get(key="gamma"), "frjudge")
    assert counts(send(lines, "zeta")) == (2, 2, 6, 3)


LONG = (
    "original;simplification;annotator;fluency;meaning;simplicity\n"
    "La prime est due.;Payez.;A;4;4;3\nLa prime est due.;Payez.;B;4;3;4\n"
)


def test_judgments_taken_for_pairs_are_told_where_to_go(send):
    for options in ({}, {"columns": json.dumps({"original": "original"})}):
        answer = send(LONG, "delta", name="notes.csv", **options)
        assert answer.status_code == 422
        (problem,) = answer.json()["problems"]
        assert (problem["field"], problem["code"]) == ("file", "judgments")
        assert "judgments/file/" in problem["message"]
    assert counts(send(LONG, "delta", JUDGMENTS, "notes.csv")) == (1, 1, 2, 2)


def test_pairs_that_repeat_are_duplicates_as_before(send):
    twice = "original;simplification\n" + "La prime est due.;Payez.\n" * 2
    answer = send(twice, name="pairs.csv")
    assert [problem["code"] for problem in answer.json()["problems"]] == ["duplicate_in_file"]


@pytest.mark.skipif(not RELEASED.exists(), reason="the released file is not here")
def test_the_released_file_itself(send):
    assert counts(send(RELEASED.read_bytes())) == (297, 297, 1485, 5)


def test_columns_that_hold_nothing_of_a_pair_are_named(send, monkeypatch):
    rows = "original;simplification;colour;poids\nLa prime est due.;Payez.;bleu;3\n"
    answer = send(rows, name="pairs.csv")
    assert counts(answer) == (1, 1, 0, 0)
    assert answer.json()["columns_left_out"] == ["colour", "poids"]
    answer = send(LONG.replace("original", "texte;original", 1).replace("La", "x;La"), "delta",
                  JUDGMENTS, "notes.csv")  # fmt: skip
    assert answer.json()["columns_left_out"] == ["texte"]
    monkeypatch.setattr("annotation.services.intake.readings.STORED_AT_ONCE", 0)
    for path, content in (
        (PAIRS, rows.replace("prime", "part")),
        (JUDGMENTS, LONG.replace("prime", "part")),
    ):
        answer = send(content, "gamma" if path == PAIRS else "delta", path, "later.csv")
        assert answer.status_code == 202
        reading_carry_out(Job.objects.get(state="queued").public_id)
    assert [job.result.get("columns_left_out") for job in Job.objects.order_by("pk")] == [
        ["colour", "poids"],
        [],
    ]


@pytest.mark.parametrize("columns", [None, {"original": "original"}])
@pytest.mark.parametrize("second", ["original", "Original"])
def test_two_columns_of_one_name_are_refused(send, columns, second):
    rows = f"original;simplification;{second}\nLa prime est due.;Payez.;Autre chose.\n"
    options = {} if columns is None else {"columns": json.dumps(columns)}
    answer = send(rows, name="pairs.csv", **options)
    assert answer.status_code == 422
    (problem,) = answer.json()["problems"]
    assert (problem["field"], problem["code"]) == ("columns", "called_alike")
    assert "1 and 3" in problem["message"]
    assert problem["remedy"]
    assert not Item.objects.filter(study__key="gamma").exists()
    if second == "original":
        options = {
            "columns": json.dumps({"original": "original (3)", "simplification": "simplification"})
        }
        assert counts(send(rows, name="pairs.csv", **options)) == (1, 1, 0, 0)
        assert Item.objects.get(study__key="gamma").original == "Autre chose."


def test_of_judgments_too(send):
    answer = send(LONG.replace("annotator;", "annotator;fluency;", 1), "delta", JUDGMENTS, "n.csv")
    assert [problem["code"] for problem in answer.json()["problems"]] == ["called_alike"]
