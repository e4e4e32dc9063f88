"""Metrics against the people of one study. Leads only, and never while the study hides its
answers."""

from __future__ import annotations

from typing import ClassVar

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import study_with_answers
from annotation.corpus.metric_scores import scores_of
from annotation.errors import RuleError
from annotation.selectors.metrics.material import brought_metrics
from annotation.services.metrics.brought import ScoresNote, scores_bring
from annotation.services.metrics.measuring import ReportRequest
from annotation.services.metrics.reports import newest_report, report_request
from api.idempotency import idempotent
from api.metrics.serializers import BroughtFacts, ReportFacts, ReportNew, ScoresNew
from api.resource import Resource, body_of


@extend_schema(tags=["metrics"])
class StudyMetrics(Resource):
    @extend_schema(responses=ReportFacts)
    def get(self, request: Request, study: str) -> Response:
        """The newest report on metrics; 404 where none was ordered."""
        job = newest_report(study_with_answers(self.person, study))
        if job is None:
            raise Http404("no report")
        return Response(ReportFacts(job).data)

    @extend_schema(request=ReportNew, responses={202: ReportFacts})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Order a report. A worker writes it: look again until its state is `done`."""
        led_study = study_with_answers(self.person, study)
        report_order = ReportRequest(**body_of(ReportNew, request))
        job = report_request(actor=self.person, study=led_study, request=report_order)
        return Response(ReportFacts(job).data, status=202)


@extend_schema(tags=["metrics"])
class StudyMetricScores(Resource):
    many_rows: ClassVar[bool] = True

    @extend_schema(responses=BroughtFacts(many=True))
    def get(self, request: Request, study: str) -> Response:
        """Metrics whose scores were brought in, by name."""
        led_study = study_with_answers(self.person, study)
        return Response(BroughtFacts(brought_metrics(led_study), many=True).data)

    @extend_schema(request=ScoresNew, responses={201: BroughtFacts(many=True)})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Bring in scores that were computed elsewhere, each metric in place of its former ones.
        All or none: an unknown pair, a pair named twice or a name of Barème's own refuses them
        all."""
        led_study = study_with_answers(self.person, study)
        body = body_of(ScoresNew, request)
        rows = [
            (number, score["pair"].strip(), score["metric"].strip(), repr(score["score"]))
            for number, score in enumerate(body.pop("scores"), 1)
        ]
        read = scores_of(rows)
        if read.fatal is not None:
            raise RuleError([read.fatal])
        brought = scores_bring(
            actor=self.person, study=led_study, scores=read, note=ScoresNote(**body)
        )
        return Response(BroughtFacts(brought, many=True).data, status=201)
