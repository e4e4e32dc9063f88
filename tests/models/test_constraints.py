"""A wrong judgment cannot be stored, whatever writes: raw rows against constraints and triggers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from django.core.checks import Error
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.db.utils import ConnectionHandler
from django.utils import timezone

from annotation import checks
from annotation.models import (
    Annotator,
    Assignment,
    ErrorDeduction,
    Event,
    Item,
    Judgment,
    Rating,
    SideAnswer,
    Simplification,
    triggers,
)
from annotation.protocols.legal_meaning.rules import PROTOCOL as LEGAL_MEANING
from annotation.protocols.registry import PROTOCOLS
from annotation.services.judging.judgments import judgment_submit
from tests.factories import make_annotator, make_assignment, make_pair, make_study, make_user, save

pytestmark = pytest.mark.django_db


@pytest.fixture
def sealed() -> Judgment:
    assignment = make_assignment()
    judgment_submit(actor=assignment.annotator.user, assignment=assignment, save=save())
    return Judgment.objects.get()


@pytest.fixture
def unsealed(sealed: Judgment) -> Judgment:
    Judgment.objects.update(submitted_at=None)
    sealed.refresh_from_db()
    return sealed


def refused(write: Callable[[], object]) -> str:
    """The database's refusal of this write."""
    with pytest.raises(IntegrityError) as error, transaction.atomic():
        write()
    return str(error.value)


def seal(judgment: Judgment) -> int:
    return Judgment.objects.filter(pk=judgment.pk).update(submitted_at=timezone.now())


def then_sealed(judgment: Judgment, write: Callable[[], object]) -> Callable[[], object]:
    """The write, and the seal after it: what depends on the protocol is asked there."""
    return lambda: (write(), seal(judgment))[1]


def lmp(judgment: Judgment, **changed: object) -> Callable[[], object]:
    """An update of the judgment's score with as many errors as it deducts, and the seal after
    it."""

    def write() -> None:
        Rating.objects.filter(judgment=judgment, dimension="legal_meaning").update(**changed)
        if isinstance(count := changed.get("deductions"), int):
            judgment.errors.all().delete()
            ErrorDeduction.objects.bulk_create(
                ErrorDeduction(judgment=judgment, ordinal=ordinal, type="omission")
                for ordinal in range(count)
            )

    return then_sealed(judgment, write)


class TestScore:
    @pytest.mark.parametrize(
        ("bracket", "deductions", "value"), [(3, 0, 10), (3, 3, 7), (2, 4, 2), (1, 0, 1), (1, 9, 1)]
    )
    def test_the_formula_s_value_is_stored(self, unsealed, bracket, deductions, value):
        assert lmp(unsealed, bracket=bracket, deductions=deductions, value=value)() == 1

    @pytest.mark.parametrize("value", sorted(set(range(1, 11)) - {9}))
    def test_no_other_value_is(self, unsealed, value):
        refused(lmp(unsealed, value=value))

    def test_it_is_between_1_and_10(self, unsealed):
        for value in (0, 11, -1):
            refused(lmp(unsealed, value=value))

    def test_a_crossing_under_ask_was_answered(self, unsealed):
        refused(lmp(unsealed, deductions=5, value=5))
        assert lmp(unsealed, deductions=5, value=5, crossing_answer="kept")() == 1

    def test_an_answer_without_a_crossing_is_none(self, unsealed):
        refused(lmp(unsealed, crossing_answer="kept"))

    def test_a_move_starts_from_a_higher_bracket(self, unsealed):
        refused(lmp(unsealed, bracket=2, value=5, crossing_answer="moved"))
        refused(lmp(unsealed, bracket=2, value=5, crossing_answer="moved", moved_from=2))
        assert lmp(unsealed, bracket=2, value=5, crossing_answer="moved", moved_from=3)() == 1

    @pytest.mark.parametrize(
        ("policy", "right", "wrong"), [("fall_through", 5, 7), ("clamp", 7, 5)]
    )
    def test_each_policy_has_its_value(self, unsealed, policy, right, wrong):
        refused(lmp(unsealed, deductions=5, crossing_policy=policy, value=wrong))
        assert lmp(unsealed, deductions=5, crossing_policy=policy, value=right)() == 1

    @pytest.mark.parametrize(
        "changed",
        [
            {"crossing_policy": "guess"},
            {"bracket": 4, "value": 9},
            {"bracket": None},
            {"deductions": None},
            {"derivation": "stated"},
            {"derivation": "imported"},
            {"derivation": "guessed"},
        ],
    )
    def test_how_it_was_derived_is_told_whole(self, unsealed, changed):
        refused(lmp(unsealed, **changed))


