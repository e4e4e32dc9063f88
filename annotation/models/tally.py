"""How far each annotator is, kept as it changes."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from annotation.models.people import Annotator


class Tally(models.Model):
    """Numbers over the pairs that one annotator sees of one round: practice, or the main round with
    what is offered within it. ``services/base/standings.py`` writes them with what changes them.
    ``unread``: answers of leads to remarks on submitted pairs.

    Without a constraint that they are not negative: no number of these is worth a refused answer.
    """

    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="tallies")
    in_practice = models.BooleanField()
    total = models.IntegerField(default=0)
    done = models.IntegerField(default=0)
    aside = models.IntegerField(default=0)
    unread = models.IntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["annotator", "in_practice"], name="tally_once")
        ]

    def __str__(self) -> str:
        return f"{self.annotator_id}: {self.done}/{self.total}"
