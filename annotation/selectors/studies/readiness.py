"""What a study's next step should find done. A list to read before one decides, not a gate: what is
missing is passed over with a reason, except for what the step cannot do without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import Q
from django.utils import timezone

from annotation.models import (
    Annotator,
    Assignment,
    GenerationRun,
    Item,
    Output,
    RejudgeRequest,
    Study,
    offered_with,
)
from annotation.selectors.generation.runs import newest_outputs
from annotation.selectors.guides.acknowledgement import yet_to_acknowledge
from annotation.selectors.planning.deviations import deviations
from annotation.selectors.planning.preview import pairs_short, plan_obstacles
from annotation.selectors.planning.repeats import repeats_left


@dataclass(frozen=True)
class Readiness:
    """One thing to have done before a step. ``missing`` counts what is left; ``needed`` ones stop
    the step."""

    key: str
    missing: int
    needed: bool = False

    @property
    def ready(self) -> bool:
        return not self.missing


def readiness(study: Study, to: str) -> list[Readiness]:
    """What stands between the study and this state; ``frozen`` is one for this purpose."""
    return [
        Readiness(key, count(study), key in NEEDED)
        for key, count in CHECKS.get((study.state, to), {}).items()
    ]


def unmet(study: Study, to: str) -> list[str]:
    """Keys of what is not done and may be passed over with a reason."""
    return [check.key for check in readiness(study, to) if not check.ready and not check.needed]


def _people(study: Study) -> int:
    return int(
        not study.annotators.filter(kind=Annotator.Kind.PERSON, withdrawn_at__isnull=True).exists()
    )


def _invitations(study: Study) -> int:
    """Annotators who were invited and have not come."""
    open_ = Q(accepted_at__isnull=True, revoked_at__isnull=True, expires_at__gt=timezone.now())
    return study.invitations.filter(open_, role="annotator").count()


def _no_guide(study: Study) -> int:
    return int(not study.guides.exists())


def _nothing_in(round_: str) -> Callable[[Study], int]:
    return lambda study: int(
        not study.items.filter(round=round_, simplifications__isnull=False).exists()
    )


def _without_pair(round_: str) -> Callable[[Study], int]:
    """Items of the round that nobody has simplified."""
    return lambda study: Item.objects.filter(
        study=study, round=round_, simplifications__isnull=True
    ).count()


def _undecided(study: Study) -> int:
    """Flagged outputs of models (cut off, in another language, …) about which nobody has
    decided."""
    runs = GenerationRun.objects.filter(study=study, purpose=GenerationRun.Purpose.SIMPLIFY)
    return sum(
        newest_outputs(run).exclude(flags=[]).filter(decision=Output.Decision.NONE).count()
        for run in runs
    )


def _running(study: Study) -> int:
    """Runs of models that are under way."""
    ended = [GenerationRun.State.DRAFT, GenerationRun.State.FINISHED, GenerationRun.State.CANCELLED]
    return GenerationRun.objects.filter(study=study).exclude(state__in=ended).count()


def _left_in(round_: str) -> Callable[[Study], int]:
    """Pairs of the round that somebody still has to judge."""

    def left(study: Study) -> int:
        given = Assignment.objects.filter(
            annotator__study=study,
            annotator__kind=Annotator.Kind.PERSON,
            annotator__withdrawn_at__isnull=True,
            simplification__item__round__in=offered_with(round_),
            released_at__isnull=True,
        )
        return given.exclude(judgment__submitted_at__isnull=False).count()

    return left


def _no_meeting(study: Study) -> int:
    return int(not study.meetings.filter(closed_at__isnull=False).exists())


def _no_feedback(study: Study) -> int:
    """Practice pairs without a published note."""
    pairs = Item.objects.filter(study=study, round="practice", simplifications__isnull=False)
    return (
        pairs.exclude(simplifications__practice_note__published_at__isnull=False).distinct().count()
    )


def _no_practice(study: Study) -> int:
    """Going straight to the main round skips it."""
    return 1


def _unacknowledged(study: Study) -> int:
    return len(yet_to_acknowledge(study))


def _again(study: Study) -> int:
    """Judgments that were sent back and not made again."""
    people = {
        "assignment__annotator__study": study,
        "assignment__annotator__withdrawn_at__isnull": True,
    }
    return RejudgeRequest.objects.filter(**people, resolved_at__isnull=True).count()


def _unexplained(study: Study) -> int:
    return sum(not one.reason for one in deviations(study))


Checks = dict[str, Callable[[Study], int]]


def _plan(study: Study) -> int:
    """What keeps the plan from giving what it promises. Without pairs or people other lines say
    so."""
    return sum(one.code not in ("no_pairs", "nobody") for one in plan_obstacles(study))


_PEOPLE: Checks = {"annotators": _people, "invitations": _invitations}
_PAIRS: Checks = {"outputs": _undecided, "runs": _running}
_MAIN: Checks = {
    "items": _nothing_in("main"),
    "pairs": _without_pair("main"),
    **_PAIRS,
    "guide": _no_guide,
    **_PEOPLE,
    "plan": _plan,
}
# What a step cannot do without.
NEEDED = frozenset({"items"})
CHECKS: dict[tuple[str, str], Checks] = {
    ("draft", "practice"): {
        "items": _nothing_in("practice"),
        "pairs": _without_pair("practice"),
        **_PAIRS,
        "guide": _no_guide,
        **_PEOPLE,
    },
    ("draft", "main"): {**_MAIN, "practice": _no_practice},
    ("practice", "main"): {
        **_MAIN,
        "practice_done": _left_in("practice"),
        "meeting": _no_meeting,
        "feedback": _no_feedback,
        "acknowledged": _unacknowledged,
    },
    ("main", "closed"): {
        "main_done": _left_in("main"),
        "again": _again,
        "pairs_short": pairs_short,
        "repeats": repeats_left,
    },
    ("closed", "frozen"): {"deviations": _unexplained},
}
