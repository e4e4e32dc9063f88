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
    found: dict[str, tuple[str, str, str, str]] = {}
    for number, one in enumerate(rows, start=2):
        if protocol == PAIRS:
            key, system = pair_key(one), ""
            original = _text(texts.references, one.source, number, one)
            shown = pair_text(one.text, one.expected, language)
        elif one.answer and one.is_in_text:
            key, system = answer_key(one), one.system
            original = _text(texts.systems, (one.source, one.system), number, one)
            shown = answer_text(one.text, one.expected, one.answer, language)
        else:
            continue
        found.setdefault(key, (key, original, shown, system))
    return list(found.values())


def with_people(
    rows: Sequence[QuestionRow], said: Iterable[Said], protocol: str
) -> list[QuestionRow]:
    """The rows with what people said in a study by this protocol, in place of what they had."""
    by_key: dict[str, dict[str, dict[str, bool]]] = {}
    for one in said:
        by_key.setdefault(one.key, {}).setdefault(one.dimension, {})[one.who] = one.yes
    key_of = pair_key if protocol == PAIRS else answer_key
    found = []
    for row in rows:
        shown = by_key.get(key_of(row), {})
        columns: dict[str, Any] = {
            _COLUMN.get(name, name): shown.get(name, {}) for name in _DIMENSIONS[protocol]
        }
        found.append(replace(row, **columns))
    return found


def _key(kind: str, *parts: str) -> str:
    told = json.dumps(parts, ensure_ascii=False).encode()
    return f"{kind}-{hashlib.sha256(told).hexdigest()[:20]}"


def _text(texts: Mapping[Any, str], key: Any, number: int, row: QuestionRow) -> str:
    if key in texts:
        return texts[key]
    message = Wording(
        f"Il n'y a pas de texte pour « {row.source} », système « {row.system} ».",
        f"There is no text for “{row.source}”, system “{row.system}”.",
    )
    remedy = Wording(
        "Donnez les textes d'où viennent ces rangées.", "Give the texts that these rows come from."
    )
    raise TableError("no_text", message, remedy, row=number, field="source")
