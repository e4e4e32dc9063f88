"""Data on its way out: asked for, watched, fetched. Leads only."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import FileResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import job_for_lead, study_for_lead
from annotation.models import Job, User
from annotation.selectors.publishing.exports import FORMATS, export_spec
from annotation.services.publishing.export_files import export_is_there
from annotation.services.publishing.exports import (
    export_delete,
    export_request,
    export_take,
    spec_of,
)
from api.idempotency import idempotent
from api.problems import problem
from api.publishing.serializers.exports import ExportFacts, ExportNew
from api.resource import Download, OfFile, Resource, body_of, page
from api.schema import listing, refusals


class _JobFacts(ExportFacts):
    """Reads what a job's row holds under its outcome."""

    def to_representation(self, instance: Job) -> dict[str, Any]:
        instance.size = instance.result.get("size")  # type: ignore[attr-defined]
        instance.sha256 = instance.result.get("sha256")  # type: ignore[attr-defined]
        instance.is_there = export_is_there(instance)  # type: ignore[attr-defined]
        return super().to_representation(instance)


@extend_schema(tags=["exports"])
class Exports(Resource):
    @listing(ExportFacts)
    def get(self, request: Request, study: str) -> Response:
        """The study's exports, the newest first."""
        jobs = Job.objects.filter(study=study_for_lead(self.person, study), kind=Job.Kind.EXPORT)
        return page(self, jobs, _JobFacts, "-pk")

    @extend_schema(request=ExportNew, responses={202: ExportFacts})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Ask for an export. Look at it again until its state is `done`, then fetch its file."""
        led_study, wanted = study_for_lead(self.person, study), body_of(ExportNew, request)
        spec = export_spec(wanted.pop("layout"), wanted.pop("format", ""), wanted)
        return Response(
            _JobFacts(export_request(actor=self.person, study=led_study, spec=spec)).data,
            status=202,
        )


def _export(person: User, study: str, public_id: uuid.UUID) -> Job:
    """A study's export; its other jobs are none."""
    return job_for_lead(person, study, public_id, kind=Job.Kind.EXPORT)


@extend_schema(tags=["exports"])
class ExportDetail(Resource):
    @extend_schema(responses=ExportFacts)
    def get(self, request: Request, study: str, job: uuid.UUID) -> Response:
        """How far an export is."""
        return Response(_JobFacts(_export(self.person, study, job)).data)

    @extend_schema(request=None, responses={204: None})
    @idempotent()
    def delete(self, request: Request, study: str, job: uuid.UUID) -> Response:
        """Delete an export with its file."""
        export_delete(actor=self.person, job=_export(self.person, study, job))
        return Response(status=204)


# As they are sent, without the encoding. A codebook's JSON is a value, no file to its readers.
_FILES: dict[Any, Any] = {
    (200, media): OpenApiTypes.ANY if media == "application/json" else OpenApiTypes.BINARY
    for media in (form.content_type.partition(";")[0] for form in FORMATS.values())
}


def _no_file(job: Job) -> Response:
    if job.state == Job.State.DONE:
        title = _("The file was removed: thirty days have passed. Ask for the export again.")
        return problem(410, "file_gone", title)
    title = (
        _("The export was not written: something went wrong. Ask for it again.")
        if job.state == Job.State.FAILED
        else _("The export is not written yet. Look at it until its state is “done”.")
    )
    return problem(409, "not_written", title)


@extend_schema(tags=["exports"])
class ExportDownload(OfFile, Download):
    @extend_schema(
        responses={
            **_FILES,
            **refusals({409: "Not written yet.", 410: "Removed: thirty days have passed."}),
        }
    )
    def get(self, request: Request, study: str, job: uuid.UUID) -> Any:
        """The file of a finished export."""
        export_job = _export(self.person, study, job)
        content = export_take(actor=self.person, job=export_job)
        if content is None:
            return _no_file(export_job)
        # Closed by the response.
        response = FileResponse(
            content,
            as_attachment=True,
            filename=export_job.result_name,
            content_type=FORMATS[spec_of(export_job).format].content_type,
        )
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
