"""A change of what scorers answer by is counted: kept scores of the edition before are not mixed
with new ones."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings

from annotation.scoring.edition import ANSWERS

FILES = (
    *("contradictions", "endings", "features", "lexical", "lexicon", "markers", "nearness"),
    *("overlap", "rules", "text"),
)
# By edition, the SHA-256 of these files.
KNOWN = {3: "202ff07b051db4565ab6f81f0edfca21184bcb5eb734cf7b25200c455782c466"}


def test_what_scorers_answer_by_is_that_of_the_edition() -> None:
    digest = hashlib.sha256()
    for name in FILES:
        digest.update((Path(settings.BASE_DIR) / f"workers/scorers/{name}.py").read_bytes())
    assert digest.hexdigest() == KNOWN[ANSWERS], (
        "Count annotation.scoring.edition.ANSWERS up and write this digest beside it; the digest "
        "alone, where no score changes."
    )
