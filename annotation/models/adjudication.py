"""What became of disagreements. Judgments are never touched: a ruling stands beside them."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.models.item import Simplification
from annotation.models.study import Study


def default_rules() -> dict[str, Any]:
    """Queue a class or level without a clear majority, and scores more than three points apart."""
    return {"majority_share": 0.6, "score_range": 3, "fewest_ratings": 2}


class AdjudicationRules(models.Model):
    """What a lead calls a disagreement, in one study; see ``annotation.agreement.disputes``."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="adjudication_rules")
    rules = models.JSONField(default=default_rules, encoder=DjangoJSONEncoder)

    def __str__(self) -> str:
        return f"{self.study_id}"


class Adjudication(models.Model):
    """A ruling on one dimension of one simplification. A later one replaces it and leaves it in the
    record."""

    class Outcome(models.TextChoices):
        SETTLED = "settled", _("settled as one value")
        DIVIDED = "divided", _("legitimately divided")

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="adjudications")
    simplification = models.ForeignKey(
        Simplification, on_delete=models.CASCADE, related_name="adjudications"
    )
    dimension = models.CharField(max_length=30)
    outcome = models.CharField(max_length=7, choices=Outcome)
    value = models.SmallIntegerField(null=True, blank=True)
    # Of a dimension that counts marks: those that stand, as an answer has them.
    marks = models.JSONField(null=True, blank=True, encoder=DjangoJSONEncoder)
    reasons = models.TextField(_("legal reasons"))
    saw_pseudonyms = models.BooleanField(default=False)
    # The judgments that were ruled on: later ones make the ruling due again.
    judgments_digest = models.CharField(max_length=64)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    decided_at = models.DateTimeField(default=timezone.now)
    superseded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["simplification", "dimension"],
                condition=Q(superseded_at__isnull=True),
                name="adjudication_one_in_force",
            ),
            models.CheckConstraint(
                condition=Q(outcome="settled", value__isnull=False)
                | Q(outcome="divided", value__isnull=True),
                name="adjudication_value_iff_settled",
            ),
            models.CheckConstraint(condition=~Q(reasons=""), name="adjudication_has_reasons"),
        ]

    def __str__(self) -> str:
        return f"{self.simplification_id} {self.dimension} {self.outcome}"
