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
from annotation.agreement.marks.layers import Layers, layers_of, operations_on
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
            "annotators": {name: counts.as_dict() for name, counts in self.by_annotator.items()},
            "shared_pairs": self.shared_pairs,
            "again": self.again,
            "draws": self.drawn.draws,
            "seed": self.drawn.seed,
            "confidence": self.drawn.confidence,
            "agreement": [_agreement(agreement) for agreement in self.agreement],
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
    names = sorted({pair.annotator for pair in pairs})
    layers = layers_of(pairs)
    return EditsReport(
        counts_of(pairs),
        {name: counts_of([pair for pair in pairs if pair.annotator == name]) for name in names},
        len(layers.shared),
        layers.again,
        drawn,
        _agreements(layers, grouping, _draws(layers, drawn, source_of), progress)
        if layers.shared
        else (),
    )


def _draws(layers: Layers, drawn: Drawn, source_of: Callable[[str], str]) -> Draws:
    names = [source_of(next(iter(by_name.values())).original) for by_name in layers.shared]
    return Draws(np.unique(names, return_inverse=True)[1].astype(np.int64), drawn)


def _agreements(
    layers: Layers, grouping: Grouping, draws: Draws, progress: Callable[[int, int], None]
) -> tuple[Agreement, ...]:
    groupings = [AS_MARKED, grouping] if grouping else [AS_MARKED]
    total = sum(_parts(layers, groups) for groups in groupings)
    done = count(1)

    def step() -> None:
        progress(next(done), total)

    progress(0, total)
    agreements = []
    for groups in groupings:
        merged = (("merged", "yes"),) if groups else ()
        sides = {
            side: side_agreement(layers, side, groups, draws, (("side", side), *merged), step)
            for side in SIDES
        }
        consensus = outcomes(token_consensus(layers, groups))
        edits = edits_agreement(layers, groups, draws, merged, step)
        agreements.append(Agreement(groups, consensus, sides, edits))
    return tuple(agreements)


def _parts(layers: Layers, grouping: Grouping) -> int:
    """How many steps there are: as many as ``side_agreement`` and ``edits_agreement`` take."""
    sides = sum(1 + len(operations_on(layers, side, grouping)) for side in SIDES)
    return sides + len(layers.couples)


def _agreement(agreement: Agreement) -> dict[str, Any]:
    return {
        "grouping": dict(agreement.grouping),
        "consensus": {side: dict(numbers) for side, numbers in agreement.consensus.items()},
        "tokens": {side: _side(tokens) for side, tokens in agreement.sides.items()},
        "edits": _edits(agreement.edits),
    }


def _figures(figures: Mapping[str, Figure]) -> dict[str, Any]:
    return {name: figure.as_dict() for name, figure in figures.items()}


def _side(agreement: SideAgreement) -> dict[str, Any]:
    return {
        "label_sets": _figures(agreement.coefficients),
        "couples": [
            {"first": couple.first, "second": couple.second, "cohen": couple.kappa.as_dict()}
            for couple in agreement.couples
        ],
        "operations": {
            kind: {"marked_tokens": operation.tokens, **_figures(operation.coefficients)}
            for kind, operation in agreement.operations.items()
        },
    }


def _edits(agreement: EditsAgreement) -> dict[str, Any]:
    return {
        "f1": {rule: _figures(by_kind) for rule, by_kind in agreement.f1.items()},
        "couples": [
            {
                "first": couple.first,
                "second": couple.second,
                "pairs": couple.pairs,
                "found": {
                    rule: {kind: _matched_facts(each) for kind, each in by_kind.items()}
                    for rule, by_kind in couple.found.items()
                },
                "confused": [{**vars(cell), "pairs": list(cell.pairs)} for cell in couple.confused],
            }
            for couple in agreement.couples
        ],
    }


def _matched_facts(edits: EditsMatched) -> dict[str, Any]:
    return {
        "first_edits": edits.first_edits,
        "second_edits": edits.second_edits,
        "matched": edits.matched,
        "precision": edits.precision.as_dict(),
        "recall": edits.recall.as_dict(),
        "f1": edits.f1.as_dict(),
    }
