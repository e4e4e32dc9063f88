"""``manage.py question_report``: from rows of a file to people and back to the report."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.corpus.question_rows import QuestionRow, as_csv, read_question_rows
from annotation.corpus.summaries import read_summaries
from annotation.models import Judgment, Study
from annotation.questions.people import Said, answer_key
from annotation.selectors.publishing import question_people
from annotation.services.studies.studies import study_create
from tests.factories import make_study
from tests.questions.rows import SYSTEMS, rows

pytestmark = pytest.mark.django_db
GAVEL = Path(__file__).parents[2].parent / "shared" / "data" / "gavel" / "ten_cases.jsonl"
WORDS = ("issue", "reason", "conclusion")


def output(*arguments: str) -> str:
    out = io.StringIO()
    call_command("question_report", *arguments, stdout=out)
    return out.getvalue()


def refusal(*arguments: str) -> str:
    with pytest.raises(CommandError) as caught:
        output(*arguments)
    return str(caught.value)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(as_csv(rows()), encoding="utf-8", newline="")
    return str(path)


def by_protocol(key: str):
    return study_create(
        actor=None, key=key.replace("_", "-"), title=key, protocol_key=key, protocol_version="1"
    )


def test_the_report_in_words(file):
    shown = output(file, "--draws", "200", "--seed", "5")
    for words in (
        "216 rows of 12 reference texts; YES from grade 5 on; 95% intervals",
        "200 draws, seed 5; bareme-questions/1",
        "questions-en 1, gpt; LED: ",
        "× not_json",
        "beyond the text as graded: ",
        "against people; questions-en 1, gpt; all texts; words found: ",
        "from  5: kappa ",
        "questions-en 1, gpt minus short 1, gpt: ",
        "published 42 of 48",
        "USD, ",
        "LED: pearson 0.81, spearman 0.83",
        "GPT-4: pearson 0.74, spearman –",
        "mean of systems: pearson 0.72, spearman 0.74",
    ):
        assert words in shown, words


def test_what_is_not_known_is_said(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(
        'source,system,question,grade,people\na,LED,1,7,"{""A"": ""YES""}"\n',
        encoding="utf-8",
    )
    shown = output(str(path), "--draws", "0")
    assert "one run: USD unknown of 1 entries, tokens unknown" in shown
    assert "none chosen: Fewer than 4" in shown
    assert "pearson            undefined: Fewer than three outputs" in shown


def test_as_json_and_as_the_rows_that_it_is_computed_from(file):
    report = json.loads(output(file, "--format", "json", "--draws", "0", "--threshold", "7"))
    assert (report["n"], report["threshold"]) == (216, 7)
    again = read_question_rows(output(file, "--format", "rows").encode())
    assert list(again.rows) == rows()


def test_what_is_refused(file, tmp_path):
    assert "0 to 10" in refusal(file, "--threshold", "11")
    assert "--draws" in refusal(file, "--draws", "5")
    assert "--seed" in refusal(file, "--seed", "-1")
    assert "needs the texts" in refusal(file, "--for-people", "qa_pairs")
    assert "for it alone" in refusal(file, "--of", "x")
    make_study("other")
    assert "its protocol is legal_meaning" in refusal(file, "--judged", "other")
    bad = tmp_path / "bad.csv"
    bad.write_text("source,system,question,grade\na,LED,1,11\n,LED,1,x\n", encoding="utf-8")
    message = refusal(str(bad))
    assert "row 2, grade:" in message
    assert "row 3, source:" in message
    bad.write_text("x,y\n1,2\n", encoding="utf-8")
    assert "columns are missing" in refusal(str(bad))
    assert "columns are missing" in refusal(file, "--for-people", "qa_pairs", "--texts", str(bad))
    bad.write_text("id,reference,system,summary\na,R,LED,S\n", encoding="utf-8")
    message = refusal(file, "--for-people", "qa_pairs", "--texts", str(bad))
    assert "no text for “case-00”" in message


def test_texts_of_a_study_go_to_people_and_their_answers_come_back(file, tmp_path):
    """Everything in one installation: pairs out, people's judgments in, the report."""
    made = rows()
    texts = make_study("texts", state="main")
    for source in sorted({row.source for row in made}):
        item = texts.items.create(
            key=source, original=f"Reference {source}.", position=texts.items.count() + 1
        )
        for place, system in enumerate(SYSTEMS, start=1):
            item.simplifications.create(
                text=f"{system} on {source}.", system=system, position=place
            )
    for protocol, columns in (("qa_pairs", ("captured", "correct")), ("qa_answers", ("answered",))):
        study = by_protocol(protocol)
        pairs = list(
            csv.DictReader(
                io.StringIO(
                    output(file, "--for-people", protocol, "--of", "texts", "--language", "en")
                )
            )
        )
        judged = tmp_path / f"{protocol}.csv"
        with judged.open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, [*pairs[0], "annotator", *columns])
            writer.writeheader()
            for number, pair in enumerate(pairs):
                for who in ("Ana", "Ben"):
                    said = dict.fromkeys(columns, "yes" if (number + (who == "Ben")) % 3 else "no")
                    writer.writerow(pair | {"annotator": who} | said)
        call_command("import_judgments", str(judged), "--study", study.key, stdout=io.StringIO())
        assert Judgment.objects.filter(assignment__annotator__study=study).count() == 2 * len(pairs)
    report = json.loads(
        output(file, "--judged", "qa-pairs", "--judged", "qa-answers",
               "--format", "json", "--draws", "0")
    )  # fmt: skip
    assert report["pairs"]["captured"]["judged"] == 36
    whole = next(row for row in report["people"] if not row["system"])
    answered = [row for row in made if row.answer and row.variant == "questions-en 1"]
    assert whole["judged"] == len(answered)
    assert whole["judges"] == 2


