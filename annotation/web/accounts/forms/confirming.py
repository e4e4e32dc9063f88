"""What asks again who is there: the password, or a code of the second step."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import authenticate
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _


def is_own_password(request: HttpRequest, password: str) -> bool:
    """Whether it is the password of whoever is logged in. A wrong one counts like those of the
    log-in page: an open session must not serve to guess."""
    user = request.user
    assert user.is_authenticated  # noqa: S101  (the page is behind the log-in)
    return authenticate(request, username=user.email, password=password) == user


class PasswordAgain(forms.Form):
    """The password of whoever is logged in. Wrong ones count like those of the log-in page."""

    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, request: HttpRequest, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self._request = request

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        if not is_own_password(self._request, password):
            raise forms.ValidationError(_("This is not your password."), code="wrong")
        return password


class SecondStepCode(forms.CharField):
    """A code of the second step, at a log-in."""

    def __init__(self, **options: Any) -> None:
        attributes = {
            "autocomplete": "one-time-code",
            "autocapitalize": "none",
            "spellcheck": "false",
        }
        super().__init__(
            label=_("Code of your authenticator application, or a recovery code"),
            max_length=32,
            widget=forms.TextInput(attrs=attributes),
            **options,
        )


class SecondStepForm(forms.Form):
    """The code alone, of whoever has shown otherwise who they are."""

    code = SecondStepCode()
    code.widget.attrs["autofocus"] = True


class CodeForm(forms.Form):
    """The first code of an authenticator application."""

    code = forms.CharField(
        label=_("Code that the application shows now"),
        max_length=16,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )
