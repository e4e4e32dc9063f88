"""Rulings: recorded beside the judgments, superseded and never lost, due again when a judgment
changes."""

from __future__ import annotations

import pytest
from django.http import Http404

from annotation.access import case_for_lead
from annotation.agreement.disputes import DisputeRules
from annotation.errors import RuleError
from annotation.models import Adjudication, Assignment, Event, Rating
from annotation.selectors.agreement.adjudication import (
    adjudication_queue,
    ratings_digest,
    rules_of,
    ruling_of,
    rulings_of,
    seen_digest,
    voices,
)
from annotation.services.agreement import adjudications
from annotation.services.agreement.adjudications import (
    Ruling,
    adjudicate,
    adjudication_rules_set,
    adjudication_withdraw,
)
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_pair, make_study, make_user, save
from tests.protocols.judged import answer

pytestmark = pytest.mark.django_db

HALLUCINATION = {"type": "hallucination"}


@pytest.fixture
def lead():
    return make_user("lead")


@pytest.fixture
def study(lead):
    """Two pairs judged by three people: the first one's scores are 10, 9 and 3, the second's all
    10."""
    study = make_study("etude", lead=lead, state="main")
    for _ in range(2):
        make_pair(study)
    for _ in range(3):
        make_annotator(study)
    assignments_fill(actor=None, study=study)
    first = study.items.get(position=1)
    for number, annotator in enumerate(study.annotators.order_by("pseudonym")):
        for assignment in annotator.assignments.all():
            errors = [[], [HALLUCINATION], [HALLUCINATION] * 3][number]
            changed = {"bracket": 2 if number == 2 else 3, "errors": errors}
            if assignment.simplification.item_id != first.pk:
                changed = {"errors": []}
            submit(assignment, characterization=number + 1, **changed)
    return study


def submit(assignment, **answers):
    assignment = Assignment.objects.select_related("annotator__user", "simplification__item").get(
        pk=assignment.pk
    )
    draft = getattr(assignment, "draft", None)
    judgment_submit(
        actor=assignment.annotator.user,
        assignment=assignment,
        save=save(base_revision=draft.revision if draft else 0, **answers),
    )


def first_pair(study):
    return study.items.get(position=1).simplifications.get()


def rule(study, lead, dimension="legal_meaning", **ruling):
    whole = {"outcome": "settled", "value": 9, "reasons": "L'omission est accessoire."} | ruling
    return adjudicate(
        actor=lead,
        study=study,
        simplification=first_pair(study),
        dimension=dimension,
        ruling=Ruling(**whole),
    )


def states(study, dimension="legal_meaning"):
    return [
        (c.unit.item_key, c.state)
        for c in adjudication_queue(study).cases
        if c.dimension == dimension
    ]


def test_the_queue_holds_what_disagrees(study):
    assert states(study) == [("item-0001", "open")]
    assert states(study, "characterization") == [("item-0001", "open"), ("item-0002", "open")]
    assert states(study, "simplicity") == []


def test_the_lead_sets_what_counts(study, lead):
    adjudication_rules_set(actor=lead, study=study, rules={"score_range": 9})
    assert states(study) == []
    with pytest.raises(RuleError) as refused:
        adjudication_rules_set(actor=lead, study=study, rules={"score_range": 99})
    assert refused.value.problems[0].field == "score_range"
    assert adjudication_queue(study).rules.score_range == 9


def jades_study(lead, *, fluency):
    """One pair, judged on JADES's scales from 1 to 4: alike but for these levels of fluency."""
    study = make_study("jades", lead=lead, protocol_key="jades", state="main")
    pair = make_pair(study)
    for _ in fluency:
        make_annotator(study)
    assignments_fill(actor=None, study=study)
    rows = pair.assignments.order_by("annotator__pseudonym")
    for row, level in zip(rows, fluency, strict=True):
        answer(row, {"fluency": level, "meaning": 3, "simplicity": 3})
    return study


def test_levels_from_end_to_end_of_a_short_scale_are_listed(lead):
    study = jades_study(lead, fluency=[1, 4])
    assert states(study, "fluency") == [("item-0001", "open")]
    assert states(study, "meaning") == []
    assert rules_of(study).score_range == 1


