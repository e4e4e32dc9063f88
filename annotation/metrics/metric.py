"""What a metric is: a number for one simplification, and everything that has to stand beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cached_property
from importlib.metadata import version

from annotation.accents import composed
from annotation.protocols.base import Wording
from annotation.scoring.splits import source_key
from annotation.uncut import is_uncut, script_language

Reading = float | str
"""A metric's value of one pair, or the code in ``UNDEFINED`` of why there is none."""
NO_REFERENCE, LANGUAGE, UNSEGMENTED = "no_reference", "language", "unsegmented"
NO_WORDS, FAILED, NOT_BROUGHT = "no_words", "failed", "not_brought"
LEARNED, NOT_JUDGED, UNAVAILABLE = "learned", "not_judged", "unavailable"
UNKNOWN_LANGUAGE = "unknown_language"
# A cosine of 32-bit floats may be 1.0000001.
_ROUNDING = 1e-6
UNDEFINED: dict[str, Wording] = {
    NO_REFERENCE: Wording(
        "Cette mesure compare à une référence, et l'élément n'en a pas.",
        "This metric compares with a reference, and the item has none.",
    ),
    LANGUAGE: Wording(
        "La formule n'est pas faite pour la langue du texte.",
        "The formula is not made for the text's language.",
    ),
    UNKNOWN_LANGUAGE: Wording(
        "La langue du texte n'est pas connue, et la formule n'est faite que pour une langue.",
        "The text's language is not known, and the formula is made for one language alone.",
    ),
    UNSEGMENTED: Wording(
        "Le texte n'est pas découpé en mots par des espaces : une mesure sur les mots n'y a pas "
        "de sens.",
        "The text is not cut into words by spaces: a metric on words means nothing there.",
    ),
    NO_WORDS: Wording("Un des textes ne contient aucun mot.", "One of the texts holds no word."),
    FAILED: Wording("Le calcul a échoué sur cette paire.", "The computation failed on this pair."),
    NOT_BROUGHT: Wording(
        "Le fichier de notes n'en donne pas pour cette paire.",
        "The file of scores gives none for this pair.",
    ),
    LEARNED: Wording(
        "L'évaluateur a appris de cet original : sa note n'y dirait rien de ce qu'il vaut "
        "ailleurs.",
        "The scorer has learned from this original: its score there says nothing of what it is "
        "worth elsewhere.",
    ),
    NOT_JUDGED: Wording(
        "Le juge automatique n'a pas jugé cette paire.",
        "The machine judge has not judged this pair.",
    ),
    UNAVAILABLE: Wording("Ne peut être calculé ici.", "It cannot be computed here."),
}


class Direction(IntEnum):
    """Which way is better; ``NEITHER`` where a metric only describes."""

    LOWER = -1
    NEITHER = 0
    HIGHER = 1


class Kind(StrEnum):
    """What gives the number."""

    METRIC = "metric"
    SCORER = "scorer"
    JUDGE = "judge"


class MetricUnavailable(Exception):
    """Nothing of this kind can be computed here, whatever the pair: a library, a folder or a file
    is missing. ``why`` says which, and what to do."""

    def __init__(self, why: Wording) -> None:
        super().__init__(why.en)
        self.why = why


class References(StrEnum):
    """What a metric does with reference texts."""

    NONE = "none"
    """It reads the two texts alone."""
    INSTEAD = "instead"
    """It compares with the references where there are some, else with the original."""
    NEEDED = "needed"
    """It is undefined without any."""


@dataclass(frozen=True)
class MetricPair:
    """A simplification with what it may be compared with; ``language`` is ISO 639-1, "" where
    unknown. ``is_uncut``: a text of it is not cut into words by spaces. All texts in NFC
    (``pair``)."""

    original: str
    simplification: str
    references: tuple[str, ...] = ()
    language: str = ""
    is_uncut: bool = False

    @property
    def against(self) -> tuple[str, ...]:
        """The references; the original where there are none."""
        return self.references or (self.original,)


def pair(
    original: str, simplification: str, references: tuple[str, ...] = (), language: str = ""
) -> MetricPair:
    """A pair whose accents are written in one way. Its language is that of its characters where
    these tell it, whatever ``language`` says: imports knew none of Japanese, and a column may be
    wrong."""
    both = composed(original), composed(simplification)
    texts = tuple(map(composed, references))
    written = next(filter(None, map(script_language, reversed(both))), "")
    return MetricPair(*both, texts, written or language, any(map(is_uncut, both)))


def is_outside(value: float, lowest: float, highest: float) -> bool:
    """Whether a score lies past the ends of its range by more than the last digits of a short
    float."""
    margin = (highest - lowest) * _ROUNDING
    return not lowest - margin <= value <= highest + margin


