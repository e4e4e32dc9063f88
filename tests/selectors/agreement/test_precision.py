"""What a study has, as the page on how many annotators and texts it takes begins from it."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.models import Annotator
from annotation.selectors.agreement.precision import standing
from tests.bulk import fill_study
from tests.factories import make_pair, make_study

pytestmark = pytest.mark.django_db


def test_judgments_of_whoever_has_withdrawn_do_not_count():
    """No release holds them, and others get their pairs: the study was further than it is."""
    study = make_study("own", state="main")
    fill_study(study, pairs=4, annotators=3)
    assert standing(study)[2::2] == (3, 12)
    gone = Annotator.objects.filter(study=study).order_by("pk")[:1]
    Annotator.objects.filter(pk__in=gone).update(withdrawn_at=timezone.now())
    assert standing(study)[2::2] == (2, 8)


def test_texts_are_distinct_originals():
    """A file whose pairs have keys of their own gives each an item: a text with the outputs of two
    systems was taken for two texts with one system each."""
    study = make_study("own", state="main")
    for original in ("La prime est due.", "L'avis est écrit."):
        make_pair(study, original=original, system="a")
        make_pair(study, original=original.replace(".", " ."), system="b")
    now = standing(study)
    assert (now.texts, now.systems) == (2, 2)
