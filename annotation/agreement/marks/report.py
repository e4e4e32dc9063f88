"""All figures of some files of edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.agreement.marks.coefficients import SideAgreement, side_agreement
from annotation.agreement.marks.consensus import Outcome, outcomes, token_consensus
from annotation.agreement.marks.counts import Counts, counts_of
from annotation.agreement.marks.figure import Drawn, Draws, Figure
from annotation.agreement.marks.grouping import AS_MARKED, Grouping
from annotation.agreement.marks.layers import Layers, layers_of
from annotation.agreement.marks.matching import EditsAgreement, Found, edits_agreement
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


def edits_report(pairs: Sequence[MarkedPair], grouping: Grouping, drawn: Drawn) -> EditsReport:
    """The report on pairs, whose order matters as ``layers_of`` says."""
    names = sorted({one.annotator for one in pairs})
    layers = layers_of(pairs)
    return EditsReport(
        counts_of(pairs),
        {name: counts_of([one for one in pairs if one.annotator == name]) for name in names},
        len(layers.shared),
        layers.again,
        drawn,
        _agreements(layers, grouping, drawn) if layers.shared else (),
    )


def _agreements(layers: Layers, grouping: Grouping, drawn: Drawn) -> tuple[Agreement, ...]:
    draws = Draws(len(layers.shared), drawn)
    found = []
    for one in [AS_MARKED, grouping] if grouping else [AS_MARKED]:
        merged = (("merged", "yes"),) if one else ()
        sides = {
            side: side_agreement(layers, side, one, draws, (("side", side), *merged))
            for side in SIDES
        }
        consensus = outcomes(token_consensus(layers, one))
        found.append(Agreement(one, consensus, sides, edits_agreement(layers, one, draws, merged)))
    return tuple(found)


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


def _found(one: Found) -> dict[str, Any]:
    return {
        "first_edits": one.first_edits,
        "second_edits": one.second_edits,
        "matched": one.matched,
        "precision": one.precision.as_dict(),
        "recall": one.recall.as_dict(),
        "f1": one.f1.as_dict(),
    }
