"""All figures of some files of edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from annotation.agreement.marks.coefficients import SideAgreement, side_agreement
from annotation.agreement.marks.consensus import Outcome, outcomes, token_consensus
from annotation.agreement.marks.counts import Counts, counts_of
from annotation.agreement.marks.figure import Drawn, Draws, Figure
from annotation.agreement.marks.grouping import AS_MARKED, Grouping
from annotation.agreement.marks.layers import Layers, layers_of, side_table
from annotation.agreement.marks.matching import EditsAgreement, EditsMatched, edits_agreement
from annotation.protocols.edits import SIDES, MarkedPair


@dataclass(frozen=True)
class Agreement:
    """With operations counted by a ``grouping``: on the tokens of each side, and on edits.
    ``consensus``: by side, on how many tokens there is which."""

    grouping: Grouping
    consensus: Mapping[str, Mapping[Outcome, int]]
    sides: Mapping[str, SideAgreement]
    edits: EditsAgreement


@dataclass(frozen=True)
class EditsReport:
    """Counts of all pairs and of each annotator's; agreement on the ``shared_pairs`` as operations
    were marked, and then by a grouping where one was asked for. ``again``: pairs that their
    annotator has a second time, which are counted but not compared."""

    counts: Counts
    by_annotator: Mapping[str, Counts]
    shared_pairs: int
    again: int
    drawn: Drawn
    agreement: tuple[Agreement, ...]

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe; equal edits give equal bytes."""
        return {
            "counts": self.counts.as_dict(),
            "annotators": {name: one.as_dict() for name, one in self.by_annotator.items()},
            "shared_pairs": self.shared_pairs,
            "again": self.again,
            "draws": self.drawn.draws,
            "seed": self.drawn.seed,
            "confidence": self.drawn.confidence,
            "agreement": [_agreement(one) for one in self.agreement],
        }


def edits_report(
    pairs: Sequence[MarkedPair],
    grouping: Grouping,
    drawn: Drawn,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    *,
    source_of: Callable[[str], str],
) -> EditsReport:
    """The report on pairs, whose order matters as ``layers_of`` says. ``progress`` is told how many
    parts are done (the label sets and each operation of a side, two people's edits), of how
    many. ``source_of``: what names the source text of an original; intervals draw those with all
    of their pairs."""
    names = sorted({one.annotator for one in pairs})
    layers = layers_of(pairs)
    return EditsReport(
        counts_of(pairs),
        {name: counts_of([one for one in pairs if one.annotator == name]) for name in names},
        len(layers.shared),
        layers.again,
        drawn,
        _agreements(layers, grouping, _draws(layers, drawn, source_of), progress)
        if layers.shared
        else (),
    )


def _draws(layers: Layers, drawn: Drawn, source_of: Callable[[str], str]) -> Draws:
    names = [source_of(next(iter(one.values())).original) for one in layers.shared]
    return Draws(np.unique(names, return_inverse=True)[1].astype(np.int64), drawn)


def _agreements(
    layers: Layers, grouping: Grouping, draws: Draws, progress: Callable[[int, int], None]
) -> tuple[Agreement, ...]:
    groupings = [AS_MARKED, grouping] if grouping else [AS_MARKED]
    total = sum(_parts(layers, one) for one in groupings)
    done = count(1)

    def step() -> None:
        progress(next(done), total)

    progress(0, total)
    found = []
    for one in groupings:
        merged = (("merged", "yes"),) if one else ()
        sides = {
            side: side_agreement(layers, side, one, draws, (("side", side), *merged), step)
            for side in SIDES
        }
        consensus = outcomes(token_consensus(layers, one))
        edits = edits_agreement(layers, one, draws, merged, step)
        found.append(Agreement(one, consensus, sides, edits))
    return tuple(found)


def _parts(layers: Layers, grouping: Grouping) -> int:
    """How many steps there are: as many as ``side_agreement`` and ``edits_agreement`` take."""
    sides = sum(1 + len(side_table(layers, side, grouping).operations) for side in SIDES)
    return sides + len(layers.couples)


def _agreement(found: Agreement) -> dict[str, Any]:
    return {
        "grouping": dict(found.grouping),
        "consensus": {side: dict(one) for side, one in found.consensus.items()},
        "tokens": {side: _side(one) for side, one in found.sides.items()},
        "edits": _edits(found.edits),
    }


def _figures(found: Mapping[str, Figure]) -> dict[str, Any]:
    return {name: one.as_dict() for name, one in found.items()}


def _side(found: SideAgreement) -> dict[str, Any]:
    return {
        "label_sets": _figures(found.coefficients),
        "couples": [
            {"first": one.first, "second": one.second, "cohen": one.kappa.as_dict()}
            for one in found.couples
        ],
        "operations": {
            kind: {"marked_tokens": one.tokens, **_figures(one.coefficients)}
            for kind, one in found.operations.items()
        },
    }


def _edits(found: EditsAgreement) -> dict[str, Any]:
    return {
        "f1": {rule: _figures(by_kind) for rule, by_kind in found.f1.items()},
        "couples": [
            {
                "first": one.first,
                "second": one.second,
                "pairs": one.pairs,
                "found": {
                    rule: {kind: _found(each) for kind, each in by_kind.items()}
                    for rule, by_kind in one.found.items()
                },
                "confused": [{**vars(cell), "pairs": list(cell.pairs)} for cell in one.confused],
            }
            for one in found.couples
        ],
    }


def _found(one: EditsMatched) -> dict[str, Any]:
    return {
        "first_edits": one.first_edits,
        "second_edits": one.second_edits,
        "matched": one.matched,
        "precision": one.precision.as_dict(),
        "recall": one.recall.as_dict(),
        "f1": one.f1.as_dict(),
    }