class TestRatings:
    @pytest.mark.parametrize(
        ("dimension", "value"),
        [("simplicity", 0), ("simplicity", 5), ("characterization", 0), ("characterization", 19)],
    )
    def test_a_value_off_its_scale_is_refused(self, unsealed, dimension, value):
        rows = unsealed.ratings.filter(dimension=dimension)
        assert "scale" in refused(then_sealed(unsealed, lambda: rows.update(value=value)))

    def test_a_dimension_of_no_protocol_is_refused(self, unsealed):
        write = partial(Rating.objects.create, judgment=unsealed, dimension="beauty", value=1)
        assert "scale" in refused(then_sealed(unsealed, write))

    def test_one_per_dimension(self, unsealed):
        refused(lambda: Rating.objects.create(judgment=unsealed, dimension="simplicity", value=1))

    def test_a_stated_one_has_no_bracket(self, unsealed):
        refused(
            lambda: unsealed.ratings.filter(dimension="simplicity").update(bracket=3, deductions=0)
        )


class TestErrors:
    @pytest.mark.parametrize(
        "span",
        [
            {"original_start": 5, "original_end": 5},
            {"original_start": 5},
            {"original_end": 5},
            {"original_start": 0, "original_end": 10_000},
            {"simplification_start": 0, "simplification_end": 10_000},
            {"simplification_start": 3, "simplification_end": 2},
        ],
    )
    def test_a_span_lies_inside_its_text(self, unsealed, span):
        refused(
            lambda: ErrorDeduction.objects.create(
                judgment=unsealed, ordinal=2, type="omission", **span
            )
        )
        refused(
            lambda: (
                unsealed.errors.update(original_start=None, original_end=None)
                and unsealed.errors.update(**span)
            )
        )

    def test_offsets_count_code_points(self):
        assignment = make_assignment(original="😀é", text="x")
        judgment = Judgment.objects.create(assignment=assignment)
        ErrorDeduction.objects.create(
            judgment=judgment, ordinal=1, type="omission", original_start=0, original_end=2
        )
        refused(
            lambda: ErrorDeduction.objects.create(
                judgment=judgment, ordinal=2, type="omission", original_start=0, original_end=3
            )
        )

    def test_its_type_is_one_of_four(self, unsealed):
        write = partial(unsealed.errors.update, type="lie")
        assert "judgment_answers" in refused(then_sealed(unsealed, write))

    def test_it_belongs_to_a_field_that_marks(self, unsealed):
        write = partial(unsealed.errors.update, field="comment")
        assert "judgment_deductions" in refused(then_sealed(unsealed, write))

    def test_ordinals_are_not_used_twice(self, unsealed):
        refused(
            lambda: ErrorDeduction.objects.create(judgment=unsealed, ordinal=1, type="omission")
        )


