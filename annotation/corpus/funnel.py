"""Which blocks of a document become items, and why the others do not.

The criteria are those of FrJUDGE (Beauchemin et al. 2025, section 3.2.1): 1 to 5 sentences, no
boilerplate such as a title, reading ease of Kandel and Moles at most 50. One more: a text that was
already kept is not kept twice.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import floor

from annotation.accents import composed
from annotation.corpus.language import FRENCH, detect_language
from annotation.corpus.lines import ends_in_leaders
from annotation.corpus.problems import RowProblem
from annotation.corpus.readability import Readability, Syllables, readability
from annotation.corpus.segmentation import Block, BlockKind
from annotation.protocols.base import NO_WORDING, Wording

_EASE_SHOWN = (-500.0, 300.0)


@dataclass(frozen=True)
class Criteria:
    """What a block must be to become an item; the defaults are the paper's. Raises ``ValueError``
    if impossible."""

    fewest_sentences: int = 1
    most_sentences: int = 5
    hardest_only: float | None = 50.0
    """Reading ease at most; None takes texts of any ease."""
    drop_boilerplate: bool = True
    drop_duplicates: bool = True
    french_only: bool = True
    syllables: Syllables = Syllables.PHONETIC

    def __post_init__(self) -> None:
        if not 1 <= self.fewest_sentences <= self.most_sentences:
            raise ValueError(
                f"sentences from {self.fewest_sentences} to {self.most_sentences} keep nothing"
            )


class Criterion(StrEnum):
    """What a block can be dropped for, in the order in which the funnel counts."""

    BOILERPLATE = "boilerplate"
    LENGTH = "length"
    LANGUAGE = "language"
    READABILITY = "readability"
    DUPLICATE = "duplicate"
    MANUAL = "manual"


@dataclass(frozen=True)
class Reason:
    """Why a block is dropped: the criterion, a code for programs, a sentence for people."""

    criterion: Criterion
    code: str
    message: Wording


@dataclass(frozen=True)
class Override:
    """A person's decision on one block, and why."""

    keep: bool
    reason: str


@dataclass(frozen=True)
class Verdict:
    """What the funnel says of one block."""

    block: Block
    key: str
    """The same for the same text at the same place, whatever else the document holds."""
    readability: Readability
    reasons: tuple[Reason, ...]
    """Every criterion that it fails, in the funnel's order; the first one counts. Kept also where
    rescued."""
    override: Override | None = None

    @property
    def kept(self) -> bool:
        """Whether the block may become an item."""
        return self.override.keep if self.override else not self.reasons

    @property
    def failed(self) -> set[Criterion]:
        """Every criterion that the block fails, a person's exclusion included."""
        excluded = (
            {Criterion.MANUAL} if self.override is not None and not self.override.keep else set()
        )
        return {reason.criterion for reason in self.reasons} | excluded

    @property
    def first_reason(self) -> Reason | None:
        """The reason that the funnel counts; None where the block is kept."""
        if self.kept:
            return None
        if self.override is not None and not self.reasons:
            wording = Wording(
                f"Exclu à la main : {self.override.reason}",
                f"Excluded by hand: {self.override.reason}",
            )
            return Reason(Criterion.MANUAL, "excluded", wording)
        return self.reasons[0]


@dataclass(frozen=True)
class Bar:
    """One bar of a histogram: from ``low`` included to ``high`` excluded."""

    low: float
    high: float
    count: int
    kept: int


