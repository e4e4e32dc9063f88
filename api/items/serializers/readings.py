"""Files that a worker reads: how far they are, what came of them."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.models import Job
from annotation.services.intake.readings import DOCUMENT, IMPORT, PREVIEW, reading_problems
from api.fields import ChoiceField
from api.items.serializers.pairs import ImportOutcome
from api.problems import problems_in_words


class ReadingProblem(serializers.Serializer[Any]):
    field = serializers.CharField()
    code = serializers.CharField()
    message = serializers.CharField()
    row = serializers.IntegerField(
        required=False, help_text="Left out where it is the file as a whole."
    )
    remedy = serializers.CharField()


class ReadingFacts(serializers.Serializer[Any]):
    """A file that a worker reads. Once it is `done`, `document` or `outcome` says what it brought
    in; once it has `failed`, `problems` says why: nothing of it was stored."""

    id = serializers.UUIDField(source="public_id")
    location = serializers.SerializerMethodField(help_text="Where to look again.")
    what = ChoiceField(source="parameters.what", choices=[DOCUMENT, IMPORT, PREVIEW])
    state = ChoiceField(choices=Job.State.values)
    document = serializers.UUIDField(source="result.document", default=None, allow_null=True)
    outcome = serializers.SerializerMethodField()
    problems = serializers.SerializerMethodField()
    problem_count = serializers.IntegerField(source="result.problem_count", default=0)
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)

    def get_location(self, job: Job) -> str:
        return reverse("api:reading", args=[job.study.key, job.public_id])

    @extend_schema_field(ImportOutcome(allow_null=True))
    def get_outcome(self, job: Job) -> Any:
        return ImportOutcome(job.result).data if "simplifications" in job.result else None

    @extend_schema_field(ReadingProblem(many=True))
    def get_problems(self, job: Job) -> Any:
        return problems_in_words(reading_problems(job))
