"""A study's items, and pairs on their way in. Leads only: items name systems."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Q
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import study_for_lead
from annotation.corpus.pairs import Pairs, pairs_of_rows
from annotation.models import Item, Job, Study, User
from annotation.selectors.base.rounds import items_in
from annotation.services.intake.pairs import pairs_bring
from annotation.services.intake.readings import rows_bring_later, takes_long_to_store
from annotation.services.items.items import pairs_import
from api.idempotency import idempotent
from api.items.serializers.items import ItemFacts, ItemFilter
from api.items.serializers.pairs import ImportOutcome, PairsFile, PairsImport
from api.items.serializers.readings import ReadingFacts
from api.items.views.readings import left_to_worker
from api.resource import Resource, body_of, page, query_of
from api.schema import listing

CHOICES = ("round", "skip_duplicates")


@extend_schema(tags=["items"])
class ItemList(Resource):
    @listing(ItemFacts, parameters=[ItemFilter])
    def get(self, request: Request, study: str) -> Response:
        """Items with their simplifications, in the study's order."""
        led_study, wanted = study_for_lead(self.person, study), query_of(ItemFilter, request)
        items = Item.objects.filter(study=led_study).prefetch_related("simplifications")
        if "round" in wanted:
            items = items.filter(items_in(wanted["round"]))
        if "q" in wanted:
            q = wanted["q"]
            simplified = Q(
                pk__in=Item.objects.filter(
                    study=led_study, simplifications__text__icontains=q
                ).values("pk")
            )
            items = items.filter(Q(key__icontains=q) | Q(original__icontains=q) | simplified)
        return page(self, items, ItemFacts, "position")


@extend_schema(tags=["items"])
class ItemDetail(Resource):
    @extend_schema(responses=ItemFacts)
    def get(self, request: Request, study: str, item: str) -> Response:
        """One item by its key."""
        items = Item.objects.filter(study=study_for_lead(self.person, study)).prefetch_related(
            "simplifications"
        )
        return Response(ItemFacts(get_object_or_404(items, key=item)).data)


@extend_schema(tags=["items"])
class PairsRows(Resource):
    many_rows: ClassVar[bool] = True

    @extend_schema(request=PairsImport, responses={201: ImportOutcome, 202: ReadingFacts})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Import pairs; all or none. A refusal names each row, counted from 1, and its field. More
        than 2,000 are left to a worker: look at `location` until it is done."""
        led_study, wanted = study_for_lead(self.person, study), body_of(PairsImport, request)
        if takes_long_to_store(len(wanted["pairs"])):
            choices = {name: wanted[name] for name in CHOICES}
            return left_to_worker(
                self,
                rows_bring_later(
                    actor=self.person, study=led_study, rows=wanted["pairs"], choices=choices
                ),
            )
        pairs = pairs_of_rows(wanted["pairs"])
        return _imported(self.person, led_study, pairs, wanted)


@extend_schema(tags=["items"])
class PairsUploaded(Resource):
    parser_classes = (MultiPartParser,)

    @extend_schema(
        request={"multipart/form-data": PairsFile},
        responses={201: ImportOutcome, 202: ReadingFacts},
    )
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Import a file of pairs; all or nothing of it. Rows are counted as a spreadsheet counts
        them. A released file (FrJUDGE's, JADES's, in a study for it CSMD's) is known by its layout
        and comes with its judgments, as on the import page; with `pairs_only` without them. A file
        that may take longer than a second, or has more than 2,000 rows, is left to a worker: look
        at `location` until it is done."""
        led_study, wanted = study_for_lead(self.person, study), body_of(PairsFile, request)
        brought = pairs_bring(
            actor=self.person,
            study=led_study,
            content=wanted["file"].read(),
            names=wanted.get("columns"),
            choices={name: wanted[name] for name in CHOICES},
            layout=PairsFile.layout_of(wanted),
            name=wanted["file"].name or "",
            pairs_only=wanted["pairs_only"],
        )
        if isinstance(brought, Job):
            return left_to_worker(self, brought)
        return Response(ImportOutcome(brought).data, status=201)


def _imported(actor: User, study: Study, pairs: Pairs, wanted: dict[str, Any]) -> Response:
    outcome = pairs_import(
        actor=actor,
        study=study,
        pairs=pairs,
        round=wanted["round"],
        skip_duplicates=wanted["skip_duplicates"],
    )
    return Response(ImportOutcome(outcome).data, status=201)
