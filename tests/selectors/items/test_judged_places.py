"""Which pairs of a study rows of judgments are about: every row goes onto one, is new, or is
named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.corpus.judged import JudgedFile, JudgedRow
from annotation.corpus.pairs import pairs_of_rows
from annotation.models import Annotator, Item, Simplification, Study
from annotation.selectors.items import judged_places as module
from annotation.selectors.items.judged import judged_plan
from annotation.selectors.items.judged_places import judged_places
from annotation.services.items.items import pairs_import
from annotation.services.items.judged import judged_import
from tests.factories import make_study

pytestmark = pytest.mark.django_db
CELLS = {"fluency": "4", "meaning": "3", "simplicity": "2"}
_TOLD = ("key", "system", "source", "context_before", "context_after", "structure")


def row(number: int, original: str, text: str, *, who: str = "X1", **more: str) -> JudgedRow:
    fields = dict.fromkeys(_TOLD, "")
    return JudgedRow(
        row=number,
        original=original,
        simplification=text,
        annotator=who,
        cells=dict(CELLS),
        **fields | more,
    )


@pytest.fixture
def study() -> Study:
    new_study = make_study("gamma", protocol_key="jades")
    pairs = [
        ("k1", "La prime est due.", "Payez.", "s1"),
        ("k1", "La prime est due.", "Payez la prime.", "s2"),
        ("k2", "Le contrat finit.", "Fini.", "s1"),
        ("k2", "Le contrat finit.", "Fini.", "s2"),
    ]
    names = ("id", "original", "simplification", "system")
    rows = [dict(zip(names, pair, strict=True)) for pair in pairs]
    pairs_import(actor=None, study=new_study, pairs=pairs_of_rows(rows))
    trial = [{"id": "essai", "original": "Essai.", "simplification": "E."}]
    pairs_import(actor=None, study=new_study, pairs=pairs_of_rows(trial), round="practice")
    return new_study


def places(study: Study, *rows: JudgedRow) -> module.Places:
    judges = {judged.annotator: judged.annotator for judged in rows}
    return judged_places(study=study, rows=rows, judges=judges)


def codes(study: Study, *rows: JudgedRow) -> list[tuple[int, str]]:
    problems = places(study, *rows).problems
    assert all(
        problem.remedy.fr and problem.remedy.en and problem.message.en for problem in problems
    )
    return [(problem.row, problem.code) for problem in problems]


def onto(study: Study, *rows: JudgedRow) -> list[tuple[str, str]]:
    placed = places(study, *rows)
    assert placed.problems == []
    pairs = Simplification.objects.select_related("item").in_bulk(placed.pairs.values())
    return [(pairs[pk].item.key, pairs[pk].system) for pk in placed.pairs.values()]


def test_by_the_studys_own_identifiers_and_by_exactly_the_same_texts(study):
    by_id = row(1, "La prime est due.", "Payez.", key="k1", system="s1")
    assert onto(study, by_id) == [("k1", "s1")]
    assert onto(study, replace(by_id, key="")) == [("k1", "s1")]
    assert onto(study, replace(by_id, key="17")) == [("k1", "s1")], "another program's number"
    assert onto(study, replace(by_id, system="")) == [("k1", "s1")], "no system is named"


def test_what_the_study_has_not_is_new(study):
    assert onto(study, row(1, "Une autre clause.", "Autre.", key="k9")) == []


@pytest.mark.parametrize(
    ("judged", "code"),
    [
        (row(7, "Autre chose.", "Payez.", key="k1"), "other_text"),
        (row(7, "La prime est due.", "Versez.", key="k1"), "no_such_pair"),
        (row(7, "La prime est due.", "Versez."), "no_such_pair"),
        (row(7, "La prime est due.", "Payez.", system="s2"), "no_such_pair"),
        (row(7, "La prime est due.", "payez.", system="s1"), "no_such_pair"),
        (row(7, "Le contrat finit.", "Fini."), "several_pairs"),
        (row(7, "Essai.", "E."), "not_main"),
        (row(7, "Essai.", "E.", key="essai"), "not_main"),
    ],
)
def test_a_row_that_fits_no_pair_is_named(study, judged, code):
    assert codes(study, judged) == [(7, code)]


def test_every_row_of_such_a_pair_is_named(study):
    rows = [row(n, "La prime est due.", "Versez.", who=f"X{n}") for n in (3, 4)]
    assert codes(study, *rows) == [(3, "no_such_pair"), (4, "no_such_pair")]


def test_a_control_pair_is_no_place_and_no_obstacle(study):
    Item.objects.filter(key="essai").update(round="control", control="identical")
    assert codes(study, row(2, "Essai.", "E.", key="essai")) == [(2, "not_main")]
    assert onto(study, row(2, "Essai.", "E.")) == [], "a clause that the study has not"


def test_one_person_judges_one_pair_once(study):
    first = row(2, "La prime est due.", "Payez.", key="k1", system="s1")
    again = replace(first, row=3, key="")
    assert codes(study, first, again) == [(3, "judged_twice")]
    assert codes(study, first, replace(again, annotator="X2")) == []
    judged_import(actor=None, study=study, judged=JudgedFile("jades 1", rows=[first]))
    assert codes(study, first, replace(first, row=5, annotator="X2")) == [(2, "judged_here")]


def test_whoever_the_study_calls_so_has_judged_it_already(study):
    """A study's own export, which comes back to it, names its people by their pseudonyms: it would
    count their judgments twice."""
    first = row(2, "La prime est due.", "Payez.", system="s1")
    judged_import(actor=None, study=study, judged=JudgedFile("jades 1", rows=[first]))
    Annotator.objects.filter(study=study).update(pseudonym="Renard")
    back = replace(first, annotator="Renard")
    plan = judged_plan(study=study, judged=JudgedFile("jades 1", rows=[back]))
    assert plan.judges["Renard"] != "Renard"
    assert [problem.code for problem in plan.problems] == ["judged_here"]


class TestSpaces:
    """The released texts of FrJUDGE stay exactly as they are, some with spaces around them."""

    def stored(self, study: Study, text: str) -> Study:
        Simplification.objects.filter(item__key="k1", system="s1").update(text=text)
        return study

    @pytest.mark.parametrize("text", ["Payez. ", " Payez.", "Payez.\r\n"])
    def test_they_do_not_tell_texts_apart(self, study, text):
        judged = row(2, "La prime est due.", "Payez.", key="k1", system="s1")
        assert onto(self.stored(study, text), judged) == [("k1", "s1")]

    @pytest.mark.parametrize(("text", "expected"), [("Payez. ", []), (" Payez.", ["other_spaces"])])
    def test_marks_are_taken_where_the_text_begins_the_same(self, text, expected):
        study = make_study("lois")
        pairs = [{"id": "k1", "original": "La prime est due.", "simplification": "Payez."}]
        pairs_import(actor=None, study=study, pairs=pairs_of_rows(pairs))
        Simplification.objects.update(text=text)
        judged = row(2, "La prime est due.", "Payez.")
        marked = replace(judged, cells={"errors": '[{"type": "omission"}]'})
        assert [code for _row, code in codes(study, marked)] == expected
        assert codes(study, replace(judged, cells={"errors": "[]"})) == []


def test_no_more_problems_are_named_than_anybody_mends(study, monkeypatch):
    monkeypatch.setattr(module, "MAX_PROBLEMS", 2)
    rows = [row(n, "La prime est due.", "Versez.", who=f"X{n}") for n in range(2, 7)]
    assert codes(study, *rows) == [(2, "no_such_pair"), (3, "no_such_pair"), (0, "more_problems")]
