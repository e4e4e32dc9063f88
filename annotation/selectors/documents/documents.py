"""What a source document holds: its funnel under given settings, and what may still be drawn of
it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from annotation.corpus.drawing import Draw, draw
from annotation.corpus.funnel import (
    BEFORE_FORMS,
    Criteria,
    Funnel,
    Override,
    Verdict,
    decided,
    normalised,
)
from annotation.corpus.readability import Syllables
from annotation.models import Study, User
from annotation.models.document import SourceDocument
from annotation.selectors.documents.blocks import blocks_scored


def criteria_of(stored: dict[str, Any]) -> Criteria:
    """A document's criteria. One that was brought in before there were any for forms keeps its
    blocks: nothing changes behind a lead's back."""
    known = {**BEFORE_FORMS, **stored}
    if "syllables" in known:
        known["syllables"] = Syllables(known["syllables"])
    return Criteria(**known)


def document_funnel(document: SourceDocument, criteria: Criteria | None = None) -> Funnel:
    """The document's funnel, under other criteria than its own where some are given. Raises
    ``BlocksLater`` for a long document whose blocks a worker has yet to find, and
    ``BlocksRefused``."""
    overrides = {
        key: Override(entry["keep"], entry["reason"]) for key, entry in document.overrides.items()
    }
    criteria = criteria or criteria_of(document.criteria)
    return decided(blocks_scored(document, criteria), criteria, overrides)


@dataclass(frozen=True)
class Change:
    """What other criteria would do to the blocks that are kept."""

    before: int
    after: int
    gained: tuple[Verdict, ...]
    lost: tuple[Verdict, ...]


def criteria_change(document: SourceDocument, criteria: Criteria) -> Change:
    """The kept blocks under ``criteria`` against those under the document's own. Texts are
    compared, not places: a longer limit of sentences joins blocks."""
    former = {verdict.key: verdict for verdict in document_funnel(document).kept}
    new = {verdict.key: verdict for verdict in document_funnel(document, criteria).kept}
    return Change(
        len(former),
        len(new),
        tuple(verdict for key, verdict in new.items() if key not in former),
        tuple(verdict for key, verdict in former.items() if key not in new),
    )


def drawable(document: SourceDocument, kept: tuple[Verdict, ...] | None = None) -> list[Verdict]:
    """The kept blocks whose text is no item of the study yet, whichever way that came in."""
    kept = document_funnel(document).kept if kept is None else kept
    present = {
        normalised(text)
        for text in document.study.items.values_list("original", flat=True).iterator()
    }
    return [verdict for verdict in kept if normalised(verdict.block.text) not in present]


def items_drawn(document: SourceDocument, *, practice: int, main: int | None, seed: str) -> Draw:
    """What a draw would give; ``main`` None is all that there is. Raises ``DrawError``.

    The same document, settings, seed and items of the study give the same draw.
    """
    candidates = drawable(document)
    number = max(len(candidates) - practice, 1) if main is None else main
    return draw(candidates, practice, number, seed=seed)


def passage_source(document: SourceDocument, verdict: Verdict) -> str:
    """Where a block comes from, in the 300 characters of an item: the document, then the headings
    it stands under."""
    block = verdict.block
    parts = [document.name, *block.headings, *([block.label] if block.label else [])]
    while len(whole := " › ".join(parts)) > 300 and len(parts) > 1:
        del parts[1]  # the narrowest heading says most
    return whole[:300]


def page_of(document: SourceDocument, verdict: Verdict) -> int | None:
    """The page that a block begins on; None where the file has no pages."""
    return bisect_right(document.page_starts, verdict.block.start) if document.page_starts else None


def document_people(document: SourceDocument) -> dict[int, User]:
    """Who decided on single blocks, by id."""
    return User.objects.in_bulk(
        {entry["actor"] for entry in document.overrides.values() if entry["actor"]}
    )


def study_documents(study: Study) -> list[SourceDocument]:
    """A study's documents without their texts."""
    return list(study.documents.defer("text", "hints", "page_starts").select_related("uploaded_by"))
