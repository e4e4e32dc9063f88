"""Reports on metrics as a snapshot keeps them: those that a worker had written of these answers.
None is computed while a study is being frozen, which would take minutes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.agreement.systems.figure import wording_facts
from annotation.metrics.metric import Kind
from annotation.models import Job, Study
from annotation.protocols.base import Better, Wording
from annotation.release.recipe import SnapshotRecipe
from annotation.selectors.agreement.modelled import answers_digest
from annotation.selectors.base.redaction import Redaction, redaction
from annotation.selectors.publishing.withdrawn import has_withdrawn_answers

NONE_WRITTEN = Wording(
    "Aucun rapport sur les mesures n'avait été établi quand l'étude a été figée. Commandez-le à la "
    "page des mesures, puis figez de nouveau.",
    "No report on metrics had been written when the study was frozen. Order one on the page of "
    "metrics, then freeze again.",
)
WRITTEN_BEFORE = Wording(
    "Le rapport qui avait été établi n'est pas des réponses de l'instantané\u00a0: il est laissé "
    "de côté. Commandez-le de nouveau, puis figez.",
    "The report that had been written is not of the snapshot's answers, and is left out. Order it "
    "again, then freeze.",
)
WITH_WITHDRAWN = Wording(
    "Les rapports sur les mesures comptent les réponses d'une personne qui s'est retirée, et que "
    "l'instantané laisse de côté\u00a0: ils n'y sont pas. Un nouveau rapport les compterait aussi; "
    "sans elles, les chiffres se calculent des textes et des réponses publiés.",
    "Reports on metrics count answers of somebody who has withdrawn, and whom the snapshot leaves "
    "out: they are not in here. A new report would count them too; without them, figures can be "
    "computed from the released texts and answers.",
)
NAMES_SYSTEMS = Wording(
    "La recette de cet instantané tait quel système a écrit quoi\u00a0: ce rapport, dont les "
    "références sont les sorties d'un système, n'y est pas.",
    "This snapshot's recipe does not tell which system wrote what: this report, whose references "
    "are a system's outputs, is not in it.",
)
_KEPT = (
    *("method", "n", "sources", "people", "ratings", "scale", "draws", "seed", "confidence"),
    *("best", "ceiling", "strata", "dimension", "reference", "references", "controls", "notes"),
)
_OF_LINE = (
    *("name", "label", "signature", "direction", "is_baseline", "is_brought", "kind", "n"),
    *("missing", "figures", "epsilon", "versus"),
)


def frozen_metrics(study: Study, recipe: SnapshotRecipe) -> dict[str, Any]:
    """JSON-safe: ``reports``, the newest of each dimension and references, or in ``undefined`` why
    there is none; ``left_out``: why others are not among them."""
    newest: dict[tuple[str, str], dict[str, Any]] = {}
    done = Job.objects.filter(study=study, kind=Job.Kind.METRICS, state=Job.State.DONE)
    for job in done.order_by("-pk"):
        report = job.result
        # Of a snapshot of before: this one's answers have their own.
        if report.get("snapshot"):
            continue
        newest.setdefault((report["dimension"], report["reference"]), report)
    if not newest:
        return {"undefined": wording_facts(NONE_WRITTEN), "reports": [], "left_out": []}
    digest = answers_digest(study)
    has_withdrawn = has_withdrawn_answers(study)
    redacted = redaction(study)
    kept, left_out = [], []
    for (dimension, _reference), report in sorted(newest.items()):
        # First what no new report would mend.
        reason = None
        if report["reference"] and not recipe.systems:
            reason = NAMES_SYSTEMS
        elif has_withdrawn:
            reason = WITH_WITHDRAWN
        elif report.get("answers") != digest:
            reason = WRITTEN_BEFORE
        if reason is None:
            kept.append(_report(report, _Disclosure.of(report, redacted, systems=recipe.systems)))
        else:
            left_out.append({"dimension": dimension, "reason": wording_facts(reason)})
    reason_of_all = left_out[0]["reason"] if not kept else None
    return {"undefined": reason_of_all, "reports": kept, "left_out": left_out}


@dataclass(frozen=True)
class _Disclosure:
    """What may be told of a report's lines: whether ``systems`` are, and the ``names`` under which
    brought metrics, which somebody typed, stand in it."""

    redacted: Redaction
    systems: bool
    names: Mapping[str, str]

    @classmethod
    def of(cls, report: dict[str, Any], redacted: Redaction, *, systems: bool) -> _Disclosure:
        """Names that become the same are numbered."""
        taken = {line["name"] for line in report["lines"] if not line["is_brought"]}
        names = {}
        for line in report["lines"]:
            if line["is_brought"]:
                name = once = redacted.text(line["name"])
                number = 1
                while name in taken:
                    number += 1
                    name = f"{once} {number}"
                taken.add(name)
                names[line["name"]] = name
        return cls(redacted, systems, names)

    def name(self, name: str) -> str:
        """Of any line."""
        return self.names.get(name, name)

    def signature(self, signature: str, name: str) -> str:
        """Of a brought metric; its note only where systems are told: it may say which they are."""
        _former, *parts = signature.split("|")
        kept = [name.replace("|", "/")]
        for part in parts:
            # A digest could be taken for a telephone number, and nobody typed it.
            is_note = part.startswith("note:")
            if not is_note:
                kept.append(part)
            elif self.systems:
                kept.append(f"note:{self.redacted.text(part.removeprefix('note:'))}")
        return "|".join(kept)


def _report(report: dict[str, Any], disclosure: _Disclosure) -> dict[str, Any]:
    """Without what only pages draw, and where systems are not told, without parts by system.
    ``units``: the outputs in the order of each line's ``values``; None of too many."""
    kept = {name: report[name] for name in _KEPT}
    # Reports of before took higher for better on every human scale.
    kept["better"] = report.get("better", Better.HIGHER.value)
    kept["without_reference"] = report.get("without_reference", 0)
    kept["best"] = disclosure.name(report["best"])
    kept["strata"] = [
        stratum
        | {"pearson": {disclosure.name(name): value for name, value in stratum["pearson"].items()}}
        for stratum in report["strata"]
        if disclosure.systems or stratum["dimension"] != "system"
    ]
    points = report["points"]
    kept["units"] = points["units"] if points else None
    kept["lines"] = [_line(line, disclosure) for line in report["lines"]]
    return kept


def _line(line: dict[str, Any], disclosure: _Disclosure) -> dict[str, Any]:
    """``values`` are None where a model judged: no snapshot holds what it answered. Where systems
    are not told, such a line bears its pseudonym and not the name that its model was given."""
    kept = {name: line[name] for name in _OF_LINE} | {"values": line["points"].get("values")}
    if "competes" in line:  # reports of before do not say
        kept["competes"] = line["competes"]
    name = disclosure.name(line["name"])
    named = {"name": name, "label": wording_facts(Wording(name, name))}
    if line["is_brought"]:
        return kept | named | {"signature": disclosure.signature(line["signature"], name)}
    if line["kind"] != Kind.JUDGE:
        return kept
    return kept | ({} if disclosure.systems else named) | {"values": None}
