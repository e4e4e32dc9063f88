"""Ratings as tables: the right rows, whatever the filters, in a fixed number of queries."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.agreement.systems.figure import Drawn
from annotation.models import Annotator, Assignment, Simplification, Study
from annotation.protocols.base import Level
from annotation.protocols.registry import protocol
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.modelled import ratings_by_system
from annotation.selectors.agreement.reliability import level_of, scale_of, study_ratings
from annotation.selectors.agreement.studies import Part, studies_figures
from annotation.selectors.agreement.systems import systems_figures
from annotation.selectors.metrics.material import material
from annotation.services.base.sizes import new_pairs, size_add
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_pair, make_study, save

LEGAL_MEANING = protocol("legal_meaning", "1")


@pytest.fixture
def judged(db: None) -> Study:
    """One practice pair, two main pairs and one that nobody judged; A and B have judged all
    three."""
    study = make_study("etude", state="practice")
    make_pair(study, round="practice")
    for _ in range(2):
        make_pair(study, system="un", position=1)
    for _ in range(2):
        make_annotator(study)
    for state in ("practice", "main"):
        Study.objects.update(state=state)
        assignments_fill(actor=None, study=Study.objects.get())
        open_now = Assignment.objects.filter(simplification__item__round=state).order_by("pk")
        for assignment in open_now.select_related("annotator__user", "simplification__item"):
            simplicity = 1 if assignment.annotator.pseudonym == "A" else 2
            judgment_submit(
                actor=assignment.annotator.user,
                assignment=assignment,
                save=save(simplicity=simplicity, errors=[]),
            )
    make_pair(study)
    return Study.objects.get()


def test_units_are_simplifications_and_raters_pseudonyms(judged):
    ratings = study_ratings(judged)
    assert list(ratings.tables) == ["simplicity", "characterization", "legal_meaning"]
    table = ratings.tables["simplicity"]
    assert table.unit_ids == ("item-0002/1", "item-0003/1")
    assert table.rater_ids == ("A", "B")
    assert table.values.tolist() == [1, 2, 1, 2]
    assert ratings.tables["legal_meaning"].values.tolist() == [10, 10, 10, 10]
    assert [(unit.key, unit.system) for unit in ratings.items][-1] == ("item-0004/0", "")
    assert [(rater.pseudonym, rater.kind) for rater in ratings.annotators] == [
        ("A", "person"),
        ("B", "person"),
    ]
    assert ratings.judgments == 4


def test_rounds_are_apart(judged):
    assert study_ratings(judged, round="practice").tables["simplicity"].unit_ids == ("item-0001/0",)
    assert study_ratings(judged, round="all").judgments == 6


def test_only_some_pairs(judged):
    wanted = study_ratings(judged).items[0].pk
    assert study_ratings(judged, simplifications=[wanted]).tables["simplicity"].unit_ids == (
        "item-0002/1",
    )
    assert study_ratings(judged, simplifications=[]).judgments == 0


def test_who_has_withdrawn_may_be_left_out(judged):
    Annotator.objects.filter(pseudonym="B").update(withdrawn_at=timezone.now())
    assert study_ratings(judged).tables["simplicity"].rater_ids == ("A", "B")
    assert study_ratings(judged, withdrawn=False).tables["simplicity"].rater_ids == ("A",)


def test_a_machine_is_no_judge_unless_asked_for(judged):
    Annotator.objects.filter(pseudonym="B").update(kind="machine", user=None)
    assert study_ratings(judged).tables["simplicity"].rater_ids == ("A",)
    assert study_ratings(judged, kinds=("machine",)).tables["simplicity"].rater_ids == ("B",)


def test_four_queries(judged, django_assert_num_queries):
    with django_assert_num_queries(4):
        study_ratings(judged)


def test_a_report_is_at_the_field_s_level_and_on_its_whole_scale(judged):
    report = study_ratings(judged).report("legal_meaning", draws=10)
    assert report.fitting == Level.ORDINAL
    assert report.scale == tuple(range(1, 11))
    assert report.fitting_alpha.undefined is not None


def test_level_and_scale_come_from_the_protocol():
    assert level_of(LEGAL_MEANING, "characterization") == Level.NOMINAL
    assert scale_of(LEGAL_MEANING, "characterization") == tuple(range(1, 19))
    assert LEGAL_MEANING.field_of("legal_meaning").name == "bracket"
    with pytest.raises(KeyError):
        level_of(LEGAL_MEANING, "beauty")


@pytest.fixture
def twins(db: None) -> Study:
    """Thirteen texts, each with an output of two systems, and one of them again in capitals and
    without its full stop; A and B have judged them all."""
    study = make_study("jumeaux", state="main")
    originals = [f"Le bail numéro {number} est résilié." for number in range(13)]
    for at, original in enumerate([*originals, originals[0].upper().rstrip(".")]):
        first = make_pair(study, system="un", original=original, position=1)
        other = Simplification.objects.create(
            item=first.item, text=f"Fini {at}.", system="deux", position=2
        )
        size_add(study, pairs=new_pairs([other]))
    for _ in range(2):
        make_annotator(study)
    assignments_fill(actor=None, study=study)
    for at, assignment in enumerate(Assignment.objects.select_related("annotator__user")):
        judgment_submit(
            actor=assignment.annotator.user,
            assignment=assignment,
            save=save(simplicity=1 + at % 3, errors=[], bracket=1 + at % 3),
        )
    return study


def test_texts_alike_but_for_case_and_punctuation_are_one_source_everywhere(twins):
    """Pages on agreement, systems and metrics, and what a snapshot holds of it, by one rule."""
    report = study_ratings(twins).report("legal_meaning", draws=50)
    assert report.other_sources.sources == 13
    figures = systems_figures(twins, Filters(), Drawn(draws=50, seed=1))
    profile = figures.dimensions["legal_meaning"].profiles[0]
    assert (profile.counts.outputs, profile.counts.sources) == (14, 13)
    assert len(set(material(twins, "legal_meaning").people.groups.tolist())) == 13
    tables = ratings_by_system(study_ratings(twins))
    assert len(tables["legal_meaning"].sources) == 13
    sides = ((twins, Part()), (twins, Part()))
    two = studies_figures(*sides, "content", Drawn(draws=50, seed=1))
    assert two.dimensions["legal_meaning"].change.difference.counts.sources == 13
