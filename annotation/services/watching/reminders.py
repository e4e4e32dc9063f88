"""Reminders to people who have pairs left: by hand to chosen people, or by the study's own rule."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from annotation.corpus.problems import names_in_words
from annotation.errors import RuleError
from annotation.models import Annotator, Reminder, Study, User
from annotation.selectors.watching.reminders import Remindable, due, remindables
from annotation.services.platform.events import event_record
from annotation.services.platform.letters import letter_send, mail_configured, reminder_letter

# One sweep waits for the mail server for so many letters at most; the next sweep sends the others.
AT_ONCE = 10


@dataclass(frozen=True)
class Handed:
    """A reminder in words, to be handed over by whoever asked for it."""

    annotator: Annotator
    subject: str
    body: str


@dataclass(frozen=True)
class Reminded:
    """What came of it. ``too_soon``: who was reminded lately, with the moment from when they may be
    again."""

    mailed: list[Annotator]
    failed: list[Annotator]
    handed: list[Handed]
    too_soon: list[tuple[Annotator, datetime]]


def chosen_people(study: Study, pseudonyms: Collection[str]) -> set[int]:
    """The ids of the annotators of these pseudonyms. Raises ``RuleError`` that names those whom the
    study does not have: whoever misspelt one would believe them reminded."""
    chosen = dict(study.annotators.filter(pseudonym__in=pseudonyms).values_list("pseudonym", "pk"))
    unknown = [name for name in dict.fromkeys(pseudonyms) if name not in chosen]
    if unknown:
        named = names_in_words(unknown)
        raise RuleError.single(
            "annotators",
            "missing",
            f"L'étude n'a personne de ces pseudonymes : {named.fr}. Personne n'a été relancé.",
            f"The study has nobody of these pseudonyms: {named.en}. Nobody was reminded.",
        )
    return set(chosen.values())


def reminders_send(
    *, actor: User, study: Study, annotators: Collection[int], address: str
) -> Reminded:
    """Remind the chosen people: by e-mail, or as texts to hand over where no mail is configured.

    ``address``: of the page where they go on. People who are done, have left or judge elsewhere are
    passed over.
    """
    mailed = mail_configured()
    too_soon: list[tuple[Annotator, datetime]] = []
    claimed = []
    with transaction.atomic():
        for remindable in _locked(study, annotators):
            if remindable.again_at is not None:
                too_soon.append((remindable.annotator, remindable.again_at))
                continue
            outcome = Reminder.Outcome.SENDING if mailed else Reminder.Outcome.HANDED
            claimed.append((remindable, _claim(actor, study, remindable, outcome)))
    # The slow part stands outside the transaction.
    handed = [] if mailed else [_text(remindable, address) for remindable, _reminder in claimed]
    reminded = [
        remindable.annotator
        for remindable, reminder in claimed
        if mailed and _mail(remindable, reminder, address)
    ]
    failed = [
        remindable.annotator
        for remindable, _reminder in claimed
        if mailed and remindable.annotator not in reminded
    ]
    return Reminded(reminded, failed, handed, too_soon)


def reminders_send_due() -> int:
    """Remind by the studies' own rules; how many letters the mail server took. Nothing without
    mail, or without an address of this installation: then the page of each study says who is
    due."""
    if not mail_configured() or not settings.PUBLIC_URL:
        return 0
    letters = tried = 0
    ruled = Study.objects.filter(
        reminder_after_days__gt=0,
        state__in=[Study.State.PRACTICE, Study.State.MAIN],
        archived_at__isnull=True,
    )
    for study in ruled.order_by("pk"):
        for candidate in due(study, timezone.now())[: AT_ONCE - tried]:
            tried += 1
            with transaction.atomic():
                # Looked at again under the lock: another sweep, or a lead, may have been faster.
                still = due(study, timezone.now()) if _lock(study, [candidate.annotator.pk]) else []
                remindable = next(
                    (other for other in still if other.annotator == candidate.annotator), None
                )
                reminder = remindable and _claim(None, study, remindable, Reminder.Outcome.SENDING)
            letters += bool(
                remindable and reminder and _mail(remindable, reminder, _address(study))
            )
    return letters


def _locked(study: Study, annotators: Collection[int]) -> list[Remindable]:
    """Those of the chosen people who can be reminded, each row locked first."""
    held = _lock(study, annotators)
    return [
        remindable
        for remindable in remindables(study, timezone.now())
        if remindable.annotator.pk in held
    ]


def _lock(study: Study, annotators: Collection[int]) -> set[int]:
    rows = (
        Annotator.objects.select_for_update(no_key=True)
        .filter(study=study, pk__in=annotators)
        .order_by("pk")
    )
    return {row.pk for row in rows}


def _claim(actor: User | None, study: Study, remindable: Remindable, outcome: str) -> Reminder:
    reminder = Reminder.objects.create(
        annotator=remindable.annotator, outcome=outcome, asked_by=actor
    )
    event_record(
        actor=actor,
        study=study,
        verb="annotator_reminded",
        target=remindable.annotator,
        by="mail" if outcome == Reminder.Outcome.SENDING else "hand",
        open=remindable.open,
    )
    return reminder


def _mail(remindable: Remindable, reminder: Reminder, address: str) -> bool:
    """Ask the mail server, and note what it said."""
    taken = letter_send(
        reminder_letter(annotator=remindable.annotator, open_pairs=remindable.open, link=address)
    )
    reminder.outcome = Reminder.Outcome.SENT if taken else Reminder.Outcome.FAILED
    reminder.save(update_fields=["outcome"])
    return taken


def _text(remindable: Remindable, address: str) -> Handed:
    letter = reminder_letter(
        annotator=remindable.annotator, open_pairs=remindable.open, link=address
    )
    return Handed(remindable.annotator, str(letter.subject), str(letter.body))


def _address(study: Study) -> str:
    return f"{settings.PUBLIC_URL}{reverse('annotate_resume', args=[study.key])}"
