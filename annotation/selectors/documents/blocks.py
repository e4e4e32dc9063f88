"""The blocks of a source document, scored under criteria: nearly all the work of its funnel.

Those of a short text are found whenever a page asks. A long one would hold a web thread for
seconds, so a worker finds them in a process under limits (``services.documents.blocks``), and they
lie in the data folder, which all processes of a machine share, until nobody has asked for a while;
where there is a bucket there too, for other machines. A person's decisions on single blocks are no
part of it.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.core.cache.backends.filebased import FileBasedCache
from django.utils import timezone

from annotation import sharing
from annotation.corpus import wire
from annotation.corpus.funnel import Criteria, Scored, ScoredBlocks, scored
from annotation.corpus.lines import Hint
from annotation.corpus.problems import RowProblem
from annotation.corpus.segmentation import segment
from annotation.errors import RuleError
from annotation.models.document import SourceDocument

AT_ONCE = 400_000
"""Characters, and as many for each line as a line takes: what is under it takes less than a second
of a processor, whatever it says. See docs/operations.md."""
_A_LINE = 80
_KEPT_SECONDS = 30 * 24 * 3600
_MOST = 60
# Trying again may help where the machine had much to do.
_REFUSED_SECONDS = 10 * 60
_ASKED_SECONDS = 90

Hints = tuple[tuple[int, Hint], ...]
FOLDER = "blocks"
"""Of the bucket."""


class BlocksLater(Exception):
    """The blocks of this document under these criteria are not found yet, and are too many to find
    in a page."""

    def __init__(self, document: SourceDocument, criteria: Criteria) -> None:
        super().__init__(str(document.pk))
        self.document = document
        self.criteria = criteria


class BlocksRefused(RuleError):
    """The blocks of this document ask for more than finding them gets."""

    def __init__(self, document: SourceDocument, problem: RowProblem) -> None:
        super().__init__(
            [RowProblem("document", problem.code, problem.message, remedy=problem.remedy)]
        )
        self.document = document
        self.problem = problem


def hints_of(document: SourceDocument) -> Hints:
    """What the file said of its lines."""
    return tuple((int(number), Hint(hint)) for number, hint in document.hints.items())


def blocks_scored(document: SourceDocument, criteria: Criteria) -> tuple[Scored, ...]:
    """The document's blocks. Raises ``BlocksLater`` and ``BlocksRefused``."""
    hints = hints_of(document)
    if not blocks_take_long(document.text):
        return _short(document.text, hints, criteria)
    scored_blocks = _long(blocks_key(document, criteria))
    if scored_blocks is None:
        raise BlocksLater(document, criteria)
    if scored_blocks.fatal is not None:
        raise BlocksRefused(document, scored_blocks.fatal)
    return scored_blocks.blocks


def blocks_take_long(text: str) -> bool:
    """Whether a text's blocks may take more than a second to find, by its length and its lines."""
    return len(text) + _A_LINE * text.count("\n") > AT_ONCE


@lru_cache(maxsize=8)
def _short(text: str, hints: Hints, criteria: Criteria) -> tuple[Scored, ...]:
    # Each page of a document's blocks needs all of them.
    blocks = segment(
        text, dict(hints), most_sentences=criteria.most_sentences, as_form=criteria.as_form
    )
    return scored(blocks, criteria)


def _long(key: str) -> ScoredBlocks | None:
    if (held := _held.get(key)) is not None:
        return held
    cached = _cache().get(key)
    scored_blocks = cached if isinstance(cached, ScoredBlocks) else _elsewhere(key)
    if scored_blocks is None:
        return None
    if scored_blocks.fatal is None:
        # Two, as a comparison of criteria needs: a long document takes tens of megabytes.
        if len(_held) > 1:
            _held.clear()
        _held[key] = scored_blocks
    return scored_blocks


_held: dict[str, ScoredBlocks] = {}


def blocks_known(key: str) -> bool:
    """Whether a worker has nothing left to do for these."""
    return key in _cache() or _elsewhere(key) is not None


def blocks_keep(key: str, scored_blocks: ScoredBlocks) -> None:
    """Keep what a worker found. Raises ``OSError`` where the bucket does not take it."""
    seconds = _REFUSED_SECONDS if scored_blocks.fatal is not None else _KEPT_SECONDS
    _cache().set(key, scored_blocks, seconds)
    if sharing.is_shared():
        until = timezone.now() + timedelta(seconds=seconds)
        envelope = _Envelope(until.isoformat(), scored_blocks)
        sharing.bytes_keep(wire.dumps(envelope).encode(), f"{FOLDER}/{key}")


def blocks_expire() -> int:
    """Remove from the bucket what is past its time or cannot be read; how many. A cache in the data
    folder does so by itself."""
    gone = [name for name in sharing.tree(FOLDER) if _is_over(name)]
    for name in gone:
        sharing.file_drop(name)
    return len(gone)


def _is_over(name: str) -> bool:
    return sharing.changed_at(name) < timezone.now() - timedelta(seconds=_KEPT_SECONDS)


def _elsewhere(key: str) -> ScoredBlocks | None:
    """What another machine's worker found; kept here as well. None where there is nothing, or it is
    past its time."""
    if not sharing.is_shared():
        return None
    try:
        with sharing.file_open(f"{FOLDER}/{key}") as stored:
            envelope = wire.loads(_Envelope, stored.read())
        left = (datetime.fromisoformat(envelope.until) - timezone.now()).total_seconds()
    except (FileNotFoundError, ValueError):
        return None
    if left <= 0:
        return None
    _cache().set(key, envelope.found, left)
    return envelope.found


@dataclass(frozen=True)
class _Envelope:
    """As the bucket holds it; ``until``: a moment as ISO 8601."""

    until: str
    found: ScoredBlocks


def blocks_ask(person: int) -> bool:
    """Whether a worker may be asked now for this person: one text at a time, and again where the
    message was lost."""
    return _cache().add(f"asked|{person}", True, _ASKED_SECONDS)


def blocks_asked_no_more(person: int) -> None:
    """Their next one may be asked for."""
    _cache().delete(f"asked|{person}")


def blocks_key(document: SourceDocument, criteria: Criteria) -> str:
    """Names the blocks of this text under these criteria, found by this code."""
    digest = hashlib.sha256(document.text.encode())
    digest.update(repr((_code(), hints_of(document), sorted(asdict(criteria).items()))).encode())
    return digest.hexdigest()


def _cache() -> FileBasedCache:
    folder = Path(settings.DATA_DIR) / "cache" / "blocks"
    return FileBasedCache(
        str(folder), {"TIMEOUT": _KEPT_SECONDS, "OPTIONS": {"MAX_ENTRIES": _MOST}}
    )


@lru_cache(maxsize=1)
def _code() -> str:
    """A digest of what cuts and scores: after an update nothing old is read."""
    digest = hashlib.sha256()
    for path in sorted(Path(settings.BASE_DIR).glob("annotation/corpus/*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
