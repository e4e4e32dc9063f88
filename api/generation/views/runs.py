"""Runs of models over a study's items: set up, steered, watched. Leads only."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import run_for_lead, study_for_lead
from annotation.models import GenerationRun, Study
from annotation.selectors.generation.progress import run_progress
from annotation.selectors.generation.runs import run_estimate, run_preset
from annotation.services.generation.rows import run_locked
from annotation.services.generation.runs import (
    RUN_STEPS,
    run_create,
    run_retry_failed,
    run_update,
)
from annotation.services.generation.systems import system_add, system_remove
from api.etags import check_if_match
from api.generation.serializers.runs import (
    Estimate,
    RunChange,
    RunFacts,
    RunNew,
    RunProgress,
    SystemFacts,
)
from api.idempotency import idempotent
from api.resource import Resource, body_of, page
from api.schema import IF_MATCH, listing


def _runs(study: Study) -> QuerySet[GenerationRun]:
    return (
        GenerationRun.objects.filter(study=study)
        .select_related("after")
        .prefetch_related("systems")
    )


def _facts(run: GenerationRun) -> Any:
    return RunFacts(_runs(run.study).get(pk=run.pk)).data


@extend_schema(tags=["generation"])
class Runs(Resource):
    @listing(RunFacts)
    def get(self, request: Request, study: str) -> Response:
        """The study's runs, the newest first."""
        return page(self, _runs(study_for_lead(self.person, study)), RunFacts, "-number")

    @extend_schema(request=RunNew, responses={201: RunFacts})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Prepare a run. Nothing is asked of a model, and nothing costs, before it is started."""
        led_study, wanted = study_for_lead(self.person, study), body_of(RunNew, request)
        if "after" in wanted:
            # One that is not there is refused as one that does not fit is.
            wanted["after"] = led_study.generation_runs.filter(number=wanted["after"]).first()
        run = run_create(actor=self.person, study=led_study, **wanted)
        return Response(_facts(run), status=201)


@extend_schema(tags=["generation"])
class RunDetail(Resource):
    @extend_schema(responses=RunFacts)
    def get(self, request: Request, study: str, number: int) -> Response:
        """A run with its systems."""
        return Response(_facts(run_for_lead(self.person, study, number)))

    @extend_schema(request=RunChange, responses=RunFacts, parameters=[IF_MATCH])
    @idempotent()
    def patch(self, request: Request, study: str, number: int) -> Response:
        """Change a run in preparation; of one that was started, its ceiling. If-Match guards
        against another lead's change in the meantime."""
        run = run_for_lead(self.person, study, number)
        wanted = body_of(RunChange, request, stands=_facts(run))
        with transaction.atomic():
            # As the service locks it, so that it still is what the client has seen.
            run = run_locked(run)
            check_if_match(request, _facts(run))
            return Response(_facts(run_update(actor=self.person, run=run, **wanted)))


@extend_schema(tags=["generation"])
class RunSystems(Resource):
    @extend_schema(request=SystemFacts, responses={201: RunFacts})
    @idempotent()
    def post(self, request: Request, study: str, number: int) -> Response:
        """Add a system to a run in preparation; without anything but a name it is the one that is
        offered for the run's purpose: the paper's, where simplifications are written."""
        run = run_for_lead(self.person, study, number)
        spec, price = SystemFacts.spec(body_of(SystemFacts, request), run_preset(run))
        system_add(actor=self.person, run=run, spec=spec, price=price)
        return Response(_facts(run), status=201)


@extend_schema(tags=["generation"])
class RunSystem(Resource):
    @extend_schema(request=None, responses={204: None})
    @idempotent()
    def delete(self, request: Request, study: str, number: int, name: str) -> Response:
        """Take a system out of a run in preparation."""
        run = run_for_lead(self.person, study, number)
        system_remove(
            actor=self.person,
            system=get_object_or_404(run.systems.select_related("run"), name=name),
        )
        return Response(status=204)


@extend_schema(tags=["generation"])
class RunEstimate(Resource):
    @extend_schema(responses=Estimate)
    def get(self, request: Request, study: str, number: int) -> Response:
        """What the run would cost if it were started now."""
        _by_system, whole = run_estimate(run_for_lead(self.person, study, number))
        return Response(Estimate(whole).data)


@extend_schema(tags=["generation"])
class RunStep(Resource):
    @extend_schema(
        request=None,
        responses=RunFacts,
        parameters=[
            OpenApiParameter("step", str, OpenApiParameter.PATH, enum=[*RUN_STEPS, "retry"])
        ],
    )
    @idempotent()
    def post(self, request: Request, study: str, number: int, step: str) -> Response:
        """Start, pause, resume or cancel a run, or ask again for what failed."""
        run = run_for_lead(self.person, study, number)
        if step == "retry":
            run_retry_failed(actor=self.person, run=run)
        elif step in RUN_STEPS:
            RUN_STEPS[step](actor=self.person, run=run)
        else:
            raise Http404("no such step")
        return Response(_facts(run))


@extend_schema(tags=["generation"])
class RunProgressDetail(Resource):
    @extend_schema(responses=RunProgress)
    def get(self, request: Request, study: str, number: int) -> Response:
        """How far the run is, what it has cost, and how fast it goes."""
        run = run_for_lead(self.person, study, number)
        progress = run_progress(run)
        facts = vars(progress) | {"state": run.state, "stopped": run.stopped}
        return Response(RunProgress(facts).data)
