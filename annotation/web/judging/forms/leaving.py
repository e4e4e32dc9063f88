"""The second step before one leaves a study."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class LeavingForm(forms.Form):
    """That one means it, and why, if one wants to say."""

    reason = forms.CharField(
        label=_("Why, if you want to say"),
        help_text=_("Those who run the study read it."),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    is_meant = forms.BooleanField(label=_("I have read what it means, and leave this study"))
