"""A study's glossary: legal terms that its lead defines for everybody who judges in it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.study import Study


class GlossaryEntry(models.Model):
    """A definition as it stood in the versions ``since`` (included) to ``until`` (excluded; null:
    it still stands).

    Never changed: another wording is another row from the next version on, so that every version
    can be told.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="glossary")
    term = models.CharField(_("term"), max_length=120)
    term_key = models.CharField(
        max_length=240, editable=False, help_text="the term without case and spaces"
    )
    definition = models.TextField(_("definition"), max_length=4000)
    source = models.CharField(_("source"), max_length=300, blank=True)
    since = models.PositiveIntegerField()
    until = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["study", "term_key", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["study", "term_key"],
                condition=Q(until__isnull=True),
                name="glossary_term_defined_once",
            ),
            models.CheckConstraint(
                condition=~Q(term="") & ~Q(term_key="") & ~Q(definition=""),
                name="glossary_entry_is_whole",
            ),
            models.CheckConstraint(
                condition=Q(since__gte=1) & (Q(until__isnull=True) | Q(until__gt=F("since"))),
                name="glossary_entry_versions_in_order",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study_id}: {self.term}"
