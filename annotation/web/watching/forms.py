"""The period of a pay sheet."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.selectors.watching.pay import Period


class _Day(forms.DateInput):
    input_type = "date"

    def __init__(self) -> None:
        # What the browser's own control reads and writes, in every language.
        super().__init__(format="%Y-%m-%d")


class PeriodForm(forms.Form):
    """Days, both included; an empty one is open."""

    first = forms.DateField(
        label=gettext_lazy("From"), required=False, widget=_Day, input_formats=["%Y-%m-%d"]
    )
    last = forms.DateField(
        label=gettext_lazy("To"), required=False, widget=_Day, input_formats=["%Y-%m-%d"]
    )

    def clean(self) -> dict[str, Any]:
        """The days, in their order."""
        cleaned: dict[str, Any] = super().clean() or {}
        first, last = cleaned.get("first"), cleaned.get("last")
        if first and last and last < first:
            self.add_error("last", _("The last day comes before the first: turn them round."))
        return cleaned

    @property
    def period(self) -> Period:
        """What was asked for, once the form is valid."""
        return Period(self.cleaned_data["first"], self.cleaned_data["last"])
