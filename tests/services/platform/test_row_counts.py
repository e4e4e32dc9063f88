"""After many rows at once, PostgreSQL plans on what is there."""

import pytest
from django.db import DatabaseError, connection, transaction

from annotation.models import Item, Simplification, Study
from annotation.services.platform import row_counts
from annotation.services.platform.row_counts import row_counts_refresh, row_counts_refresh_on_commit
from tests.bulk import fill_study
from tests.factories import make_study


def _believed(model) -> float:
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = %s", [model._meta.db_table])
        return cursor.fetchone()[0]


@pytest.mark.postgres
def test_it_counts_what_the_transaction_has_written(db):
    fill_study(make_study(state="main"), pairs=30, annotators=2)
    row_counts_refresh(Item, Simplification)
    assert (_believed(Item), _believed(Simplification)) == (30, 30)


def test_it_waits_for_the_commit_and_for_many_rows(
    db, django_capture_on_commit_callbacks, monkeypatch
):
    counted = []
    monkeypatch.setattr(row_counts, "row_counts_refresh", lambda *models: counted.append(models))
    with django_capture_on_commit_callbacks(execute=True):
        row_counts_refresh_on_commit(499, Item)
        row_counts_refresh_on_commit(500, Item, Simplification)
        assert counted == []
    assert counted == [(Item, Simplification)]


@pytest.mark.django_db(transaction=True)
def test_a_count_that_fails_costs_nobody_an_import(monkeypatch, caplog):
    def fail(*models):
        raise DatabaseError("lock timeout")

    monkeypatch.setattr(row_counts, "row_counts_refresh", fail)
    with transaction.atomic():
        study = make_study()
        row_counts_refresh_on_commit(1000, Item)
    assert Study.objects.filter(pk=study.pk).exists()
    assert "lock timeout" in caplog.text
