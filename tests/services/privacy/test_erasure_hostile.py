"""A person may be called like a word that the program stores: an erasure changes what is theirs
alone."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.errors import RuleError
from annotation.models import (
    ErasureRequest,
    Event,
    Item,
    Job,
    Judgment,
    Question,
    SideAnswer,
    Simplification,
)
from annotation.selectors.base.answered import KEPT
from annotation.selectors.privacy.erasure_places import Place
from annotation.selectors.privacy.free_text import FREE_TEXT, at, leaves, put
from annotation.services.privacy.erasure import erasure_grant, mentions_remove
from annotation.services.privacy.erasure_requests import erasure_places
from tests.erasing import Stage, Tables, changed, tables, words_stored

pytestmark = pytest.mark.django_db

SAID = (
    "Omission du mot « main » dans le CSV, dit openai ; les parties, Les Parties, la note de "
    "Zeltane Quorivaux et QUORIVAUX, sans délai."
)


@pytest.fixture
def stage() -> Stage:
    return Stage(SAID)


def grant(stage: Stage) -> tuple[list[Place], ErasureRequest]:
    request = stage.asked()
    places = erasure_places(stage.admin, request)
    seen = [place.shown for place in places]
    done = erasure_grant(
        actor=stage.admin,
        request=request,
        judgments="keep",
        reason="Consentement retiré",
        seen=seen,
    )
    return places, done


def not_theirs(stage: Stage, places: list[Place], before: Tables, after: Tables) -> list[Any]:
    """What was changed, removed or added without being the person's."""
    taken: dict[Any, list[Place]] = defaultdict(list)
    for place in places:
        if place.is_taken:
            taken[place.column, place.pk].append(place)
    return [
        (table, pk, name, old, new)
        for table, pk, name, old, new in changed(before, after)
        if not _is_theirs(stage, taken, (table, pk, name, old, new), before)
    ]


def _is_theirs(stage: Stage, taken: dict[Any, list[Place]], change: Any, before: Tables) -> bool:
    table, pk, name, old, new = change
    if (table, pk) == ("annotation.user", stage.person.pk) or (table, pk) == (
        "annotation.annotator",
        stage.part.pk,
    ):
        return name not in ("pseudonym", "kind", "study_id")
    if table == "annotation.erasurerequest" and (not name or pk not in before[table]):
        return old is None and new["user_id"] == stage.person.pk
    if table == "annotation.event" and not name:
        return old is None and new["verb"] in ("erasure_granted", "assignments_filled")
    gone = ("annotation.assignment", "annotation.draft", "annotation.workedday")
    if not name and new is None and table in gone:
        return _whose(table, old, before) == stage.part.pk
    if (table, name, new) == ("annotation.draft", "answers", {}):
        # What they typed of a pair that they judged: the submission stands.
        return _whose(table, before[table][pk], before) == stage.part.pk
    if table == "annotation.tally" or (table == "annotation.assignment" and name == "ordinal"):
        # Theirs are fewer, and count anew.
        return (old if not name else before[table][pk])["annotator_id"] == stage.part.pk
    if table == "annotation.item" and name in KEPT:
        # Who waits for an answer to it, and how many there are.
        return pk in _items_of(stage.part.pk, before)
    column = f"{table.partition('.')[2]}.{name}"
    mentioned = taken.get((column, pk), [])
    assert {place.study for place in mentioned} <= {stage.alpha.pk, None}
    return bool(mentioned) and new == _expected(column, old, mentioned)


def _items_of(annotator: int, before: Tables) -> set[int]:
    pairs = before["annotation.simplification"]
    rows = before["annotation.assignment"].values()
    return {
        pairs[row["simplification_id"]]["item_id"]
        for row in rows
        if row["annotator_id"] == annotator
    }


def _whose(table: str, row: dict[str, Any], before: Tables) -> int:
    row = before["annotation.assignment"][row["assignment_id"]] if "assignment_id" in row else row
    return int(row["annotator_id"])


def _expected(column: str, old: Any, mentioned: list[Place]) -> Any:
    """The value with the mark where the list said, in members that are declared free, and the same
    elsewhere."""
    free = dict(leaves(old, FREE_TEXT[column].members))
    for place in sorted(mentioned, key=lambda place: place.start, reverse=True):
        text = at(old, place.way)
        old = put(old, place.way, text[: place.start] + "[…]" + text[place.end :])
    assert {place.way for place in mentioned} <= free.keys()
    return old


