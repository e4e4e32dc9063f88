"""Who has read which version of the guide."""

from __future__ import annotations

from annotation.models import Annotator, GuideAcknowledgement, GuideVersion, Study
from annotation.prepared import STAND_IN, Prepared

_IN_FORCE = Prepared(
    lambda study: GuideVersion.objects.filter(study=study).order_by("-number")[:1],
    study=STAND_IN,
)


def guide_in_force(study: Study) -> GuideVersion | None:
    """The latest version of the study's guide; None where it has none."""
    return _IN_FORCE.first(study=study.pk)


def guide_due(annotator: Annotator, guide: GuideVersion | None) -> GuideVersion | None:
    """The version in force, where the annotator has not acknowledged it yet; None where nothing is
    due."""
    if guide is None or annotator.kind != Annotator.Kind.PERSON:
        return None
    known = GuideAcknowledgement.objects.filter(annotator=annotator, guide=guide).exists()
    return None if known else guide


def last_acknowledged(annotator: Annotator) -> GuideVersion | None:
    """The latest version that the annotator has acknowledged."""
    return (
        GuideVersion.objects.filter(acknowledgements__annotator=annotator)
        .order_by("-number")
        .first()
    )


def yet_to_acknowledge(study: Study) -> list[Annotator]:
    """The study's people who judge and have not acknowledged the version in force."""
    guide = guide_in_force(study)
    people = study.annotators.filter(
        kind=Annotator.Kind.PERSON, user__isnull=False, withdrawn_at__isnull=True
    )
    return list(people.exclude(acknowledgements__guide=guide)) if guide else []
