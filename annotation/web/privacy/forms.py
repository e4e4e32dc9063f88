"""Forms of one's own data: each asks for the password again, because an open browser may be
anybody's."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import ErasureRequest
from annotation.services.accounts.accounts import LONGEST_NAME
from annotation.web.accounts.forms.confirming import PasswordAgain


class NameForm(forms.Form):
    """One's name as it should be. No password: whoever leads reads at once what it was changed to,
    and it is changed back as easily."""

    name = forms.CharField(
        label=_("Your name"),
        max_length=LONGEST_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class ErasureForm(PasswordAgain):
    """The wish to be forgotten."""

    wish = forms.ChoiceField(
        label=_("My judgments"), choices=ErasureRequest.Judgments, widget=forms.RadioSelect
    )
    field_order = ("wish", "password")


class AddressForm(forms.Form):
    """Whose address goes that no account has, and why; nothing needs a reason to be looked at."""

    email = forms.EmailField(
        label=_("E-mail address"), widget=forms.EmailInput(attrs={"autocomplete": "off"})
    )
    reason = forms.CharField(
        label=_("On what ground"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        required=False,
        help_text=_("Asked for when you erase. Write no name."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].is_asked_for = True  # type: ignore[attr-defined]  # read by components/field.html


class DecisionForm(forms.Form):
    """What whoever answers for the data decides."""

    judgments = forms.ChoiceField(
        label=_("The person's judgments"),
        choices=ErasureRequest.Judgments,
        widget=forms.RadioSelect,
        required=False,
    )
    reason = forms.CharField(
        label=_("On what ground"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        required=False,
        help_text=_(
            "The consent or licence under which the data was given, or the law. Write no name."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            # A grant asks for both, a refusal for the reason: the service says which is missing.
            field.is_asked_for = True  # type: ignore[attr-defined]  # read by components/field.html
