"""Imports and what can be taken out of a study again. Leads only."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import import_for_lead, study_for_lead
from annotation.models import Item, Simplification, User
from annotation.selectors.items.removal import (
    import_doomed,
    item_doomed,
    removal,
    simplification_doomed,
)
from annotation.services.items.removal import import_undo, item_remove, simplification_remove
from api.idempotency import idempotent
from api.items.serializers.removal import ImportFacts, Removal
from api.resource import Resource, page
from api.schema import listing


def item_of(person: User, study: str, item: str) -> Item:
    """A study's item, for its leads. Raises ``Http404`` for everybody else."""
    items = Item.objects.select_related("study").filter(study=study_for_lead(person, study))
    return get_object_or_404(items, key=item)


def simplification_of(person: User, study: str, item: str, rank: int) -> Simplification:
    """An item's simplification by its position. Raises ``Http404`` as ``item_of`` does."""
    pairs = item_of(person, study, item).simplifications.select_related("item__study")
    simplification = pairs.filter(position=rank).first()
    return simplification or get_object_or_404(pairs.none())


@extend_schema(tags=["items"])
class ImportList(Resource):
    @listing(ImportFacts)
    def get(self, request: Request, study: str) -> Response:
        """Every import of the study, the newest first."""
        records = study_for_lead(self.person, study).pairs_imports.select_related("imported_by")
        return page(self, records, ImportFacts, "-pk")


@extend_schema(tags=["items"])
class ImportDetail(Resource):
    @extend_schema(responses=ImportFacts)
    def get(self, request: Request, study: str, brought: int) -> Response:
        """One import."""
        return Response(ImportFacts(import_for_lead(self.person, study, brought)).data)

    @extend_schema(request=None, responses={200: Removal})
    @idempotent()
    def delete(self, request: Request, study: str, brought: int) -> Response:
        """Undo an import of which nothing was judged or saved; the answer says what went along."""
        record = import_for_lead(self.person, study, brought)
        return Response(Removal(import_undo(actor=self.person, record=record)).data)


@extend_schema(tags=["items"])
class ImportRemoval(Resource):
    @extend_schema(responses=Removal)
    def get(self, request: Request, study: str, brought: int) -> Response:
        """What undoing the import would take along, and what stands in the way."""
        record = import_for_lead(self.person, study, brought)
        return Response(Removal(removal(import_doomed(record))).data)


@extend_schema(tags=["items"])
class ItemRemoval(Resource):
    @extend_schema(responses=Removal)
    def get(self, request: Request, study: str, item: str) -> Response:
        """What removing the item would take along, and what stands in the way."""
        return Response(Removal(removal(item_doomed(item_of(self.person, study, item)))).data)

    @extend_schema(request=None, responses={200: Removal})
    @idempotent()
    def delete(self, request: Request, study: str, item: str) -> Response:
        """Remove an item of which nothing was judged or saved; the answer says what went along."""
        study_item = item_of(self.person, study, item)
        return Response(Removal(item_remove(actor=self.person, item=study_item)).data)


@extend_schema(tags=["items"])
class SimplificationRemoval(Resource):
    @extend_schema(responses=Removal)
    def get(self, request: Request, study: str, item: str, rank: int) -> Response:
        """What removing the simplification at this position would take along."""
        simplification = simplification_of(self.person, study, item, rank)
        return Response(Removal(removal(simplification_doomed(simplification))).data)

    @extend_schema(request=None, responses={200: Removal})
    @idempotent()
    def delete(self, request: Request, study: str, item: str, rank: int) -> Response:
        """Remove a simplification of which nothing was judged or saved; its item stays."""
        simplification = simplification_of(self.person, study, item, rank)
        return Response(
            Removal(simplification_remove(actor=self.person, simplification=simplification)).data
        )
