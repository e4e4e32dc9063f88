"""How far a study is, and how far its annotators agree."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import answers_readable, study_for_lead
from annotation.selectors.progress import annotators_progress, study_counts
from annotation.selectors.reliability import study_ratings
from api.resource import Resource, asked
from api.serializers.studies import Agreement, AgreementAsked, Progress


@extend_schema(tags=["progress"])
class StudyProgress(Resource):
    @extend_schema(responses=Progress)
    def get(self, request: Request, study: str) -> Response:
        """Counts, and each annotator's work by pseudonym."""
        found = study_for_lead(self.person, study)
        facts = {"state": found.state, "counts": study_counts(found), "annotators": annotators_progress(found)}
        return Response(Progress(facts).data)


@extend_schema(tags=["progress"])
class StudyAgreement(Resource):
    @extend_schema(parameters=[AgreementAsked], responses=Agreement)
    def get(self, request: Request, study: str) -> Response:
        """Agreement on each dimension at its own level of measurement, with intervals and signatures."""
        found, wanted = study_for_lead(self.person, study), asked(AgreementAsked, request)
        answers_readable(found, wanted["round"])
        ratings = study_ratings(found, round=wanted["round"], withdrawn=wanted["withdrawn"])
        reports = ratings.reports(draws=wanted["draws"], seed=wanted["seed"], confidence=wanted["confidence"])
        return Response(
            {
                "round": wanted["round"],
                "judgments": ratings.judgments,
                "dimensions": {name: report.as_dict() for name, report in reports.items()},
            }
        )
