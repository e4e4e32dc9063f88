"""What a lead decides while a study runs: outputs of models, rulings on disagreements, judgments sent back."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import run_for_lead, study_for_lead, study_with_answers
from annotation.models import Simplification, Study, User
from annotation.selectors.adjudication import (
    adjudication_queue,
    in_force,
    ratings_digest,
    rules_of,
    simplification_of,
    voices,
)
from annotation.selectors.generation import newest_outputs
from annotation.selectors.rejudging import candidates
from annotation.services.adjudications import Ruling, adjudicate, adjudication_rules_set, adjudication_withdraw
from annotation.services.generation_review import outputs_adopt, outputs_decide
from annotation.services.rejudging import rejudge_cancel, rejudge_request
from api.etags import check_if_match
from api.idempotency import idempotent
from api.resource import Resource, asked, page, sent
from api.schema import listing
from api.serializers.steering import (
    AdjudicationQueue,
    CandidateFacts,
    CaseDetail,
    CaseFilter,
    Changed,
    DisputeThresholds,
    NamesShown,
    OutputDecision,
    OutputFacts,
    OutputFilter,
    RulingNew,
    SentBack,
)


def _changed(number: int) -> Response:
    return Response(Changed({"changed": number}).data)


@extend_schema(tags=["generation"])
class RunOutputs(Resource):
    @listing(OutputFacts, parameters=[OutputFilter])
    def get(self, request: Request, study: str, number: int) -> Response:
        """The outputs in force, all or those with a flag."""
        run, wanted = run_for_lead(self.person, study, number), asked(OutputFilter, request)
        outputs = newest_outputs(run).select_related("generation__item", "generation__system")
        if "flag" in wanted:
            outputs = outputs.filter(flags__icontains=f'"{wanted["flag"]}"')
        if wanted["undecided"]:
            outputs = outputs.exclude(flags=[]).filter(decision="")
        return page(self, outputs, OutputFacts, "pk")


@extend_schema(tags=["generation"])
class RunDecisions(Resource):
    @extend_schema(request=OutputDecision, responses=Changed)
    @idempotent()
    def post(self, request: Request, study: str, number: int) -> Response:
        """Keep, clean, exclude or regenerate outputs, or take a decision back (an empty one)."""
        run, wanted = run_for_lead(self.person, study, number), sent(OutputDecision, request)
        return _changed(outputs_decide(actor=self.person, run=run, **wanted))


@extend_schema(tags=["generation"])
class RunAdoption(Resource):
    @extend_schema(request=None, responses=Changed)
    @idempotent()
    def post(self, request: Request, study: str, number: int) -> Response:
        """Make every output that may be judged a simplification of its item."""
        return _changed(outputs_adopt(actor=self.person, run=run_for_lead(self.person, study, number)))


@extend_schema(tags=["adjudication"])
class Adjudications(Resource):
    @extend_schema(responses=AdjudicationQueue, parameters=[CaseFilter])
    def get(self, request: Request, study: str) -> Response:
        """What disagrees by the study's thresholds, open cases first."""
        queue = adjudication_queue(study_with_answers(self.person, study))
        wanted = asked(CaseFilter, request)
        cases = [case for case in queue.cases if all(getattr(case, name) == value for name, value in wanted.items())]
        return Response(AdjudicationQueue({"rules": queue.rules, "cases": cases}).data)


@extend_schema(tags=["adjudication"])
class AdjudicationThresholds(Resource):
    @extend_schema(responses=DisputeThresholds)
    def get(self, request: Request, study: str) -> Response:
        """What counts as a disagreement in this study."""
        return Response(DisputeThresholds(rules_of(study_for_lead(self.person, study))).data)

    @extend_schema(request=DisputeThresholds, responses=DisputeThresholds)
    @idempotent()
    def put(self, request: Request, study: str) -> Response:
        """Set it. If-Match guards against another lead's change in the meantime."""
        found, wanted = study_for_lead(self.person, study), sent(DisputeThresholds, request)
        check_if_match(request, DisputeThresholds(rules_of(found)).data)
        return Response(DisputeThresholds(adjudication_rules_set(actor=self.person, study=found, rules=wanted)).data)


def _case(person: User, study: str, simplification: int, dimension: str) -> tuple[Study, Simplification]:
    found = study_with_answers(person, study)
    pair = simplification_of(found, simplification)
    if pair is None or dimension not in found.protocol.dimensions:
        raise Http404("no such case")
    return found, pair


def _case_facts(study: Study, pair: Simplification, dimension: str, *, named: bool) -> Any:
    heard = voices(study, pair, named=named)
    rulings = {(one.simplification_id, one.dimension): one for one in in_force(study)}
    facts = {
        "original": pair.item.original,
        "simplification": pair.text,
        "digest": ratings_digest(heard, dimension),
        "voices": heard,
        "ruling": rulings.get((pair.pk, dimension)),
    }
    return CaseDetail(facts).data


@extend_schema(tags=["adjudication"])
class AdjudicationCase(Resource):
    @extend_schema(responses=CaseDetail, parameters=[NamesShown])
    def get(self, request: Request, study: str, simplification: int, dimension: str) -> Response:
        """Everybody's judgment of one disputed pair, under numbers, and the ruling in force."""
        found, pair = _case(self.person, study, simplification, dimension)
        return Response(_case_facts(found, pair, dimension, named=asked(NamesShown, request)["names"]))

    @extend_schema(request=RulingNew, responses=CaseDetail)
    @idempotent()
    def put(self, request: Request, study: str, simplification: int, dimension: str) -> Response:
        """Settle the case as one value, or as legitimately divided. Judgments stay as they are; a former ruling stays
        in the record. With a digest it is refused where the judgments have changed since."""
        found, pair = _case(self.person, study, simplification, dimension)
        ruling = Ruling(**sent(RulingNew, request))
        adjudicate(actor=self.person, study=found, simplification=pair, dimension=dimension, ruling=ruling)
        return Response(_case_facts(found, pair, dimension, named=ruling.saw_pseudonyms))

    @extend_schema(request=None, responses={204: None})
    @idempotent()
    def delete(self, request: Request, study: str, simplification: int, dimension: str) -> Response:
        """Take the ruling back; it stays in the record."""
        found, pair = _case(self.person, study, simplification, dimension)
        if not adjudication_withdraw(actor=self.person, study=found, simplification=pair, dimension=dimension):
            raise Http404("no ruling")
        return Response(status=204)


@extend_schema(tags=["studies"])
class Rejudging(Resource):
    @extend_schema(responses=CandidateFacts(many=True))
    def get(self, request: Request, study: str) -> Response:
        """Items whose judgments of the open round can be sent back."""
        found = study_for_lead(self.person, study)
        rows = candidates(found)
        if found.hides_answers("all"):
            rows = [one.__class__(**vars(one) | {"classes": (), "doubts": 0}) for one in rows]
        return Response(CandidateFacts(rows, many=True).data)

    @extend_schema(request=SentBack, responses=Changed)
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Ask everybody who has judged these items to look at them again, and say why."""
        found, wanted = study_for_lead(self.person, study), sent(SentBack, request)
        number = rejudge_request(actor=self.person, study=found, keys=wanted["items"], reason=wanted["reason"])
        return _changed(number)

    @extend_schema(request=None, responses={200: Changed})
    @idempotent()
    def delete(self, request: Request, study: str) -> Response:
        """Take back what was asked for and has not been done."""
        return _changed(rejudge_cancel(actor=self.person, study=study_for_lead(self.person, study)))
