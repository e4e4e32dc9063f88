"""How much people worked, by the day: what they are paid by, and what came of it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from annotation.models.people import Annotator

DAY_SECONDS = 24 * 60 * 60
"""As many as a day of one round can hold, whatever its saves bring."""


class WorkedDay(models.Model):
    """Active time of one person that was saved on one day, in the installation's time zone. It only
    grows, up to ``DAY_SECONDS``.

    What a draft held when it was saved last, and what a submission says of the whole pair, tell no
    days apart: so each growth is written here at once, in the transaction of its save.
    ``first_at``, ``last_at``: the saves that brought time, and submissions, those that were taken
    back too.

    ``judgments``, ``corrections``: pairs submitted that day for the first time, and again; without
    what was taken back. They follow from the submissions; ``check_positions`` compares.
    """

    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="worked_days")
    day = models.DateField()
    is_practice = models.BooleanField()
    seconds = models.PositiveIntegerField()
    judgments = models.IntegerField(default=0, db_default=0)
    corrections = models.IntegerField(default=0, db_default=0)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["annotator", "day", "is_practice"], name="worked_day_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.annotator_id} {self.day}: {self.seconds} s"
