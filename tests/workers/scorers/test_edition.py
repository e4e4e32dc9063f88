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
KNOWN = {5: "f324512880d51ae77f71724a088619688e2ad2a26afc09df50d2d9a6039f044e"}


def test_what_scorers_answer_by_is_that_of_the_edition() -> None:
    digest = hashlib.sha256()
    for name in FILES:
        digest.update((Path(settings.BASE_DIR) / f"workers/scorers/{name}.py").read_bytes())
    assert digest.hexdigest() == KNOWN[ANSWERS], (
        "Count annotation.scoring.edition.ANSWERS up and write this digest beside it; the digest "
        "alone, where no score changes."
    )
