"""Questions and answers as pairs for people to judge, and what they said put back onto the rows.

What is shown to people names no system, no grade and no model. Each pair has a key made of what it
shows, so that rows that show the same (two variants that answer alike) are judged once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.corpus.problems import TableError
from annotation.corpus.question_rows import QuestionRow
from annotation.protocols.base import Wording
from annotation.questions.values import answer_text, pair_text

PAIRS, ANSWERS = "qa_pairs", "qa_answers"
"""Keys of the two protocols."""
ANSWERED = "answered"
_DIMENSIONS = {PAIRS: ("captured", "correct"), ANSWERS: (ANSWERED,)}
_COLUMN = {ANSWERED: "people"}
COLUMNS = ("id", "original", "simplification", "system")
"""Of a file that a study takes in."""


@dataclass(frozen=True)
class Texts:
    """``references`` by source; ``systems``' texts by source and system."""

    references: Mapping[str, str]
    systems: Mapping[tuple[str, str], str]


@dataclass(frozen=True)
class Said:
    """What one person said of the pair ``key`` on one dimension."""

    key: str
    who: str
    dimension: str
    yes: bool


def pair_key(row: QuestionRow) -> str:
    """Of a question with its expected answer."""
    return _key("q", row.source, row.text, row.expected)


def answer_key(row: QuestionRow) -> str:
    """Of an answer from one system's text."""
    return _key("a", row.source, row.system, row.text, row.expected, row.answer)


def for_people(
    rows: Iterable[QuestionRow], texts: Texts, protocol: str, language: str
) -> list[tuple[str, str, str, str]]:
    """The pairs of a study by this protocol, in the order of ``COLUMNS``. Answers that never came,
    and those that say that the text does not say, are not shown: nothing was answered. Raises
    ``TableError`` for a text that is not among ``texts``."""
    pairs: dict[str, tuple[str, str, str, str]] = {}
    for number, row in enumerate(rows, start=2):
        if protocol == PAIRS:
            key, system = pair_key(row), ""
            original = _text(texts.references, row.source, number, row)
            shown = pair_text(row.text, row.expected, language)
        elif row.answer and row.is_in_text:
            key, system = answer_key(row), row.system
            original = _text(texts.systems, (row.source, row.system), number, row)
            shown = answer_text(row.text, row.expected, row.answer, language)
        else:
            continue
        pairs.setdefault(key, (key, original, shown, system))
    return list(pairs.values())


def with_people(
    rows: Sequence[QuestionRow], said: Iterable[Said], protocol: str
) -> list[QuestionRow]:
    """The rows with what people said in a study by this protocol, in place of what they had."""
    by_key: dict[str, dict[str, dict[str, bool]]] = {}
    for judgment in said:
        by_key.setdefault(judgment.key, {}).setdefault(judgment.dimension, {})[judgment.who] = (
            judgment.yes
        )
    key_of = pair_key if protocol == PAIRS else answer_key
    filled = []
    for row in rows:
        shown = by_key.get(key_of(row), {})
        columns: dict[str, Any] = {
            _COLUMN.get(name, name): shown.get(name, {}) for name in _DIMENSIONS[protocol]
        }
        filled.append(replace(row, **columns))
    return filled


def _key(kind: str, *parts: str) -> str:
    text = json.dumps(parts, ensure_ascii=False).encode()
    return f"{kind}-{hashlib.sha256(text).hexdigest()[:20]}"


def _text(texts: Mapping[Any, str], key: Any, number: int, row: QuestionRow) -> str:
    if key in texts:
        return texts[key]
    message = Wording(
        f"Il n'y a pas de texte pour « {row.source} », système « {row.system} ».",
        f"There is no text for “{row.source}”, system “{row.system}”.",
    )
    remedy = Wording(
        "Donnez les textes d'où viennent ces lignes.", "Give the texts that these rows come from."
    )
    raise TableError("no_text", message, remedy, row=number, field="source")