def test_several_studies_by_one_protocol_count_together(file, monkeypatch):
    """A round judged in two studies: neither takes the place of the other."""
    keys = [answer_key(row) for row in rows() if row.answer and row.is_in_text]
    one_key, *_others, other_key = dict.fromkeys(keys)
    first, second = (make_study(key) for key in ("first", "second"))
    Study.objects.update(protocol_key="qa_answers")
    said = {
        first.key: [Said(one_key, "A", "answered", yes=True)],
        second.key: [
            Said(one_key, "A", "answered", yes=False),
            Said(other_key, "A", "answered", yes=True),
        ],
    }
    monkeypatch.setattr(
        question_people, "said_by_people", lambda study, **_kept: iter(said[study.key])
    )
    judged = ("--judged", "first", "--judged", "second", "--judged", "first")
    question_rows = read_question_rows(output(file, *judged, "--format", "rows").encode()).rows
    people = {answer_key(row): row.people for row in question_rows}
    assert people[one_key] == {"first/A": True, "second/A": False}
    assert people[other_key] == {"second/A": True}


@pytest.mark.skipif(not GAVEL.exists(), reason="the ten cases are not here")
@pytest.mark.parametrize(("protocol", "pairs"), [("qa_pairs", 30), ("qa_answers", 120)])
def test_ten_references_with_four_systems(tmp_path, protocol, pairs):
    written = read_summaries(GAVEL.read_bytes()).rows
    made = [
        QuestionRow(
            text.id, text.system, kind, type=kind, text=f"What is the {kind}?", expected="This.",
            answer=f"That, {at}.", quotation=text.text[:40], grade=(3 * at + len(kind)) % 11,
        )
        for at, text in enumerate(written)
        for kind in WORDS
    ]  # fmt: skip
    file = tmp_path / "rows.csv"
    file.write_text(as_csv(made), encoding="utf-8", newline="")
    study = by_protocol(protocol)
    brought = tmp_path / "pairs.csv"
    shown = output(str(file), "--for-people", protocol, "--texts", str(GAVEL))
    brought.write_text(shown, encoding="utf-8", newline="")
    call_command("import_pairs", str(brought), "--study", study.key, stdout=io.StringIO())
    assert study.items.count() == pairs
    report = json.loads(output(str(file), "--format", "json"))
    assert (report["n"], report["sources"], len(report["systems"])) == (120, 10, 20)
