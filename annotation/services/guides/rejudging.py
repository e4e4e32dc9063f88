"""Judgments that an amendment of the guide touches are sent back to whoever made them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from django.db import transaction
from django.utils import timezone

from annotation.corpus.problems import names_in_words
from annotation.errors import RuleError
from annotation.models import Assignment, RejudgeRequest, Study, User
from annotation.selectors.base.standings import AGAIN
from annotation.selectors.guides.acknowledgement import guide_in_force
from annotation.selectors.guides.rejudging import sendable
from annotation.services.base.standings import (
    assignments_hold,
    numbers_between,
    numbers_of,
    standings_turn,
)
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import study_row_lock


@transaction.atomic
def rejudge_request(*, actor: User, study: Study, keys: Collection[str], reason: str) -> int:
    """Ask everybody who has judged these items to look at them again; how many judgments that is.

    What is asked for already is not asked for twice. Raises ``RuleError``: no round is open,
    nothing to send back, no reason, or the study has no item of one of the keys.
    """
    # Without the key: a correction that holds its assignment must be able to write its event, or
    # both would wait for good.
    study = study_row_lock(study.pk, no_key=True)
    if not reason.strip():
        raise RuleError.single(
            "reason",
            "required",
            "Dites ce qui a changé : les annotateurs le lisent à côté de la paire.",
            "Say what has changed: annotators read it beside the pair.",
        )
    _check_there(study, keys)
    wanted = Assignment.objects.filter(sendable(study), ~AGAIN, simplification__item__key__in=keys)
    assignments_hold(Assignment.objects.filter(pk__in=list(wanted.values_list("pk", flat=True))))
    # Once more, now that nobody corrects or takes back one of them.
    chosen = list(wanted)
    if not chosen:
        raise RuleError.single(
            "items",
            "nothing",
            (
                "Rien à renvoyer : choisissez des clauses jugées de la ronde ouverte qui n'ont pas "
                "déjà été renvoyées."
            ),
            (
                "Nothing to send back: choose judged items of the open round that were not sent "
                "back already."
            ),
        )
    guide = guide_in_force(study)
    RejudgeRequest.objects.bulk_create(
        RejudgeRequest(
            assignment=assignment, guide=guide, reason=reason.strip(), requested_by=actor
        )
        for assignment in chosen
    )
    again = Counter((assignment.annotator_id, assignment.in_practice) for assignment in chosen)
    more = {key: Counter(again=number) for key, number in again.items()}
    standings_turn([assignment.pk for assignment in chosen], more)
    event_record(
        actor=actor,
        study=study,
        verb="rejudge_requested",
        items=len(set(keys)),
        judgments=len(chosen),
        guide=guide.number if guide else None,
        reason=reason.strip(),
    )
    return len(chosen)


def _check_there(study: Study, keys: Collection[str]) -> None:
    """Raise ``RuleError`` that names the keys of no item: whoever misspelt one would believe it
    sent back."""
    there = set(study.items.filter(key__in=keys).values_list("key", flat=True))
    gone = [key for key in dict.fromkeys(keys) if key not in there]
    if gone:
        named = names_in_words(gone)
        raise RuleError.single(
            "items",
            "missing",
            f"L'étude n'a pas, ou plus, ces clauses : {named.fr}. Rien n'a été renvoyé.",
            f"The study has no such items, or not any more: {named.en}. Nothing was sent back.",
        )


@transaction.atomic
def rejudge_cancel(*, actor: User, study: Study) -> int:
    """Take back what was asked for and has not been done; how many judgments that was. They stay as
    they are."""
    # As in ``rejudge_request``: nobody asks for more meanwhile.
    study = study_row_lock(study.pk, no_key=True)
    open_ = RejudgeRequest.objects.filter(
        assignment__annotator__study=study, resolved_at__isnull=True
    )
    requests = dict(open_.values_list("pk", "assignment"))
    assignments = list(requests.values())
    assignments_hold(Assignment.objects.filter(pk__in=assignments))
    before = numbers_of(study, assignments)
    cancelled = RejudgeRequest.objects.filter(pk__in=requests, resolved_at__isnull=True).delete()[0]
    if cancelled:
        standings_turn(assignments, numbers_between(before, numbers_of(study, assignments)))
        event_record(actor=actor, study=study, verb="rejudge_cancelled", judgments=cancelled)
    return cancelled


def rejudge_resolve(assignment: Assignment) -> int:
    """A new submission answers what was asked for; how many requests. Within the submission's
    transaction."""
    return RejudgeRequest.objects.filter(assignment=assignment, resolved_at__isnull=True).update(
        resolved_at=timezone.now()
    )
