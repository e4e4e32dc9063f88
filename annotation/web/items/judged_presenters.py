"""Judgments of a long table on their way in, in words."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from annotation.corpus.judged import JudgedFile
from annotation.corpus.judged_columns import labels_of
from annotation.models import Study
from annotation.protocols.registry import published
from annotation.web.base.presenters import text
from annotation.web.items.preview import Preview

SHOWN_NAMES = 20


def judged_facts(study: Study, shown: Preview) -> dict[str, Any] | None:
    """What the rows will become: how many texts, systems and judges, and how many answers to each
    question. None where they are no judgments."""
    plan, judged = shown.judged_plan, shown.judged
    if plan is None or judged is None:
        return None
    labels = labels_of(study.protocol)
    return {
        "existing": plan.existing,
        "attached": plan.attached,
        "items": plan.items,
        "simplifications": plan.simplifications,
        "judgments": plan.judgments,
        "systems": _listed(plan.systems),
        "system_count": len(plan.systems),
        "judges": _listed(sorted(plan.judges.values(), key=lambda name: (len(name), name))),
        "judge_count": len(plan.judges),
        "renamed": plan.renamed,
        "addresses": plan.addresses,
        "left_out": judged.left_out,
        "rated": [
            (text(labels[slot.name]), plan.rated[slot.name])
            for slot in study.protocol.slots
            if slot.name in plan.rated
        ],
    }


def sample_judged(judged: JudgedFile, most: int) -> dict[str, Any]:
    """The first rows as they would go in, without who judged: they are called otherwise then."""
    protocol = next(protocol for protocol in published() if protocol.name == judged.protocol)
    slots = [slot for slot in protocol.slots if slot.name in judged.mapping]
    words = {
        slot.name: {
            str(option.value): f"{option.value} · {text(option.label)}" for option in slot.options
        }
        for slot in slots
    }
    return {
        "headings": [
            _("Original"),
            _("Simplification"),
            _("System"),
            *(text(slot.label) for slot in slots),
        ],
        "rows": [
            (
                row.row,
                [
                    row.original,
                    row.simplification,
                    row.system,
                    *(
                        words[slot.name].get(cell, cell)
                        for slot in slots
                        for cell in [row.cells.get(slot.name, "")]
                    ),
                ],
            )
            for row in judged.rows[:most]
        ],
    }


def _listed(names: list[str]) -> str:
    more = len(names) - SHOWN_NAMES
    return ", ".join(names[:SHOWN_NAMES]) + (f", … (+{more})" if more > 0 else "")
