"""A change of what scorers answer by is counted: kept scores of the edition before are not mixed
with new ones."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings

from annotation.scoring.edition import ANSWERS

FILES = ("contradictions", "features", "lexical", "lexicon", "markers", "overlap", "rules", "text")
# By edition, the SHA-256 of these files.
KNOWN = {2: "39c3579f57dcfc23f2d4742e52a278847834faf9b496f15c6e621b18bf56b1a6"}


def test_what_scorers_answer_by_is_that_of_the_edition() -> None:
    digest = hashlib.sha256()
    for name in FILES:
        digest.update((Path(settings.BASE_DIR) / f"workers/scorers/{name}.py").read_bytes())
    assert digest.hexdigest() == KNOWN[ANSWERS], (
        "Count annotation.scoring.edition.ANSWERS up and write this digest beside it; the digest "
        "alone, where no score changes."
    )
