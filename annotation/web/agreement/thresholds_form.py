"""What a lead calls a disagreement, as a form."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.agreement.disputes import DisputeRules


class PointsField(forms.FloatField):
    """A number with a comma or a point, whatever the page's language. Which one makes sense is said
    by ``rules_problems``."""

    widget = forms.TextInput(attrs={"inputmode": "decimal", "size": 6})

    def to_python(self, value: Any) -> float | None:
        return super().to_python(value.replace(",", ".") if isinstance(value, str) else value)

    def prepare_value(self, value: Any) -> Any:
        """As people write it: 3 and not 3.0; what was typed as it was typed."""
        return int(value) if isinstance(value, float) and value.is_integer() else value


class ThresholdsForm(forms.Form):
    """The thresholds in force, or those that were typed."""

    majority_share = PointsField(
        label=_("Simplicity and class: less than this share for the most frequent answer"),
        localize=True,
    )
    score_range = PointsField(
        label=_("Legal meaning: more than so many points between the lowest and the highest"),
        localize=True,
    )
    fewest_ratings = forms.IntegerField(
        label=_("At least so many judgments"),
        widget=forms.TextInput(attrs={"inputmode": "numeric", "size": 6}),
    )

    def __init__(self, rules: DisputeRules, data: Any = None) -> None:
        super().__init__(data, initial=rules.as_dict())
