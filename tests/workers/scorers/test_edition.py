"""A change of what scorers answer by is counted: kept scores of the edition before are not mixed
with new ones."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings

from annotation.scoring.edition import ANSWERS

FILES = (
    *("anchored", "contradictions", "endings", "features", "law_terms", "lexical", "lexicon"),
    *("markers", "nearness", "overlap", "passages", "rules", "text", "things"),
)
# By edition, the SHA-256 of these files.
KNOWN = {5: "86df24b4beb592be8673fbcfa1ff50f4a16cae40d69e3f1a552c9c7ec6c7312f"}


def test_what_scorers_answer_by_is_that_of_the_edition() -> None:
    digest = hashlib.sha256()
    for name in FILES:
        digest.update((Path(settings.BASE_DIR) / f"workers/scorers/{name}.py").read_bytes())
    assert digest.hexdigest() == KNOWN[ANSWERS], (
        "Count annotation.scoring.edition.ANSWERS up and write this digest beside it; the digest "
        "alone, where no score changes."
    )
