"""Somebody who was made an annotator by mistake is taken out whole, as long as they have saved
nothing; otherwise they are withdrawn (``people.annotator_withdraw``)."""

from __future__ import annotations

from django.db import transaction

from annotation.errors import RuleError
from annotation.models import Annotator, User
from annotation.selectors.base.saved import is_begun
from annotation.services.base.standings import annotators_hold
from annotation.services.planning.assignments import assignments_fill
from annotation.services.planning.unassigning import assignments_undo
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import study_row_lock


@transaction.atomic
def annotator_remove(*, actor: User | None, annotator: Annotator) -> int:
    """Remove an annotator who is a person, with the pairs that they were given; how many. In an
    open round others get their places. Raises ``RuleError`` where they have saved something.

    The audit trail keeps who they were: should they come again, they have their pseudonym and get
    none of the positions under which a browser may still hold answers of theirs
    (``people.annotator_add``); and an erasure finds the study.
    """
    study = study_row_lock(annotator.study_id)
    annotators_hold([annotator.pk])
    if not Annotator.objects.filter(pk=annotator.pk).exists():
        return 0  # another window was faster
    if annotator.kind != Annotator.Kind.PERSON or is_begun(annotator.assignments.all()):
        raise RuleError.single(
            "annotator",
            "begun",
            "Cette personne a déjà enregistré quelque chose : retirez-la plutôt, ses jugements "
            "restent.",
            "They have saved something already: withdraw them instead, their judgments stay.",
        )
    given = assignments_undo(annotator.assignments.all())
    places = Annotator.objects.values_list("places_used", flat=True).get(pk=annotator.pk)
    event_record(
        actor=actor,
        study=study,
        verb="annotator_removed",
        target=annotator,
        user=annotator.user_id,
        pseudonym=annotator.pseudonym,
        **({"pairs": given} if given else {}),
        **({"places": places} if places else {}),
    )
    annotator.delete()
    if study.open_rounds:
        assignments_fill(actor=actor, study=study)
    return given
