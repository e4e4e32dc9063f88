"""How far a study is."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import study_for_lead
from annotation.selectors.watching.progress import annotators_progress, study_counts
from api.resource import Resource
from api.watching.serializers.progress import Progress


@extend_schema(tags=["progress"])
class StudyProgress(Resource):
    @extend_schema(responses=Progress)
    def get(self, request: Request, study: str) -> Response:
        """Counts, and each annotator's work by pseudonym."""
        led_study = study_for_lead(self.person, study)
        progress = annotators_progress(led_study)
        facts = {
            "state": led_study.state,
            "counts": study_counts(led_study, progress),
            "annotators": progress,
        }
        return Response(Progress(facts).data)
