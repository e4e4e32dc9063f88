"""What a study's next step should find done. A list to read before one decides, not a gate: what is
missing is passed over with a reason, except for what the step cannot do without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import Q, QuerySet, Sum
from django.utils import timezone

from annotation.models import (
    Annotator,
    GenerationRun,
    Item,
    RejudgeRequest,
    Study,
    Tally,
    plan_of,
)
from annotation.selectors.base.outputs import undecided_outputs
from annotation.selectors.guides.acknowledgement import yet_to_acknowledge
from annotation.selectors.judging.queue import of_round
from annotation.selectors.planning.deviations import deviations
from annotation.selectors.planning.preview import pairs_short, plan_obstacles
from annotation.selectors.planning.repeats import repeats_left
from annotation.selectors.studies.going_back import main_begun


@dataclass(frozen=True)
class Readiness:
    """One thing to have done before a step. ``missing`` counts what is left; ``needed`` ones stop
    the step. ``apart``: what was sent back of a round that everybody has submitted, which another
    line asks for and counts of the round leave out."""

    key: str
    missing: int
    needed: bool = False
    apart: int = 0

    @property
    def ready(self) -> bool:
        return not self.missing


def readiness(study: Study, to: str) -> list[Readiness]:
    """What stands between the study and this state; ``frozen`` is one for this purpose."""
    checks = CHECKS.get((study.state, to), {})
    numbers = {key: count(study) for key, count in checks.items() if _is_asked(study, key)}
    return [
        Readiness(key, missing, key in NEEDED, 0 if missing else _sent_back_in(study, key))
        for key, missing in numbers.items()
        if missing or not numbers.get(ABOUT.get(key, ""))
    ]


def unmet(study: Study, to: str) -> list[str]:
    """Keys of what is not done and may be passed over with a reason."""
    return [check.key for check in readiness(study, to) if not check.ready and not check.needed]


def _is_asked(study: Study, key: str) -> bool:
    """What the plan does not ask for is no more done than left undone, and so is what never was."""
    if key in ASKED_BY:
        return getattr(plan_of(study), ASKED_BY[key]) is not None
    return key not in EVER or EVER[key](study)


def _sent_back(study: Study) -> bool:
    # Mostly nothing ever was, in any study: then no judgment is looked at.
    requests = RejudgeRequest.objects.all()
    return requests.exists() and requests.filter(assignment__annotator__study=study).exists()


def _generated(study: Study) -> bool:
    return _simplifying(study).exists()


def _simplifying(study: Study) -> QuerySet[GenerationRun]:
    return GenerationRun.objects.filter(study=study, purpose=GenerationRun.Purpose.SIMPLIFY)


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
    """Flagged outputs of models about which nobody has decided."""
    return sum(undecided_outputs(run).count() for run in _simplifying(study))


def _running(study: Study) -> int:
    """Runs of models that are under way, or may go on."""
    ended = [GenerationRun.State.DRAFT, GenerationRun.State.FINISHED, GenerationRun.State.CANCELLED]
    return GenerationRun.objects.filter(study=study).exclude(state__in=ended).count()


def _left_in(round_: str) -> Callable[[Study], int]:
    """Pairs of the round that somebody still has to judge, as it is kept of each person."""

    def left(study: Study) -> int:
        kept = Tally.objects.filter(
            of_round(round_ == Item.Round.PRACTICE),
            annotator__study=study,
            annotator__kind=Annotator.Kind.PERSON,
            annotator__withdrawn_at__isnull=True,
        ).aggregate(own=Sum("awaited"), beside=Sum("beside"))
        return (kept["own"] or 0) + (kept["beside"] or 0)

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
    """Judgments that were sent back and not made again, as it is kept of each person."""
    kept = Tally.objects.filter(annotator__study=study, annotator__withdrawn_at__isnull=True)
    return kept.aggregate(number=Sum("again"))["number"] or 0


def _sent_back_in(study: Study, key: str) -> int:
    """The same of the round whose end this line asks for; none where it asks for something else."""
    if key not in ROUNDS:
        return 0
    kept = Tally.objects.filter(
        of_round(ROUNDS[key] == Item.Round.PRACTICE),
        annotator__study=study,
        annotator__withdrawn_at__isnull=True,
    )
    return kept.aggregate(number=Sum("again"))["number"] or 0


def _saved(study: Study) -> int:
    """Whether somebody has saved something of the main round."""
    return int(main_begun(study))


def _unexplained(study: Study) -> int:
    return sum(not deviation.reason for deviation in deviations(study))


Checks = dict[str, Callable[[Study], int]]


def _plan(study: Study) -> int:
    """What keeps the plan from giving what it promises. Without pairs or people other lines say
    so."""
    return sum(obstacle.code not in ("no_pairs", "nobody") for obstacle in plan_obstacles(study))


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
# Of nobody, and of no pair, everything is true: these are left out where what they are about is not
# there.
ABOUT = {"pairs": "items", "practice_done": "annotators", "acknowledged": "annotators"}
ROUNDS = {"practice_done": Item.Round.PRACTICE, "main_done": Item.Round.MAIN}
"""Lines that ask whether a round was submitted, and which."""
ASKED_BY = {"pairs_short": "per_item", "repeats": "repeat_percent"}
"""The setting of the plan without which there is nothing to have done."""
EVER: dict[str, Callable[[Study], bool]] = {"again": _sent_back, "outputs": _generated}
"""Whether there ever was what such a line would call done."""
# What a step cannot do without.
NEEDED = frozenset({"items", "saved"})
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
    ("main", "draft"): {"saved": _saved},
    ("main", "practice"): {"saved": _saved},
    ("closed", "frozen"): {"deviations": _unexplained},
}
