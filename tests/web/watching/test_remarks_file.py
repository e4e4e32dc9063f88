"""The file of remarks: its words are of one language."""

from __future__ import annotations

import re

import pytest

from annotation.models import Assignment, User
from annotation.services.judging.judgments import judgment_submit
from tests.cast import Cast
from tests.factories import save


@pytest.mark.parametrize(
    ("language", "cells"), [("fr", {"principale", "oui", "non"}), ("en", {"main", "yes", "no"})]
)
def test_the_words_of_the_file_are_the_reader_s(cast: Cast, language: str, cells: set[str]) -> None:
    assignment = Assignment.objects.select_related(
        "annotator__study", "annotator__user", "simplification__item"
    ).filter(annotator=cast.judge, simplification__item__round="main")[0]
    judgment_submit(
        actor=cast.annotator, assignment=assignment, save=save(active_seconds=120, doubt=True)
    )
    User.objects.update(language=language)
    cast.lead.refresh_from_db()
    answer = cast.client("lead").get("/studies/alpha/remarks.csv")
    line = answer.content.decode("utf-8-sig").splitlines()[1]
    assert cells <= set(re.split("[;,]", line))
