"""Judgments that an amendment of the guide touches, sent back."""

from __future__ import annotations

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import study_for_lead
from annotation.selectors.guides.rejudging import candidates
from annotation.services.guides.rejudging import rejudge_cancel, rejudge_request
from api.guides.serializers.rejudging import CandidateFacts, SentBack
from api.idempotency import idempotent
from api.platform.serializers import Changed
from api.resource import Resource, body_of


@extend_schema(tags=["studies"])
class Rejudging(Resource):
    many_rows: ClassVar[bool] = True

    @extend_schema(responses=CandidateFacts(many=True))
    def get(self, request: Request, study: str) -> Response:
        """Items whose judgments of the open round can be sent back."""
        led_study = study_for_lead(self.person, study)
        rows = candidates(led_study)
        if led_study.hides_answers("all"):
            rows = [
                candidate.__class__(**vars(candidate) | {"given": {}, "doubts": 0})
                for candidate in rows
            ]
        return Response(CandidateFacts(rows, many=True).data)

    @extend_schema(request=SentBack, responses=Changed)
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Ask everybody who has judged these items to look at them again, and say why. Where
        one of ``items`` is none of the study's, nothing is sent back."""
        led_study, wanted = study_for_lead(self.person, study), body_of(SentBack, request)
        number = rejudge_request(
            actor=self.person, study=led_study, keys=wanted["items"], reason=wanted["reason"]
        )
        return Response(Changed({"changed": number}).data)

    @extend_schema(request=None, responses={200: Changed})
    @idempotent()
    def delete(self, request: Request, study: str) -> Response:
        """Take back what was asked for and has not been done."""
        number = rejudge_cancel(actor=self.person, study=study_for_lead(self.person, study))
        return Response(Changed({"changed": number}).data)
