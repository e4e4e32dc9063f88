"""Forms of another address for one's account."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.web.accounts.forms.confirming import PasswordAgain


class NewAddressForm(PasswordAgain):
    """Where the code goes. With the password: whoever reads there can ask for a new one."""

    email = forms.EmailField(
        label=_("Your new e-mail address"), widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )
    field_order = ("email", "password")


class AddressCodeForm(forms.Form):
    """The code that was sent."""

    code = forms.CharField(
        label=_("Code in the letter"),
        max_length=16,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )
