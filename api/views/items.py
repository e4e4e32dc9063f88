"""A study's items, and pairs on their way in. Leads only: items name systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Q
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import study_for_lead
from annotation.corpus.columns import FIELDS, guess_mapping
from annotation.corpus.pairs import pairs_of
from annotation.corpus.tables import JSONL, Layout, Row, Table, read_table
from annotation.errors import RuleError
from annotation.models import Item, Study, User
from annotation.selectors.rounds import items_in
from annotation.services.items import pairs_import
from api.idempotency import idempotent
from api.resource import Resource, asked, page, sent
from api.schema import listing
from api.serializers.pairs import ImportOutcome, PairsFile, PairsImport
from api.serializers.studies import ItemFacts, ItemFilter


@extend_schema(tags=["items"])
class ItemList(Resource):
    @listing(ItemFacts, parameters=[ItemFilter])
    def get(self, request: Request, study: str) -> Response:
        """Items with their simplifications, in the study's order."""
        found, wanted = study_for_lead(self.person, study), asked(ItemFilter, request)
        items = Item.objects.filter(study=found).prefetch_related("simplifications")
        if "round" in wanted:
            items = items.filter(items_in(wanted["round"]))
        if "q" in wanted:
            q = wanted["q"]
            simplified = Q(pk__in=Item.objects.filter(study=found, simplifications__text__icontains=q).values("pk"))
            items = items.filter(Q(key__icontains=q) | Q(original__icontains=q) | simplified)
        return page(self, items, ItemFacts, "position")


@extend_schema(tags=["items"])
class ItemDetail(Resource):
    @extend_schema(responses=ItemFacts)
    def get(self, request: Request, study: str, item: str) -> Response:
        """One item by its key."""
        items = Item.objects.filter(study=study_for_lead(self.person, study)).prefetch_related("simplifications")
        return Response(ItemFacts(get_object_or_404(items, key=item)).data)


@extend_schema(tags=["items"])
class PairsRows(Resource):
    @extend_schema(request=PairsImport, responses={201: ImportOutcome})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Import pairs; all or none. A refusal names each row, counted from 1, and its field."""
        found, wanted = study_for_lead(self.person, study), sent(PairsImport, request)
        return _imported(self.person, found, _table(wanted["pairs"]), wanted)


@extend_schema(tags=["items"])
class PairsUploaded(Resource):
    parser_classes = (MultiPartParser,)

    @extend_schema(request={"multipart/form-data": PairsFile}, responses={201: ImportOutcome})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Import a file of pairs; all or nothing of it. Rows are counted as a spreadsheet counts them."""
        found, wanted = study_for_lead(self.person, study), sent(PairsFile, request)
        table = read_table(wanted["file"].read(), Layout())
        return _imported(self.person, found, table, wanted, _mapping(table, wanted.get("columns")))


def _table(pairs: Sequence[dict[str, Any]]) -> Table:
    """Rows of JSON as the table that they would be in a file."""
    columns = tuple(name for name in FIELDS if any(name in pair for pair in pairs))
    rows = [Row(number, [pair.get(name, "") for name in columns]) for number, pair in enumerate(pairs, start=1)]
    return Table(Layout(format=JSONL), columns, rows)


def _mapping(table: Table, columns: dict[str, str] | None) -> dict[str, int]:
    """Columns by field, as the client says or as their names suggest. Raises ``RuleError``."""
    if columns is None:
        return guess_mapping(table.columns)
    for name in columns.values():
        if name not in table.columns:
            there = ", ".join(table.columns)
            raise RuleError.single(
                "columns",
                "no_such_column",
                f"Le fichier n'a pas de colonne « {name} ». Il a : {there}.",
                f"The file has no column “{name}”. It has: {there}.",
            )
    return {field: table.columns.index(name) for field, name in columns.items()}


def _imported(
    actor: User, study: Study, table: Table, wanted: dict[str, Any], mapping: dict[str, int] | None = None
) -> Response:
    if mapping is None:
        mapping = {name: column for column, name in enumerate(table.columns)}
    outcome = pairs_import(
        actor=actor,
        study=study,
        pairs=pairs_of(table, mapping),
        round=wanted["round"],
        skip_duplicates=wanted["skip_duplicates"],
    )
    return Response(ImportOutcome(outcome).data, status=201)
