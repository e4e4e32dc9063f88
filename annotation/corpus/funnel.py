"""Which blocks of a document become items, and why the others do not.

The criteria are those of FrJUDGE (Beauchemin et al. 2025, section 3.2.1): 1 to 5 sentences, no
boilerplate such as a title, reading ease of Kandel and Moles at most 50. More, for forms: no rows
of tables, no fields to fill in, nothing without a verb, no sentence that every form repeats. And a
text that was already decided on is not kept a second time.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import floor
from typing import Any

from annotation.accents import composed
from annotation.corpus import forms
from annotation.corpus.language import FRENCH, detect_language
from annotation.corpus.lines import ends_in_leaders
from annotation.corpus.problems import RowProblem
from annotation.corpus.readability import Readability, Syllables, readability
from annotation.corpus.segmentation import Block, BlockKind
from annotation.protocols.base import NO_WORDING, Wording

_EASE_SHOWN = (-500.0, 300.0)


@dataclass(frozen=True)
class Criteria:
    """What a block must be to become an item; the defaults are the paper's, and what forms need
    beside it. Raises ``ValueError`` if impossible."""

    fewest_sentences: int = 1
    most_sentences: int = 5
    hardest_only: float | None = 50.0
    """Reading ease at most; None takes texts of any ease."""
    drop_boilerplate: bool = True
    drop_duplicates: bool = True
    french_only: bool = True
    syllables: Syllables = Syllables.PHONETIC
    as_form: bool = True
    """Whether tables, blanks and standing sentences are told from text where it is cut."""
    drop_tables: bool = True
    drop_fields: bool = True
    drop_verbless: bool = True
    standing_from: int | None = forms.STANDING_FROM
    """How many times a sentence comes before it is a mention; None takes any."""

    def __post_init__(self) -> None:
        if not 1 <= self.fewest_sentences <= self.most_sentences:
            raise ValueError(
                f"sentences from {self.fewest_sentences} to {self.most_sentences} keep nothing"
            )
        if self.standing_from is not None and self.standing_from < 2:
            raise ValueError("a text that comes once does not come again and again")


BEFORE_FORMS: Mapping[str, Any] = {
    "as_form": False,
    "drop_tables": False,
    "drop_fields": False,
    "drop_verbless": False,
    "standing_from": None,
}
"""The settings of a document that was brought in before there were any for forms: its blocks stay
as they were."""


class Criterion(StrEnum):
    """What a block can be dropped for, in the order in which the funnel counts."""

    BOILERPLATE = "boilerplate"
    TABLE = "table"
    FIELD = "field"
    VERBLESS = "verbless"
    STANDING = "standing"
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
    bare: str = ""
    """What it shares with its copies; "" for what is no text."""

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
    """What it shares with its copies; "" for what is no text."""


@dataclass(frozen=True)
class ScoredBlocks:
    """What a reader says of a text's blocks, or why it did not (``fatal``)."""

    blocks: tuple[Scored, ...] = ()
    fatal: RowProblem | None = None


def scored(blocks: Sequence[Block], criteria: Criteria) -> tuple[Scored, ...]:
    """The blocks scored and held against the criteria: nearly all the work of a funnel."""
    bare = [normalised(block.text) if block.kind is BlockKind.TEXT else "" for block in blocks]
    counts = Counter(bare)
    return tuple(
        _scored(block, key, text, criteria, counts[text])
        for block, key, text in zip(blocks, block_keys(blocks), bare, strict=True)
    )


def _scored(block: Block, key: str, bare: str, criteria: Criteria, copies: int) -> Scored:
    ease = readability(
        block.text, sentences=len(block.sentences) or None, counter=criteria.syllables
    )
    return Scored(block, key, ease, tuple(_reasons(block, ease, criteria, copies)), bare)


