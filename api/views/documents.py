"""From a source document to items: upload, funnel, blocks, draw. Leads only."""

from __future__ import annotations

import uuid
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import document_for_lead, study_for_lead
from annotation.models import SourceDocument
from annotation.selectors.documents import criteria_of, document_funnel
from annotation.services.documents import (
    block_override,
    block_override_undo,
    criteria_set,
    document_add,
    document_discard,
)
from annotation.services.documents_draw import draw_of, draw_undo, items_draw
from api.etags import check_if_match
from api.idempotency import idempotent
from api.resource import Resource, asked, page, sent
from api.schema import listing
from api.serializers.documents import (
    BlockDecision,
    BlockFilter,
    BlockPage,
    CriteriaFacts,
    DocumentFacts,
    DocumentFile,
    DrawFacts,
    Drawn,
    DrawNew,
    FunnelFacts,
)
from api.serializers.steering import Changed

_SHOWN = {
    "kept": lambda verdict: verdict.kept,
    "dropped": lambda verdict: not verdict.kept,
    "manual": lambda verdict: verdict.override is not None,
    "all": bool,
}


def _funnel(document: SourceDocument) -> Any:
    found = document_funnel(document)
    facts = {name: getattr(document, name) for name in ("pk", "name", "kind", "sha256", "size", "pages")}
    facts |= {
        "uploaded_at": document.uploaded_at,
        "drawn_at": document.drawn_at,
        "criteria": criteria_of(document.criteria),
        "blocks": len(found.verdicts),
        "kept": len(found.kept),
        "dropped": {criterion.value: number for criterion, number in found.dropped.items()},
        "rescued": found.rescued,
    }
    return FunnelFacts(facts).data


@extend_schema(tags=["documents"])
class Documents(Resource):
    parser_classes = (MultiPartParser,)

    @listing(DocumentFacts)
    def get(self, request: Request, study: str) -> Response:
        """The study's source documents, the newest first."""
        documents = study_for_lead(self.person, study).documents.defer("text", "hints", "page_starts")
        return page(self, documents, DocumentFacts, "-uploaded_at", "pk")

    @extend_schema(request={"multipart/form-data": DocumentFile}, responses={201: FunnelFacts})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Bring in a document; its text is read once and cut into blocks."""
        found, wanted = study_for_lead(self.person, study), sent(DocumentFile, request)
        file = wanted["file"]
        document = document_add(
            actor=self.person, study=found, name=file.name, content=file.read(), encoding=wanted["encoding"]
        )
        return Response(_funnel(document), status=201)


@extend_schema(tags=["documents"])
class DocumentDetail(Resource):
    @extend_schema(responses=FunnelFacts)
    def get(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """How many blocks each criterion drops, and how many are left."""
        return Response(_funnel(document_for_lead(self.person, study, document)))

    @extend_schema(request=None, responses={204: None})
    @idempotent()
    def delete(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """Throw a document away, its file with it; not once items were drawn."""
        document_discard(actor=self.person, document=document_for_lead(self.person, study, document))
        return Response(status=204)


@extend_schema(tags=["documents"])
class DocumentCriteria(Resource):
    @extend_schema(responses=CriteriaFacts)
    def get(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """What a block must be."""
        return Response(CriteriaFacts(criteria_of(document_for_lead(self.person, study, document).criteria)).data)

    @extend_schema(request=CriteriaFacts, responses=FunnelFacts)
    @idempotent()
    def put(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """Choose it; not once items were drawn. If-Match guards against another lead's choice."""
        found, wanted = document_for_lead(self.person, study, document), sent(CriteriaFacts, request)
        check_if_match(request, CriteriaFacts(criteria_of(found.criteria)).data)
        return Response(
            _funnel(criteria_set(actor=self.person, document=found, criteria=CriteriaFacts.criteria(wanted)))
        )


@extend_schema(tags=["documents"])
class DocumentBlocks(Resource):
    @extend_schema(responses=BlockPage, parameters=[BlockFilter])
    def get(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """Blocks in the order of the document."""
        found, wanted = document_for_lead(self.person, study, document), asked(BlockFilter, request)
        shown = [
            verdict
            for verdict in document_funnel(found).verdicts
            if verdict.block.number > wanted["after"] and _SHOWN[wanted["show"]](verdict)
        ]
        part = shown[: wanted["limit"]]
        after = part[-1].block.number if len(shown) > len(part) else None
        return Response(BlockPage({"results": part, "after": after}).data)


@extend_schema(tags=["documents"])
class BlockRuling(Resource):
    @extend_schema(request=BlockDecision, responses=FunnelFacts)
    @idempotent()
    def put(self, request: Request, study: str, document: uuid.UUID, block: str) -> Response:
        """Rescue a block that the criteria drop, or exclude one that they keep, with a reason."""
        found = document_for_lead(self.person, study, document)
        return Response(
            _funnel(block_override(actor=self.person, document=found, key=block, **sent(BlockDecision, request)))
        )

    @extend_schema(request=None, responses={200: FunnelFacts})
    @idempotent()
    def delete(self, request: Request, study: str, document: uuid.UUID, block: str) -> Response:
        """Leave the block to the criteria again."""
        found = document_for_lead(self.person, study, document)
        return Response(_funnel(block_override_undo(actor=self.person, document=found, key=block)))


def _wanted(wanted: dict[str, Any]) -> dict[str, Any]:
    return wanted | {"seed": str(wanted["seed"])}


@extend_schema(tags=["documents"])
class DocumentDraw(Resource):
    @extend_schema(responses=DrawFacts, parameters=[DrawNew])
    def get(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """What a draw would give; nothing is stored."""
        found = document_for_lead(self.person, study, document)
        return Response(DrawFacts(draw_of(found, **_wanted(asked(DrawNew, request)))).data)

    @extend_schema(request=DrawNew, responses={201: Drawn})
    @idempotent()
    def post(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """Draw practice and main items by the seed and add them to the study."""
        found = document_for_lead(self.person, study, document)
        items = items_draw(actor=self.person, document=found, **_wanted(sent(DrawNew, request)))
        return Response(Drawn({"items": [item.key for item in items]}).data, status=201)

    @extend_schema(request=None, responses={200: Changed})
    @idempotent()
    def delete(self, request: Request, study: str, document: uuid.UUID) -> Response:
        """Take the draw back: its items go, unless they have a simplification already."""
        gone = draw_undo(actor=self.person, document=document_for_lead(self.person, study, document))
        return Response(Changed({"changed": gone}).data)
