"""What a lead asks of metrics, and says of scores that come from elsewhere."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.metrics.report.estimate import SEED
from annotation.models import BroughtMetric, Study
from annotation.selectors.base.sizes import systems_kept
from annotation.selectors.metrics.material import rated_dimensions
from annotation.services.metrics.brought import Told
from annotation.services.metrics.machines import encoder_names
from annotation.services.metrics.reports import Asked
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
    def asked(self) -> Asked:
        """What was asked for. Only for a valid form."""
        return Asked(**self.cleaned_data)


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
    def told(self) -> Told:
        """What is said of them. Only for a valid form."""
        given = {name: value for name, value in self.cleaned_data.items() if name != "file"}
        return Told(**given)
