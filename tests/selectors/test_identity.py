"""Words that people type beside material are theirs, not the study's."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.models import Scorer
from annotation.selectors.identity import Identity
from annotation.services.erasure_rows import mentions_remove
from tests.scorers.rows import make_scorer

pytestmark = pytest.mark.django_db


def test_the_reason_of_a_scorer_in_service():
    reason = "As Anne Roy (anne@example.org) asked"
    scorer = make_scorer(promoted_at=timezone.now(), promoted_reason=reason, folder="Anne Roy")
    assert mentions_remove(Identity("anne@example.org", "Anne Roy", frozenset())) == 1
    scorer = Scorer.objects.get(pk=scorer.pk)
    assert scorer.promoted_reason == "As […] ([…]) asked"
    assert scorer.folder == "Anne Roy", "what refers to files stays as it is"
