"""What a letter tells those who run studies: what waits, which doubts, who is quiet.

Numbers and pseudonyms, never a word of an answer: a blind study's leads may read all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from annotation.models import Study, User
from annotation.selectors.studies.due import Due, study_due
from annotation.selectors.studies.due_words import words_of
from annotation.selectors.watching.remarks import remarks
from annotation.selectors.watching.reminders import remindables

QUIET_DAYS = 7
"""After so many days without a save somebody is quiet, where the study itself names no number."""


@dataclass(frozen=True)
class Quiet:
    """Somebody who has pairs left and has saved nothing for ``days`` whole days."""

    pseudonym: str
    days: int
    open: int


@dataclass(frozen=True)
class StudyDigest:
    """One study in the letter. ``doubts``: open remarks that say a doubt."""

    study: Study
    due: Sequence[Due]
    doubts: int
    quiet: Sequence[Quiet]

    @property
    def lines(self) -> list[tuple[str, int]]:
        """What waits, in the language that is active, with how many doubts are among it."""
        return [
            (words_of(matter), self.doubts if matter.key == "remarks" else 0) for matter in self.due
        ]


def digest_of(user: User, now: datetime) -> list[StudyDigest]:
    """The studies that this person leads and in which something waits; none that is closed or
    archived. Some ten queries for each study."""
    led = Study.objects.filter(leads__user=user, archived_at__isnull=True)
    digests = [_of(study, now) for study in led.exclude(state=Study.State.CLOSED)]
    return [digest for digest in digests if digest.due or digest.quiet]


def _of(study: Study, now: datetime) -> StudyDigest:
    due = study_due(study)
    said = any(matter.key == "remarks" for matter in due)
    doubts = remarks(study, state="open", kind="doubt").count() if said else 0
    return StudyDigest(study, due, doubts, _quiet(study, now))


def _quiet(study: Study, now: datetime) -> list[Quiet]:
    least = timedelta(days=study.reminder_after_days or QUIET_DAYS)
    return [
        Quiet(person.annotator.pseudonym, (now - person.quiet_since).days, person.open)
        for person in remindables(study, now)
        if now - person.quiet_since >= least
    ]
