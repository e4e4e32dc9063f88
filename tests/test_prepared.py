"""A statement composed once finds what the ORM would find anew, for whatever values and in whatever
thread."""

from __future__ import annotations

import re
import threading
from functools import partial
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction
from django.db.models import F, Q, Value
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Assignment, Item, SaveReceipt
from annotation.prepared import Prepared
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_pair, make_study

pytestmark = pytest.mark.django_db

KEY, POSITION = "no such key", 2_000_000_001


def pair_of(key: str, position: int):
    return Assignment.objects.select_related("simplification__item__study", "draft").filter(
        Q(simplification__item__study__key=key), position__lte=position
    )


def pair_like(number: int):
    """As ``pair_of``, but no other test's statement: connections keep them."""
    return lambda key, position: pair_of(key, position).exclude(pk=-number)


@pytest.fixture
def studies():
    for key, pairs in (("alpha", 3), ("beta", 2)):
        study = make_study(key)
        for _ in range(pairs):
            make_pair(study)
        make_annotator(study)
        assignments_fill(actor=None, study=study)


@pytest.fixture(params=[False, True], ids=["planned each time", "planned once"])
def prepared_as(request):
    return partial(Prepared, plan_once=request.param)


class TestRows:
    @pytest.mark.parametrize(
        ("key", "position"), [("alpha", 2), ("beta", 9), ("alpha", 0), ("gamma", 1)]
    )
    def test_what_the_queryset_finds(self, prepared_as, studies, key, position):
        prepared = prepared_as(pair_of, key=KEY, position=POSITION)
        prepared.rows(key="alpha", position=1)
        keys = sorted(assignment.pk for assignment in prepared.rows(key=key, position=position))
        assert keys == sorted(pair_of(key, position).values_list("pk", flat=True))
        assert len(keys) == {("alpha", 2): 2, ("beta", 9): 2}.get((key, position), 0)

    def test_related_objects_come_with_it(self, prepared_as, studies):
        [assignment] = prepared_as(pair_of, key=KEY, position=POSITION).rows(key="beta", position=1)
        with CaptureQueriesContext(connection) as queries:
            assert assignment.simplification.item.study.key == "beta"
            assert not hasattr(assignment, "draft")
        assert len(queries) == 0

    def test_one_query_each_time(self, prepared_as, studies, django_assert_num_queries):
        prepared = prepared_as(pair_of, key=KEY, position=POSITION)
        for position in (1, 2):
            with django_assert_num_queries(1):
                prepared.rows(key="alpha", position=position)

    def test_rows_of_values(self, prepared_as, studies):
        prepared = prepared_as(
            lambda key: (
                Item.objects.filter(study__key=key).values(at=F("position")).order_by("position")
            ),
            key=KEY,
        )
        assert prepared.rows(key="beta") == [{"at": 1}, {"at": 2}]
        assert prepared.first(key="beta") == {"at": 1}
        assert prepared.first(key="gamma") is None

    def test_a_value_is_never_sql(self, prepared_as, studies):
        assert (
            prepared_as(pair_of, key=KEY, position=POSITION).rows(key="' OR '1'='1", position=9)
            == []
        )


class TestRefusals:
    def test_values_for_other_places(self):
        prepared = Prepared(pair_of, key=KEY, position=POSITION)
        with pytest.raises(TypeError, match="expected"):
            prepared.rows(key="alpha")

    def test_a_stand_in_without_a_place(self):
        prepared = Prepared(
            lambda key, position: Item.objects.filter(key=key), key=KEY, position=POSITION
        )
        with pytest.raises(LookupError, match="position"):
            prepared.rows(key="alpha", position=1)