def test_a_scale_can_have_a_range_of_its_own(lead):
    study = jades_study(lead, fluency=[2, 4])
    own = {"score_range": 1, "score_ranges": {"fluency": 2}}
    adjudication_rules_set(actor=lead, study=study, rules=own)
    assert states(study, "fluency") == []
    assert rules_of(study).as_dict() == DisputeRules().as_dict() | own
    recorded = Event.objects.get(verb="adjudication_rules_set").details
    assert recorded["score_ranges"] == {"fluency": 2}
    with pytest.raises(RuleError) as refused:
        adjudication_rules_set(actor=lead, study=study, rules={"score_range": 4})
    assert refused.value.problems[0].message.en == "Give a number from 0 to 3."


def test_a_ruling_stands_beside_judgments_that_stay(study, lead):
    before = list(Rating.objects.order_by("pk").values())
    rule(study, lead)
    assert list(Rating.objects.order_by("pk").values()) == before
    assert states(study) == [("item-0001", "ruled")]
    assert adjudication_queue(study).count("ruled") == 1
    assert rulings_of(study) == {(first_pair(study).pk, "legal_meaning"): ("settled", 9)}
    assert Event.objects.filter(verb="adjudicated").count() == 1


def test_divided_has_no_value(study, lead):
    assert rule(study, lead, outcome="divided", value=4).value is None


def test_a_later_ruling_replaces_and_keeps_the_former(study, lead):
    rule(study, lead)
    rule(study, lead, value=3, reasons="À la réflexion, le délai est essentiel.")
    assert Adjudication.objects.count() == 2
    assert rulings_of(study)[(first_pair(study).pk, "legal_meaning")] == ("settled", 3)


def test_a_ruling_can_be_taken_back(study, lead):
    rule(study, lead)
    withdrawn = {
        "actor": lead,
        "study": study,
        "simplification": first_pair(study),
        "dimension": "legal_meaning",
    }
    assert adjudication_withdraw(**withdrawn)
    assert not adjudication_withdraw(**withdrawn)
    assert states(study) == [("item-0001", "open")]
    assert Adjudication.objects.count() == 1


def test_only_the_ruling_that_was_shown_is_taken_back(study, lead):
    on_page = rule(study, lead)
    newer = rule(study, make_user("other"), outcome="divided")
    withdrawn = {
        "actor": lead,
        "study": study,
        "simplification": first_pair(study),
        "dimension": "legal_meaning",
    }
    with pytest.raises(RuleError) as refused:
        adjudication_withdraw(**withdrawn, shown=on_page.pk)
    [problem] = refused.value.problems
    assert "take it back if it is not to stand" in problem.message.en
    assert states(study) == [("item-0001", "ruled")]
    assert adjudication_withdraw(**withdrawn, shown=newer.pk)


def test_a_judgment_that_changes_makes_the_ruling_due_again(study, lead):
    rule(study, lead)
    submit(
        first_pair(study).assignments.order_by("annotator__pseudonym").last(),
        bracket=2,
        errors=[HALLUCINATION],
    )
    assert states(study) == [("item-0001", "due_again")]


def test_a_ruling_on_what_no_longer_disagrees_stays_in_the_list(study, lead):
    rule(study, lead)
    adjudication_rules_set(actor=lead, study=study, rules={"score_range": 9})
    assert states(study) == [("item-0001", "ruled")]


def shown(study, dimension="legal_meaning"):
    """The digest of what a page opened now shows."""
    pair = first_pair(study)
    judged = ratings_digest(voices(study, pair, named=False), dimension)
    return seen_digest(judged, ruling_of(pair, dimension))


def refusal(study, lead, **ruling):
    with pytest.raises(RuleError) as refused:
        rule(study, lead, **ruling)
    [problem] = refused.value.problems
    return problem.code, problem.message.en


def test_a_page_that_is_out_of_date_rules_nothing(study, lead):
    digest = shown(study)
    submit(first_pair(study).assignments.first(), errors=[HALLUCINATION] * 2)
    assert refusal(study, lead, digest=digest)[0] == "changed"
    assert rule(study, lead, digest=shown(study))


