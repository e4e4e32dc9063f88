"""Agreement on what was marked on both texts."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotation.agreement.marks.figure import Drawn
from annotation.models import Job
from api.agreement.serializers.agreement import ROUNDS
from api.fields import ROUND_MEANING, ChoiceField, draws_field


class MarksQuery(serializers.Serializer[Any]):
    field = serializers.CharField(
        max_length=60, default="", allow_blank=True, help_text="Where several questions mark."
    )
    round = ChoiceField(choices=[*ROUNDS, "control"], default="main", help_text=ROUND_MEANING)
    merge = serializers.CharField(
        max_length=500,
        default="",
        allow_blank=True,
        help_text="Groups of the protocol that count as one, with commas: insertions,deletions.",
    )
    groups = serializers.CharField(
        max_length=2000,
        default="",
        allow_blank=True,
        help_text="Groups of your own: word=synonym,hyperonym; with semicolons between them.",
    )
    without = serializers.CharField(
        max_length=500,
        default="",
        allow_blank=True,
        help_text="Without the pairs on which their annotator marked one of these operations.",
    )
    draws = draws_field("Of source texts", default=Drawn().draws, most=2000)
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=Drawn().seed)
    withdrawn = serializers.BooleanField(
        default=True, help_text="With what annotators submitted who have left since."
    )


class OwnMarksFacts(serializers.Serializer[Any]):
    annotator = serializers.CharField()
    pairs = serializers.IntegerField()
    agreement = serializers.ListField(child=serializers.DictField())


class MarksAgreement(serializers.Serializer[Any]):
    """Counts of each operation; agreement on the words of each side and on edits, as marked and
    once more with groups counted as one, each figure with its interval, n and signature; which
    operations two people call otherwise, with the pairs; silent repeats beside the first time."""

    field = serializers.CharField()
    round = ChoiceField(choices=[*ROUNDS, "control"])
    is_current = serializers.BooleanField(help_text="Nothing was answered since.")
    report = serializers.DictField()
    again = OwnMarksFacts(many=True)


class MarksLater(serializers.Serializer[Any]):
    """A report that a worker computes."""

    location = serializers.CharField(help_text="Where to look again.")
    id = serializers.UUIDField(source="job.public_id")
    state = ChoiceField(source="job.state", choices=Job.State.values)
    done = serializers.IntegerField(source="job.done", help_text="Parts of the report.")
    total = serializers.IntegerField(source="job.total")