@dataclass(frozen=True)
class Funnel:
    """All verdicts, in the order of the document, and what to show of them."""

    criteria: Criteria
    verdicts: tuple[Verdict, ...]
    dropped: Mapping[Criterion, int] = field(default_factory=dict)
    """How many blocks each criterion drops first, one after the other; with ``kept`` they add up to
    all."""
    failed: Mapping[Criterion, int] = field(default_factory=dict)
    """How many blocks fail each criterion, whatever else they fail."""
    rescued: int = 0
    unmatched: tuple[str, ...] = ()
    """Keys of overrides that no block has: the document or its segmentation changed."""

    @property
    def kept(self) -> tuple[Verdict, ...]:
        """What may be drawn, in the order of the document."""
        return tuple(verdict for verdict in self.verdicts if verdict.kept)

    def histogram(self, width: float = 10.0) -> list[Bar]:
        """Reading ease of the blocks that are no boilerplate, in bars ``width`` points wide,
        without gaps.

        A threshold that is a multiple of ``width`` falls between two bars.
        """
        scored = [
            (verdict.readability.score, verdict.kept)
            for verdict in self.verdicts
            if verdict.readability.score is not None
            and all(reason.criterion is not Criterion.BOILERPLATE for reason in verdict.reasons)
        ]
        if not scored:
            return []
        # What lies beyond is no text, and would draw bars without end: it counts in the last one.
        places = [
            floor(min(max(score, _EASE_SHOWN[0]), _EASE_SHOWN[1]) / width) for score, _ in scored
        ]
        counts = Counter(places)
        kept = Counter(place for place, (_, is_kept) in zip(places, scored, strict=True) if is_kept)
        return [
            Bar(place * width, (place + 1) * width, counts[place], kept[place])
            for place in range(min(places), max(places) + 1)
        ]


@dataclass(frozen=True)
class Scored:
    """A block with what takes long to find out of it, whatever people decide."""

    block: Block
    key: str
    readability: Readability
    reasons: tuple[Reason, ...]
    """Without copies: whether a block is one depends on which others are kept."""
    bare: str
    """What tells it from a copy; "" where copies are not looked for."""


@dataclass(frozen=True)
class ScoredBlocks:
    """What a reader says of a text's blocks, or why it did not (``fatal``)."""

    blocks: tuple[Scored, ...] = ()
    fatal: RowProblem | None = None


def scored(blocks: Sequence[Block], criteria: Criteria) -> tuple[Scored, ...]:
    """The blocks scored and held against the criteria: nearly all the work of a funnel."""
    return tuple(
        _scored(block, key, criteria) for block, key in zip(blocks, block_keys(blocks), strict=True)
    )


def _scored(block: Block, key: str, criteria: Criteria) -> Scored:
    ease = readability(
        block.text, sentences=len(block.sentences) or None, counter=criteria.syllables
    )
    bare = normalised(block.text) if criteria.drop_duplicates else ""
    return Scored(block, key, ease, tuple(_reasons(block, ease, criteria)), bare)


def funnel(
    blocks: Sequence[Block],
    criteria: Criteria | None = None,
    overrides: Mapping[str, Override] | None = None,
) -> Funnel:
    """Each block with what it fails. ``overrides`` by ``Verdict.key`` rescue or exclude, and are
    kept with it.

    Deterministic: the same blocks, criteria and overrides give the same funnel. An excluded block
    does not make a later copy of it a duplicate; of several copies the first in the document is
    kept.
    """
    criteria = criteria or Criteria()
    return decided(scored(blocks, criteria), criteria, overrides)


def decided(
    blocks: Sequence[Scored], criteria: Criteria, overrides: Mapping[str, Override] | None = None
) -> Funnel:
    """The funnel of blocks that were scored under these criteria; see ``funnel``."""
    overrides = overrides or {}
    verdicts: list[Verdict] = []
    seen: dict[str, int] = {}
    for one in blocks:
        reasons = one.reasons
        if criteria.drop_duplicates and one.block.kind is BlockKind.TEXT and one.bare in seen:
            reasons = (*reasons, _duplicate(seen[one.bare]))
        verdict = Verdict(one.block, one.key, one.readability, reasons, overrides.get(one.key))
        if verdict.kept:
            seen.setdefault(one.bare, one.block.number)
        verdicts.append(verdict)
    return _counted(criteria, verdicts, overrides)


def _counted(
    criteria: Criteria, verdicts: list[Verdict], overrides: Mapping[str, Override]
) -> Funnel:
    dropped, failed = dict.fromkeys(Criterion, 0), dict.fromkeys(Criterion, 0)
    for verdict in verdicts:
        if first := verdict.first_reason:
            dropped[first.criterion] += 1
        for criterion in verdict.failed:
            failed[criterion] += 1
    rescued = [verdict for verdict in verdicts if verdict.kept and verdict.reasons]
    unmatched = set(overrides).difference(verdict.key for verdict in verdicts)
    return Funnel(
        criteria, tuple(verdicts), dropped, failed, len(rescued), tuple(sorted(unmatched))
    )


