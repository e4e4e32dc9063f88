"""A finished report, for tests of what shows it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from annotation.metrics.metric import Direction, pair
from annotation.metrics.papers.paper import beside
from annotation.metrics.papers.registry import TABLES
from annotation.metrics.report.estimate import Drawn
from annotation.metrics.report.parts import parts
from annotation.metrics.report.people import Candidate, Output, People
from annotation.metrics.report.report import metric_report
from annotation.models import Job, Study, TableReport, User, WorkState
from annotation.protocols.base import Wording


@cache
def small_report() -> dict[str, Any]:
    """Of ten outputs and one metric."""
    kinds = ("d'exclusion", "de garantie", "de résiliation")
    originals = [f"Une clause {kinds[n % 3]}, numéro {n}." for n in range(10)]
    outputs = tuple(
        Output(f"item-{n:04}/0", original, "Une phrase.") for n, original in enumerate(originals)
    )
    human = np.array([[1 + n % 5, 2 + n % 4] for n in range(10)], dtype=float)
    label = Wording("Longueur", "Length")
    metric = Candidate("length", label, Direction.HIGHER, (0, 100), "length", np.arange(10.0))
    people = People(outputs, human, 1, 10)
    made = metric_report(people, [metric], Drawn(draws=100))
    texts = [pair(output.original, output.simplification) for output in outputs]
    made["parts"] = parts(people, texts, [metric])
    return made | {
        "papers": [beside(TABLES[key], made) for key in ("judgebert-3", "judgebert-5-6")],
        "dimension": "legal_meaning",
        "reference": "",
        "references": 0,
        "controls": 10,
        "protocol": "legal_meaning/1",
    }


def finished_report(study: Study, lead: User) -> Job:
    """As if a worker had written it."""
    return Job.objects.create(
        study=study,
        kind=Job.Kind.METRICS,
        state=Job.State.DONE,
        requested_by=lead,
        result=small_report(),
        parameters={"dimension": "legal_meaning"},
    )


def finished_table(lead: User) -> TableReport:
    """As if a worker had written it, of a table without a study."""
    table = {"human": ["meaning"], "sha256": "0" * 64}
    return TableReport.objects.create(
        name="scores.csv",
        state=WorkState.DONE,
        requested_by=lead,
        result=small_report() | {"table": table, "papers": [], "protocol": "", "dimension": ""},
    )
