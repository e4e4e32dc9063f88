"""Two studies side by side."""

from __future__ import annotations

from django.utils.translation import get_language, gettext_lazy
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import answers_readable, studies_led, study_for_lead
from annotation.agreement.systems.figure import Drawn
from annotation.selectors.agreement.studies import (
    SAME_JUDGMENTS,
    Part,
    sent_back_figures,
    studies_figures,
)
from api.agreement.serializers.studies import StudiesBeside, StudiesQuery
from api.fields import unknown_choice
from api.resource import Resource, query_of

OTHER_STUDY = gettext_lazy(
    "What a guide sent back is compared within one study: give the key of the study itself."
)


@extend_schema(tags=["progress"])
class StudiesSideBySide(Resource):
    @extend_schema(parameters=[StudiesQuery], responses=StudiesBeside)
    def get(self, request: Request, study: str) -> Response:
        """What changed between this study and another that you lead, on the outputs that both
        judged, and how far the two agree: paired changes with intervals and tests, of each system
        too; agreement of individual judgments and of labels. With `sent_back`: what changed in
        judgments that an amended guide sent back. Not during a blind phase of either.
        """
        led_study, wanted = study_for_lead(self.person, study), query_of(StudiesQuery, request)
        other = studies_led(self.person).filter(key=wanted["other"]).first()
        if other is None:
            offered = list(studies_led(self.person).values_list("key", flat=True))
            raise unknown_choice("other", wanted["other"], offered)
        part = Part(wanted["round"], wanted["context"], wanted["guide"])
        of_other = Part(wanted["other_round"], wanted["other_context"], wanted["other_guide"])
        answers_readable(led_study, part.round)
        drawn = Drawn(wanted["draws"], wanted["seed"], wanted["confidence"])
        if wanted["sent_back"]:
            if led_study != other:
                raise ValidationError({"other": [OTHER_STUDY]})
            figures = sent_back_figures(led_study, part, drawn, withdrawn=wanted["withdrawn"])
            return Response(StudiesBeside(figures.as_dict()).data)
        answers_readable(other, of_other.round)
        if (led_study, part) == (other, of_other):
            raise ValidationError({"other": [SAME_JUDGMENTS.get(get_language() or "fr")]})
        figures = studies_figures(
            (led_study, part),
            (other, of_other),
            wanted["match"],
            drawn,
            withdrawn=wanted["withdrawn"],
        )
        return Response(StudiesBeside(figures.as_dict()).data)
