"""What a key for programs may do, and for how long."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import ApiToken

_DAYS = ((30, _("30 days")), (90, _("90 days")), (365, _("one year")))


class TokenForm(forms.Form):
    """A new key. The service decides; this offers what makes sense."""

    name = forms.CharField(
        label=_("Name"), max_length=100, help_text=_("What you make it for: a script, a machine.")
    )
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"),
        choices=ApiToken.Scope.choices,
        initial=[ApiToken.Scope.READ],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("It never lets a program do more than you may do yourself."),
    )
    days = forms.TypedChoiceField(label=_("Valid for"), choices=_DAYS, coerce=int, initial=90)

    def __init__(self, *args: Any, is_admin: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not is_admin:
            scopes = cast(forms.MultipleChoiceField, self.fields["scopes"])
            scopes.choices = [
                choice for choice in ApiToken.Scope.choices if choice[0] != ApiToken.Scope.ADMIN
            ]
