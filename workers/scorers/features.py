"""The lexical scorer's features of a pair, in groups that a lawyer could name; the names are part
of the artefact."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.protocols.base import Wording
from workers.scorers.base import FloatArray, Pair
from workers.scorers.lexicon import FUNCTION_WORDS
from workers.scorers.markers import (
    language_features,
    marker_features,
    name_features,
    number_features,
)
from workers.scorers.overlap import (
    addition_features,
    character_features,
    deletion_features,
    order_features,
    word_features,
)
from workers.scorers.text import Text

GROUPS: dict[str, Wording] = {
    "words": Wording("Mots en commun", "Words in common"),
    "characters": Wording("Suites de lettres en commun", "Letter sequences in common"),
    "order": Wording(
        "Ordre des mots et plus longs passages communs", "Word order and longest shared passages"
    ),
    "deletions": Wording("Passages disparus", "Passages lost"),
    "additions": Wording("Contenu ajouté", "Content added"),
    "numbers": Wording("Nombres et montants", "Numbers and amounts"),
    "deadline": Wording("Délais et durées", "Deadlines and durations"),
    "negation": Wording("Négations", "Negations"),
    "modality": Wording("Obligations et permissions", "Obligations and permissions"),
    "exception": Wording(
        "Conditions, exceptions et restrictions", "Conditions, exceptions and restrictions"
    ),
    "party": Wording("Personnes visées", "Parties concerned"),
    "names": Wording("Noms propres et majuscules", "Names and capitals"),
    "length": Wording("Longueurs", "Lengths"),
    "structure": Wording("Phrases et ponctuation", "Sentences and punctuation"),
    "truncation": Wording("Texte coupé", "Text cut off"),
    "identity": Wording("Texte identique", "Identical text"),
    "language": Wording("Langue", "Language"),
    "terms_lost": Wording("Termes perdus", "Terms lost"),
    "terms_new": Wording("Termes nouveaux", "Terms new"),
    "terms_original": Wording("Sujet de l'original", "Subject of the original"),
    "terms_simplification": Wording(
        "Vocabulaire de la simplification", "Vocabulary of the simplification"
    ),
}
_PREFIX_GROUP = {
    "obligation": "modality", "permission": "modality", "condition": "exception",
    "restriction": "exception",
    "quantifier": "exception", "joiner": "exception", "addressee": "party",
}  # fmt: skip
BAGS = ("terms_original", "terms_simplification", "terms_lost", "terms_new")
_PUNCTUATION = {"semicolons": ";", "colons": ":", "commas": ",", "brackets": "(", "quotes": '"'}


@dataclass(frozen=True)
class PairReading:
    """What the features say of a pair: a value per name of ``FEATURE_NAMES``, stem counts per name
    of ``BAGS``."""

    values: FloatArray
    bags: tuple[Counter[str], ...]
    is_identical: bool
    is_empty: bool


def pair_features(original: Text, simplification: Text) -> dict[str, float]:
    """Every numeric feature of a pair, by name. Counts are words, shares lie in 0…1, lengths are
    natural logs."""
    return {
        **word_features(original, simplification),
        **character_features(original, simplification),
        **order_features(original, simplification),
        **deletion_features(original, simplification),
        **addition_features(original, simplification),
        **number_features(original, simplification),
        **marker_features(original, simplification),
        **name_features(original, simplification),
        **_length_features(original, simplification),
        **_structure_features(original, simplification),
        **_truncation_features(original, simplification),
        **language_features(original, simplification),
        "identity_same": float(original.plain.lower() == simplification.plain.lower()),
    }


def _length_features(original: Text, simplification: Text) -> dict[str, float]:
    words, shorter = len(original.words), len(simplification.words)
    characters, fewer = len(original.plain), len(simplification.plain)
    variety = len(set(simplification.stems)) / max(1, shorter)
    return {
        "length_words_original": math.log1p(words),
        "length_words_simplification": math.log1p(shorter),
        "length_words_ratio": math.log((1 + shorter) / (1 + words)),
        "length_characters_original": math.log1p(characters),
        "length_characters_simplification": math.log1p(fewer),
        "length_characters_ratio": math.log((1 + fewer) / (1 + characters)),
        "length_variety": variety,
        "length_variety_difference": variety - len(set(original.stems)) / max(1, words),
    }


def _structure_features(original: Text, simplification: Text) -> dict[str, float]:
    features: dict[str, float] = {}
    for side, text in (("original", original), ("simplification", simplification)):
        features[f"structure_sentences_{side}"] = float(len(text.sentences))
        features[f"structure_clauses_{side}"] = float(len(text.clauses))
        features[f"structure_sentence_words_{side}"] = len(text.words) / max(1, len(text.sentences))
        features[f"structure_word_letters_{side}"] = sum(map(len, text.words)) / max(
            1, len(text.words)
        )
        for name, mark in _PUNCTUATION.items():
            features[f"structure_{name}_{side}"] = float(text.plain.count(mark))
    for name in ("sentences", "clauses", "word_letters"):
        features[f"structure_{name}_difference"] = (
            features[f"structure_{name}_simplification"] - features[f"structure_{name}_original"]
        )
    return features


def _truncation_features(original: Text, simplification: Text) -> dict[str, float]:
    is_open = not simplification.is_closed
    last = simplification.words[-1] if simplification.words else ""
    unknown = bool(last) and simplification.stems[-1] not in set(original.stems)
    return {
        "truncation_original_open": float(not original.is_closed),
        "truncation_open": float(is_open),
        "truncation_cut": float(original.is_closed and is_open),
        "truncation_function_word": float(last in FUNCTION_WORDS),
        "truncation_unknown_word": float(unknown),
        "truncation_open_unknown": float(is_open and unknown),
        "truncation_colon_original": float(original.plain.endswith(":")),
        "truncation_colon": float(simplification.plain.endswith(":")),
    }


def _bags(original: Text, simplification: Text) -> tuple[Counter[str], ...]:
    before, after = Counter(original.stems), Counter(simplification.stems)
    return before, after, before - after, after - before


FEATURE_NAMES: tuple[str, ...] = tuple(pair_features(Text("", "fr"), Text("", "fr")))


def group_of(feature: str) -> str:
    """The group of ``GROUPS`` that a feature or a bag belongs to."""
    if feature in GROUPS:
        return feature
    prefix = feature.partition("_")[0]
    return _PREFIX_GROUP.get(prefix, prefix)


class PairReader:
    """Reads pairs and remembers them: ten seeds, or a page that is asked twice, pay for the
    features once."""

    def __init__(self, limit: int = 50_000) -> None:
        self._limit = limit
        self._read: OrderedDict[Pair, PairReading] = OrderedDict()

    def read(self, pairs: Sequence[Pair]) -> list[PairReading]:
        """A reading per pair, in order."""
        return [self._reading(pair) for pair in pairs]

    def _reading(self, pair: Pair) -> PairReading:
        reading = self._read.get(pair)
        if reading is None:
            reading = read_pair(pair)
            self._read[pair] = reading
            if len(self._read) > self._limit:
                self._read.popitem(last=False)
        return reading


def read_pair(pair: Pair) -> PairReading:
    """The features of one pair, computed anew."""
    original, simplification = (
        Text(pair.original, pair.language),
        Text(pair.simplification, pair.language),
    )
    values = pair_features(original, simplification)
    return PairReading(
        values=np.array([values[name] for name in FEATURE_NAMES], dtype=np.float64),
        bags=_bags(original, simplification),
        # Punctuation and capitals are no other words: a full stop must not cost three points.
        is_identical=original.words == simplification.words and bool(original.words),
        is_empty=not simplification.words,
    )
