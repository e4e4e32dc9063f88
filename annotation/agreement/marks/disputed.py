"""Edits that several people marked on one pair, each once with those who did: what a ruling is made
on, and which pairs ask for one."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotation.agreement.disputes import Dispute, DisputeRules
from annotation.agreement.marks.grouping import AS_MARKED
from annotation.agreement.marks.matching import Marked, marked_as
from annotation.protocols.edits import Edit, MarkedPair


@dataclass(frozen=True)
class SharedEdit:
    """One operation on the same tokens of both sides, whoever marked it: ``edit`` as most of them
    cut it, ``by`` whom, in order."""

    edit: Edit
    by: tuple[str, ...]


def shared_edits(marked: Sequence[MarkedPair]) -> list[SharedEdit]:
    """Every edit that the annotators of one pair marked; those of most of them first, then in the
    order of the texts."""
    cut: dict[Marked, Counter[Edit]] = defaultdict(Counter)
    by: dict[Marked, dict[str, None]] = defaultdict(dict)
    for pair in marked:
        for edit in pair.edits:
            key = marked_as(pair, edit, AS_MARKED)
            cut[key][Edit(edit.type, edit.original, edit.simplification)] += 1
            by[key][pair.annotator] = None
    order = sorted(cut, key=lambda key: (-len(by[key]), key.tokens, key.kind))
    return [
        SharedEdit(
            min(cut[key], key=lambda edit: (-cut[key][edit], edit.original, edit.simplification)),
            tuple(sorted(by[key])),
        )
        for key in order
    ]


def mark_disputes(pairs: Iterable[MarkedPair], rules: DisputeRules) -> list[Dispute]:
    """The pairs on which an edit is disputed: neither those who marked it nor those who did not
    reach ``majority_share`` of the annotators. ``values``: how many edits each marked, ascending;
    ``disagreement``: 1 − the share of the larger of both, of the edit that divides most. The most
    divided first."""
    by_pair: dict[str, list[MarkedPair]] = defaultdict(list)
    for marked_pair in pairs:
        by_pair[marked_pair.pair].append(marked_pair)
    disputes = []
    for name, marked in by_pair.items():
        if len(marked) < max(2, rules.fewest_ratings):
            continue
        shares = [len(edit.by) / len(marked) for edit in shared_edits(marked)]
        least = min((max(share, 1 - share) for share in shares), default=1.0)
        if least < rules.majority_share - 1e-9:
            values = tuple(sorted(float(len(pair.edits)) for pair in marked))
            disputes.append(Dispute(name, values, 1 - least))
    return sorted(disputes, key=lambda dispute: (-dispute.disagreement, str(dispute.unit)))


def marks_digest(marked: Iterable[MarkedPair]) -> str:
    """A SHA-256 of who marked what on one pair, to see whether a ruling still speaks of it."""
    lines = sorted(
        f"{pair.annotator}="
        f"{json.dumps([[e.type, e.original, e.simplification] for e in pair.edits])}"
        for pair in marked
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
