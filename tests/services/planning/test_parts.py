"""A random part for people: drawn by seed, recorded, taken back; nobody is offered the rest."""

from __future__ import annotations

import pytest

from annotation.errors import RuleError
from annotation.models import Annotator, Event, GenerationRun, Item, PeoplePart
from annotation.selectors.generation.runs import items_to_simplify, simplifications_to_judge
from annotation.selectors.items.listing import ItemFilter, items_listed
from annotation.selectors.planning.parts import part_problem, people_part
from annotation.selectors.watching.progress import study_counts
from annotation.selectors.watching.watching import items_watch
from annotation.services.base.standings import positions_check
from annotation.services.items.rounds import items_set_round, practice_draw
from annotation.services.planning.parts import part_draw, part_undo
from annotation.services.studies.copying import CopyParts, study_copy
from annotation.services.studies.studies import study_change_state
from tests.factories import make_pair, make_study, make_user
from tests.planning import codes, open_main, planned_study, rows, verbs

pytestmark = pytest.mark.django_db


def of(study, round_):
    return sorted(study.items.filter(round=round_).values_list("key", flat=True))


def test_people_get_the_part_and_nothing_else():
    study = planned_study(3, 10, opened=False)
    part = part_draw(actor=None, study=study, passages=4, seed=11)
    assert (part.passages, part.of, part.seed) == (4, 10, 11)
    assert (len(of(study, "main")), len(of(study, "machine"))) == (4, 6)
    study = open_main(study)
    given = {row.simplification.item.round for row in rows(study)}
    assert (given, len(rows(study))) == ({"main"}, 12)
    assert study_counts(study).items == 4
    assert {item.round for item in items_watch(study)} == {"main"}
    assert items_watch(study, round_="machine").count() == 6
    assert items_listed(study, ItemFilter(round="machine")).count() == 6
    assert items_listed(study, ItemFilter()).count() == 4
    assert part_problem(study, people_part(study)) is None
    assert list(positions_check()) == []


def test_texts_alike_but_for_case_and_punctuation_are_drawn_together():
    study = make_study("etude")
    for at in range(6):
        for original in (f"Le bail {at} est résilié.", f"LE BAIL {at} EST RÉSILIÉ"):
            make_pair(study, original=original)
    part = part_draw(actor=None, study=study, passages=2, seed=5)
    assert (part.passages, part.of) == (2, 6)
    kept = study.items.filter(round="main").values_list("original", flat=True)
    assert len(kept) == 4
    assert len({original.casefold().rstrip(".") for original in kept}) == 2


def test_the_same_seed_draws_the_same_and_another_another():
    study = planned_study(2, 30, opened=False)
    drawn = []
    for seed in (1, 1, 2):
        part_draw(actor=None, study=study, passages=15, seed=seed)
        drawn.append(of(study, "main"))
    assert drawn[0] == drawn[1] != drawn[2]
    assert PeoplePart.objects.get().seed == 2
    assert verbs(study).count("part_drawn") == 3
    details = Event.objects.filter(verb="part_drawn").latest("pk").details
    assert details == {"passages": 15, "of": 30, "left_to_models": 15, "seed": 2}


def test_without_a_seed_the_study_s():
    study = planned_study(2, 3, opened=False)
    assert part_draw(actor=None, study=study, passages=2).seed == study.seed


def test_equal_texts_go_together():
    study = make_study()
    for number in range(8):
        make_pair(study, original=f"Texte {number % 4}.")
    part = part_draw(actor=None, study=study, passages=1)
    assert (part.passages, part.of) == (1, 4)
    assert len(of(study, "main")) == 2
    assert len(set(study.items.filter(round="main").values_list("original", flat=True))) == 1


@pytest.mark.parametrize("passages", [0, -1, 5, 6])
def test_there_must_be_more_than_are_drawn(passages):
    study = planned_study(2, 5, opened=False)
    with pytest.raises(RuleError) as refused:
        part_draw(actor=None, study=study, passages=passages)
    assert codes(refused) == [("passages", "out_of_range")]
    assert len(of(study, "main")) == 5


def test_only_in_preparation():
    study = planned_study(2, 5)
    for attempt in (lambda: part_draw(actor=None, study=study, passages=2), lambda: undo(study)):
        with pytest.raises(RuleError) as refused:
            attempt()
        assert codes(refused) == [("passages", "opened")]


def undo(study):
    return part_undo(actor=None, study=study)


