"""Metrics against the human scores of a table, without a study: whoever may create studies, each
their own."""

from __future__ import annotations

import uuid
from dataclasses import replace

from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import table_report_for, table_reports_of
from annotation.corpus.human_scores import ScoreColumns, divided
from annotation.corpus.problems import RowProblem
from annotation.errors import RuleError
from annotation.protocols.base import Problem
from annotation.reading import ReadingBusy
from annotation.services.metrics.table_reports import (
    TableOrder,
    table_report_forget,
    table_report_request,
)
from annotation.services.metrics.tables import TableRequest
from api.idempotency import idempotent
from api.metrics.serializers import TableNew, TableReportFacts, TableReportWhole
from api.resource import Resource, body_of


def _as_sent(problem: Problem) -> Problem:
    """Of no row: under the name of the field that was sent. Of a row: under that of its column."""
    if isinstance(problem, RowProblem) and problem.row:
        return problem
    return replace(problem, field=_SENT_AS.get(problem.field, problem.field))


_SENT_AS = {"source": "told_apart_by", "scale": "highest", "columns": "file"}


@extend_schema(tags=["metrics"])
class ScoreTables(Resource):
    parser_classes = (MultiPartParser,)

    @extend_schema(responses=TableReportFacts(many=True))
    def get(self, request: Request) -> Response:
        """Your reports on tables, the newest first: twenty at most that have ended."""
        own = table_reports_of(self.person).defer("result")
        return Response(TableReportFacts(own, many=True).data)

    @extend_schema(request={"multipart/form-data": TableNew}, responses={202: TableReportFacts})
    @idempotent()
    def post(self, request: Request) -> Response:
        """Bring in a table of human scores and order its report: all rows or none, each that is
        wrong named. A worker writes it: look again until its state is `done` or `failed`, which is
        also where a large table is found to be wrong."""
        table_reports_of(self.person)
        body = body_of(TableNew, request)
        scores, lower = divided(body["scores"]), divided(body["lower"])
        columns = ScoreColumns(
            human=divided(body["human"]),
            references=divided(body["references"]),
            scores=(*scores, *lower),
            counts=divided(body["counts"]),
            source=body["told_apart_by"],
            **{
                name: body[name]
                for name in ("original", "simplification", "system", "lowest", "highest")
            },
        )
        order = TableOrder(
            TableRequest(columns, frozenset(lower), body["language"]),
            body["slow"],
            divided(body["encoders"]),
            body["seed"],
            body["draws"],
        )
        try:
            report = table_report_request(
                actor=self.person,
                name=body["file"].name,
                content=body["file"].read(),
                order=order,
            )
        except ReadingBusy:
            raise  # a matter of time, and of no field
        except RuleError as error:
            raise RuleError(list(map(_as_sent, error.problems))) from error
        return Response(TableReportFacts(report).data, status=202)


@extend_schema(tags=["metrics"])
class ScoreTable(Resource):
    @extend_schema(responses=TableReportWhole)
    def get(self, request: Request, scored: uuid.UUID) -> Response:
        """One of your reports: how far it is, what was wrong with its table, or what it says."""
        return Response(TableReportWhole(table_report_for(self.person, scored)).data)

    @extend_schema(request=None, responses={204: None})
    @idempotent()
    def delete(self, request: Request, scored: uuid.UUID) -> Response:
        """Take it out, with its table."""
        report = table_report_for(self.person, scored)
        table_report_forget(actor=self.person, report=report)
        return Response(status=204)
