"""Features of what carries law: numbers, amounts, deadlines, negations, modals, exceptions,
parties, names."""

from __future__ import annotations

from collections import Counter

from workers.scorers.lexicon import ENGLISH_FUNCTION_WORDS, FRENCH_FUNCTION_WORDS, MARKERS
from workers.scorers.text import Text

_MONEY = frozenset("$%€")
_MANY = 8


def number_features(original: Text, simplification: Text) -> dict[str, float]:
    """Numbers and amounts: how many, kept, lost, invented; occurrences and distinct values."""
    before, after = original.numbers, simplification.numbers
    lost, new = (before - after).total(), (after - before).total()
    money_before, money_after = _amount_signs(original), _amount_signs(simplification)
    return {
        "numbers_count": float(min(_MANY, before.total())),
        "numbers_kept": 1.0 - lost / max(1, before.total()),
        "numbers_lost": float(lost),
        "numbers_new": float(new),
        "numbers_values_lost": float(len(set(before) - set(after))),
        "numbers_values_new": float(len(set(after) - set(before))),
        "numbers_amounts_lost": float((money_before - money_after).total()),
        "numbers_amounts_new": float((money_after - money_before).total()),
    }


def _amount_signs(text: Text) -> Counter[str]:
    # A blank to fill ("______ $") stands for an amount of the policy.
    return Counter(word for word in text.words if word in _MONEY or word[0] == "_")


def marker_features(original: Text, simplification: Text) -> dict[str, float]:
    """For each list of ``lexicon.MARKERS``: count, difference, density difference, and words lost
    and new."""
    features: dict[str, float] = {}
    for name, words in MARKERS.items():
        before = Counter(word for word in original.words if word in words)
        after = Counter(word for word in simplification.words if word in words)
        n_before, n_after = before.total(), after.total()
        density = n_after / max(1, len(simplification.words)) - n_before / max(
            1, len(original.words)
        )
        features |= {
            f"{name}_count": float(n_before),
            f"{name}_difference": float(n_after - n_before),
            f"{name}_fewer": float(max(0, n_before - n_after)),
            f"{name}_more": float(max(0, n_after - n_before)),
            f"{name}_density": density,
            f"{name}_words_lost": float((before - after).total()),
            f"{name}_words_new": float((after - before).total()),
        }
    return features


def name_features(original: Text, simplification: Text) -> dict[str, float]:
    """Capitalised words kept, lost and new; share of capital letters (an exclusion shouted: NOUS NE
    COUVRONS PAS)."""
    before, after = _capitalised(original), _capitalised(simplification)
    return {
        "names_count": float(len(before)),
        "names_kept": len(before & after) / max(1, len(before)),
        "names_lost": float(len(before - after)),
        "names_new": float(len(after - before)),
        "names_capitals_original": _capital_share(original),
        "names_capitals_simplification": _capital_share(simplification),
    }


def _capitalised(text: Text) -> set[str]:
    return {token for token in text.tokens if token[0].isupper() and len(token) > 1}


def _capital_share(text: Text) -> float:
    return sum(map(str.isupper, text.plain)) / max(1, len(text.plain))


def language_features(original: Text, simplification: Text) -> dict[str, float]:
    """How far the simplification leans to English where the original leans to French, or the
    reverse (-1…1)."""
    return {"language_shift": abs(_lean(simplification) - _lean(original))}


def _lean(text: Text) -> float:
    french = sum(word in FRENCH_FUNCTION_WORDS for word in text.words)
    english = sum(word in ENGLISH_FUNCTION_WORDS for word in text.words)
    return (french - english) / max(1, french + english)