def test_not_once_somebody_has_seen_a_pair():
    study = planned_study(2, 6, opened=False)
    make_pair(study, round="practice", system="zz-one")
    study = study_change_state(actor=None, study=study, to="practice", reason="essai")
    seen = rows(study, simplification__item__round="main")[0]
    seen.opened_at = study.created_at
    seen.save(update_fields=["opened_at"])
    study = study_change_state(actor=None, study=study, to="draft", reason="essai")
    opened = seen.simplification.item
    # Three of six: of twenty seeds some leave the opened one to models, and some do not.
    left_out = []
    for seed in range(20):
        try:
            part_draw(actor=None, study=study, passages=3, seed=seed)
        except RuleError:
            left_out.append(seed)
        opened.refresh_from_db()
        assert opened.round == "main"
    assert 0 < len(left_out) < 20
    with pytest.raises(RuleError) as refused:
        part_draw(actor=None, study=study, passages=3, seed=left_out[0])
    assert codes(refused) == [("passages", "seen")]


def test_what_a_practice_round_gave_out_too_early_is_taken_back():
    study = planned_study(2, 6, opened=False)
    make_pair(study, round="practice", system="zz-one")
    study = study_change_state(actor=None, study=study, to="practice", reason="essai")
    study = study_change_state(actor=None, study=study, to="draft", reason="essai")
    part_draw(actor=None, study=study, passages=2)
    assert not rows(study, simplification__item__round="machine")
    assert list(positions_check()) == []


def test_taken_back_everything_is_people_s_again():
    study = planned_study(2, 6, opened=False)
    with pytest.raises(RuleError) as refused:
        undo(study)
    assert codes(refused) == [("passages", "not_drawn")]
    part_draw(actor=None, study=study, passages=2)
    assert undo(study) == 4
    assert (len(of(study, "main")), of(study, "machine")) == (6, [])
    assert people_part(study) is None
    assert "not drawn at random" in part_problem(study, None).en
    assert list(positions_check()) == []


def test_a_part_that_was_changed_since_is_no_drawn_one():
    study = planned_study(2, 6, opened=False)
    part = part_draw(actor=None, study=study, passages=2)
    make_pair(study, system="zz-two")
    assert "no longer the one" in part_problem(study, part).en


def test_rounds_are_not_divided_anew_under_a_draw():
    study = planned_study(2, 6, opened=False)
    part_draw(actor=None, study=study, passages=2)
    lead = make_user()
    for attempt in (
        lambda: practice_draw(actor=lead, study=study, number=1),
        lambda: items_set_round(actor=lead, study=study, keys=of(study, "machine"), to="main"),
    ):
        with pytest.raises(RuleError) as refused:
            attempt()
        assert codes(refused) == [("round", "part_drawn")]


@pytest.mark.parametrize(("round_", "number"), [("main", 6), ("all", 7), ("practice", 1)])
def test_models_take_what_was_left_to_them(round_, number):
    study = planned_study(2, 6, opened=False)
    make_pair(study, round="practice", system="zz-one")
    part_draw(actor=None, study=study, passages=2)
    for purpose, wanted in (
        ("judge", lambda run: simplifications_to_judge(run, "juge")),
        ("simplify", lambda run: items_to_simplify(run, "zz-two")),
    ):
        run = GenerationRun.objects.create(
            study=study, number=1, ceiling=1, purpose=purpose, round=round_
        )
        assert wanted(run).count() == number
        run.delete()


def test_a_copy_has_every_passage_in_its_main_round():
    lead = make_user()
    study = planned_study(2, 6, opened=False)
    part_draw(actor=None, study=study, passages=2)
    copy = study_copy(
        actor=lead, source=study, key="copie", title="Copie", wanted=CopyParts(items=True)
    )
    assert (len(of(copy, "main")), of(copy, "machine")) == (6, [])
    assert list(positions_check()) == []


def test_a_model_that_had_judged_already_keeps_its_numbers_right():
    study = planned_study(2, 6, opened=False)
    machine = Annotator.objects.create(study=study, kind=Annotator.Kind.MACHINE, pseudonym="M1")
    for place, item in enumerate(study.items.order_by("position"), start=1):
        machine.assignments.create(simplification=item.simplifications.get(), position=place)
    list(positions_check(rebuild=True))
    part_draw(actor=None, study=study, passages=2)
    assert list(positions_check()) == []
    assert Item.objects.filter(study=study, round="machine").count() == 4
