"""A statement composed once finds what the ORM would find anew, for whatever values and in whatever thread."""

from __future__ import annotations

import threading

import pytest
from django.db import connection
from django.db.models import F, Q
from django.test.utils import CaptureQueriesContext

from annotation.models import Assignment, Item
from annotation.prepared import Prepared
from annotation.services.assignments import assignments_fill
from tests.factories import make_annotator, make_pair, make_study

pytestmark = pytest.mark.django_db

KEY, POSITION = "no such key", 2_000_000_001


def pair_of(key: str, position: int):
    return Assignment.objects.select_related("simplification__item__study", "draft").filter(
        Q(simplification__item__study__key=key), position__lte=position
    )


@pytest.fixture
def studies():
    for key, pairs in (("alpha", 3), ("beta", 2)):
        study = make_study(key)
        for _ in range(pairs):
            make_pair(study)
        make_annotator(study)
        assignments_fill(actor=None, study=study)


class TestRows:
    @pytest.mark.parametrize(("key", "position"), [("alpha", 2), ("beta", 9), ("alpha", 0), ("gamma", 1)])
    def test_what_the_queryset_finds(self, studies, key, position):
        prepared = Prepared(pair_of, key=KEY, position=POSITION)
        prepared.rows(key="alpha", position=1)
        found = sorted(assignment.pk for assignment in prepared.rows(key=key, position=position))
        assert found == sorted(pair_of(key, position).values_list("pk", flat=True))
        assert len(found) == {("alpha", 2): 2, ("beta", 9): 2}.get((key, position), 0)

    def test_related_objects_come_with_it(self, studies):
        [found] = Prepared(pair_of, key=KEY, position=POSITION).rows(key="beta", position=1)
        with CaptureQueriesContext(connection) as queries:
            assert found.simplification.item.study.key == "beta"
            assert not hasattr(found, "draft")
        assert len(queries) == 0

    def test_one_query_each_time(self, studies, django_assert_num_queries):
        prepared = Prepared(pair_of, key=KEY, position=POSITION)
        for position in (1, 2):
            with django_assert_num_queries(1):
                prepared.rows(key="alpha", position=position)

    def test_rows_of_values(self, studies):
        prepared = Prepared(
            lambda key: Item.objects.filter(study__key=key).values(at=F("position")).order_by("position"), key=KEY
        )
        assert prepared.rows(key="beta") == [{"at": 1}, {"at": 2}]
        assert prepared.first(key="beta") == {"at": 1}
        assert prepared.first(key="gamma") is None

    def test_a_value_is_never_sql(self, studies):
        assert Prepared(pair_of, key=KEY, position=POSITION).rows(key="' OR '1'='1", position=9) == []


class TestRefusals:
    def test_values_for_other_places(self):
        prepared = Prepared(pair_of, key=KEY, position=POSITION)
        with pytest.raises(TypeError, match="expected"):
            prepared.rows(key="alpha")

    def test_a_stand_in_without_a_place(self):
        prepared = Prepared(lambda key, position: Item.objects.filter(key=key), key=KEY, position=POSITION)
        with pytest.raises(LookupError, match="position"):
            prepared.rows(key="alpha", position=1)


@pytest.mark.django_db(transaction=True)
def test_each_thread_asks_over_its_own_connection(studies):
    prepared = Prepared(pair_of, key=KEY, position=POSITION)
    prepared.rows(key="alpha", position=1)
    found: list[int] = []

    def ask() -> None:
        try:
            found.append(len(prepared.rows(key="alpha", position=3)))
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [3, 3, 3]
