"""A guide is read before anything is judged by it."""

from __future__ import annotations

from django.db import transaction

from annotation.errors import RuleError
from annotation.models import Annotator, GuideAcknowledgement
from annotation.selectors.guides.acknowledgement import guide_in_force
from annotation.services.platform.events import event_record


@transaction.atomic
def guide_acknowledge(*, annotator: Annotator, number: int) -> GuideAcknowledgement:
    """Record that the annotator has read the version in force; a second time changes nothing.

    Raises ``RuleError`` where ``number`` is not the version in force: another was published since
    the page was opened.
    """
    guide = guide_in_force(annotator.study)
    if guide is None or guide.number != number:
        raise RuleError.single(
            "number",
            "not_in_force",
            (
                "Cette version du guide n'est pas celle en vigueur : lisez celle qui est affichée, "
                "puis confirmez."
            ),
            "This version of the guide is not the one in force: read the one shown, then confirm.",
        )
    acknowledgement, made = GuideAcknowledgement.objects.get_or_create(
        annotator=annotator, guide=guide
    )
    if made:
        event_record(
            actor=annotator.user,
            study=annotator.study,
            verb="guide_acknowledged",
            target=guide,
            number=number,
        )
    return acknowledgement
