"""How far each annotator is and what a study holds, kept as they change."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Value

from annotation.models.people import Annotator
from annotation.models.study import Study


class Tally(models.Model):
    """Numbers over the pairs that one annotator sees of one round: practice, or the main round with
    what is offered within it. ``services/base/standings.py`` writes them with what changes them.

    What they see: ``total``, ``done``, ``aside``; ``unread``, answers of leads to remarks on
    submitted pairs. What leads are told, out of sight or not: ``judged``, submitted answers that
    count; ``awaited``, pairs that they hold and have not submitted; ``beside``, the same of
    controls and repeats, which are in neither; ``remarks`` that are not settled; ``again``,
    judgments that were sent back and not made again.

    Without a constraint that they are not negative: no number of these is worth a refused answer.
    """

    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="tallies")
    in_practice = models.BooleanField()
    total = models.IntegerField(default=0)
    done = models.IntegerField(default=0)
    aside = models.IntegerField(default=0)
    unread = models.IntegerField(default=0)
    judged = models.IntegerField(default=0, db_default=0)
    awaited = models.IntegerField(default=0, db_default=0)
    beside = models.IntegerField(default=0, db_default=0)
    remarks = models.IntegerField(default=0, db_default=0)
    again = models.IntegerField(default=0, db_default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["annotator", "in_practice"], name="tally_once")
        ]

    def __str__(self) -> str:
        return f"{self.annotator_id}: {self.done}/{self.total}"


class StudySize(models.Model):
    """What a study holds, kept as it changes: its own items and pairs, and the items of controls
    and repeats (``beside``); the names of its pairs' ``systems``, sorted.
    ``services/base/sizes.py`` writes it; ``check_positions`` compares."""

    study = models.OneToOneField(
        Study, on_delete=models.CASCADE, primary_key=True, related_name="size"
    )
    practice = models.IntegerField(default=0)
    main = models.IntegerField(default=0)
    beside = models.IntegerField(default=0)
    pairs = models.IntegerField(default=0)
    identical = models.IntegerField(default=0)
    other_language = models.IntegerField(default=0)
    systems = models.JSONField(default=list, db_default=Value([], models.JSONField()))

    def __str__(self) -> str:
        return f"{self.study_id}: {self.practice} + {self.main}"
