"""How far the annotators agree, and the rulings on what disagrees."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import answers_readable, case_for_lead, study_for_lead, study_with_answers
from annotation.models import Simplification, Study
from annotation.selectors.agreement.adjudication import (
    adjudication_queue,
    case_digest,
    rules_of,
    ruling_of,
    seen_digest,
    voices,
)
from annotation.selectors.agreement.kept import figures_key, kept
from annotation.selectors.agreement.reliability import study_ratings
from annotation.selectors.base.one_moment import one_moment
from annotation.services.agreement.adjudications import (
    Ruling,
    adjudicate,
    adjudication_rules_set,
    adjudication_withdraw,
)
from annotation.services.platform.study_rows import study_row_lock
from api.agreement.serializers.agreement import (
    AdjudicationQueue,
    Agreement,
    AgreementQuery,
    CaseDetail,
    CaseFilter,
    DisputeThresholds,
    NamesShown,
    RulingNew,
)
from api.etags import check_if_match
from api.fields import unknown_choice
from api.idempotency import idempotent
from api.resource import Resource, body_of, query_of
from api.schema import IF_MATCH


@extend_schema(tags=["adjudication"])
class Adjudications(Resource):
    @extend_schema(responses=AdjudicationQueue, parameters=[CaseFilter])
    def get(self, request: Request, study: str) -> Response:
        """What disagrees by the study's thresholds, open cases first."""
        led_study = study_with_answers(self.person, study)
        queue, wanted = adjudication_queue(led_study), query_of(CaseFilter, request)
        dimensions = led_study.protocol.dimensions
        if "dimension" in wanted and wanted["dimension"] not in dimensions:
            raise unknown_choice("dimension", wanted["dimension"], dimensions)
        cases = [
            case
            for case in queue.cases
            if all(getattr(case, name) == value for name, value in wanted.items())
        ]
        facts = {"rules": queue.rules, "out_of_reach": queue.out_of_reach, "cases": cases}
        return Response(AdjudicationQueue(facts).data)


@extend_schema(tags=["adjudication"])
class AdjudicationThresholds(Resource):
    @extend_schema(responses=DisputeThresholds)
    def get(self, request: Request, study: str) -> Response:
        """What counts as a disagreement in this study."""
        return Response(DisputeThresholds(rules_of(study_for_lead(self.person, study))).data)

    @extend_schema(request=DisputeThresholds, responses=DisputeThresholds, parameters=[IF_MATCH])
    @idempotent()
    def put(self, request: Request, study: str) -> Response:
        """Set it. If-Match guards against another lead's change in the meantime."""
        led_study, wanted = study_for_lead(self.person, study), body_of(DisputeThresholds, request)
        with transaction.atomic():
            # As the service locks it, so that they still are what the client has seen.
            led_study = study_row_lock(led_study.pk, no_key=True)
            check_if_match(request, DisputeThresholds(rules_of(led_study)).data)
            return Response(
                DisputeThresholds(
                    adjudication_rules_set(actor=self.person, study=led_study, rules=wanted)
                ).data
            )


def _case_facts(study: Study, pair: Simplification, dimension: str, *, named: bool) -> Any:
    heard = voices(study, pair, named=named)
    ruling = ruling_of(pair, dimension)
    facts = {
        "original": pair.item.original,
        "simplification": pair.text,
        "digest": seen_digest(case_digest(study, pair, heard, dimension), ruling),
        "voices": heard,
        "ruling": ruling,
    }
    return CaseDetail(facts).data


def _check_seen(request: Request, study: Study, pair: Simplification, dimension: str) -> None:
    """Raise ``PreconditionFailed`` where the case is not what the client has seen at this address;
    the study is locked from then on, as a ruling locks it."""
    if "If-Match" in request.headers:
        study_row_lock(study.pk)
        named = query_of(NamesShown, request)["names"]
        check_if_match(request, _case_facts(study, pair, dimension, named=named))


@extend_schema(tags=["adjudication"])
class AdjudicationCase(Resource):
    @extend_schema(responses=CaseDetail, parameters=[NamesShown])
    def get(self, request: Request, study: str, simplification: int, dimension: str) -> Response:
        """Everybody's judgment of one disputed pair, under numbers, and the ruling in force."""
        led_study, pair = case_for_lead(self.person, study, simplification, dimension)
        return Response(
            _case_facts(led_study, pair, dimension, named=query_of(NamesShown, request)["names"])
        )

    @extend_schema(request=RulingNew, responses=CaseDetail, parameters=[NamesShown, IF_MATCH])
    @idempotent()
    def put(self, request: Request, study: str, simplification: int, dimension: str) -> Response:
        """Settle the case as one value, or as legitimately divided. Judgments stay as they are; a
        former ruling stays in the record. With a digest it is refused where the judgments have
        changed since (`changed`), or the ruling in force has (`ruled`); so it is with If-Match."""
        led_study, pair = case_for_lead(self.person, study, simplification, dimension)
        ruling = Ruling(**body_of(RulingNew, request))
        with transaction.atomic():
            _check_seen(request, led_study, pair, dimension)
            adjudicate(
                actor=self.person,
                study=led_study,
                simplification=pair,
                dimension=dimension,
                ruling=ruling,
            )
        return Response(_case_facts(led_study, pair, dimension, named=ruling.saw_pseudonyms))

    @extend_schema(request=None, responses={204: None}, parameters=[NamesShown, IF_MATCH])
    @idempotent()
    def delete(self, request: Request, study: str, simplification: int, dimension: str) -> Response:
        """Take the ruling back; it stays in the record."""
        led_study, pair = case_for_lead(self.person, study, simplification, dimension)
        with transaction.atomic():
            _check_seen(request, led_study, pair, dimension)
            if not adjudication_withdraw(
                actor=self.person, study=led_study, simplification=pair, dimension=dimension
            ):
                raise Http404("no ruling")
        return Response(status=204)


@extend_schema(tags=["progress"])
class StudyAgreement(Resource):
    @extend_schema(parameters=[AgreementQuery], responses=Agreement)
    def get(self, request: Request, study: str) -> Response:
        """Agreement on each dimension at its own level of measurement, with intervals and
        signatures."""
        led_study, wanted = study_for_lead(self.person, study), query_of(AgreementQuery, request)
        answers_readable(led_study, wanted["round"])
        # Drawing resamples is most of it; nothing is drawn twice of the same judgments.
        with one_moment():
            key = figures_key(led_study, "reports", sorted(wanted.items()))
            report = kept(key, dict, lambda: _reported(led_study, wanted))
        return Response(report)


def _reported(study: Study, wanted: dict[str, Any]) -> dict[str, Any]:
    ratings = study_ratings(study, round=wanted["round"], withdrawn=wanted["withdrawn"])
    reports = ratings.reports(
        draws=wanted["draws"], seed=wanted["seed"], confidence=wanted["confidence"]
    )
    return {
        "round": wanted["round"],
        "judgments": ratings.judgments,
        "of_withdrawn": ratings.of_withdrawn._asdict(),
        "dimensions": {name: report.as_dict() for name, report in reports.items()},
    }
