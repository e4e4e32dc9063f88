"""Forms of one's own data: each asks for the password again, because an open browser may be anybody's."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import authenticate
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from annotation.models import ErasureRequest


class PasswordAgain(forms.Form):
    """The password of whoever is logged in. Wrong ones count like those of the log-in page."""

    password = forms.CharField(
        label=_("Your password"), strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )

    def __init__(self, request: HttpRequest, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self._request = request

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        user = self._request.user
        assert user.is_authenticated  # noqa: S101  (the page is behind the log-in)
        if authenticate(self._request, username=user.email, password=password) != user:
            raise forms.ValidationError(_("This is not your password."), code="wrong")
        return password


class ErasureForm(PasswordAgain):
    """The wish to be forgotten."""

    wish = forms.ChoiceField(label=_("My judgments"), choices=ErasureRequest.Judgments, widget=forms.RadioSelect)
    field_order = ("wish", "password")


class DecisionForm(forms.Form):
    """What whoever answers for the data decides."""

    judgments = forms.ChoiceField(
        label=_("The person's judgments"), choices=ErasureRequest.Judgments, widget=forms.RadioSelect, required=False
    )
    reason = forms.CharField(
        label=_("On what ground"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        required=False,
        help_text=_("The consent or licence under which the data was given, or the law. Write no name."),
    )


class CodeForm(forms.Form):
    """The first code of an authenticator application."""

    code = forms.CharField(
        label=_("Code that the application shows now"),
        max_length=16,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )
