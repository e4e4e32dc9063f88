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
    for one in marked:
        for edit in one.edits:
            key = marked_as(one, edit, AS_MARKED)
            cut[key][Edit(edit.type, edit.original, edit.simplification)] += 1
            by[key][one.annotator] = None
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
    for one in pairs:
        by_pair[one.pair].append(one)
    found = []
    for name, marked in by_pair.items():
        if len(marked) < max(2, rules.fewest_ratings):
            continue
        shares = [len(one.by) / len(marked) for one in shared_edits(marked)]
        least = min((max(share, 1 - share) for share in shares), default=1.0)
        if least < rules.majority_share - 1e-9:
            values = tuple(sorted(float(len(one.edits)) for one in marked))
            found.append(Dispute(name, values, 1 - least))
    return sorted(found, key=lambda dispute: (-dispute.disagreement, str(dispute.unit)))


def marks_digest(marked: Iterable[MarkedPair]) -> str:
    """A SHA-256 of who marked what on one pair, to see whether a ruling still speaks of it."""
    lines = sorted(
        f"{one.annotator}={json.dumps([[e.type, e.original, e.simplification] for e in one.edits])}"
        for one in marked
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
