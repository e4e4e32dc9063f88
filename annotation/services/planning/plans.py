"""A study's plan set and applied: who judges what, what is released, what is offered beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import MOST_SEED, Assignment, Invitation, Item, Study, StudyPlan, User
from annotation.protocols.base import Problem, Wording
from annotation.protocols.protocol import Protocol
from annotation.selectors.planning.absence import judging
from annotation.selectors.planning.plan import allocation
from annotation.services.base.standings import assignments_hold
from annotation.services.planning.assignments import allocation_apply, main_pairs_undo
from annotation.services.planning.controls import controls_check, controls_make
from annotation.services.planning.counting import pairs_hold, per_item_check, surplus_recount
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import study_row_lock_open

SETTINGS = (
    "per_item",
    "seed",
    "release_after_days",
    "repeat_percent",
    "repeat_after_days",
    "control_identical",
    "control_unrelated",
    "control_unit",
)
MOST_DAYS = 365
MOST_CONTROLS = 1000


@dataclass(frozen=True)
class Applied:
    """What setting a plan did. ``added`` assignments; ``recounted`` answers that were one too many
    and count now."""

    plan: StudyPlan
    added: int
    recounted: int


@transaction.atomic
def plan_set(
    *,
    actor: User | None,
    study: Study,
    redistribute: bool = False,
    reason: str = "",
    **changes: Any,
) -> Applied:
    """Change the plan and, where a round is open, give out what it adds. Submitted and begun work
    stays.

    ``changes``: any of ``SETTINGS``. ``redistribute``: pairs of the open main round that nobody has
    opened are drawn again, so that late comers get their part. Raises ``RuleError``, naming each
    setting that cannot be.
    """
    # Without the key: a submission that holds its pair must be able to write its event, or both
    # would wait for good.
    study = study_row_lock_open(study.pk, no_key=True)
    plan, _made = StudyPlan.objects.select_for_update().get_or_create(
        study=study, defaults={"seed": study.seed}
    )
    before = {name: getattr(plan, name) for name in SETTINGS}
    plan_change(study, plan, changes)
    changed = {
        name: getattr(plan, name) for name in SETTINGS if getattr(plan, name) != before[name]
    }
    recounted = 0
    if "per_item" in changed:
        pairs_hold(study)
        per_item_check(study, plan.per_item)
    if changed:
        plan.updated_at = timezone.now()
        plan.save()
        if "per_item" in changed:
            recounted = surplus_recount(study, plan.per_item)
        event_record(
            actor=actor,
            study=study,
            verb="plan_set",
            target=plan,
            before={name: before[name] for name in changed},
            after=changed,
            reason=reason.strip(),
            **({"recounted": recounted} if recounted else {}),
        )
    return Applied(plan, _give_out(actor, study, plan, redistribute=redistribute), recounted)


def plan_change(study: Study, plan: StudyPlan, changes: dict[str, Any]) -> StudyPlan:
    """The plan with other settings, checked and unsaved: what ``plan_set`` stores and a preview
    looks at.

    Raises ``RuleError`` for every setting that cannot be, and ``TypeError`` for what is none.
    """
    unknown = set(changes) - set(SETTINGS)
    if unknown:
        raise TypeError(f"not a setting of a plan: {', '.join(sorted(unknown))}")
    if study.state == Study.State.CLOSED:
        raise RuleError.single(
            "plan",
            "closed",
            "L'étude est fermée : rouvrez-la pour changer son plan.",
            "The study is closed: reopen it to change its plan.",
        )
    before = {name: getattr(plan, name) for name in SETTINGS}
    for name, value in changes.items():
        setattr(plan, name, value)
    problems = [
        *_people_problems(study, plan),
        *_range_problems(plan),
        *_control_problems(study, plan, before),
    ]
    if plan.seed != before["seed"] and study.state == Study.State.MAIN:
        problems.append(
            _problem(
                "seed",
                "round_open",
                "La ronde principale est ouverte : sa graine ne change plus.",
                "The main round is open: its seed does not change any more.",
            )
        )
    if problems:
        raise RuleError(problems)
    per_item_check(study, plan.per_item)
    controls_check(study, plan)
    return plan


def _give_out(actor: User | None, study: Study, plan: StudyPlan, *, redistribute: bool) -> int:
    if study.state == Study.State.DRAFT:
        if plan.per_item is not None:
            # Of a study that was taken back: its practice round had given every main pair to
            # everybody.
            main_pairs_undo(study)
        return 0
    if study.state == Study.State.MAIN:
        controls_make(actor=actor, study=study, plan=plan)
    if redistribute:
        # What somebody opens at this moment is begun, and stays with them. Everything of theirs, as
        # it is counted anew after a pair was taken back: a save may hold one and want the others.
        assignments_hold(Assignment.objects.filter(annotator__study=study))
    return allocation_apply(
        actor=actor, study=study, drawn=allocation(study, plan, redistribute=redistribute)
    )


def _people_problems(study: Study, plan: StudyPlan) -> list[Problem]:
    if plan.per_item is None:
        if plan.release_after_days is None:
            return []
        return [
            _problem(
                "release_after_days",
                "nobody_else",
                "Tout le monde juge tout : il n'y a personne d'autre à qui offrir les paires d'une "
                "personne absente. Laissez vide, ou choisissez tant de réponses par paire.",
                "Everybody judges everything: there is nobody else to offer an absent person's "
                "pairs to. Leave it empty, or choose so many answers per pair.",
            )
        ]
    people = judging(study).count()
    invited = study.invitations.filter(
        role=Invitation.Role.ANNOTATOR,
        accepted_at__isnull=True,
        revoked_at__isnull=True,
        expires_at__gt=timezone.now(),
    ).count()
    if 1 <= plan.per_item <= people + invited:
        return []
    if plan.per_item < 1:
        return [_out_of_range("per_item", 1, max(1, people + invited))]
    return [
        _problem(
            "per_item",
            "too_many",
            f"{plan.per_item} réponses par paire demandées pour {people} annotateur(s) et "
            f"{invited} invitation(s) en "
            f"attente : invitez encore {plan.per_item - people - invited} personne(s), ou "
            "demandez moins de réponses.",
            f"{plan.per_item} answers per pair for {people} annotator(s) and {invited} waiting "
            "invitation(s): invite "
            f"{plan.per_item - people - invited} more, or ask for fewer answers.",
        )
    ]


def _range_problems(plan: StudyPlan) -> list[Problem]:
    ranges = [("seed", 0, MOST_SEED), ("repeat_after_days", 1, MOST_DAYS)]
    if plan.release_after_days is not None:
        ranges.append(("release_after_days", 1, MOST_DAYS))
    if plan.repeat_percent is not None:
        ranges.append(("repeat_percent", 1, 100))
    share = plan.control_unit == StudyPlan.ControlUnit.PERCENT
    most = 100 if share else MOST_CONTROLS
    ranges += [("control_identical", 0, most), ("control_unrelated", 0, most)]
    problems = [
        _out_of_range(name, low, high)
        for name, low, high in ranges
        if not low <= getattr(plan, name) <= high
    ]
    if plan.control_unit not in StudyPlan.ControlUnit.values:
        problems.append(_problem("control_unit", "unknown", "Unité inconnue.", "Unknown unit."))
    if share and not problems and plan.control_identical + plan.control_unrelated > 100:
        problems.append(
            _problem(
                "control_identical",
                "too_many",
                "Les deux parts dépassent ensemble 100 % : demandez-en moins.",
                "The two shares are more than 100% together: ask for less.",
            )
        )
    return problems


def control_kinds(study: Study) -> list[str]:
    """The kinds of control pairs that the study's protocol says what to expect of; those of others
    would ask annotators what has no answer, and tell nothing of theirs."""
    return [kind for kind in Item.Control.values if kind in study.protocol.controls]


def _control_problems(study: Study, plan: StudyPlan, before: Mapping[str, Any]) -> list[Problem]:
    """What a version that took any kind has stored stays until somebody changes it."""
    there_are = control_kinds(study)
    return [
        _no_such_controls(kind, study.protocol)
        for kind in Item.Control.values
        if kind not in there_are
        and getattr(plan, name := f"control_{kind}") > 0
        and getattr(plan, name) != before[name]
    ]


def _no_such_controls(kind: str, protocol: Protocol) -> Problem:
    french = {Item.Control.IDENTICAL: "identiques", Item.Control.UNRELATED: "sans rapport"}
    return _problem(
        f"control_{kind}",
        "no_such_controls",
        f"Le protocole «\u00a0{protocol.name}\u00a0» ne dit pas ce que des paires de contrôle "
        f"{french[Item.Control(kind)]} doivent recevoir\u00a0: il n'y en a pas. Demandez-en 0.",
        f"The protocol “{protocol.name}” does not say what {kind} control pairs must get: there "
        "are none. Ask for 0.",
    )


def _out_of_range(name: str, low: int, high: int) -> Problem:
    return _problem(
        name,
        "out_of_range",
        f"Donnez un nombre entier de {low} à {high}.",
        f"Give a whole number from {low} to {high}.",
    )


def _problem(field: str, code: str, fr: str, en: str) -> Problem:
    return Problem(field, code, Wording(fr, en))
