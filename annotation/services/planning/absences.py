"""What an absent person has not judged is offered to others, by hand or after a limit.

Begun work stays where it is and may be submitted late; whether it counts then is decided as for
everybody, by who submits first (``services.planning.counting``). What nobody else can take is not
released.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from annotation.errors import RuleError
from annotation.models import Annotator, Assignment, Study, StudyPlan, User, plan_of
from annotation.selectors.planning.absence import presences
from annotation.selectors.planning.plan import allocation
from annotation.services.base.standings import annotators_hold
from annotation.services.planning.assignments import allocation_apply
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import study_row_lock


@dataclass(frozen=True)
class Released:
    """What came of a release: pairs ``offered`` to others, and those that nobody else could
    take."""

    offered: int
    kept: int


def absences_sweep() -> int:
    """Release, in every open study whose plan sets a limit, what people hold who were not heard of
    for so long; how many pairs. By the periodic look."""
    plans = StudyPlan.objects.filter(
        per_item__isnull=False, release_after_days__isnull=False, study__state=Study.State.MAIN
    ).filter(study__archived_at__isnull=True)
    released = 0
    for plan in plans.select_related("study"):
        for presence in presences(plan.study):
            if presence.absent_for(plan.release_after_days or 0) and _waiting(presence.annotator):
                released += _release(None, presence.annotator, days=plan.release_after_days).offered
    return released


def absence_release(*, actor: User, annotator: Annotator, reason: str) -> Released:
    """Offer to others what this person has not submitted in the main round. Raises ``RuleError``:
    no reason, no open main round, a plan under which everybody judges everything, nothing to
    release, nobody who could take it."""
    if not reason.strip():
        raise RuleError.single("reason", "required", "Donnez une raison.", "Give a reason.")
    study = Study.objects.get(pk=annotator.study_id)
    if study.state != Study.State.MAIN:
        raise RuleError.single(
            "annotator",
            "round_closed",
            "La ronde principale n'est pas ouverte : il n'y a rien à libérer.",
            "The main round is not open: there is nothing to release.",
        )
    if plan_of(study).per_item is None:
        raise RuleError.single(
            "annotator",
            "nobody_else",
            "Le plan fait tout juger par tout le monde : personne d'autre ne peut prendre ces "
            "paires. Retirez plutôt la personne de l'étude, ou changez le plan.",
            "The plan has everybody judge everything: nobody else can take these pairs. Withdraw "
            "the person from the study instead, or change the plan.",
        )
    if not _waiting(annotator):
        raise RuleError.single(
            "annotator",
            "nothing",
            "Cette personne n'a rien qui attende : tout est soumis, ou libéré déjà.",
            "This person has nothing waiting: everything is submitted, or released already.",
        )
    released = _release(actor, annotator, reason=reason.strip())
    if not released.offered:
        raise RuleError.single(
            "annotator",
            "nobody_left",
            "Personne d'autre ne peut prendre ces paires : tout le monde les a déjà, ou est "
            "absent. Invitez quelqu'un d'abord.",
            (
                "Nobody else can take these pairs: everybody has them already, or is absent. "
                "Invite somebody first."
            ),
        )
    return released


def _waiting(annotator: Annotator) -> int:
    return _given(annotator).filter(judgment__submitted_at__isnull=True).count()


def _given(annotator: Annotator) -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        annotator=annotator, simplification__item__round="main", released_at__isnull=True
    )


@transaction.atomic
def _release(
    actor: User | None, annotator: Annotator, *, days: int | None = None, **details: object
) -> Released:
    study = study_row_lock(annotator.study_id, no_key=True)
    annotators_hold([annotator.pk])
    if days is not None:
        # Asked again now that nothing moves: whoever came back since the look keeps their pairs.
        details["days"] = days
        if not any(
            presence.annotator == annotator and presence.absent_for(days)
            for presence in presences(study)
        ):
            return Released(0, 0)
    before = _waiting(annotator)
    allocation_apply(
        actor=actor, study=study, drawn=allocation(study, plan_of(study), absent=[annotator.pk])
    )
    released = Released(before - (kept := _waiting(annotator)), kept)
    if released.offered:
        event_record(
            actor=actor,
            study=study,
            verb="pairs_released",
            target=annotator,
            offered=released.offered,
            kept=released.kept,
            **details,
        )
    return released