@pytest.mark.postgres
class TestPlanOnce:
    """PostgreSQL keeps the statement for as long as the connection lasts."""

    @staticmethod
    def kept(prepared: Prepared) -> list[tuple[int, int]]:
        """How often it was planned for its values, and how often it was carried out as planned
        before."""
        [mark] = re.findall(r"bareme_\w+", prepared._composed.plan.sql)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT custom_plans, generic_plans FROM pg_prepared_statements WHERE name = %s",
                [mark],
            )
            return cursor.fetchall()

    def test_a_plan_serves_again(self, studies):
        prepared = Prepared(pair_like(1), plan_once=True, key=KEY, position=POSITION)
        for position in range(12):
            prepared.rows(key="alpha", position=position)
        assert self.kept(prepared) == [(5, 7)]

    def test_one_for_each_value_unless_asked_for(self, studies, settings):
        prepared = Prepared(pair_of, key=KEY, position=POSITION)
        assert prepared.rows(key="alpha", position=1)
        assert prepared._composed.plan is None
        settings.BAREME_PREPARED_STATEMENTS = False
        prepared = Prepared(pair_like(2), plan_once=True, key=KEY, position=POSITION)
        assert prepared.rows(key="alpha", position=1)
        assert self.kept(prepared) == []

    def test_a_rollback_leaves_it(self, studies):
        prepared = Prepared(pair_like(3), plan_once=True, key=KEY, position=POSITION)
        with transaction.atomic():
            prepared.rows(key="alpha", position=1)
            transaction.set_rollback(True)
        assert len(prepared.rows(key="alpha", position=3)) == 3
        assert self.kept(prepared) == [(2, 0)]

    def test_percent_signs_and_quotes_are_texts(self, studies):
        signed = Item.objects.annotate(sign=Value("100 %s 'x' %%")).values_list("sign", "position")
        prepared = Prepared(lambda key: signed.filter(study__key=key), plan_once=True, key=KEY)
        assert set(prepared.rows(key="beta")) == {("100 %s 'x' %%", 1), ("100 %s 'x' %%", 2)}

    def test_no_question_is_asked_besides(self, studies, django_assert_num_queries):
        prepared = Prepared(pair_like(4), plan_once=True, key=KEY, position=POSITION)
        with django_assert_num_queries(1):
            prepared.rows(key="alpha", position=1)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_new_connection_is_told_again(studies):
    prepared = Prepared(pair_like(5), plan_once=True, key=KEY, position=POSITION)
    assert len(prepared.rows(key="alpha", position=3)) == 3
    connection.close()
    assert len(prepared.rows(key="alpha", position=3)) == 3
    # Ended by the server while it was idle: found out by the check at the start of a request.
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [pid] = cursor.fetchone()
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
    other.close()
    connection.health_check_enabled, connection.health_check_done = True, False  # type: ignore[attr-defined]
    assert len(prepared.rows(key="alpha", position=3)) == 3


class TestKinds:
    """What is handed to the driver is what the ORM would hand to it."""

    def test_a_uuid(self, prepared_as, studies):
        receipt = SaveReceipt.objects.create(
            key=uuid4(), assignment=Assignment.objects.first(), revision=1, saved_at=timezone.now()
        )
        prepared = prepared_as(lambda key: SaveReceipt.objects.filter(pk=key), key=UUID(int=0))
        assert prepared.rows(key=receipt.key) == [receipt]
        assert prepared.first(key=receipt.key).key == receipt.key
        assert prepared.rows(key=uuid4()) == []

    def test_true_is_not_one(self, prepared_as, studies):
        prepared = prepared_as(
            lambda one: Assignment.objects.annotate(flag=Value(True)).filter(
                flag=True, position=one
            ),
            one=1,
        )
        assert {assignment.position for assignment in prepared.rows(one=2)} == {2}


@pytest.mark.django_db(transaction=True)
def test_each_thread_asks_over_its_own_connection(studies):
    prepared = Prepared(pair_of, key=KEY, position=POSITION)
    prepared.rows(key="alpha", position=1)
    counts: list[int] = []

    def ask() -> None:
        try:
            counts.append(len(prepared.rows(key="alpha", position=3)))
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [3, 3, 3]
