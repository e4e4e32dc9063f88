"""An annotator leaves a study by themselves."""

from __future__ import annotations

from django.db import transaction

from annotation.errors import RuleError
from annotation.models import Annotator, User
from annotation.services.people.people import annotator_withdraw
from annotation.services.platform.letters import leaving_letters_later


@transaction.atomic
def annotator_leave(*, actor: User, annotator: Annotator, reason: str = "") -> Annotator:
    """Take oneself out of a study: a withdrawal like any other (``annotator_withdraw``), whose
    event says who wanted it. Those who run the study are written to. A reason is theirs to give or
    to keep. Raises ``RuleError`` for somebody else's part."""
    if annotator.user_id != actor.pk:
        raise RuleError.single(
            "annotator",
            "not_yours",
            "On ne quitte une étude que pour soi-même.",
            "Nobody leaves a study for somebody else.",
        )
    # The reason of a withdrawal may be published, as that of a departure from the plan. What
    # somebody says of themselves is for those who run the study.
    said = {"said": reason.strip()} if reason.strip() else {}
    left = annotator_withdraw(
        actor=actor, annotator=annotator, reason="A quitté l'étude de soi-même.", **said
    )
    leaving_letters_later(annotator=left, reason=reason.strip())
    return left
