"""Which stage of its life a study has reached: two of them follow from what was done, not from its
state."""

from __future__ import annotations

from annotation.models import Study

STAGES = ("draft", "practice", "meeting", "main", "closed", "frozen")


def stages_left_out(study: Study) -> set[str]:
    """Stages that the study has passed over or may still: no practice item, no meeting."""
    left_out = set()
    if not study.items.filter(round="practice").exists():
        left_out.add("practice")
    if not study.meetings.exists():
        left_out.add("meeting")
    return left_out


def stage_of(study: Study) -> str:
    """The study's state; "meeting" while a practice meeting is open, "frozen" once a snapshot of
    the closed study exists."""
    if (
        study.state == Study.State.PRACTICE
        and study.meetings.filter(closed_at__isnull=True).exists()
    ):
        return "meeting"
    if study.state == Study.State.CLOSED and study.snapshots.exists():
        return "frozen"
    return study.state