def block_keys(blocks: Iterable[Block]) -> list[str]:
    """A name for each block, of its text, its headings and which of its copies it is: 12
    hexadecimal digits."""
    copies: dict[str, int] = {}
    keys = []
    for block in blocks:
        named = "\x1f".join((block.kind, *block.headings, block.text))
        copies[named] = copies.get(named, 0) + 1
        keys.append(hashlib.sha256(f"{named}\x1f{copies[named]}".encode()).hexdigest()[:12])
    return keys


def normalised(text: str) -> str:
    """A text without what does not tell it from a copy: case, spacing, punctuation, a label at its
    start."""
    bare = re.sub(r"^\s*\(?(?:[A-Za-z]|\d{1,3})[.)]\s+", "", composed(text))
    return " ".join(re.findall(r"\w+", bare.casefold()))


def _reasons(block: Block, ease: Readability, criteria: Criteria) -> list[Reason]:
    reasons = []
    if criteria.drop_boilerplate and (found := boilerplate(block)):
        if block.kind is not BlockKind.TEXT:
            return [found]  # a title has no sentences to count
        reasons.append(found)
    count = len(block.sentences)
    if not criteria.fewest_sentences <= count <= criteria.most_sentences:
        reasons.append(_length(count, criteria))
    if criteria.french_only and (language := detect_language(block.text)) not in ("", FRENCH):
        reasons.append(_reason(
            Criterion.LANGUAGE, "other_language", f"Langue : {language}, non le français.",
            f"Language: {language}, not French.",
        ))  # fmt: skip
    if criteria.hardest_only is not None and (found := _too_easy(ease, criteria.hardest_only)):
        reasons.append(found)
    return reasons


def boilerplate(block: Block) -> Reason | None:
    """Why a block is no clause: a title, an introduction without what it introduces, a fragment, a
    form's blank."""
    if block.kind is BlockKind.HEADING:
        return _reason(Criterion.BOILERPLATE, "title", "Titre.", "Title.")
    if block.kind is BlockKind.STEM:
        return _reason(
            Criterion.BOILERPLATE,
            "introduction",
            "Phrase qui introduit d'autres blocs.",
            "It introduces other blocks.",
        )
    if ends_in_leaders(block.text):
        return _reason(
            Criterion.BOILERPLATE,
            "contents",
            "Ligne de table des matières.",
            "Line of a table of contents.",
        )
    words = re.findall(r"[^\W\d_]{2,}", composed(block.text))
    if len(words) < 3:
        return _reason(
            Criterion.BOILERPLATE, "fragment", "Moins de trois mots.", "Fewer than three words."
        )
    if len(words) < 8 and block.text.rstrip()[-1:] not in tuple(".!?;:…»)"):
        return _reason(
            Criterion.BOILERPLATE,
            "no_sentence",
            "Mention sans phrase.",
            "A mention, not a sentence.",
        )
    return None


def _reason(criterion: Criterion, code: str, fr: str, en: str) -> Reason:
    return Reason(criterion, code, Wording(fr, en))


def _length(count: int, criteria: Criteria) -> Reason:
    low, high = criteria.fewest_sentences, criteria.most_sentences
    return _reason(
        Criterion.LENGTH, "too_long" if count > high else "too_short",
        f"Phrases : {count} (de {low} à {high}).", f"Sentences: {count} ({low} to {high}).",
    )  # fmt: skip


def _too_easy(ease: Readability, most: float) -> Reason | None:
    if ease.score is None:
        return Reason(
            Criterion.READABILITY,
            "undefined",
            ease.reason if ease.reason != NO_WORDING else NO_WORDING,
        )
    if ease.score <= most:
        return None
    score = f"{ease.score:.1f}"
    return _reason(
        Criterion.READABILITY, "too_easy",
        f"Lisibilité {score.replace('.', ',')}, au-dessus de {most:g}.",
        f"Reading ease {score}, above {most:g}.",
    )  # fmt: skip


def _duplicate(number: int) -> Reason:
    return _reason(
        Criterion.DUPLICATE,
        "duplicate",
        f"Même texte que le bloc {number}.",
        f"Same text as block {number}.",
    )
