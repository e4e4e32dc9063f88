"""A scorer beside the people of one closed study. Leads only: nobody who judges may see what it
says."""

from __future__ import annotations

from dataclasses import asdict

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import study_for_lead
from annotation.models import Study
from annotation.services.scoring.study_scores import (
    StudyScores,
    not_closed,
    study_scores,
    study_scores_job,
    study_scores_request,
)
from api.idempotency import idempotent
from api.resource import Resource
from api.scoring.serializers import StudyScoresFacts, StudyScoringFacts

_NONE = StudyScores((), None, None, 0, "")


@extend_schema(tags=["scorers"])
class StudyScorings(Resource):
    @extend_schema(responses=StudyScoresFacts)
    def get(self, request: Request, study: str) -> Response:
        """The newest scores of a closed study beside what people said; refused while the study is
        not closed."""
        led_study = study_for_lead(self.person, study)
        if led_study.state != Study.State.CLOSED:
            raise not_closed()
        job = study_scores_job(led_study)
        scores = _NONE if job is None else study_scores(led_study, job)
        return Response(StudyScoresFacts({"scoring": job, **asdict(scores)}).data)

    @extend_schema(request=None, responses={202: StudyScoringFacts})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Have every judged simplification of the main round scored by the scorer in service. A
        worker does it."""
        led_study = study_for_lead(self.person, study)
        job = study_scores_request(actor=self.person, study=led_study)
        return Response(StudyScoringFacts(job).data, status=202)