def test_a_ruling_that_came_in_meanwhile_is_not_replaced_unseen(study, lead):
    digest, other = shown(study), make_user("other")
    rule(study, other, value=2)
    code, message = refusal(study, lead, outcome="divided", digest=digest)
    assert code == "ruled"
    assert f"{other} has made a ruling (settled: 2)" in message
    assert rulings_of(study)[(first_pair(study).pk, "legal_meaning")] == ("settled", 2)
    # Once it was seen, and by a program that says nothing of what it saw.
    rule(study, lead, outcome="divided", digest=shown(study))
    assert rule(study, other, value=2)


def test_a_class_that_was_ruled_meanwhile_is_named(study, lead):
    digest = shown(study, "characterization")
    rule(study, lead, "characterization", value=3)
    code, message = refusal(study, lead, dimension="characterization", value=2, digest=digest)
    assert code == "ruled"
    assert "(settled: 3 Exclusions or restrictions)" in message


def test_a_ruling_that_was_taken_back_or_divided_meanwhile_is_told(study, lead):
    rule(study, lead)
    digest = shown(study)
    rule(study, lead, outcome="divided")
    assert "(legitimately divided)" in refusal(study, lead, digest=digest)[1]
    adjudication_withdraw(
        actor=lead, study=study, simplification=first_pair(study), dimension="legal_meaning"
    )
    code, message = refusal(study, lead, digest=digest)
    assert (code, "taken back" in message) == ("ruled", True)


def test_a_form_that_is_sent_twice_rules_once(study, lead):
    digest = shown(study)
    assert rule(study, lead, digest=digest) == rule(study, lead, digest=digest)
    assert refusal(study, make_user("other"), digest=digest)[0] == "ruled"
    assert Adjudication.objects.count() == 1


@pytest.mark.parametrize(
    ("ruling", "field"),
    [
        ({"outcome": "perhaps"}, "outcome"),
        ({"value": 11}, "value"),
        ({"value": None}, "value"),
        ({"reasons": "  "}, "reasons"),
        ({"reasons": "x" * 5001}, "reasons"),
        ({"dimension": "beauty"}, "dimension"),
    ],
)
def test_what_is_no_ruling_is_refused_by_name(study, lead, ruling, field):
    with pytest.raises(RuleError) as refused:
        rule(study, lead, **ruling)
    assert refused.value.problems[0].field == field
    assert not Adjudication.objects.exists()


@pytest.mark.parametrize(
    ("value", "code", "message"),
    [
        (None, "required", "Choose a value of the scale."),
        (500, "off_scale", "500 is no value of the scale (from 1 to 10)."),
        (-1, "off_scale", "-1 is no value of the scale (from 1 to 10)."),
    ],
)
def test_a_value_off_the_scale_is_said_with_its_bounds(study, lead, value, code, message):
    """A program that sends one has not forgotten a value."""
    with pytest.raises(RuleError) as refused:
        rule(study, lead, value=value)
    [problem] = refused.value.problems
    assert (problem.code, problem.message.en) == (code, message)


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        (range(0, 101, 5), "from 0 to 100, in steps of 5"),
        ((1, 2, 9), "1, 2, 9"),
        ((3,), "from 3 to 3"),
    ],
)
def test_bounds_of_a_scale(scale, said):
    assert adjudications._bounds(scale)[1] == said


def test_nobody_rules_on_what_nobody_judged(lead):
    study = make_study("vide", lead=lead, state="main")
    make_pair(study)
    with pytest.raises(RuleError):
        rule(study, lead)


def test_judges_are_numbers_in_a_drawn_order_unless_names_are_asked_for(study):
    pair = first_pair(study)
    blind = voices(study, pair, named=False)
    assert [voice.name for voice in blind] == ["1", "2", "3"]
    assert [voice.pseudonym for voice in blind] == [
        voice.pseudonym for voice in voices(study, pair, named=False)
    ]
    assert [voice.name for voice in voices(study, pair, named=True)] == ["A", "B", "C"]


def test_a_case_is_a_pair_of_the_study_on_a_dimension_that_it_has(study, lead):
    pair = first_pair(study)
    assert case_for_lead(lead, study.key, pair.pk, "legal_meaning") == (study, pair)
    other = make_study("autre", lead=lead, state="main")
    for key, dimension in ((other.key, "legal_meaning"), (study.key, "beauty")):
        with pytest.raises(Http404):
            case_for_lead(lead, key, pair.pk, dimension)
