"""The legal-edit probe: a clause whose law was changed must score far below the clause itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.scoring.edits import Edit, EditKind, legal_edits
from annotation.scoring.errors import ScoringError
from annotation.scoring.metrics import FloatArray

# On 1–10 the bracket "accurate" is 7–10, the upper third; an edited clause inside it has been
# accepted.
ACCEPTED_FROM = 2 / 3
MARGIN = 1 / 3
DEFINITION = (
    "False accept: the edited clause scores at least two thirds up the scale (7 on 1–10, the "
    "accurate bracket), or "
    "less than a third of the scale (3 points on 1–10) below the identical pair."
)


@dataclass(frozen=True)
class EditResult:
    """One edit with the score of the identical pair and of the edited one, on the scale."""

    edit: Edit
    identical: float
    edited: float
    is_accepted: bool

    @property
    def margin(self) -> float:
        """``identical - edited`` in points of the scale; the larger the better."""
        return self.identical - self.edited


@dataclass(frozen=True)
class KindResult:
    """All edits of one kind (None: all kinds): mean margin in points, share of false accepts
    (0…1)."""

    kind: EditKind | None
    edits: int
    margin: float
    false_accept: float


@dataclass(frozen=True)
class ProbeReport:
    """``kinds`` in the order of ``EditKind``, only those with an edit; ``results`` to download;
    ``seed`` to repeat."""

    overall: KindResult
    kinds: tuple[KindResult, ...]
    results: tuple[EditResult, ...]
    seed: int
    definition: str = DEFINITION


def probe_edits(
    clauses: Sequence[str], seed: int, *, most_per_kind: int | None = None
) -> list[Edit]:
    """Edits of the distinct clauses, seeded; at most ``most_per_kind`` of each kind, drawn at
    random."""
    edits = [edit for clause in dict.fromkeys(clauses) for edit in legal_edits(clause, seed)]
    if most_per_kind is None:
        return edits
    rng = np.random.default_rng(seed)
    kept: list[Edit] = []
    for kind in EditKind:
        of_kind = [edit for edit in edits if edit.kind is kind]
        chosen = np.sort(rng.permutation(len(of_kind))[:most_per_kind])
        kept.extend(of_kind[place] for place in chosen)
    return kept


def probe(
    predict: Callable[[list[tuple[str, str]]], FloatArray],
    edits: Sequence[Edit],
    *,
    lowest: float,
    highest: float,
    seed: int,
) -> ProbeReport:
    """Score the edits with ``predict`` (pairs of original and simplification to scores on the
    scale).

    Raises ``ScoringError`` ("no_edits") where no clause could be edited.
    """
    if not edits:
        raise ScoringError(
            "no_edits",
            "Aucune clause ne se prête à une modification de droit : la sonde n'a rien à mesurer.",
            "No clause lends itself to a legal edit: the probe has nothing to measure.",
        )
    originals = list(dict.fromkeys(edit.original for edit in edits))
    same = dict(zip(originals, predict([(text, text) for text in originals]), strict=True))
    scores = predict([(edit.original, edit.edited) for edit in edits])
    span = highest - lowest
    results = []
    for edit, score in zip(edits, scores, strict=True):
        identical = float(same[edit.original])
        accepted = score >= lowest + ACCEPTED_FROM * span or identical - score < MARGIN * span
        results.append(EditResult(edit, identical, float(score), bool(accepted)))
    kinds = [_summary(kind, [one for one in results if one.edit.kind is kind]) for kind in EditKind]
    return ProbeReport(
        _summary(None, results), tuple(kind for kind in kinds if kind.edits), tuple(results), seed
    )


def _summary(kind: EditKind | None, results: Sequence[EditResult]) -> KindResult:
    if not results:
        return KindResult(kind, 0, 0.0, 0.0)
    return KindResult(
        kind,
        len(results),
        float(np.mean([result.margin for result in results])),
        float(np.mean([result.is_accepted for result in results])),
    )