def funnel(
    blocks: Sequence[Block],
    criteria: Criteria | None = None,
    overrides: Mapping[str, Override] | None = None,
) -> Funnel:
    """Each block with what it fails. ``overrides`` by ``Verdict.key`` rescue or exclude, and are
    kept with it.

    Deterministic: the same blocks, criteria and overrides give the same funnel. Of several copies
    the first in the document is kept; where a person excluded it, none is.
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
    for candidate in blocks:
        reasons = candidate.reasons
        if (
            criteria.drop_duplicates
            and candidate.block.kind is BlockKind.TEXT
            and candidate.bare in seen
        ):
            reasons = (*reasons, _duplicate(seen[candidate.bare]))
        verdict = Verdict(
            candidate.block,
            candidate.key,
            candidate.readability,
            reasons,
            overrides.get(candidate.key),
            candidate.bare,
        )
        # A document of before forms were known keeps what was kept of it.
        if verdict.kept or (criteria.as_form and _is_excluded(verdict)):
            seen.setdefault(candidate.bare, candidate.block.number)
        verdicts.append(verdict)
    return _counted(criteria, verdicts, overrides)


def _is_excluded(verdict: Verdict) -> bool:
    """Whether a person, and nothing else, drops a block: its text is decided on, copies and all."""
    return verdict.override is not None and not verdict.override.keep and not verdict.reasons


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


def _reasons(block: Block, ease: Readability, criteria: Criteria, copies: int) -> list[Reason]:
    if block.kind is BlockKind.ROW and criteria.drop_tables:
        return [_reason(Criterion.TABLE, "table", "Ligne d'un tableau.", "Row of a table.")]
    reasons = []
    if criteria.drop_boilerplate and (reason := boilerplate(block)):
        if block.kind is not BlockKind.TEXT:
            return [reason]  # a title has no sentences to count
        reasons.append(reason)
    reasons += _of_form(block, criteria, copies)
    count = len(block.sentences)
    if not criteria.fewest_sentences <= count <= criteria.most_sentences:
        reasons.append(_length(count, criteria))
    if criteria.french_only and (language := detect_language(block.text)) not in ("", FRENCH):
        reasons.append(_reason(
            Criterion.LANGUAGE, "other_language", f"Langue : {language}, non le français.",
            f"Language: {language}, not French.",
        ))  # fmt: skip
    if criteria.hardest_only is not None and (reason := _too_easy(ease, criteria.hardest_only)):
        reasons.append(reason)
    return reasons


def _of_form(block: Block, criteria: Criteria, copies: int) -> list[Reason]:
    """Why a block is a form's and no clause of it."""
    if block.kind is not BlockKind.TEXT:
        return []
    reasons = []
    if criteria.drop_fields and (reason := _field(block.text)):
        reasons.append(reason)
    if criteria.drop_verbless and forms.is_title(block.text):
        reasons.append(_reason(
            Criterion.VERBLESS, "no_verb", "Ni verbe conjugué ni point final.",
            "Neither a conjugated verb nor a final stop.",
        ))  # fmt: skip
    if criteria.standing_from is not None:
        reasons += _standing(block.text, copies, criteria.standing_from)
    return reasons


def _field(text: str) -> Reason | None:
    if forms.opens_in_blank(text):
        return _reason(
            Criterion.FIELD, "after_blank", "Suite d'un espace à remplir.",
            "What follows a blank to fill in.",
        )  # fmt: skip
    if forms.stops_short(text):
        return _reason(
            Criterion.FIELD, "before_blank", "S'arrête à un espace à remplir.",
            "It stops at a blank to fill in.",
        )  # fmt: skip
    if forms.asks(text):
        return _reason(
            Criterion.FIELD, "question", "Question du formulaire.", "Question of the form."
        )
    if forms.instructs(text):
        return _reason(
            Criterion.FIELD, "instruction", "Consigne pour remplir le formulaire.",
            "It says how to fill the form in.",
        )  # fmt: skip
    if forms.is_filled_in(text):
        return _reason(Criterion.FIELD, "field", "Champs à remplir.", "Fields to fill in.")
    return None


def _standing(text: str, copies: int, most: int) -> list[Reason]:
    if copies >= most:
        return [_reason(
            Criterion.STANDING, "standing", f"Ce texte vient {copies} fois.",
            f"This text comes {copies} times.",
        )]  # fmt: skip
    if forms.is_closing(text):
        return [_reason(
            Criterion.STANDING, "closing", "Phrase qui clôt un formulaire.",
            "Sentence that closes a form.",
        )]  # fmt: skip
    return []


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