class TestSeal:
    def seal(self, judgment: Judgment) -> Callable[[], object]:
        return lambda: Judgment.objects.filter(pk=judgment.pk).update(submitted_at=timezone.now())

    def test_a_complete_judgment_is_sealed(self, unsealed):
        assert self.seal(unsealed)() == 1

    def test_a_missing_rating_is_found(self, unsealed):
        unsealed.ratings.filter(dimension="simplicity").delete()
        assert "incomplete" in refused(self.seal(unsealed))

    def test_an_empty_judgment_is_not_inserted_sealed(self):
        assignment = make_assignment()
        refused(lambda: Judgment.objects.create(assignment=assignment, submitted_at=timezone.now()))

    def test_errors_are_as_many_as_points_taken_off(self, unsealed):
        ErrorDeduction.objects.create(judgment=unsealed, ordinal=2, type="omission")
        assert "deductions" in refused(self.seal(unsealed))

    def test_class_18_is_explained(self, unsealed):
        unsealed.ratings.filter(dimension="characterization").update(value=18)
        assert "explanation" in refused(self.seal(unsealed))

    def test_nothing_is_added_to_or_changed_in_a_sealed_one(self, sealed):
        for write in (
            lambda: ErrorDeduction.objects.create(judgment=sealed, ordinal=2, type="omission"),
            lambda: sealed.errors.update(note="autre"),
            lambda: sealed.ratings.filter(dimension="simplicity").update(value=2),
            lambda: Rating.objects.create(judgment=sealed, dimension="beauty", value=1),
            lambda: SideAnswer.objects.create(judgment=sealed, field="comment", value="x"),
        ):
            refused(write)

    def test_what_no_field_asks_for_has_no_home(self, unsealed):
        write = partial(SideAnswer.objects.create, judgment=unsealed, field="mood", value="x")
        assert "judgment_answers" in refused(then_sealed(unsealed, write))

    def test_it_is_the_study_s_own_protocol(self, unsealed):
        for other in ("legal_meaning 2", ""):
            write = partial(Judgment.objects.filter(pk=unsealed.pk).update, protocol=other)
            assert "judgment_protocol" in refused(then_sealed(unsealed, write))

    @pytest.mark.parametrize("part", ["ratings", "errors", "sides"])
    def test_removing_a_part_unseals(self, unsealed, part):
        SideAnswer.objects.create(judgment=unsealed, field="doubt", value="1")
        seal(unsealed)
        sealed = Judgment.objects.get()
        getattr(sealed, part).all().delete()
        sealed.refresh_from_db()
        assert sealed.submitted_at is None

    def test_a_whole_judgment_may_go(self, sealed):
        sealed.delete()
        assert not Rating.objects.exists()


class TestImported:
    def make(
        self, origin: str = "imported", derivation: str = "imported", **fields: object
    ) -> Judgment:
        fields = {"imported_row": 1} | fields if origin == "imported" else fields
        judgment = Judgment.objects.create(assignment=make_assignment(), origin=origin, **fields)
        for dimension, value in (("simplicity", 1), ("characterization", 18)):
            Rating.objects.create(judgment=judgment, dimension=dimension, value=value)
        extra = (
            {"bracket": 2, "deductions": 0, "crossing_policy": "ask"}
            if derivation == "derived"
            else {}
        )
        Rating.objects.create(
            judgment=judgment, dimension="legal_meaning", value=6, derivation=derivation, **extra
        )
        return judgment

    def seal(self, judgment: Judgment) -> Callable[[], object]:
        return lambda: Judgment.objects.filter(pk=judgment.pk).update(submitted_at=timezone.now())

    def test_a_score_alone_is_enough_for_an_imported_judgment(self):
        assert self.seal(self.make())() == 1

    def test_and_only_for_an_imported_one(self):
        judgment = self.make(origin="person")
        SideAnswer.objects.create(judgment=judgment, field="explanation", value="aucune")
        assert "origin" in refused(self.seal(judgment))

    def test_one_that_knows_its_bracket_follows_from_it(self):
        judgment = self.make(derivation="derived")
        assert self.seal(judgment)() == 1
        other = self.make(derivation="derived")
        other.ratings.filter(dimension="legal_meaning").update(value=5)
        assert "bracket" in refused(self.seal(other))

    def test_and_no_errors(self):
        judgment = self.make()
        ErrorDeduction.objects.create(judgment=judgment, ordinal=1, type="omission")
        assert "origin" in refused(self.seal(judgment))

    def test_its_row_is_told_and_its_time_is_not(self):
        assignment = make_assignment()
        refused(lambda: Judgment.objects.create(assignment=assignment, origin="imported"))
        refused(lambda: Judgment.objects.create(assignment=assignment, imported_row=3))
        refused(
            lambda: Judgment.objects.create(
                assignment=assignment, origin="imported", imported_row=3, started_at=timezone.now()
            )
        )


