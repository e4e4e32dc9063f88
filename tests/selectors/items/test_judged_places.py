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
    told = dict.fromkeys(_TOLD, "")
    return JudgedRow(
        row=number,
        original=original,
        simplification=text,
        annotator=who,
        cells=dict(CELLS),
        **told | more,
    )


@pytest.fixture
def study() -> Study:
    found = make_study("gamma", protocol_key="jades")
    sent = [
        ("k1", "La prime est due.", "Payez.", "s1"),
        ("k1", "La prime est due.", "Payez la prime.", "s2"),
        ("k2", "Le contrat finit.", "Fini.", "s1"),
        ("k2", "Le contrat finit.", "Fini.", "s2"),
    ]
    names = ("id", "original", "simplification", "system")
    rows = [dict(zip(names, one, strict=True)) for one in sent]
    pairs_import(actor=None, study=found, pairs=pairs_of_rows(rows))
    trial = [{"id": "essai", "original": "Essai.", "simplification": "E."}]
    pairs_import(actor=None, study=found, pairs=pairs_of_rows(trial), round="practice")
    return found


def places(study: Study, *rows: JudgedRow) -> module.Places:
    judges = {one.annotator: one.annotator for one in rows}
    return judged_places(study=study, rows=rows, judges=judges)


def codes(study: Study, *rows: JudgedRow) -> list[tuple[int, str]]:
    found = places(study, *rows).problems
    assert all(one.remedy.fr and one.remedy.en and one.message.en for one in found)
    return [(one.row, one.code) for one in found]


def onto(study: Study, *rows: JudgedRow) -> list[tuple[str, str]]:
    found = places(study, *rows)
    assert found.problems == []
    told = Simplification.objects.select_related("item").in_bulk(found.pairs.values())
    return [(told[pk].item.key, told[pk].system) for pk in found.pairs.values()]


def test_by_the_studys_own_identifiers_and_by_exactly_the_same_texts(study):
    by_id = row(1, "La prime est due.", "Payez.", key="k1", system="s1")
    assert onto(study, by_id) == [("k1", "s1")]
    assert onto(study, replace(by_id, key="")) == [("k1", "s1")]
    assert onto(study, replace(by_id, key="17")) == [("k1", "s1")], "another program's number"
    assert onto(study, replace(by_id, system="")) == [("k1", "s1")], "no system is named"


def test_what_the_study_has_not_is_new(study):
    assert onto(study, row(1, "Une autre clause.", "Autre.", key="k9")) == []


@pytest.mark.parametrize(
    ("told", "code"),
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
def test_a_row_that_fits_no_pair_is_named(study, told, code):
    assert codes(study, told) == [(7, code)]


def test_every_row_of_such_a_pair_is_named(study):
    told = [row(n, "La prime est due.", "Versez.", who=f"X{n}") for n in (3, 4)]
    assert codes(study, *told) == [(3, "no_such_pair"), (4, "no_such_pair")]


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
    assert [one.code for one in plan.problems] == ["judged_here"]


class TestSpaces:
    """The released texts of FrJUDGE stay exactly as they are, some with spaces around them."""

    def stored(self, study: Study, text: str) -> Study:
        Simplification.objects.filter(item__key="k1", system="s1").update(text=text)
        return study

    @pytest.mark.parametrize("text", ["Payez. ", " Payez.", "Payez.\r\n"])
    def test_they_do_not_tell_texts_apart(self, study, text):
        told = row(2, "La prime est due.", "Payez.", key="k1", system="s1")
        assert onto(self.stored(study, text), told) == [("k1", "s1")]

    @pytest.mark.parametrize(("text", "expected"), [("Payez. ", []), (" Payez.", ["other_spaces"])])
    def test_marks_are_taken_where_the_text_begins_the_same(self, text, expected):
        study = make_study("lois")
        told = [{"id": "k1", "original": "La prime est due.", "simplification": "Payez."}]
        pairs_import(actor=None, study=study, pairs=pairs_of_rows(told))
        Simplification.objects.update(text=text)
        one = row(2, "La prime est due.", "Payez.")
        marked = replace(one, cells={"errors": '[{"type": "omission"}]'})
        assert [code for _row, code in codes(study, marked)] == expected
        assert codes(study, replace(one, cells={"errors": "[]"})) == []


def test_no_more_problems_are_named_than_anybody_mends(study, monkeypatch):
    monkeypatch.setattr(module, "MAX_PROBLEMS", 2)
    told = [row(n, "La prime est due.", "Versez.", who=f"X{n}") for n in range(2, 7)]
    assert codes(study, *told) == [(2, "no_such_pair"), (3, "no_such_pair"), (0, "more_problems")]
