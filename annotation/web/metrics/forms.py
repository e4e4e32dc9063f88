"""What a lead asks of metrics, and says of scores that come from elsewhere."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.corpus.human_scores import ScoreColumns, divided
from annotation.metrics.report.estimate import SEED
from annotation.models import BroughtMetric, Study
from annotation.selectors.base.sizes import systems_kept
from annotation.selectors.metrics.material import rated_dimensions
from annotation.services.metrics.brought import ScoresNote
from annotation.services.metrics.frozen import snapshot_numbers
from annotation.services.metrics.machines import encoder_names
from annotation.services.metrics.measuring import ReportRequest
from annotation.services.metrics.table_reports import TableOrder
from annotation.services.metrics.tables import TableRequest
from annotation.web.base.presenters import dimension_label


class ReportForm(forms.Form):
    """A new report."""

    dimension = forms.ChoiceField(label=_("Held against"))
    reference = forms.ChoiceField(
        label=_("System that is the reference"),
        required=False,
        help_text=_("Its outputs are what others are compared with, and no outputs themselves."),
    )
    more_references = forms.MultipleChoiceField(
        label=_("Further references"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Several references for each item: bring each in as the outputs of a system of its "
            "own; nobody needs to judge them."
        ),
    )
    snapshot = forms.TypedChoiceField(
        label=_("Of which answers"), required=False, coerce=int, empty_value="0"
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        initial=SEED,
        min_value=0,
        max_value=2**31 - 1,
        help_text=_("Of the draws, the control pairs and the folds."),
    )
    slow = forms.BooleanField(
        label=_("With TER: a quarter of a second for each pair of long clauses"), required=False
    )
    every_scorer = forms.BooleanField(
        label=_("With every scorer of the registry"),
        required=False,
        help_text=_(
            "The one in service and those that have scored the study are there in any case, once "
            "the study is closed."
        ),
    )

    encoders = forms.MultipleChoiceField(
        label=_("With encoders: cosine and BERTScore"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Seconds to minutes for each hundred pairs. Folders that an admin named, and the "
            "multilingual sentence encoder where it is installed."
        ),
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        dimension: Any = self.fields["dimension"]
        dimension.choices = [
            (name, dimension_label(study.protocol, name)) for name in rated_dimensions(study)
        ]
        frozen: Any = self.fields["snapshot"]
        numbers = snapshot_numbers(study)
        frozen.choices = [
            ("", _("The study as it is")),
            *((number, f"{_('Snapshot')} {study.key}-{number}") for number in numbers),
        ]
        if not numbers:
            del self.fields["snapshot"]
        reference: Any = self.fields["reference"]
        encoders: Any = self.fields["encoders"]
        encoders.choices = [(name, name) for name in encoder_names()]
        systems = systems_kept(study.pk)
        more: Any = self.fields["more_references"]
        more.choices = [(name, name) for name in systems]
        if len(systems) < 3:  # one more reference, and outputs to measure
            del self.fields["more_references"]
        reference.choices = [("", _("None: the original")), *((name, name) for name in systems)]

    @property
    def report_request(self) -> ReportRequest:
        """What was asked for. Only for a valid form."""
        given = self.cleaned_data
        return ReportRequest(**{**given, "snapshot": int(given.get("snapshot") or 0)})


class TableForm(forms.Form):
    """A table of human scores without a study. Columns are named as in its first row; several are
    divided by commas."""

    file = forms.FileField(
        label=_("Table of human scores"),
        help_text=_(
            "One row for each simplification, names of columns in the first (.csv, .tsv, .xlsx, "
            ".jsonl, .parquet)."
        ),
    )
    human = forms.CharField(
        label=_("Columns of human scores"),
        max_length=2000,
        help_text=_("One for each person, or one for their mean. Several: divided by commas."),
    )
    original = forms.CharField(
        label=_("Column of the original"),
        max_length=200,
        required=False,
        help_text=_("Empty: found by its name."),
    )
    simplification = forms.CharField(
        label=_("Column of the simplification"),
        max_length=200,
        required=False,
        help_text=_("Empty: found by its name."),
    )
    references = forms.CharField(label=_("Columns of references"), max_length=2000, required=False)
    system = forms.CharField(label=_("Column of the system"), max_length=200, required=False)
    source = forms.CharField(
        label=_("Column that tells source texts apart"),
        max_length=200,
        required=False,
        help_text=_("Empty: the original does. Intervals draw source texts."),
    )
    scores = forms.CharField(
        label=_("Columns of other metrics, higher is better"), max_length=2000, required=False
    )
    lower = forms.CharField(
        label=_("Columns of other metrics, lower is better"), max_length=2000, required=False
    )
    lowest = forms.FloatField(label=_("Lowest possible human score"), required=False)
    highest = forms.FloatField(
        label=_("Highest possible human score"),
        required=False,
        help_text=_("Both ends or neither: then those that stand in the table are taken."),
    )
    language = forms.RegexField(
        r"^[a-z]{2}$",
        label=_("Language of the texts"),
        required=False,
        help_text=_("Two letters, as in fr; readability and some metrics ask for it."),
    )
    seed = forms.IntegerField(label=_("Seed"), initial=SEED, min_value=0, max_value=2**31 - 1)
    slow = forms.BooleanField(
        label=_("With TER: a quarter of a second for each pair of long clauses"), required=False
    )
    encoders = forms.MultipleChoiceField(
        label=_("With encoders: cosine and BERTScore"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        encoders: Any = self.fields["encoders"]
        encoders.choices = [(name, name) for name in encoder_names()]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if (given.get("lowest") is None) != (given.get("highest") is None):
            self.add_error("highest", _("Give both ends, or neither."))
        return given

    @property
    def order(self) -> TableOrder:
        """What was asked for. Only for a valid form."""
        given = self.cleaned_data
        scores, lower = divided(given["scores"]), divided(given["lower"])
        columns = ScoreColumns(
            human=divided(given["human"]),
            references=divided(given["references"]),
            scores=(*scores, *lower),
            **{
                name: given[name]
                for name in ("original", "simplification", "system", "source", "lowest", "highest")
            },
        )
        request = TableRequest(columns, frozenset(lower), given["language"])
        return TableOrder(request, given["slow"], tuple(given["encoders"]), given["seed"])


class ScoresForm(forms.Form):
    """A file of scores."""

    file = forms.FileField(
        label=_("File of scores"),
        help_text=_("A table (.csv, .tsv, .xlsx, .jsonl) with the columns pair, metric and score."),
    )
    direction = forms.TypedChoiceField(
        label=_("Which way is better"), choices=BroughtMetric.Direction.choices, coerce=int
    )
    lowest = forms.FloatField(label=_("Lowest possible score"), required=False)
    highest = forms.FloatField(
        label=_("Highest possible score"),
        required=False,
        help_text=_("Without both ends there is no error in points and no share above."),
    )
    note = forms.CharField(
        label=_("How they were computed"),
        max_length=300,
        required=False,
        help_text=_("Model, version, settings: it becomes their signature."),
    )

    @property
    def scores_note(self) -> ScoresNote:
        """What is said of them. Only for a valid form."""
        given = {name: value for name, value in self.cleaned_data.items() if name != "file"}
        return ScoresNote(**given)
