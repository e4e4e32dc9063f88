"""A study's stages and what each next step should find done, in words and with links."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy, pgettext_lazy

from annotation.models import Study
from annotation.selectors.studies.going_back import round_taken
from annotation.selectors.studies.life import (
    BACKWARD,
    STAGES,
    next_states,
    stage_of,
    stages_left_out,
    stages_of,
)
from annotation.selectors.studies.readiness import Readiness, readiness

STAGE_LABELS = {
    "draft": _("in preparation"),
    "practice": _("practice round"),
    "meeting": _("practice meeting"),
    "main": _("main round"),
    "closed": pgettext_lazy("the study", "closed"),
    "frozen": _("frozen"),
}
# What is asked for, and the page where it is done.
CHECKS = {
    "items": (_("Pairs of this round brought in"), "pairs_upload"),
    "pairs": (_("Every item has a simplification"), "study_items"),
    "outputs": (_("Flagged outputs (cut off, wrong language…) decided"), "generation_runs"),
    "runs": (_("No run of models under way or paused"), "generation_runs"),
    "guide": (_("Guide published"), "study_guide"),
    "annotators": (_("Annotators invited and arrived"), "study_people"),
    "invitations": (_("Nobody invited is still awaited"), "study_people"),
    "plan": (_("The plan can be carried out"), "study_plan"),
    "pairs_short": (_("Every pair has as many answers as the plan asks for"), "study_plan"),
    "repeats": (_("Silent repeats were all offered"), "study_plan"),
    "practice": (_("A practice round was held"), "study_practice"),
    "practice_done": (_("Everybody has submitted the practice round"), "study_practice"),
    "meeting": (_("The practice meeting was held and closed"), "study_practice"),
    "feedback": (_("Feedback published on every practice item"), "study_practice"),
    "acknowledged": (_("Everybody has confirmed the guide in force"), "study_guide"),
    "main_done": (_("Everybody has submitted the main round"), "study_people"),
    "again": (_("What was sent back was judged again"), "study_rejudge"),
    "saved": (_("Nobody has saved anything in this round"), "study_watch"),
    "deviations": (_("Every deviation has its reason"), "study_deviations"),
}
# The same of a round in which something was sent back since: counts of the round leave that out.
APART = {
    "practice_done": ngettext_lazy(
        "Everybody has submitted the practice round, but for %(number)s judgment that was sent "
        "back",
        "Everybody has submitted the practice round, but for %(number)s judgments that were sent "
        "back",
        "number",
    ),
    "main_done": ngettext_lazy(
        "Everybody has submitted the main round, but for %(number)s judgment that was sent back",
        "Everybody has submitted the main round, but for %(number)s judgments that were sent back",
        "number",
    ),
}


def stage_labels(studies: Collection[Study]) -> dict[int, str]:
    """The stage of each study in words, by its number: the same on its own page and in lists."""
    return {number: str(STAGE_LABELS[stage]) for number, stage in stages_of(studies).items()}


def life_context(study: Study) -> dict[str, Any]:
    """The rail of stages, and the steps that can be taken."""
    current = stage_of(study)
    reached, left_out = STAGES.index(current), stages_left_out(study)
    steps = [_step(study, to.value, str(to.label)) for to in next_states(study)]
    if current == "closed":
        steps.append(_step(study, "frozen", str(STAGE_LABELS["frozen"])))
    return {
        "stage_label": STAGE_LABELS[current],
        "stages": [
            {
                "key": key,
                "label": STAGE_LABELS[key],
                "current": key == current,
                "past": place < reached and key not in left_out,
                "left_out": place < reached and key in left_out,
            }
            for place, key in enumerate(STAGES)
        ],
        "steps": steps,
    }


def _step(study: Study, to: str, label: str) -> dict[str, Any]:
    checks = readiness(study, to)
    back = (study.state, to) in BACKWARD
    possible = all(check.ready for check in checks if check.needed)
    return {
        "to": to,
        "label": label,
        "back": back,
        "checks": [_check(study, check) for check in checks],
        "possible": possible,
        "takes": round_taken(study) if possible and back and study.state == "main" else None,
        "reason_wanted": back or any(not check.ready and not check.needed for check in checks),
    }


def _check(study: Study, check: Readiness) -> dict[str, Any]:
    label, page = CHECKS[check.key]
    return {
        "label": APART[check.key] % {"number": check.apart} if check.apart else label,
        "url": reverse(page, args=[study.key]),
        "ready": check.ready,
        "needed": check.needed,
        "missing": check.missing,
    }
