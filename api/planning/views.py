"""Who judges what: the plan, tried before it is set, and an absent person's pairs. Leads only."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import study_for_lead
from annotation.models import Study, StudyPlan, plan_of
from annotation.selectors.planning.parts import part_problem, people_part
from annotation.selectors.planning.preview import plan_preview
from annotation.selectors.planning.repeats import repeats_expected
from annotation.services.planning.controls import controls_wanted
from annotation.services.planning.parts import part_draw, part_undo
from annotation.services.planning.plans import plan_change, plan_set
from annotation.services.platform.study_rows import study_row_lock
from api.etags import check_if_match
from api.idempotency import idempotent
from api.planning.serializers import (
    PartDraw,
    PartFacts,
    PlanApplied,
    PlanChange,
    PlanFacts,
    PlanPreviewFacts,
    PlanQuery,
)
from api.resource import Resource, body_of, query_of
from api.schema import IF_MATCH


@extend_schema(tags=["plan"])
class Plan(Resource):
    @extend_schema(responses=PlanFacts)
    def get(self, request: Request, study: str) -> Response:
        """The plan in force."""
        return Response(PlanFacts(plan_of(study_for_lead(self.person, study))).data)

    @extend_schema(request=PlanChange, responses=PlanApplied, parameters=[IF_MATCH])
    @idempotent()
    def patch(self, request: Request, study: str) -> Response:
        """Change the plan and, where a round is open, give out what it adds. Submitted and begun
        work stays where it is. If-Match guards against another lead's change in the meantime."""
        led_study, wanted = study_for_lead(self.person, study), body_of(PlanChange, request)
        with transaction.atomic():
            # As the service locks it, so that the plan still is what the client has seen when it is
            # set.
            led_study = study_row_lock(led_study.pk, no_key=True)
            check_if_match(request, PlanFacts(plan_of(led_study)).data)
            return Response(
                PlanApplied(plan_set(actor=self.person, study=led_study, **wanted)).data
            )

    def as_read(self, patched: Any) -> Any:
        return patched["plan"]


@extend_schema(tags=["plan"])
class PlanPreview(Resource):
    @extend_schema(responses=PlanPreviewFacts, parameters=[PlanQuery])
    def get(self, request: Request, study: str) -> Response:
        """What the plan in force, or one with other settings, would give to whom if it were applied
        now; nothing is stored."""
        led_study, changes = study_for_lead(self.person, study), query_of(PlanQuery, request)
        redistribute, plan = changes.pop("redistribute"), plan_of(led_study)
        if changes:
            plan_change(led_study, plan, changes)
        return Response(PlanPreviewFacts(_preview(led_study, plan, redistribute=redistribute)).data)


@extend_schema(tags=["plan"])
class PlanPart(Resource):
    @extend_schema(responses=PartFacts)
    def get(self, request: Request, study: str) -> Response:
        """The part of the passages that was drawn for people; 404 where they judge all of them."""
        return Response(_part(study_for_lead(self.person, study)))

    @extend_schema(request=PartDraw, responses=PartFacts, parameters=[IF_MATCH])
    @idempotent()
    def put(self, request: Request, study: str) -> Response:
        """Draw a part for people and leave the other passages to models, in the place of a former
        draw. Only while the study is in preparation, and before anybody has seen a pair.
        If-Match guards against another lead's draw in the meantime."""
        led_study = study_for_lead(self.person, study)
        stands = None if people_part(led_study) is None else _part(led_study)
        wanted = body_of(PartDraw, request, stands=stands)
        with transaction.atomic():
            part_draw(actor=self.person, study=_unchanged(request, led_study), **wanted)
            return Response(_part(led_study))

    @extend_schema(request=None, responses={204: None}, parameters=[IF_MATCH])
    @idempotent()
    def delete(self, request: Request, study: str) -> Response:
        """Take the draw back: people judge every passage. Only while the study is in
        preparation."""
        led_study = study_for_lead(self.person, study)
        with transaction.atomic():
            part_undo(actor=self.person, study=_unchanged(request, led_study))
        return Response(status=204)


def _unchanged(request: Request, study: Study) -> Study:
    """The study, locked as a draw locks it, where its part still is what the client has seen."""
    locked_study = study_row_lock(study.pk)
    check_if_match(request, _drawn(locked_study))
    return locked_study


def _part(study: Study) -> dict[str, Any]:
    drawn = _drawn(study)
    if drawn is None:
        raise Http404("no part is drawn")
    return drawn


def _drawn(study: Study) -> dict[str, Any] | None:
    part = people_part(study)
    if part is None:
        return None
    problem = part_problem(study, part)
    said = {"fr": problem.fr, "en": problem.en} if problem is not None else None
    names = ("passages", "of", "seed", "drawn_at")
    return dict(PartFacts({name: getattr(part, name) for name in names} | {"problem": said}).data)


def _preview(study: Study, plan: StudyPlan, *, redistribute: bool) -> dict[str, Any]:
    preview = plan_preview(study, plan, redistribute=redistribute)
    pairs = len(preview.allocation.pairs)
    return {
        "pairs": pairs,
        "added": preview.added,
        "released": preview.released,
        "controls": controls_wanted(plan, pairs),
        "loads": [
            {
                "pseudonym": name,
                "pairs": load,
                "repeats": repeats_expected(plan, load),
                "away": name in preview.allocation.away,
            }
            for name, load in preview.loads
        ],
        "couples": [
            {"one": first, "other": second, "pairs": number}
            for first, second, number in preview.couples
        ],
        "obstacles": preview.obstacles,
    }
