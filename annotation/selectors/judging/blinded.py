"""All that an annotator may see of a pair. The dataclass has no field for a system, for another's
answer, for a scorer's output: what is not there cannot leak."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from annotation import answers as storage
from annotation.models import Assignment, round_shown
from annotation.protocols.base import Answers, PairFacts
from annotation.selectors.base.languages import languages_of
from annotation.selectors.guides.rejudging import rejudge_reason


@dataclass(frozen=True)
class BlindedPair:
    """One pair as its annotator sees it, with their own answers."""

    position: int
    round: str
    original: str
    simplification: str
    facts: PairFacts
    findings_open: bool
    """Whether they may be told what a machine sees in the two texts: not before they have answered
    what it could contradict, or submitted."""
    answers: Answers
    revision: int
    saved_at: datetime | None
    active_seconds: int
    submitted_at: datetime | None
    has_unsent_changes: bool
    editable: bool
    is_installed: bool
    """Whether the study's protocol is: without it nothing is judged, and nothing is editable."""
    context_before: str
    context_after: str
    """The neighbours of the original in its source; "" where this annotator is not to see them."""
    languages: dict[str, str]
    """Of the text of each side; "" where it is not known."""
    again: str
    """Why the annotator is asked to judge it again; "" where they are not."""


def blinded_pair(assignment: Assignment) -> BlindedPair:
    """The pair of an assignment that came from ``access.assignment_for``."""
    study = assignment.annotator.study
    simplification = assignment.simplification
    facts = storage.facts(
        original=simplification.item.original,
        simplification=simplification.text,
        is_identical=simplification.is_identical,
        language=simplification.language,
    )
    draft = getattr(assignment, "draft", None)
    judgment = getattr(assignment, "judgment", None)
    submitted_at = judgment.submitted_at if judgment else None
    answers = {**study.protocol.empty_answers(), **(draft.answers if draft else {})}
    return BlindedPair(
        position=assignment.position,
        round=round_shown(simplification.item.round),
        original=simplification.item.original,
        simplification=simplification.text,
        facts=facts,
        findings_open=bool(submitted_at) or study.protocol.may_know_findings(answers),
        answers=answers,
        revision=draft.revision if draft else 0,
        saved_at=draft.saved_at if draft else None,
        active_seconds=draft.active_seconds if draft else 0,
        submitted_at=submitted_at,
        has_unsent_changes=bool(draft and submitted_at and draft.saved_at > submitted_at),
        editable=study.takes_judgments(simplification.item.round),
        is_installed=study.protocol.is_installed,
        context_before=simplification.item.context_before if assignment.context_shown else "",
        context_after=simplification.item.context_after if assignment.context_shown else "",
        languages=languages_of(study, simplification),
        again=rejudge_reason(assignment) if submitted_at else "",
    )
