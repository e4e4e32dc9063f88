"""A study's plan: who is to judge what, and what is offered beside it to see how consistently each
judges."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.models.study import Study, new_seed


class StudyPlan(models.Model):
    """The plan of a study. A study without a row has the default one: everybody judges everything,
    nothing beside.

    ``per_item``: how many answers count for each pair of the main round; null for everybody's. What
    a trigger refuses (a further counted answer) depends on it, so it never sinks below what is
    counted already.
    """

    class ControlUnit(models.TextChoices):
        COUNT = "count", _("pairs")
        PERCENT = "percent", _("% of the main pairs")

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="plan")
    per_item = models.PositiveSmallIntegerField(_("answers per pair"), null=True, blank=True)
    seed = models.BigIntegerField(_("seed"), default=new_seed)
    release_after_days = models.PositiveSmallIntegerField(
        _("release after days without activity"), null=True, blank=True
    )
    repeat_percent = models.PositiveSmallIntegerField(
        _("share offered again (%)"), null=True, blank=True
    )
    repeat_after_days = models.PositiveSmallIntegerField(
        _("days before it is offered again"), default=7
    )
    control_identical = models.PositiveSmallIntegerField(_("identical control pairs"), default=0)
    control_unrelated = models.PositiveSmallIntegerField(_("unrelated control pairs"), default=0)
    control_unit = models.CharField(
        _("control pairs counted as"), max_length=7, choices=ControlUnit, default=ControlUnit.COUNT
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(per_item__isnull=True) | Q(per_item__gte=1), name="plan_per_item"
            ),
            models.CheckConstraint(condition=Q(seed__gte=0), name="plan_seed"),
            models.CheckConstraint(
                condition=Q(release_after_days__isnull=True) | Q(release_after_days__gte=1),
                name="plan_release_days",
            ),
            models.CheckConstraint(
                condition=Q(repeat_percent__isnull=True)
                | Q(repeat_percent__gte=1, repeat_percent__lte=100),
                name="plan_repeat_percent",
            ),
            models.CheckConstraint(condition=Q(repeat_after_days__gte=1), name="plan_repeat_days"),
            models.CheckConstraint(
                condition=Q(control_unit__in=["count", "percent"]), name="plan_control_unit"
            ),
            models.CheckConstraint(
                condition=~Q(control_unit="percent")
                | Q(control_identical__lte=100 - F("control_unrelated")),
                name="plan_control_percent",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study_id}: {self.per_item or 'all'}"


class PeoplePart(models.Model):
    """A draw: people judge these passages of the main round, the others are left to models.

    ``seed``, and ``passages`` distinct original texts drawn of ``of`` that there were. ``digest``
    is that of which item stood on which side then, so that what was added, moved or removed since
    shows: only a part that is still the drawn one says anything of the whole.
    """

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="people_part")
    seed = models.BigIntegerField(_("seed"))
    passages = models.PositiveIntegerField(_("passages for people"))
    of = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    drawn_at = models.DateTimeField(default=timezone.now, editable=False)
    drawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(passages__gte=1, passages__lt=F("of")), name="people_part_passages"
            ),
            models.CheckConstraint(condition=Q(seed__gte=0), name="people_part_seed"),
        ]

    def __str__(self) -> str:
        return f"{self.study_id}: {self.passages}/{self.of}"


def plan_of(study: Study) -> StudyPlan:
    """The study's plan; an unsaved default one (with the study's own seed) where none was set."""
    return StudyPlan.objects.filter(study=study).first() or StudyPlan(study=study, seed=study.seed)
