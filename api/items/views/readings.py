"""How far files are that a worker reads. Leads only."""

from __future__ import annotations

import uuid

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import job_for_lead
from annotation.models import Job
from api.items.serializers.readings import ReadingFacts
from api.resource import Resource


def left_to_worker(view: Resource, job: Job) -> Response:
    """The answer to a file that a worker reads: where to look again, and when."""
    facts = ReadingFacts(job).data
    return Response(facts, status=202, headers=view.later_headers(facts["location"]))


@extend_schema(tags=["items"])
class ReadingDetail(Resource):
    @extend_schema(responses=ReadingFacts)
    def get(self, request: Request, study: str, reading: uuid.UUID) -> Response:
        """How far a file is that was left to a worker, and what came of it."""
        reading_job = job_for_lead(self.person, study, reading, kind=Job.Kind.READING)
        return Response(ReadingFacts(reading_job).data)
