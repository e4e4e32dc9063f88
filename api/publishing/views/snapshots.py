"""A study frozen: its data files with the final labels, and the bundle that is published. Leads
only."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import FileResponse, Http404
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import answers_readable, job_for_lead, snapshot_for_lead, study_for_lead
from annotation.models import DatasetSnapshot
from annotation.services.platform.events import event_record
from annotation.services.publishing.publications import KINDS, freeze_request, release_request
from annotation.services.publishing.releases import release_name, release_open
from annotation.services.publishing.snapshots import snapshot_folder, snapshots_standing
from api.idempotency import idempotent
from api.problems import problem
from api.publishing.serializers.snapshots import Freezing, Publication, SnapshotFacts
from api.resource import Download, OfFile, Resource, body_of, page
from api.schema import listing, refusals

_BINARY: dict[Any, Any] = {(200, "application/octet-stream"): OpenApiTypes.BINARY}
_ZIP: dict[Any, Any] = {(200, "application/zip"): OpenApiTypes.BINARY}


@extend_schema(tags=["snapshots"])
class Snapshots(Resource):
    @listing(SnapshotFacts)
    def get(self, request: Request, study: str) -> Response:
        """The study's snapshots, the newest first."""
        snapshots = DatasetSnapshot.objects.filter(
            study=study_for_lead(self.person, study)
        ).select_related("study")
        return page(self, snapshots, SnapshotFacts, "-number", shown=snapshots_standing)

    @extend_schema(request=Freezing, responses={202: Publication})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Have the study frozen: its data and final labels as they stand. Look at the publication
        until it is done."""
        led_study = study_for_lead(self.person, study)
        job = freeze_request(actor=self.person, study=led_study, **body_of(Freezing, request))
        return Response(Publication(job).data, status=202)


@extend_schema(tags=["snapshots"])
class PublicationDetail(Resource):
    @extend_schema(responses=Publication)
    def get(self, request: Request, study: str, job: uuid.UUID) -> Response:
        """How far a snapshot or a bundle is."""
        publication_job = job_for_lead(self.person, study, job)
        if publication_job.kind not in KINDS:
            raise Http404("no such publication")
        return Response(Publication(publication_job).data)


@extend_schema(tags=["snapshots"])
class SnapshotDetail(Resource):
    @extend_schema(responses=SnapshotFacts)
    def get(self, request: Request, study: str, number: int) -> Response:
        """One snapshot: recipe, digests, files, and who has withdrawn since."""
        (facts,) = snapshots_standing([snapshot_for_lead(self.person, study, number)])
        return Response(SnapshotFacts(facts).data)


@extend_schema(tags=["snapshots"])
class SnapshotFile(OfFile):
    @extend_schema(responses=_BINARY)
    def get(self, request: Request, study: str, number: int, name: str) -> Any:
        """One of the files, for instance the final labels, as it was frozen."""
        snapshot = snapshot_for_lead(self.person, study, number)
        answers_readable(snapshot.study)
        # Only what the manifest names: a name from outside never becomes a path.
        if name not in snapshot.manifest["files"]:
            raise Http404("no such file")
        file = (snapshot_folder(snapshot) / name).open("rb")
        return FileResponse(
            file, as_attachment=True, filename=name, content_type="application/octet-stream"
        )


@extend_schema(tags=["snapshots"])
class SnapshotBundle(OfFile, Download):
    @extend_schema(responses=_ZIP | refusals({409: "Not written yet: ask for it first."}))
    def get(self, request: Request, study: str, number: int) -> Any:
        """The bundle as a zip: data, codebook, data statement, checksums."""
        snapshot = snapshot_for_lead(self.person, study, number)
        answers_readable(snapshot.study)
        try:
            content = release_open(snapshot)
        except FileNotFoundError:
            return problem(
                409, "not_written", _("The bundle is not written yet: ask for it first.")
            )
        event_record(
            actor=self.person, study=snapshot.study, verb="release_downloaded", target=snapshot
        )
        return FileResponse(
            content,
            as_attachment=True,
            filename=release_name(snapshot),
            content_type="application/zip",
        )

    @extend_schema(request=None, responses={202: Publication})
    @idempotent()
    def post(self, request: Request, study: str, number: int) -> Response:
        """Have the bundle written. Look at the publication until it is done, then fetch it."""
        job = release_request(
            actor=self.person, snapshot=snapshot_for_lead(self.person, study, number)
        )
        return Response(Publication(job).data, status=202)
