"""Which stage of its life a study has reached: two of them follow from what was done, not from its
state."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from annotation.models import DatasetSnapshot, PracticeMeeting, Study
from annotation.selectors.studies.going_back import came_from

STAGES = ("draft", "practice", "meeting", "main", "closed", "frozen")
NEXT_STATES = {
    Study.State.DRAFT: (Study.State.PRACTICE, Study.State.MAIN),
    Study.State.PRACTICE: (Study.State.MAIN, Study.State.DRAFT),
    Study.State.MAIN: (Study.State.CLOSED,),
    Study.State.CLOSED: (Study.State.MAIN,),
}
# From the main round: to where it came from.
BACKWARD = {("practice", "draft"), ("closed", "main"), ("main", "draft"), ("main", "practice")}


def next_states(study: Study) -> tuple[Study.State, ...]:
    """Where the study can go from where it is, on or back."""
    onward = NEXT_STATES[Study.State(study.state)]
    if study.state == Study.State.MAIN:
        return (*onward, Study.State(came_from(study)))
    return onward


def stages_left_out(study: Study) -> set[str]:
    """Stages that the study has passed over or may still: no practice item, no meeting."""
    left_out = set()
    if not study.items.filter(in_practice__in=[True]).exists():
        left_out.add("practice")
    if not study.meetings.exists():
        left_out.add("meeting")
    return left_out


def stage_of(study: Study) -> str:
    """The study's state; "meeting" while a practice meeting is open, "frozen" once a snapshot of
    the closed study exists."""
    return stages_of([study])[study.pk]


def stages_of(studies: Collection[Study]) -> dict[int, str]:
    """The same of several studies, by their numbers; two queries however many they are."""
    stages = {study.pk: str(study.state) for study in studies}

    def of(state: Study.State) -> list[int]:
        return [number for number, own in stages.items() if own == state]

    meeting: Iterable[int] = ()
    frozen: Iterable[int] = ()
    if practising := of(Study.State.PRACTICE):
        held = PracticeMeeting.objects.filter(study__in=practising, closed_at__isnull=True)
        meeting = held.values_list("study_id", flat=True)
    if closed := of(Study.State.CLOSED):
        made = DatasetSnapshot.objects.filter(study__in=closed)
        frozen = made.values_list("study_id", flat=True).distinct()
    return stages | dict.fromkeys(meeting, "meeting") | dict.fromkeys(frozen, "frozen")
