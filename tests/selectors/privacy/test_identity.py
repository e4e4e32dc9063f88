"""Words that people type beside material are theirs, not the study's."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.models import Scorer
from annotation.privacy.names import Person
from annotation.selectors.privacy.erasure_places import places
from annotation.selectors.privacy.identity import Identity
from annotation.services.privacy.erasure import mentions_remove
from tests.factories import make_user
from tests.scorers.rows import make_scorer

pytestmark = pytest.mark.django_db


def test_the_reason_of_a_scorer_in_service():
    user = make_user()
    reason = "As Anne Roy (anne@example.org) asked"
    scorer = make_scorer(
        promoted_at=timezone.now(), promoted_by=user, promoted_reason=reason, folder="Anne Roy"
    )
    mentions = places(Identity(Person("Anne Roy", "anne@example.org"), account=user.pk))
    assert mentions_remove(mentions) == 2
    scorer = Scorer.objects.get(pk=scorer.pk)
    assert scorer.promoted_reason == "As […] ([…]) asked"
    assert scorer.folder == "Anne Roy", "what refers to files stays as it is"
