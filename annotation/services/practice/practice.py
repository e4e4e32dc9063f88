"""The practice meeting and what the lead writes for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation import answers as storage
from annotation.errors import RuleError
from annotation.models import (
    Annotator,
    Judgment,
    PracticeMeeting,
    PracticeNote,
    Simplification,
    Study,
    User,
)
from annotation.protocols.base import Answers, Problem, Wording
from annotation.protocols.kinds import ShapeError
from annotation.selectors.practice.practice import everybody_submitted
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import row_lock, study_row_lock

LONGEST_NOTE = 20_000

_YOUR_OWN = Wording(
    "{fr} Les mots de la personne ne sont pas repris : écrivez les vôtres, puis enregistrez.",
    "{en} The person's own words are not taken over: write yours, then save.",
)


@transaction.atomic
def meeting_open(
    *, actor: User, study: Study, shows_names: bool = False, reason: str = ""
) -> PracticeMeeting:
    """Put everybody's practice answers side by side. Before everybody has submitted it takes a
    reason.

    Raises ``RuleError``: one is open, no practice round was opened yet, somebody is not done and no
    reason was given.
    """
    study = study_row_lock(study.pk)
    if study.meetings.filter(closed_at__isnull=True).exists():
        raise RuleError.single(
            "meeting", "open", "La réunion est déjà ouverte.", "The meeting is open already."
        )
    if study.state == Study.State.DRAFT or not study.items.filter(round="practice").exists():
        raise RuleError.single(
            "meeting",
            "no_practice",
            "Il n'y a pas encore de ronde d'essai à discuter : ouvrez-la d'abord.",
            "There is no practice round to talk about yet: open it first.",
        )
    early = not everybody_submitted(study)
    if early and not reason.strip():
        raise RuleError.single(
            "reason",
            "required",
            (
                "Tout le monde n'a pas soumis : attendez, ou dites pourquoi vous ouvrez la réunion "
                "maintenant."
            ),
            "Not everybody has submitted: wait, or say why you open the meeting now.",
        )
    meeting = PracticeMeeting.objects.create(
        study=study, opened_by=actor, shows_names=shows_names, reason=reason.strip()
    )
    details: dict[str, Any] = {"early": True} if early else {}
    event_record(
        actor=actor,
        study=study,
        verb="meeting_opened",
        target=meeting,
        names=shows_names,
        reason=reason.strip(),
        **details,
    )
    return meeting


@transaction.atomic
def meeting_set_names(*, actor: User, study: Study, shows_names: bool) -> PracticeMeeting:
    """Names or pseudonyms on the screen. Raises ``RuleError`` where no meeting is open."""
    meeting = _open_meeting(study)
    if meeting.shows_names != shows_names:
        meeting.shows_names = shows_names
        meeting.save(update_fields=["shows_names"])
        event_record(
            actor=actor, study=study, verb="meeting_names_set", target=meeting, names=shows_names
        )
    return meeting


@transaction.atomic
def meeting_close(*, actor: User, study: Study) -> PracticeMeeting:
    """End the meeting. Raises ``RuleError`` where none is open."""
    meeting = _open_meeting(study)
    meeting.closed_at = timezone.now()
    meeting.save(update_fields=["closed_at"])
    event_record(actor=actor, study=study, verb="meeting_closed", target=meeting)
    return meeting


def practice_pair_hold(pair: Simplification) -> None:
    """Lock a practice pair, so that two who write its note wait for each other, the first of them
    too. Within a transaction. Raises ``Http404`` where the pair was removed."""
    row_lock(Simplification.objects.select_for_update(no_key=True), pair.pk)


@transaction.atomic
def practice_note_save(
    *,
    actor: User,
    study: Study,
    pair: Simplification,
    note: str,
    reference: Any = None,
    builds_on: str | None = None,
) -> PracticeNote:
    """Write the lead's note on a practice pair, with a reference judgment or none.

    ``builds_on``: the ``version`` of the note that was before the writer's eyes, "" where there was
    none; None takes the place of whatever stands. The reference is held to the protocol's rules, as
    an annotator's judgment is. Raises ``RuleError``, naming each field.
    """
    _check_pair(study, pair)
    if len(note) > LONGEST_NOTE:
        raise RuleError.single(
            "note",
            "too_long",
            f"Au plus {LONGEST_NOTE} caractères ({len(note)} reçus).",
            f"At most {LONGEST_NOTE} characters ({len(note)} received).",
        )
    answers = None if reference is None else _reference(study, pair, reference)
    practice_pair_hold(pair)
    stored, made = PracticeNote.objects.select_for_update().get_or_create(simplification=pair)
    if (stored.note, stored.reference) == (note.strip(), answers):
        return stored
    if builds_on is not None and builds_on != ("" if made else stored.version):
        raise RuleError.single(
            "note",
            "changed",
            (
                "La note ou la référence a été enregistrée entre-temps, ailleurs : elle est "
                "affichée sur cette page. Reprenez-y ce qu'il faut; enregistrer encore la "
                "remplace par ce que vous avez saisi."
            ),
            (
                "The note or the reference was saved elsewhere in the meantime: it is shown on "
                "this page. Take over from it what you need; saving again puts what you typed in "
                "its place."
            ),
        )
    stored.note, stored.reference = note.strip(), answers
    stored.updated_at, stored.updated_by = timezone.now(), actor
    stored.save()
    event_record(
        actor=actor,
        study=study,
        verb="practice_note_saved",
        target=pair,
        reference=stored.reference is not None,
    )
    return stored


@transaction.atomic
def practice_reference_adopt(
    *,
    actor: User,
    study: Study,
    pair: Simplification,
    judgment: int,
    note: str | None = None,
    builds_on: str | None = None,
) -> PracticeNote:
    """Take what somebody decided on the pair as the reference, without a word of theirs; nothing
    says whose it was.

    ``note``: what the lead's note says from now on; None leaves it as it is. Raises ``RuleError``
    where there is no such judgment, answers are hidden still, the protocol asks for a text beside
    what was decided, which only the lead can write, or as ``practice_note_save`` does.
    """
    answers = practice_answers_to_adopt(study=study, pair=pair, judgment=judgment)
    try:
        _reference(study, pair, answers)
    except RuleError as error:
        raise RuleError([_asks_of_lead(study, problem) for problem in error.problems]) from error
    practice_pair_hold(pair)
    if note is None:
        stored = PracticeNote.objects.filter(simplification=pair).first()
        note = stored.note if stored else ""
    return practice_note_save(
        actor=actor,
        study=study,
        pair=pair,
        note=note,
        reference=answers,
        builds_on=builds_on,
    )


def practice_answers_to_adopt(*, study: Study, pair: Simplification, judgment: int) -> Answers:
    """What somebody decided on a practice pair, as a lead may take it for the reference: whatever
    they typed, and that they doubted, is left out. Raises ``RuleError`` where there is no such
    judgment or answers are hidden still."""
    _check_pair(study, pair)
    adopted = Judgment.objects.filter(
        pk=judgment,
        assignment__simplification=pair,
        assignment__annotator__kind=Annotator.Kind.PERSON,
        submitted_at__isnull=False,
    ).first()
    if adopted is None or not study.practice_answers_open:
        raise RuleError.single(
            "judgment",
            "unknown",
            "Ce jugement n'existe pas : rechargez la page.",
            "No such judgment: reload the page.",
        )
    # What people type is their own voice, wherever they type it, and a doubt is their own.
    answers = study.protocol.without_typed(storage.restore(adopted, study.protocol))
    doubts = {name: study.protocol.field(name).empty for name in study.protocol.doubts}
    return {**answers, **doubts}


@transaction.atomic
def practice_feedback_publish(*, actor: User, study: Study) -> int:
    """Let annotators read the notes beside their own answers; how many are new to them. Raises
    ``RuleError``: there is nothing to read, or answers are hidden still."""
    study = study_row_lock(study.pk)
    if not study.practice_answers_open:
        raise RuleError.single(
            "feedback",
            "too_early",
            (
                "Tout le monde n'a pas soumis et la réunion n'a pas été ouverte : le retour vient "
                "après."
            ),
            "Not everybody has submitted and no meeting was opened: feedback comes after.",
        )
    notes = PracticeNote.objects.filter(
        simplification__item__study=study,
        simplification__item__round="practice",
        published_at__isnull=True,
    )
    published = notes.update(published_at=timezone.now())
    if not published:
        raise RuleError.single(
            "feedback",
            "nothing",
            "Aucune note à publier : écrivez-en d'abord, ou tout est déjà publié.",
            "No note to publish: write some first, or all are published already.",
        )
    event_record(
        actor=actor, study=study, verb="practice_feedback_published", target=study, number=published
    )
    return published


def _open_meeting(study: Study) -> PracticeMeeting:
    study_row_lock(study.pk)
    meeting = study.meetings.filter(closed_at__isnull=True).first()
    if meeting is None:
        raise RuleError.single(
            "meeting", "closed", "Aucune réunion n'est ouverte.", "No meeting is open."
        )
    return meeting


def _check_pair(study: Study, pair: Simplification) -> None:
    if pair.item.study_id != study.pk or pair.item.round != "practice":
        raise RuleError.single(
            "pair", "unknown", "Cette paire n'est pas de l'essai.", "This is no practice pair."
        )


def _asks_of_lead(study: Study, problem: Problem) -> Problem:
    """A text that is asked for beside what was decided: it was there, in its author's words."""
    if problem.field not in {member[0] for member in study.protocol.free_members}:
        return problem
    return replace(problem, message=_YOUR_OWN.format(**vars(problem.message)))


def _reference(study: Study, pair: Simplification, received: Any) -> Answers:
    try:
        answers = study.protocol.clean(received)
    except ShapeError as error:
        raise RuleError([error.problem]) from error
    facts = storage.facts(
        original=pair.item.original,
        simplification=pair.text,
        is_identical=pair.is_identical,
        language=pair.language,
    )
    if problems := study.protocol.problems(answers, facts, study.rulings):
        raise RuleError(problems)
    return answers
