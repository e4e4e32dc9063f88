"""What an admin fills in about scorers."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from annotation.errors import RuleError
from annotation.models import Backend, DatasetSnapshot
from annotation.services.scoring.jobs import MOST_CHARACTERS
from annotation.services.scoring.training import TrainingSpec, seeds_from


class TrainingForm(forms.Form):
    """A new training."""

    snapshot = forms.ModelChoiceField(
        label=_("Frozen data"),
        queryset=DatasetSnapshot.objects.none(),
        empty_label=None,
        help_text=_("Newest first."),
    )
    backend = forms.ChoiceField(label=_("Kind"), choices=Backend.choices)
    seeds = forms.CharField(
        label=_("Seeds"), initial="42-51", help_text=_("As published: 42-51, ten splits.")
    )
    augment = forms.BooleanField(
        label=_("Data augmentation"),
        required=False,
        help_text=_("Adds identical and unrelated pairs to the training side only."),
    )
    corpus = forms.FileField(
        label=_("Sentences for unrelated pairs"),
        required=False,
        help_text=_("UTF-8 text, one sentence a line."),
    )
    encoder = forms.CharField(
        label=_("Encoder"),
        required=False,
        help_text=_("Transformer only. Empty: almanach/camembertv2-base."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        snapshots = DatasetSnapshot.objects.select_related("study").order_by("-pk")
        self.fields["snapshot"].queryset = snapshots  # type: ignore[attr-defined]

    def clean_seeds(self) -> list[int]:
        try:
            return seeds_from(self.cleaned_data["seeds"])
        except RuleError as error:
            raise forms.ValidationError(
                error.problems[0].message.get(get_language() or "fr")
            ) from error

    @property
    def spec(self) -> TrainingSpec:
        """What was asked for. Only for a valid form."""
        given = self.cleaned_data
        return TrainingSpec(
            backend=given["backend"],
            seeds=given["seeds"],
            augment=given["augment"],
            corpus=given["corpus"].read() if given["corpus"] else None,
            parameters={"encoder": given["encoder"]} if given["encoder"] else {},
        )


class ReasonForm(forms.Form):
    """Why a scorer comes into service, or leaves it."""

    reason = forms.CharField(
        label=_("Reason"), max_length=2000, widget=forms.Textarea(attrs={"rows": 3})
    )


class PairForm(forms.Form):
    """One pair to score."""

    original = forms.CharField(
        label=_("Original"), max_length=MOST_CHARACTERS, widget=forms.Textarea(attrs={"rows": 5})
    )
    simplification = forms.CharField(
        label=_("Simplification"),
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 5}),
    )


class PairsFileForm(forms.Form):
    """A file of pairs to score."""

    file = forms.FileField(
        label=_("File of pairs"),
        help_text=_("CSV, TSV or JSON lines with the columns original and simplification."),
    )
