"""From a source document to items: upload, funnel, blocks, draw. Leads only."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import transaction
from django.urls import reverse
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import document_for_lead, study_for_lead
from annotation.corpus.choosing import Reach
from annotation.models import Job, SourceDocument
from annotation.protocols.base import Problem, Wording
from annotation.reading import ReadingBusy
from annotation.selectors.documents.blocks import BlocksLater
from annotation.selectors.documents.documents import criteria_of, document_funnel
from annotation.services.documents.blocks import blocks_request
from annotation.services.documents.decisions import (
    block_override,
    block_override_undo,
    blocks_decide,
    blocks_leave,
    blocks_take_back,
)
from annotation.services.documents.documents import (
    criteria_set,
    document_discard,
    document_undrawn,
)
from annotation.services.documents.draws import draw_of, draw_undo, items_draw
from annotation.services.intake.readings import document_bring
from api.documents.serializers import (
    BlockDecision,
    BlockFilter,
    BlockPage,
    CriteriaFacts,
    DecidedFacts,
    DocumentFacts,
    DocumentFile,
    DrawFacts,
    Drawn,
    DrawNew,
    FoundLater,
    FunnelFacts,
    ManyDecisions,
)
from api.etags import check_if_match
from api.idempotency import idempotent
from api.items.serializers.readings import ReadingFacts
from api.items.views.readings import left_to_worker
from api.platform.serializers import Changed
from api.resource import READS, Resource, body_of, page, query_of
from api.schema import IF_MATCH, listing

_SHOWN = {
    "kept": lambda verdict: verdict.kept,
    "dropped": lambda verdict: not verdict.kept,
    "manual": lambda verdict: verdict.override is not None,
    "all": bool,
}


_LATER = PolymorphicProxySerializer(
    component_name="DocumentLater",
    serializers=[ReadingFacts, FoundLater],
    resource_type_field_name=None,
)
_WAIT = Problem(
    "document",
    "blocks_later",
    Wording(
        (
            "Ce document est long : ses blocs sont en train d'être trouvés. Recommencez dans "
            "quelques secondes."
        ),
        "This document is long: its blocks are being found. Try again in a few seconds.",
    ),
)


class OfBlocks(Resource):
    """What needs a document's blocks. Those of a long one are a worker's to find: a read is
    answered 202 until they are there; a write that cannot be done without them is refused as too
    early, and has stored nothing."""

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, BlocksLater):
            self._ask(exc)
            if self.request.method in READS:
                return self._later(self.request.get_full_path())
            exc = ReadingBusy([_WAIT])
        return super().handle_exception(exc)

    def funnel(self, document: SourceDocument, status: int = 200) -> Response:
        """The funnel of a document that was just changed; where it is found later, where it will
        be."""
        try:
            return Response(_funnel(document), status=status)
        except BlocksLater as later:
            self._ask(later)
            return self._later(reverse("api:document", args=[document.study.key, document.pk]))

    def _ask(self, later: BlocksLater) -> None:
        blocks_request(actor=self.person, document=later.document, criteria=later.criteria)

    def _later(self, address: str) -> Response:
        facts = FoundLater({"location": address}).data
        return Response(facts, status=202, headers=self.later_headers(address))


def _funnel(document: SourceDocument) -> Any:
    funnel = document_funnel(document)
    facts = {
        name: getattr(document, name) for name in ("pk", "name", "kind", "sha256", "size", "pages")
    }
    facts |= {
        "uploaded_at": document.uploaded_at,
        "drawn_at": document.drawn_at,
        "criteria": criteria_of(document.criteria),
        "blocks": len(funnel.verdicts),
        "kept": len(funnel.kept),
        "dropped": {criterion.value: number for criterion, number in funnel.dropped.items()},
        "rescued": funnel.rescued,
    }
    return FunnelFacts(facts).data


@extend_schema(tags=["documents"])
class Documents(OfBlocks):
    parser_classes = (MultiPartParser,)

    @listing(DocumentFacts)
    def get(self, request: Request, study: str) -> Response:
        """The study's source documents, the newest first."""
        documents = study_for_lead(self.person, study).documents.defer(
            "text", "hints", "page_starts"
        )
        return page(self, documents, DocumentFacts, "-uploaded_at", "pk")

    @extend_schema(
        request={"multipart/form-data": DocumentFile}, responses={201: FunnelFacts, 202: _LATER}
    )
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Bring in a document; its text is read once and cut into blocks. One that may take longer
        than a second is left to a worker: look at `location` until it is done. So are the blocks of
        a long one."""
        led_study, wanted = study_for_lead(self.person, study), body_of(DocumentFile, request)
        file = wanted["file"]
        brought = document_bring(
            actor=self.person,
            study=led_study,
            name=file.name,
            content=file.read(),
            encoding=wanted["encoding"],
        )
        if isinstance(brought, Job):
            return left_to_worker(self, brought)
        return self.funnel(brought, status=201)


@extend_schema(tags=["documents"])
class DocumentDetail(OfBlocks):
    @extend_schema(responses={200: FunnelFacts, 202: FoundLater})
    def get(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """How many blocks each criterion drops, and how many are left; 202 until those of a long
        one are known."""
        return Response(_funnel(document_for_lead(self.person, study, document)))

    @extend_schema(request=None, responses={204: None})
    @idempotent()
    def delete(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """Throw a document away, its file with it; not once items were drawn."""
        document_discard(
            actor=self.person, document=document_for_lead(self.person, study, document)
        )
        return Response(status=204)


@extend_schema(tags=["documents"])
class DocumentCriteria(OfBlocks):
    @extend_schema(responses=CriteriaFacts)
    def get(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """What a block must be."""
        return Response(
            CriteriaFacts(
                criteria_of(document_for_lead(self.person, study, document).criteria)
            ).data
        )

    @extend_schema(
        request=CriteriaFacts,
        responses={200: FunnelFacts, 202: FoundLater},
        parameters=[IF_MATCH],
    )
    @idempotent()
    def put(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """Choose it; not once items were drawn. If-Match guards against another lead's choice."""
        source_document, wanted = (
            document_for_lead(self.person, study, document),
            body_of(CriteriaFacts, request),
        )
        with transaction.atomic():
            # Locked, so that they still are what the client has seen.
            former = criteria_of(document_undrawn(source_document).criteria)
            check_if_match(request, CriteriaFacts(former).data)
            criteria = CriteriaFacts.criteria(wanted, former)
            source_document = criteria_set(
                actor=self.person, document=source_document, criteria=criteria
            )
        return self.funnel(source_document)