@pytest.mark.parametrize(
    "name",
    ["main", "csv", "omission", "les", "openai", "Omission", "parties", "note", "Les Parties"],
)
def test_a_name_that_is_a_word_of_the_program(stage, name):
    """Each of these rewrote programme values and other studies, or made the erasure impossible."""
    stage.called(name)
    before = tables()
    places, done = grant(stage)
    assert done.state == "granted"
    assert not_theirs(stage, places, before, tables()) == []
    # It stands in the list all the same, unticked, with the reason.
    words = [place for place in places if place.doubt == "word"]
    assert words or name == "Les Parties"
    assert not any(place.is_taken for place in words)


def test_a_name_that_is_none_is_taken_out_wherever_it_was_typed(stage):
    stage.called("Zeltane Quorivaux")
    before = tables()
    places, done = grant(stage)
    assert not_theirs(stage, places, before, tables()) == []
    in_alpha = {column for column, free in FREE_TEXT.items() if free.study} | {
        "apitoken.name",
        "idempotencyrecord.answer",
    }
    assert {place.column for place in places if place.is_taken} == in_alpha
    assert {place.study for place in places} == {stage.alpha.pk, None}
    assert done.statement["removed"]["mentions"] == sum(place.is_taken for place in places)


def test_a_text_that_changes_at_the_last_moment_is_left_alone(stage):
    stage.called("Zeltane Quorivaux")
    places = [
        place
        for place in erasure_places(stage.admin, stage.asked())
        if place.column == "sideanswer.value"
    ]
    changed = SideAnswer.objects.get(pk=places[0].pk)
    Judgment.objects.filter(pk=changed.judgment_id).update(submitted_at=None)
    SideAnswer.objects.filter(pk=changed.pk).update(value="Autre chose.")
    with pytest.raises(RuleError) as refused:
        mentions_remove(places)
    assert refused.value.problems[0].code == "changed"
    assert SideAnswer.objects.get(pk=places[0].pk).value == "Autre chose."


@pytest.mark.walk
@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(drawn=st.data())
def test_whatever_the_person_is_called(stage, drawn):
    if not hasattr(stage, "words"):
        stage.words = words_stored(tables())
        assert {"main", "csv", "omission", "les", "openai", "study_state_changed"} <= set(
            stage.words
        )
    some = drawn.draw(st.lists(st.sampled_from(stage.words), min_size=1, max_size=3))
    written = drawn.draw(st.sampled_from([str, str.lower, str.upper, str.title]))
    with transaction.atomic():
        stage.called(written(" ".join(some))[:150])
        before = tables()
        places, done = grant(stage)
        assert done.state == "granted"
        assert not_theirs(stage, places, before, tables()) == []
        transaction.set_rollback(True)


def test_copies_of_what_was_typed_go_too_and_what_a_model_said_stays(stage):
    """A note stands again in each report of metrics, a contact and an edited question in the
    trail; parts of a signature and a model's own questions are read by the program."""
    stage.called("Zeltane Quorivaux")
    grant(stage)
    for study, is_left in ((stage.alpha, False), (stage.beta, True)):
        brought, own = Job.objects.get(study=study, kind="metrics").result["lines"]
        assert ("Quorivaux" in brought["signature"]) is is_left
        assert brought["signature"].startswith("main|brought|sha256:openai|note:Omission du mot")
        assert own["signature"] == f"Zeltane|note:{SAID}"
        edited, unedited = Question.objects.filter(generation__run__study=study)
        assert ("QUORIVAUX" in edited.text + edited.expected) is is_left
        assert unedited.text == unedited.expected == SAID
        trail = str([event.details for event in Event.objects.filter(study=study)])
        assert ("quorivaux" in trail.casefold()) is is_left


def test_a_name_that_rows_refer_to_is_shown_once_to_be_mended(stage):
    stage.called("Zeltane Quorivaux")
    Simplification.objects.filter(item__study=stage.alpha).update(system="Z. Quorivaux (humain)")
    Item.objects.filter(study=stage.alpha).update(source="Bail de Zeltane Quorivaux, art. 3")
    before = Simplification.objects.filter(system__contains="Quorivaux").count()
    _found, done = grant(stage)
    shown = [
        mention["column"]
        for mention in done.statement["to_edit"]
        if mention["column"] in ("simplification.system", "item.source")
    ]
    assert sorted(shown) == ["item.source", "simplification.system"]
    assert Simplification.objects.filter(system__contains="Quorivaux").count() == before > 1
