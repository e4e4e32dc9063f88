"""What the scorers' commands are given by name: found, or refused with what there is."""

from __future__ import annotations

import pytest
from django.core.management.base import CommandError

from annotation.management.files import existing_study
from annotation.models import DatasetSnapshot
from tests.factories import make_study
from workers.management.files import existing_scorer, existing_snapshot

pytestmark = pytest.mark.django_db


@pytest.fixture
def snapshot() -> DatasetSnapshot:
    return DatasetSnapshot.objects.create(
        study=make_study("etude-pilote"), number=3, content_digest="0" * 64
    )


def test_what_there_is_is_found(snapshot):
    assert existing_study("etude-pilote") == snapshot.study
    assert existing_snapshot("etude-pilote-3") == snapshot
    assert existing_snapshot(str(snapshot.pk)) == snapshot


@pytest.mark.parametrize(
    "name", ["etude-pilote-4", "etude-pilote", "etude-pilote-²", "x-" + "9" * 30, "9" * 30, ""]
)
def test_no_such_snapshot(snapshot, name):
    with pytest.raises(CommandError, match=r"Snapshots: etude-pilote-3\.$"):
        existing_snapshot(name)


@pytest.mark.parametrize("name", ["v1", "1", "v", "²", "v" + "9" * 30])
def test_no_such_scorer(name):
    with pytest.raises(CommandError, match=r"Scorers: none yet\.$"):
        existing_scorer(name)


def test_no_such_study():
    make_study("etude-pilote")
    with pytest.raises(CommandError, match=r"There is no study “x”\. Studies: etude-pilote\.$"):
        existing_study("x")
