"""Training scorers, putting one into service, asking one. Admins only: nobody who judges may see
what they say."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import require_admin, snapshot_for_lead, studies_led
from annotation.errors import RuleError
from annotation.models import DatasetSnapshot, Scorer, ScoringJob, TrainingRun, User
from annotation.protocols.base import Problem, Wording
from annotation.scoring.errors import ScoringError
from annotation.services.scoring.jobs import scoring_request
from annotation.services.scoring.scorers import scorer_promote, scorer_revert
from annotation.services.scoring.sources import set_of_snapshot
from annotation.services.scoring.training import TrainingSpec, training_request, training_stop
from api.fields import unknown_choice
from api.idempotency import idempotent
from api.people.serializers import Reason
from api.resource import Resource, body_of, page
from api.schema import listing
from api.scoring.serializers import (
    ReversionFacts,
    ReversionNew,
    ScorerFacts,
    ScoringFacts,
    ScoringNew,
    TrainingFacts,
    TrainingNew,
)


class AdminResource(Resource):
    read_scope: ClassVar[str] = "admin"
    write_scope: ClassVar[str] = "admin"

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        require_admin(self.person)


@extend_schema(tags=["scorers"])
class Scorers(AdminResource):
    @listing(ScorerFacts)
    def get(self, request: Request) -> Response:
        """Every trained scorer, the newest first. Admins only."""
        return page(self, Scorer.objects.select_related("training_run"), ScorerFacts, "-version")


@extend_schema(tags=["scorers"])
class ScorerDetail(AdminResource):
    @extend_schema(responses=ScorerFacts)
    def get(self, request: Request, version: int) -> Response:
        """One scorer with its metrics."""
        scorer = get_object_or_404(Scorer.objects.select_related("training_run"), version=version)
        return Response(ScorerFacts(scorer).data)


@extend_schema(tags=["scorers"])
class Promotion(AdminResource):
    @extend_schema(request=Reason, responses=ScorerFacts)
    @idempotent()
    def put(self, request: Request, version: int) -> Response:
        """Put a scorer into service, with a reason; refused where the stated rule is against it."""
        scorer = get_object_or_404(Scorer.objects.select_related("training_run"), version=version)
        scorer_promote(actor=self.person, scorer=scorer, **body_of(Reason, request))
        scorer.refresh_from_db()
        return Response(ScorerFacts(scorer).data)


@extend_schema(tags=["scorers"])
class Reversions(AdminResource):
    @extend_schema(request=ReversionNew, responses=ReversionFacts)
    @idempotent()
    def post(self, request: Request) -> Response:
        """Go back to the scorer that the one in service replaced; to none, if it replaced none.
        With a reason."""
        return Response(
            ReversionFacts(scorer_revert(actor=self.person, **body_of(ReversionNew, request))).data
        )


@extend_schema(tags=["scorers"])
class TrainingRuns(AdminResource):
    @listing(TrainingFacts)
    def get(self, request: Request) -> Response:
        """Every training, the newest first."""
        return page(self, TrainingRun.objects.all(), TrainingFacts, "-pk")

    @extend_schema(request=TrainingNew, responses={202: TrainingFacts})
    @idempotent()
    def post(self, request: Request) -> Response:
        """Ask for a training on the final labels of a snapshot. A worker does it."""
        wanted = body_of(TrainingNew, request)
        snapshot = _snapshot(self.person, wanted.pop("study"), wanted.pop("snapshot"))
        try:
            data = set_of_snapshot(snapshot)
            run = training_request(
                actor=self.person, data=data, spec=TrainingSpec(**wanted), snapshot=snapshot
            )
        except ScoringError as error:
            raise _refusal(error) from error
        return Response(TrainingFacts(run).data, status=202)


def _snapshot(person: User, study: str, number: int) -> DatasetSnapshot:
    """Raises ``ValidationError`` that names the one of the two that is unknown."""
    studies = list(studies_led(person).values_list("key", flat=True))
    if study not in studies:
        raise unknown_choice("study", study, studies)
    snapshots = DatasetSnapshot.objects.filter(study__key=study)
    if not snapshots.filter(number=number).exists():
        numbers = snapshots.order_by("number").values_list("number", flat=True)
        raise unknown_choice("snapshot", str(number), list(map(str, numbers)))
    return snapshot_for_lead(person, study, number)


def _refusal(error: ScoringError) -> RuleError:
    return RuleError([Problem("", error.code, Wording(error.message.fr, error.message.en))])


@extend_schema(tags=["scorers"])
class TrainingRunDetail(AdminResource):
    @extend_schema(responses=TrainingFacts)
    def get(self, request: Request, training: uuid.UUID) -> Response:
        """How far a training is; once it is done, its report."""
        return Response(TrainingFacts(get_object_or_404(TrainingRun, public_id=training)).data)

    @extend_schema(request=None, responses={202: TrainingFacts})
    @idempotent()
    def delete(self, request: Request, training: uuid.UUID) -> Response:
        """Stop a training: at once where it waits, at its next batch where it runs."""
        run = get_object_or_404(TrainingRun, public_id=training)
        training_stop(actor=self.person, run=run)
        run.refresh_from_db()
        return Response(TrainingFacts(run).data, status=202)


@extend_schema(tags=["scorers"])
class Scorings(AdminResource):
    @extend_schema(request=ScoringNew, responses={202: ScoringFacts})
    @idempotent()
    def post(self, request: Request, version: int) -> Response:
        """Have pairs scored. A worker does it: look again until its state is `done`."""
        scorer = get_object_or_404(Scorer, version=version)
        job = scoring_request(actor=self.person, scorer=scorer, **body_of(ScoringNew, request))
        return Response(ScoringFacts(job).data, status=202)


@extend_schema(tags=["scorers"])
class ScoringDetail(AdminResource):
    @extend_schema(responses=ScoringFacts)
    def get(self, request: Request, scoring: uuid.UUID) -> Response:
        """The scores, once they are there."""
        job = get_object_or_404(ScoringJob.objects.select_related("scorer"), public_id=scoring)
        return Response(ScoringFacts(job).data)
