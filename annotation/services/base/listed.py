"""The list of remarks, kept in the transaction of whatever changes what stands in it.

The judgment's assignment is held by whoever calls this.
"""

from __future__ import annotations

from annotation.models import Annotator, Judgment, ListedRemark, Study
from annotation.protocols.base import Answers
from annotation.rows import rows_insert
from annotation.selectors.base.remarked import kinds_said, listed_now, listing_departs

_FIELDS = (
    *("study", "annotator", "submitted_at"),
    *("has_comment", "has_doubt", "is_open", "is_answered"),
)


def remark_list(judgment: Judgment, study: Study, answers: Answers) -> None:
    """Put a judgment that was just submitted for the first time into the list, if it says
    something: nobody can have answered or settled it."""
    said = kinds_said(study.protocol, answers)
    if said and judgment.submitted_at:
        rows_insert(
            ListedRemark(
                judgment_id=judgment.pk,
                study_id=study.pk,
                annotator_id=judgment.assignment.annotator_id,
                submitted_at=judgment.submitted_at,
                has_comment="comment" in said,
                has_doubt="doubt" in said,
                is_open=True,
                is_answered=False,
            )
        )


def remark_relist(judgment: Judgment, study: Study) -> None:
    """Say anew what stands in the list of this judgment, which was corrected, settled, opened
    again or gave way to an earlier one."""
    now = listed_now(study, pk=judgment.pk)
    if not now:
        ListedRemark.objects.filter(judgment=judgment).delete()
    _store(now)


def remarks_relist(annotator: Annotator) -> None:
    """The same of everything that one person judged, where it departs."""
    departing = listing_departs(annotator)
    for judgment, (_kept, counted) in departing.items():
        if not counted:
            ListedRemark.objects.filter(judgment=judgment).delete()
    now = listed_now(annotator.study, assignment__annotator=annotator)
    _store([remark for remark in now if remark.pk in departing])


def _store(now: list[ListedRemark]) -> None:
    ListedRemark.objects.bulk_create(
        now,
        update_conflicts=True,
        unique_fields=["judgment"],
        update_fields=_FIELDS,
        batch_size=500,
    )
