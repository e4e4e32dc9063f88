"""Annotators modelled."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import study_with_answers
from annotation.selectors.agreement.modelled import models_state
from annotation.services.agreement.modelling import models_request
from api.agreement.serializers.modelled import Models, ModelsJob
from api.idempotency import idempotent
from api.resource import Resource


@extend_schema(tags=["progress"])
class StudyModels(Resource):
    @extend_schema(responses=Models)
    def get(self, request: Request, study: str) -> Response:
        """How probable each label is under Dawid–Skene and MACE (crowd-kit), beside the majority of
        people in the main round, and systems by mixed models (statsmodels), as it was computed
        last. Not during a blind phase."""
        return Response(Models(models_state(study_with_answers(self.person, study))).data)

    @extend_schema(request=None, responses={202: ModelsJob})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Have it computed. Look at this address until nothing is running."""
        led_study = study_with_answers(self.person, study)
        return Response(
            ModelsJob(models_request(actor=self.person, study=led_study)).data, status=202
        )
