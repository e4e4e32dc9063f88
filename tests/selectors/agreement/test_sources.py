"""The source texts of a large study are found once for these texts, and anew for others."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Item, Study
from annotation.selectors.agreement import reliability
from annotation.selectors.agreement import sources as module
from annotation.selectors.agreement.reliability import study_ratings, units_of
from annotation.selectors.agreement.sources import kept_sources
from annotation.selectors.base.sources import sources_by_item
from tests.factories import make_pair, make_study

TEXTS = (
    "L'assureur indemnise le tiers.",
    "L’ASSUREUR  indemnise le tiers",
    "L'assureur n'indemnise pas le tiers.",
    "L'assureur indemnise le tiers.",
)


@pytest.fixture
def study(db: None) -> Study:
    made = make_study("etude")
    for text in TEXTS:
        make_pair(made, original=text)
    return made


def test_as_where_they_are_found_each_time(study):
    expected = sources_by_item(Item.objects.all())
    assert len(set(expected.values())) == 2
    assert kept_sources(Item.objects.all()) == expected, "the first time"
    assert kept_sources(Item.objects.all()) == expected, "kept"


def test_texts_are_not_read_again(study):
    kept_sources(Item.objects.all())
    with CaptureQueriesContext(connection) as queries:
        kept_sources(Item.objects.all())
    assert [row["sql"].count('"original"') for row in queries] == [0]


def test_other_texts_have_other_sources(study):
    before = kept_sources(Item.objects.all())
    changed = Item.objects.get(position=2)
    changed.original = "Un autre texte."
    changed.save()
    after = kept_sources(Item.objects.all())
    assert after == sources_by_item(Item.objects.all())
    assert after[changed.key] != before[changed.key]
    assert {key for key in after if after[key] != before[key]} == {changed.key}


def test_a_large_study_is_read_like_a_small_one(study, monkeypatch):
    small, ratings = units_of(study, "main"), study_ratings(study)
    monkeypatch.setattr(reliability, "MANY", 1)
    for _ in range(2):
        assert units_of(study, "main") == small
        assert study_ratings(study).source_of == ratings.source_of


def test_no_items_have_no_sources(db):
    assert kept_sources(Item.objects.all()) == {}


def test_a_text_that_is_changed_meanwhile_is_read_as_it_is_then(study, monkeypatch):
    kept = module.kept

    def changed_first(*arguments):
        item = Item.objects.get(position=2)
        item.original = "Un autre texte."
        item.save()
        return kept(*arguments)

    monkeypatch.setattr(module, "kept", changed_first)
    assert kept_sources(Item.objects.all()) == sources_by_item(Item.objects.all())
