"""How well clauses are told from the rest of a document: precision and recall of what is kept,
against labels given by hand.

    python -m bench.clauses ../shared/data

Two kinds of labels. Invented forms (``tests/corpus/forms``) have their clauses marked in the text:
a block counts as right where it is such a clause, whole and alone. Documents that are no part of
the project have labels by block, each known by the hash of its text (``bench/clauses.csv``).
"""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from annotation.corpus.funnel import (
    BEFORE_FORMS,
    Criteria,
    Criterion,
    Verdict,
    funnel,
    normalised,
)
from annotation.corpus.segmentation import Block, BlockKind, segment

FORMS = Path(__file__).resolve().parent.parent / "tests" / "corpus" / "forms"
LABELS = Path(__file__).with_suffix(".csv")
TUNED_ON = ("avenants", "embarcations", "entreposage", "voyage")
"""The invented forms that the rules were made or mended with; the others were only measured."""
# What is no clause is asked for, not what is too easy or too long.
_ANY = {"most_sentences": 5, "hardest_only": None, "french_only": False, "drop_duplicates": False}
NOW = Criteria(**_ANY)  # type: ignore[arg-type]
BEFORE = Criteria(**{**_ANY, **BEFORE_FORMS})
_OF_FORMS = {Criterion.TABLE, Criterion.FIELD, Criterion.VERBLESS, Criterion.STANDING}
_OPEN, _CLOSE = "[[", "]]"


@dataclass(frozen=True)
class Score:
    """How many blocks were kept, how many of them are clauses, and how many clauses there are."""

    kept: int
    right: int
    clauses: int

    @property
    def precision(self) -> float:
        """Clauses among what is kept."""
        return self.right / self.kept if self.kept else 1.0

    @property
    def recall(self) -> float:
        """What is kept among the clauses."""
        return self.right / self.clauses if self.clauses else 1.0

    def __add__(self, other: Score) -> Score:
        return Score(self.kept + other.kept, self.right + other.right, self.clauses + other.clauses)


def unmarked(marked: str) -> tuple[str, list[str]]:
    """A form without its marks, and its clauses."""
    clauses = [part.partition(_CLOSE)[0] for part in marked.split(_OPEN)[1:]]
    return marked.replace(_OPEN, "").replace(_CLOSE, ""), clauses


def kept(text: str, criteria: Criteria) -> list[Verdict]:
    """The blocks that the criteria keep of a text."""
    blocks = segment(text, most_sentences=criteria.most_sentences, as_form=criteria.as_form)
    return [verdict for verdict in funnel(blocks, criteria).verdicts if verdict.kept]


def form_score(marked: str, criteria: Criteria) -> Score:
    """What is kept of a marked form against its clauses."""
    text, clauses = unmarked(marked)
    kept_texts = [
        normalised(text[verdict.block.start : verdict.block.end])
        for verdict in kept(text, criteria)
    ]
    wanted = [normalised(clause) for clause in clauses]
    right = sum(
        min(kept_texts.count(kept_text), wanted.count(kept_text)) for kept_text in set(kept_texts)
    )
    return Score(len(kept_texts), right, len(wanted))


def block_hash(text: str) -> str:
    """Names a block's text without telling it."""
    return hashlib.sha256(normalised(text).encode()).hexdigest()[:16]


def labelled(rows: Iterable[Mapping[str, str]]) -> dict[str, dict[str, bool]]:
    """Whether a block is a clause, by file and hash."""
    by_file: dict[str, dict[str, bool]] = {}
    for row in rows:
        by_file.setdefault(row["file"], {})[row["block"]] = row["clause"] == "1"
    return by_file


def labels() -> dict[str, dict[str, bool]]:
    """The labels given by hand."""
    with LABELS.open(encoding="utf-8", newline="") as file:
        return labelled(csv.DictReader(file))


def document_score(text: str, by_hash: Mapping[str, bool], criteria: Criteria) -> Score:
    """What is kept of a document against the labels of its blocks. A block without a label was cut
    differently, and is no clause of those that were labelled. Longer ones than are ever kept are
    left out."""
    blocks = segment(text, most_sentences=criteria.most_sentences, as_form=criteria.as_form)
    short = [block for block in blocks if len(block.sentences) <= criteria.most_sentences]
    there = {block_hash(block.text) for block in short if block.kind is not BlockKind.HEADING}
    clauses = sum(is_clause for hashed, is_clause in by_hash.items() if hashed in there)
    # A clause that is not cut out any more counts as missed.
    gone = sum(
        is_clause
        for hashed, is_clause in by_hash.items()
        if hashed not in {block_hash(block.text) for block in blocks}
    )
    hashes = {block_hash(verdict.block.text) for verdict in kept(text, criteria)}
    return Score(len(hashes), sum(by_hash.get(hashed, False) for hashed in hashes), clauses + gone)


def passages_kept(lines: Iterable[str], criteria: Criteria) -> tuple[int, int]:
    """How many passages of a released corpus, each a clause by its authors' choice, are none here
    for being a form's, and how many there are."""
    texts = {" ".join(json.loads(line)["original"].split()) for line in lines}
    blocks = [Block(1, BlockKind.TEXT, 0, len(text), text, (), ()) for text in texts]
    failures = [funnel([block], criteria).verdicts[0].failed for block in blocks]
    return sum(not failed & _OF_FORMS for failed in failures), len(failures)


def main(folder: str) -> None:
    """Print precision and recall, before forms were known and now."""
    rows: list[tuple[str, Score, Score]] = []
    for path in sorted(FORMS.glob("*.txt")):
        marked = path.read_text(encoding="utf-8")
        name = f"{path.stem} ({'tuned on' if path.stem in TUNED_ON else 'held out'})"
        rows.append((name, form_score(marked, BEFORE), form_score(marked, NOW)))
    for name, by_hash in labels().items():
        path = Path(folder) / name
        if path.exists():
            text = path.read_text(encoding="utf-8-sig")
            before = document_score(text, by_hash, BEFORE)
            rows.append((name, before, document_score(text, by_hash, NOW)))
    for name, before, now in rows:
        print(f"{name:45} before {_said(before)}   now {_said(now)}")
    released = Path(folder) / "frjudge" / "pairs.jsonl"
    if released.exists():
        passages = released.read_text(encoding="utf-8").splitlines()
        right, count = passages_kept(passages, NOW)
        print(
            f"{'frjudge/pairs.jsonl (tuned on)':45} now R {right / count:6.1%} ({right} of {count})"
        )


def _said(score: Score) -> str:
    return (
        f"P {score.precision:6.1%} R {score.recall:6.1%} "
        f"({score.right} of {score.kept} kept, {score.clauses} clauses)"
    )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