class TestEverythingElse:
    def test_one_assignment_per_annotator_and_simplification(self):
        assignment = make_assignment()
        refused(
            lambda: Assignment.objects.create(
                annotator=assignment.annotator, simplification=assignment.simplification, position=2
            )
        )

    def test_one_judgment_per_assignment(self, sealed):
        refused(lambda: Judgment.objects.create(assignment=sealed.assignment))

    def test_one_output_per_item_and_system(self):
        pair = make_pair(make_study(), system="a")
        refused(lambda: Simplification.objects.create(item=pair.item, system="a", text="x"))
        Simplification.objects.create(item=pair.item, system="", text="y")
        Simplification.objects.create(item=pair.item, system="", text="z")

    def test_an_item_s_key_and_text(self):
        study = make_study()
        make_pair(study, key="k")
        for fields in ({"key": "k", "original": "x"}, {"key": "l", "original": ""}):
            refused(lambda fields=fields: Item.objects.create(study=study, position=9, **fields))

    def test_one_person_annotates_once_under_one_pseudonym(self):
        study, user = make_study(), make_user()
        make_annotator(study, user, pseudonym="A")
        for fields in ({"user": user, "pseudonym": "B"}, {"user": make_user(), "pseudonym": "A"}):
            refused(lambda fields=fields: Annotator.objects.create(study=study, **fields))
        refused(
            lambda: Annotator.objects.create(
                study=study, kind="imported", user=make_user(), pseudonym="J1"
            )
        )

    def test_the_audit_trail_is_only_added_to(self):
        event = Event.objects.create(verb="study_created")
        with pytest.raises(TypeError):
            event.save()
        with pytest.raises(TypeError):
            event.delete()


@pytest.mark.django_db(transaction=True)
class TestTriggers:
    def test_they_are_made_again_by_migrate_and_missed_by_the_check(self):
        assert set(triggers.installed(connection)) == triggers.names()
        assert triggers.missing(connection) == set()
        triggers.drop()
        messages = checks.database_rules(databases=["default"])
        assert [message.id for message in messages] == ["bareme.E007"]
        assert isinstance(messages[0], Error)
        call_command("migrate", verbosity=0)
        assert checks.database_rules(databases=["default"]) == []

    def test_they_are_missed_once_a_protocol_is_published(self, monkeypatch):
        other = replace(LEGAL_MEANING, version="2")
        monkeypatch.setitem(PROTOCOLS, (other.key, other.version), other)
        missed = triggers.missing(connection)
        assert missed == {"judgment_seal_insert", "judgment_seal_update"}
        call_command("migrate", verbosity=0)
        assert triggers.missing(connection) == set()
        monkeypatch.undo()
        call_command("migrate", verbosity=0)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_database_of_another_encoding_is_refused(monkeypatch):
    with connection.cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS plain_ascii")
        cursor.execute(
            "CREATE DATABASE plain_ascii ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' "
            "LC_CTYPE 'C'"
        )
    assert checks.database_encoding(databases=["default"]) == []
    other = ConnectionHandler({"default": {**connection.settings_dict, "NAME": "plain_ascii"}})
    try:
        monkeypatch.setattr(checks, "connections", other)
        [message] = checks.database_encoding(databases=["default"])
        assert (message.id, "SQL_ASCII" in message.msg) == ("bareme.E011", True)
        assert "--encoding=UTF8" in (message.hint or "")
    finally:
        other["default"].close()
        with connection.cursor() as cursor:
            cursor.execute("DROP DATABASE plain_ascii")
