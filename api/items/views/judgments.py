"""Judgments made elsewhere, brought into a study. Leads only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import study_for_lead
from annotation.corpus.judged_columns import labels_of
from annotation.models import Job
from annotation.protocols.protocol import Protocol
from annotation.services.intake.judgments import judgments_bring
from api.idempotency import idempotent
from api.items.serializers.judgments import JudgmentsFile
from api.items.serializers.pairs import ImportOutcome
from api.items.serializers.readings import ReadingFacts
from api.items.views.readings import left_to_worker
from api.known import unknown_of
from api.resource import Resource, body_of

_CHOICES = {"columns": "names", "values": "values", "same_scale": "same_scale"}


def _check_names(protocol: Protocol, wanted: Mapping[str, Any]) -> None:
    """Raises ``ValidationError`` for what is no field of a judgment by this protocol: passed over,
    it would leave a column out, or numbers unread, with a success."""
    slots = [slot.name for slot in protocol.slots]
    known = {"columns": [*labels_of(protocol)], "values": slots, "same_scale": slots}
    unknown = {
        choice: names
        for choice, fields in known.items()
        if (names := unknown_of(wanted.get(choice, ()), fields))
    }
    if unknown:
        raise ValidationError(unknown)


@extend_schema(tags=["items"])
class JudgmentsUploaded(Resource):
    parser_classes = (MultiPartParser,)

    @extend_schema(
        request={"multipart/form-data": JudgmentsFile},
        responses={201: ImportOutcome, 202: ReadingFacts},
    )
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Import a file of judgments by the study's protocol, all or nothing of it. Those of pairs
        that the study has (by its own identifiers, else by exactly the same texts and system) go
        onto these; the others come with their pairs. A released file (FrJUDGE's, JADES's, in a
        study for it CSMD's) is known by its layout where no columns, values or scales are given. A
        refusal names each row, its field and what to do. Who judged is known by pseudonym
        afterwards. A file that may take longer than a second is left to a worker: look at
        `location` until it is done."""
        led_study, wanted = study_for_lead(self.person, study), body_of(JudgmentsFile, request)
        _check_names(led_study.protocol, wanted)
        brought = judgments_bring(
            actor=self.person,
            study=led_study,
            name=wanted["file"].name,
            content=wanted["file"].read(),
            choices={ours: wanted[name] for name, ours in _CHOICES.items() if name in wanted},
            layout=JudgmentsFile.layout_of(wanted),
        )
        if isinstance(brought, Job):
            return left_to_worker(self, brought)
        return Response(ImportOutcome(brought).data, status=201)
