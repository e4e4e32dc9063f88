"""Why a study departed from its plan, said afterwards where it was not said then."""

from __future__ import annotations

from django.db import transaction

from annotation.errors import RuleError
from annotation.models import Event, Study, User
from annotation.selectors.planning.deviations import deviations
from annotation.services.platform.events import event_record


@transaction.atomic
def deviation_explain(*, actor: User, study: Study, event: int, reason: str) -> Event:
    """Give a departure its reason; a later one takes the former's place, and both stay in the
    trail.

    Raises ``RuleError``: no such departure, or no reason.
    """
    if event not in {deviation.event.pk for deviation in deviations(study)}:
        raise RuleError.single(
            "event",
            "unknown",
            "Cet écart n'existe pas : rechargez la page.",
            "There is no such deviation: reload.",
        )
    if not reason.strip():
        raise RuleError.single("reason", "required", "Dites pourquoi.", "Say why.")
    return event_record(
        actor=actor,
        study=study,
        verb="deviation_explained",
        target=study,
        event=event,
        reason=reason.strip(),
    )