@dataclass(frozen=True)
class TextMetric:
    """One number. ``bounds`` are the ends of its range, None where it has none. ``settings`` and
    ``library`` (a distribution's name) make its signature; ``definition`` is counted up whenever
    the same texts would give another number. ``is_baseline``: it stands in every table to be beaten
    and reads no meaning."""

    name: str
    label: Wording
    direction: Direction
    bounds: tuple[float, float] | None
    settings: tuple[tuple[str, str], ...] = ()
    library: str = ""
    definition: str = "1"
    is_baseline: bool = False

    @cached_property
    def signature(self) -> str:
        """``bleu|case:mixed|tok:13a|…|definition:1|sacrebleu:2.6.0``: what anybody needs to compute
        the same number (Post 2018, section 4)."""
        parts = [self.name, *(f"{key}:{value}" for key, value in self.settings)]
        parts.append(f"definition:{self.definition}")
        if self.library:
            parts.append(f"{self.library}:{version(self.library)}")
        return "|".join(parts)


@dataclass(frozen=True)
class Family:
    """Metrics that one computation gives. ``measure`` reads a pair and gives a reading by metric's
    name. ``languages``: those that it is made for, empty for all; ``needs_language``: a text of
    which none is known is refused too. ``needs_words``: texts without spaces between words are
    refused. ``weights``: what has to be at hand besides the code, in words; empty for
    nothing. ``is_slow``: a pair of long clauses takes a quarter of a second, so that it is computed
    only where it is asked for. ``measure_many``: the same of several pairs, where that is much
    quicker; both raise ``MetricUnavailable`` where no pair can be measured. ``learned``: keys of
    the originals that it has learned from (``scoring.splits.source_key``), of which it says
    nothing."""

    name: str
    metrics: tuple[TextMetric, ...]
    measure: Callable[[MetricPair], Mapping[str, Reading]]
    references: References = References.NONE
    languages: frozenset[str] = frozenset()
    needs_language: bool = False
    needs_words: bool = True
    weights: str = ""
    is_slow: bool = False
    measure_many: Callable[[Sequence[MetricPair]], Sequence[Mapping[str, Reading]]] | None = None
    learned: frozenset[str] = frozenset()
    kind: Kind = Kind.METRIC

    def all_readings(self, pairs: Sequence[MetricPair]) -> list[dict[str, Reading]]:
        """Of each pair what ``readings`` says, measured together where the family can. Where that
        fails, one by one: what fails on one pair is said there."""
        if self.measure_many is None:
            return [self.readings(metric_pair) for metric_pair in pairs]
        codes = [self.refusal(metric_pair) for metric_pair in pairs]
        measurable = [
            metric_pair for metric_pair, code in zip(pairs, codes, strict=True) if not code
        ]
        try:
            measured = iter(self.measure_many(measurable) if measurable else ())
        except (ImportError, MetricUnavailable):
            raise
        except Exception:  # noqa: BLE001  a library may raise anything on an odd text
            return [self.readings(metric_pair) for metric_pair in pairs]
        return [self._all(code) if code else self._named(next(measured)) for code in codes]

    def readings(self, metric_pair: MetricPair) -> dict[str, Reading]:
        """Every metric's reading of this pair. What fails on one pair is said there, and the rest
        goes on."""
        code = self.refusal(metric_pair)
        if code:
            return self._all(code)
        try:
            measured = self.measure(metric_pair)
        except (ImportError, MetricUnavailable):
            raise  # what is missing fails on every pair
        except Exception:  # noqa: BLE001  a library may raise anything on an odd text
            return self._all(FAILED)
        return self._named(measured)

    def _all(self, code: str) -> dict[str, Reading]:
        return {metric.name: code for metric in self.metrics}

    def _named(self, measured: Mapping[str, Reading]) -> dict[str, Reading]:
        """Raises ``LookupError`` for a reading of no metric of the family: its name is misspelt,
        whatever the pair, and the metric that is meant would be told as failed."""
        if unknown := sorted(measured.keys() - {metric.name for metric in self.metrics}):
            raise LookupError(f"family {self.name} has no metric {', '.join(unknown)}")
        return {metric.name: _finite(measured.get(metric.name, FAILED)) for metric in self.metrics}

    def refusal(self, metric_pair: MetricPair) -> str:
        """The code of why nothing is measured of this pair; "" where it is."""
        if self.references == References.NEEDED and not metric_pair.references:
            return NO_REFERENCE
        if self.languages and metric_pair.language and metric_pair.language not in self.languages:
            return LANGUAGE
        if self.needs_language and not metric_pair.language:
            return UNKNOWN_LANGUAGE
        if self.needs_words and metric_pair.is_uncut:
            return UNSEGMENTED
        return LEARNED if self._has_seen(metric_pair) else ""

    def _has_seen(self, metric_pair: MetricPair) -> bool:
        """Whether it has learned from either text: in a control pair, both are originals."""
        texts = (metric_pair.original, metric_pair.simplification) if self.learned else ()
        return any(source_key(text) in self.learned for text in texts)


def _finite(reading: Reading) -> Reading:
    if isinstance(reading, str):
        return reading
    value = float(reading)
    return value if value - value == 0 else FAILED


def oriented(value: float, direction: Direction) -> float:
    """The value with a sign by which higher is better."""
    return -value if direction == Direction.LOWER else value