@extend_schema(tags=["documents"])
class DocumentBlocks(OfBlocks):
    @extend_schema(responses={200: BlockPage, 202: FoundLater}, parameters=[BlockFilter])
    def get(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """Blocks in the order of the document; 202 until those of a long one are known."""
        source_document, wanted = (
            document_for_lead(self.person, study, document),
            query_of(BlockFilter, request),
        )
        shown = [
            verdict
            for verdict in document_funnel(source_document).verdicts
            if verdict.block.number > wanted["after"] and _SHOWN[wanted["show"]](verdict)
        ]
        part = shown[: wanted["limit"]]
        after = part[-1].block.number if len(shown) > len(part) else None
        return Response(BlockPage({"results": part, "after": after}).data)


@extend_schema(tags=["documents"])
class BlockRuling(OfBlocks):
    @extend_schema(request=BlockDecision, responses={200: FunnelFacts, 202: FoundLater})
    @idempotent()
    def put(self, request: Request, study: str, document: uuid.UUID, block: str) -> Response:
        """Rescue a block that the criteria drop, or exclude one that they keep, with a reason."""
        source_document = document_for_lead(self.person, study, document)
        wanted = body_of(BlockDecision, request)
        return self.funnel(
            block_override(actor=self.person, document=source_document, key=block, **wanted)
        )

    @extend_schema(request=None, responses={200: FunnelFacts, 202: FoundLater})
    @idempotent()
    def delete(self, request: Request, study: str, document: uuid.UUID, block: str) -> Response:
        """Leave the block to the criteria again."""
        source_document = document_for_lead(self.person, study, document)
        return self.funnel(
            block_override_undo(actor=self.person, document=source_document, key=block)
        )


@extend_schema(tags=["documents"])
class ManyRulings(OfBlocks):
    @extend_schema(request=ManyDecisions, responses={200: DecidedFacts})
    @idempotent()
    def post(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """Rescue or exclude many blocks for one reason: those of `keys`, all with their text, or
        all under one of their headings. What was decided by hand before stays as it is. With `keep`
        null, the blocks of `keys` are left to the criteria again."""
        source_document = document_for_lead(self.person, study, document)
        wanted = body_of(ManyDecisions, request)
        if wanted["keep"] is None:
            decided = blocks_leave(actor=self.person, document=source_document, keys=wanted["keys"])
        else:
            decided = blocks_decide(
                actor=self.person,
                document=source_document,
                keys=wanted["keys"],
                keep=wanted["keep"],
                reason=wanted["reason"],
                reach=Reach(wanted["reach"]),
                depth=wanted["depth"],
            )
        return Response(DecidedFacts(decided).data)


@extend_schema(tags=["documents"])
class ManyRulingsTakenBack(OfBlocks):
    @extend_schema(request=None, responses={200: DecidedFacts})
    @idempotent()
    def delete(self, request: Request, study: str, document: uuid.UUID, together: str) -> Response:
        """Take a decision on many blocks back, whole."""
        source_document = document_for_lead(self.person, study, document)
        decided = blocks_take_back(actor=self.person, document=source_document, together=together)
        return Response(DecidedFacts(decided).data)


def _wanted(wanted: dict[str, Any]) -> dict[str, Any]:
    return wanted | {"seed": str(wanted["seed"])}


@extend_schema(tags=["documents"])
class DocumentDraw(OfBlocks):
    @extend_schema(responses={200: DrawFacts, 202: FoundLater}, parameters=[DrawNew])
    def get(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """What a draw would give; nothing is stored. 202 until the blocks of a long document are
        known."""
        source_document = document_for_lead(self.person, study, document)
        return Response(
            DrawFacts(draw_of(source_document, **_wanted(query_of(DrawNew, request)))).data
        )

    @extend_schema(request=DrawNew, responses={201: Drawn})
    @idempotent()
    def post(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """Draw practice and main items by the seed and add them to the study."""
        source_document = document_for_lead(self.person, study, document)
        items = items_draw(
            actor=self.person, document=source_document, **_wanted(body_of(DrawNew, request))
        )
        return Response(Drawn({"items": [item.key for item in items]}).data, status=201)

    @extend_schema(request=None, responses={200: Changed})
    @idempotent()
    def delete(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """Take the draw back: its items go, unless they have a simplification already."""
        gone = draw_undo(
            actor=self.person, document=document_for_lead(self.person, study, document)
        )
        return Response(Changed({"changed": gone}).data)
