"""The same correlation with more among the outputs: with control pairs, as papers print it "with
data augmentation", and with the references as outputs of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from annotation.metrics.metric import Kind
from annotation.metrics.report.correlations import pearson
from annotation.metrics.report.estimate import NO_SCALE, Drawn, Estimate, root_estimate, undefined
from annotation.metrics.report.levels import NO_CONTROLS, NOT_ASKED
from annotation.metrics.report.people import AUGMENTED, REFERENCES, Candidate, People
from annotation.protocols.base import Wording

NO_REFERENCES = Wording(
    "Aucune sortie d'un système de référence n'a été jugée et mesurée.",
    "No output of a reference system was judged and measured.",
)


def widened(candidate: Candidate, people: People, drawn: Drawn) -> dict[str, Estimate]:
    """``pearson_augmented`` and ``rmse_augmented``: identical pairs count as outputs that get the
    best score and unrelated ones as outputs that get the worst (JUDGEBERT, table 5, lower
    half); ``pearson_references`` and ``rmse_references``: with what the reference systems wrote
    (JADES, table 4). Undefined where nothing is beside, or it has no value."""
    no_controls = NOT_ASKED if candidate.kind == Kind.JUDGE else NO_CONTROLS
    return _with(AUGMENTED, candidate, people, drawn, no_controls) | _with(
        REFERENCES, candidate, people, drawn, NO_REFERENCES
    )


def _with(
    name: str, candidate: Candidate, people: People, drawn: Drawn, reason: Wording
) -> dict[str, Estimate]:
    beside, values = people.beside.get(name), candidate.beside.get(name)
    if beside is None or values is None or np.isnan(values).all():
        return {f"pearson_{name}": undefined(reason), f"rmse_{name}": undefined(reason)}
    wide = replace(candidate, values=np.concatenate([candidate.values, values]))
    human = np.concatenate([people.means, beside.means])
    kept = wide.present
    groups = beside.groups[kept]
    scaled = wide.scaled(*people.ends)
    return {
        f"pearson_{name}": pearson(
            wide.turned[kept], people.turn(human[kept]), groups, drawn
        ).estimate,
        f"rmse_{name}": undefined(NO_SCALE)
        if scaled is None
        else root_estimate((scaled[kept] - human[kept]) ** 2, groups, drawn),
    }
