"""Two who make a study under one key at the same moment."""

from __future__ import annotations

from functools import partial

import pytest

from annotation.errors import RuleError
from annotation.models import Study
from annotation.services.studies.studies import study_create
from tests.overlapping import overlapping

pytestmark = pytest.mark.django_db(transaction=True)


def test_to_the_second_the_key_is_taken():
    create = partial(study_create, actor=None, key="gamma", title="Gamma")
    refusal = overlapping(create, create)
    assert isinstance(refusal, RuleError)
    assert [(problem.field, problem.code) for problem in refusal.problems] == [("key", "taken")]
    assert Study.objects.count() == 1
