"""Reports on metrics, and scores from elsewhere."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.corpus.metric_scores import LONGEST_NAME
from annotation.metrics.report.estimate import DRAWS, SEED
from annotation.models import BroughtMetric, Job, WorkState
from api.fields import ChoiceField, Rows, draws_field

_MOST_SCORES = 50_000


class ReportNew(serializers.Serializer[Any]):
    dimension = serializers.CharField(
        max_length=60, help_text="Of the protocol: what the metrics are held against."
    )
    reference = serializers.CharField(
        max_length=100,
        default="",
        allow_blank=True,
        help_text="A system whose outputs the others are compared with; it is left out itself.",
    )
    more_references = serializers.ListField(
        child=serializers.CharField(max_length=100),
        default=list,
        max_length=50,
        help_text="Further such systems: several references for each item.",
    )
    slow = serializers.BooleanField(
        default=False, help_text="With TER, which takes a quarter of a second for each pair."
    )
    every_scorer = serializers.BooleanField(
        default=False,
        help_text="With every scorer of the registry, not only the one in service and those that "
        "have scored the study.",
    )
    encoders = serializers.ListField(
        child=serializers.CharField(max_length=40),
        default=list,
        max_length=20,
        help_text="By their names: `use-multilingual`, `minilm-english`, and folders that an admin "
        "named.",
    )
    snapshot = serializers.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        default=0,
        help_text="The number of the snapshot whose frozen texts and answers it is of; 0 for the "
        "study as it is.",
    )
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=SEED)
    draws = draws_field("Of source texts", default=DRAWS, most=5000)


class ReportFacts(serializers.Serializer[Any]):
    """The newest report. Every figure has its value, interval and n, or says in both languages why
    it is undefined; every line has its signature.

    Where lower is better (`direction` -1), the sign is turned: every correlation, difference and
    order is of the negative value, while `points` hold the value as it is. `best` is of the lines
    that compete (`competes`): they have a better side, a value for at least half of the outputs,
    and are no baseline. It has the highest correlation of them, which shows agreement only where
    the whole interval, `low` to `high`, is above zero. `versus` is of every other line that has a
    better side. `better` says which way is better on the human scale: with `lower` the sign of
    people's means is turned too, with `neither` no line competes. Reports of before lack it, and
    took higher for better."""

    id = serializers.UUIDField(source="public_id")
    state = ChoiceField(choices=Job.State.values)
    done = serializers.IntegerField(
        help_text="Pairs measured, anew by each machine; then as many steps of figures."
    )
    total = serializers.IntegerField()
    problem = serializers.CharField(help_text="Why it failed; empty where it did not.")
    asked = serializers.DictField(source="parameters", help_text="What it was to be about.")
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    report = serializers.DictField(
        source="result",
        help_text="Lines with the points and largest disagreements of each, strata, the human "
        "ceiling, metrics between each other, papers' tables; `of_withdrawn`: how many of the "
        "ratings are of how many people who have withdrawn, which no snapshot holds, nor a report "
        "of one. Empty until it is done.",
    )


class ScoreNew(serializers.Serializer[Any]):
    pair = serializers.CharField(max_length=300, help_text="`<item>/<position>`.")
    metric = serializers.CharField(max_length=LONGEST_NAME)
    score = serializers.FloatField()


class ScoresNew(serializers.Serializer[Any]):
    direction = ChoiceField(
        choices=BroughtMetric.Direction.values, default=BroughtMetric.Direction.HIGHER.value
    )
    lowest = serializers.FloatField(
        allow_null=True, default=None, help_text="Of the possible range; both ends or neither."
    )
    highest = serializers.FloatField(allow_null=True, default=None)
    note = serializers.CharField(
        max_length=300,
        default="",
        allow_blank=True,
        help_text="Model, version, settings: it becomes their signature.",
    )
    scores = Rows(child=ScoreNew(), allow_empty=False, max_length=_MOST_SCORES)


class BroughtFacts(serializers.Serializer[Any]):
    name = serializers.CharField()
    number = serializers.IntegerField(help_text="Of pairs with a score.")
    direction = ChoiceField(choices=BroughtMetric.Direction.values)
    lowest = serializers.FloatField(allow_null=True)
    highest = serializers.FloatField(allow_null=True)
    note = serializers.CharField()
    sha256 = serializers.CharField()
    created_at = serializers.DateTimeField()


class TableNew(serializers.Serializer[Any]):
    """A table of human scores. Columns are named as in its first row; those that may be several are
    divided by commas."""

    file = serializers.FileField(
        help_text="CSV, TSV, XLSX, JSONL or Parquet: one row for each simplification."
    )
    human = serializers.CharField(
        max_length=2000, help_text="Columns of human scores: one a person, or one for their mean."
    )
    original = serializers.CharField(
        max_length=200, default="", allow_blank=True, help_text="Empty: found by its name."
    )
    simplification = serializers.CharField(
        max_length=200, default="", allow_blank=True, help_text="Empty: found by its name."
    )
    references = serializers.CharField(
        max_length=2000, default="", allow_blank=True, help_text="Columns of references."
    )
    system = serializers.CharField(max_length=200, default="", allow_blank=True)
    # Not "source": that is what a field is called whose value stands elsewhere.
    told_apart_by = serializers.CharField(
        max_length=200,
        default="",
        allow_blank=True,
        help_text="The column that tells source texts apart; empty: the original does.",
    )
    scores = serializers.CharField(
        max_length=2000, default="", allow_blank=True, help_text="Other metrics, higher is better."
    )
    lower = serializers.CharField(
        max_length=2000, default="", allow_blank=True, help_text="Other metrics, lower is better."
    )
    counts = serializers.CharField(
        max_length=2000,
        default="",
        allow_blank=True,
        help_text="Counts of something in each simplification, by which metrics are explained.",
    )
    lowest = serializers.FloatField(
        allow_null=True, default=None, help_text="Of the human scale; both ends or neither."
    )
    highest = serializers.FloatField(allow_null=True, default=None)
    language = serializers.RegexField(
        r"^[a-z]{2}$", default="", allow_blank=True, help_text="Of the texts, as in `fr`."
    )
    slow = serializers.BooleanField(
        default=False, help_text="With TER, which takes a quarter of a second for each pair."
    )
    encoders = serializers.CharField(
        max_length=500, default="", allow_blank=True, help_text="By their names, as on a study."
    )
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=SEED)
    draws = draws_field("Of source texts", default=DRAWS, most=5000)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if (attrs["lowest"] is None) != (attrs["highest"] is None):
            raise serializers.ValidationError({"highest": _("Give both ends, or neither.")})
        return attrs


class TableProblem(serializers.Serializer[Any]):
    """What was wrong with the table, in both languages."""

    fr = serializers.CharField()
    en = serializers.CharField()
    row = serializers.IntegerField(required=False, help_text="As a spreadsheet counts it.")
    field = serializers.CharField(required=False)


class TableReportFacts(serializers.Serializer[Any]):
    """A report on a table of human scores."""

    id = serializers.UUIDField(source="public_id")
    name = serializers.CharField(help_text="Of the file.")
    state = ChoiceField(choices=WorkState.values)
    done = serializers.IntegerField(
        help_text="Pairs measured, anew by each machine; then as many steps of figures."
    )
    total = serializers.IntegerField()
    problems = TableProblem(many=True)
    asked = serializers.DictField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class TableReportWhole(TableReportFacts):
    """With what it says."""

    report = serializers.DictField(
        source="result", help_text="As a study's; `table` says what was taken from which column."
    )
