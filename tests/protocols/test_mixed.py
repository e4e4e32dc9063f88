"""Two lists of marks and several texts of one protocol, told apart wherever they are read; texts
headed and spoken as it says."""

from __future__ import annotations

import csv
import io

import pytest
from django.urls import reverse

from annotation.protocols.base import Answers, PairFacts
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import PROTOCOLS
from annotation.selectors.publishing.exports import export_chunks, export_spec
from annotation.web.accounts.keys import type_keys
from annotation.web.base.presenters import mark_letters
from tests.protocols.answered import answered
from tests.protocols.judged import Judged, judged

MIXED = PROTOCOLS["mixed", "1.0"]
FACTS = PairFacts(original_length=30, simplification_length=30)


def page_of(judged_study: Judged, name: str, **values: object) -> str:
    url = reverse(name, kwargs={"study": judged_study.study.key, **values})
    return judged_study.client(judged_study.lead).get(url).content.decode().replace("\xa0", " ")


@pytest.mark.django_db
class TestTwoListsOfMarks:
    def test_the_table_of_marks_says_in_which_list_each_stands(self) -> None:
        rows = marks_of(MIXED)
        assert {(row["field"], row["type"]) for row in rows} == {
            ("gaps", "cut"),
            ("gaps", "other"),
            ("praise", "other"),
            ("praise", "apt"),
            ("changes", "swap"),
            ("changes", "drop"),
        }
        words = {(row["field"], row["type_fr"]) for row in rows if row["type"] == "other"}
        assert words == {("gaps", "autre lacune"), ("praise", "autre réussite")}

    def test_where_there_is_one_list_there_is_no_such_column(self) -> None:
        assert "field" not in marks_of(PROTOCOLS["legal_meaning", "1"])[0]

    def test_who_reads_the_answers_is_told_of_which_list_a_mark_is(self) -> None:
        judged_study = judged(MIXED)
        page = page_of(judged_study, "study_agreement_item", item=judged_study.pair.item.key)
        assert "Lacunes : autre lacune" in page
        assert "Réussites : autre réussite" in page

    def test_and_of_which_question_a_text_is(self) -> None:
        judged_study = judged(MIXED)
        page = page_of(judged_study, "study_agreement_item", item=judged_study.pair.item.key)
        assert "Raison : zzreasonAzz" in page
        assert "Quel délai? : zzdeadline_noteAzz" in page
        # A remark is one, whatever else there is.
        assert "Remarque : zz" not in page

    def test_no_letter_marks_as_two_types_of_one_step(self) -> None:
        letters = mark_letters(MIXED)
        of_the_step = [
            letter for name in ("gaps", "praise") for letter in letters[name].values() if letter
        ]
        assert len(of_the_step) == len(set(of_the_step)) == 4
        assert len(type_keys(MIXED)) == 1


def marks_of(protocol: Protocol) -> list[dict[str, str]]:
    judged_study = judged(protocol)
    spec = export_spec("errors", "csv", {})
    text = b"".join(chunk.content for chunk in export_chunks(judged_study.study, spec)).decode(
        "utf-8-sig"
    )
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name", ["study_agreement_item", "study_item", "practice_item", "adjudication_case"]
)
def test_texts_are_headed_and_spoken_as_the_protocol_says(name: str) -> None:
    judged_study = judged(MIXED)
    values: dict[str, object] = {"item": judged_study.pair.item.key}
    if name == "practice_item":
        values = {"pair": judged_study.practice.pk}
    if name == "adjudication_case":
        values = {"simplification": judged_study.pair.pk, "dimension": "clarity"}
    page = page_of(judged_study, name, **values)
    assert ">Clause" in page
    assert ">Original" not in page
    assert 'lang="en">' in page


@pytest.mark.parametrize(
    ("name", "word"), [("gaps", "l'erreur 1"), ("praise", "la marque 1")], ids=["errors", "marks"]
)
def test_marks_that_are_no_errors_are_not_called_so(name: str, word: str) -> None:
    field = MIXED.field(name)
    answers: Answers = answered(MIXED, "A")
    answers[name] = field.clean([{"type": ""}])
    problems = field.problems(answers, FACTS, {"located": True})
    assert word in " ".join(problem.message.fr for problem in problems)
    other = "marque" if name == "gaps" else "erreur"
    assert other not in " ".join(problem.message.fr for problem in problems)
    columns = " ".join(column.description.fr for column in field.export().columns)
    assert other not in columns.lower()
