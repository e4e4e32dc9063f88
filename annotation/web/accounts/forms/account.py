"""Forms of accounts and of people's parts. The services decide; these read and word."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import forms as auth_forms
from django.contrib.auth.signals import user_login_failed
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from annotation.errors import RuleError
from annotation.models import Invitation, Lead, User
from annotation.selectors.accounts.tokens import has_tokens
from annotation.services.accounts.letter_counts import letter_may_go
from annotation.services.accounts.second_factor import second_factor_check, second_factor_of
from annotation.services.platform.letters import letter_send_later, link_to_hand_on, password_letter
from annotation.web.accounts.forms.confirming import SecondStepCode, is_own_password
from annotation.web.accounts.keys import keys_are_allowed
from annotation.web.base.json_field import StrictJSONField
from annotation.web.platform.problems import problems_in_words


class LoginForm(auth_forms.AuthenticationForm):
    """E-mail and password, in any case of letters."""

    username = forms.EmailField(
        label=_("E-mail address"),
        widget=forms.EmailInput(attrs={"autofocus": True, "autocomplete": "username"}),
    )
    # Asked of those who have set it up, once their password was right.
    code = SecondStepCode(required=False)
    error_messages = {  # noqa: RUF012  (Django's own attribute)
        **auth_forms.AuthenticationForm.error_messages,
        # A closed account says the same: a guesser must not learn that there is one.
        "invalid_login": _("This e-mail address and this password do not go together. Check both."),
    }

    code_was_right = False

    def clean_username(self) -> str:
        return str(self.cleaned_data["username"]).lower()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        user = self.get_user()
        if user is not None and second_factor_of(user) is not None:
            self._check_code(user, cleaned.get("code", ""))
        return cleaned

    def asks_for_code(self) -> bool:
        return "code" in self.errors

    def _check_code(self, user: User, code: str) -> None:
        if not code.strip():
            self.add_error(
                "code", forms.ValidationError(_("Enter the code as well."), code="second_step")
            )
            return
        try:
            second_factor_check(user=user, code=code)
        except RuleError as error:
            (problem,) = problems_in_words(error.problems)
            if problem["code"] == "wrong":
                # Counted like a wrong password: so many, and the door stays shut for a while.
                user_login_failed.send(
                    __name__, credentials={"username": user.email}, request=self.request
                )
            self.add_error("code", forms.ValidationError(problem["message"], code="second_step"))
        else:
            self.code_was_right = True


class KeepsTokens(forms.Form):
    """Whether the API tokens of somebody who chooses a new password go on working. They do not
    unless it is asked for: whoever knew the old password may have made one."""

    keep_tokens = forms.BooleanField(
        label=_("Keep my API tokens"),
        required=False,
        help_text=_(
            "Unless you tick this, every API token of yours is revoked: somebody who knew your "
            "password may "
                    "have made one. Your programs then need new ones."),
    )  # fmt: skip

    def __init__(self, user: User | None, *args: Any, **kwargs: Any) -> None:
        # Nobody, where a link names nobody or is used up.
        super().__init__(user, *args, **kwargs)  # type: ignore[arg-type]  # the password forms take the user first
        # Not the model's hook but the page ends them: it says how many.
        if user is not None:
            user.tokens_asked = True
        if user is None or not has_tokens(user):
            del self.fields["keep_tokens"]


class PasswordChangeForm(KeepsTokens, auth_forms.PasswordChangeForm):
    """A new password with the old one. Wrong ones count like those of the log-in page."""

    def __init__(self, user: User, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(user, *args, **kwargs)
        self._request = request

    def clean_old_password(self) -> str:
        old_password = str(self.cleaned_data["old_password"])
        if not is_own_password(self._request, old_password):
            raise forms.ValidationError(
                self.error_messages["password_incorrect"], code="password_incorrect"
            )
        return old_password


class SetPasswordForm(KeepsTokens, auth_forms.SetPasswordForm):  # type: ignore[type-arg]  # none at run time
    """A new password by a link."""


class PasswordResetForm(auth_forms.PasswordResetForm):
    """Mails a link to whom it knows, and takes as long for whom it does not."""

    def get_users(self, email: str) -> list[User]:
        """Somebody in any case: to nobody a letter is written too, and not sent. Writing it takes
        half as long again as the rest of the answer."""
        return [*super().get_users(email)] or [User(email=email)]

    def send_mail(
        self,
        subject_template_name: str,
        email_template_name: str,
        context: dict[str, Any],
        from_email: str | None,
        to_email: str,
        html_email_template_name: str | None = None,
    ) -> None:
        user = context["user"]
        may_go = letter_may_go("password", user) and user.pk is not None
        path = reverse("password_reset_confirm", args=[context["uid"], context["token"]])
        here = f"{context['protocol']}://{context['domain']}"
        link = link_to_hand_on(path, lambda path: f"{here}{path}")
        letter_send_later(password_letter(user=user, link=link), is_meant=may_go)


# One sentence that says what to do; the validators say what is wrong with what was chosen.
PASSWORD_HELP = _(
    "At least 12 characters. Four or five words that have nothing to do with you are strong and "
    "easy to keep."
)


class InvitationForm(forms.Form):
    """What somebody new says of themselves."""

    name = forms.CharField(
        label=_("Your name"), max_length=150, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    password = forms.CharField(
        label=_("Choose a password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label=_("The same password again"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = PASSWORD_HELP

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if (
            cleaned.get("password")
            and cleaned.get("again")
            and cleaned["password"] != cleaned["again"]
        ):
            self.add_error("again", _("The two passwords differ."))
        return cleaned


class PreferencesForm(forms.ModelForm):  # type: ignore[type-arg]  # Django forms take no parameter at run time
    """Language, theme, type size, spacing, typeface, breaks and going on by itself; each may come
    alone."""

    auto_advance = forms.TypedChoiceField(
        label=_("On the judging page, go on to the next step after an answer"),
        choices=[("True", _("Yes")), ("False", _("No"))],
        coerce=lambda value: value == "True",
        empty_value=None,
    )

    class Meta:
        model = User
        fields = (
            "language",
            "theme",
            "type_size",
            "spacing",
            "typeface",
            "break_after_minutes",
            "auto_advance",
            "digest",
        )
        help_texts = {  # noqa: RUF012  (Django's own attribute)
            "break_after_minutes": _(
                "Of active time without one: a word in the judging page's bar, nothing else."
            ),
            "digest": _(
                "Of the studies that you lead: what waits, doubts, who is quiet. Nothing is sent "
                "when nothing waits."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.required = False
            # Each has a value already: nothing is left out by leaving it.
            field.is_asked_for = True  # type: ignore[attr-defined]  # read by components/field.html
        if self.instance.pk and not Lead.objects.filter(user=self.instance).exists():
            del self.fields["digest"]

    def chosen(self) -> dict[str, Any]:
        """Only what was sent: each preference may come alone."""
        return {
            name: value
            for name, value in self.cleaned_data.items()
            if name in self.data and value not in ("", None)
        }


class KeysForm(forms.Form):
    """Keys of one's own on the judging page, by action; none for those that are printed."""

    keys = StrictJSONField(longest=2000)

    def clean_keys(self) -> dict[str, str]:
        keys: dict[str, str] = self.cleaned_data["keys"]
        if not keys_are_allowed(keys):
            raise forms.ValidationError(_("These keys cannot be set."))
        return keys


class InviteForm(forms.Form):
    """Whom to invite."""

    email = forms.EmailField(label=_("E-mail address"))
    role = forms.ChoiceField(label=_("As"))
    # For adding at once somebody whose address nothing proves.
    vouched = forms.BooleanField(required=False)

    def __init__(
        self, *args: Any, roles: tuple[Invitation.Role, ...], unproven: str = "", **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        if unproven:
            self.fields["vouched"].label = _("I know that the account of %(email)s is theirs") % {
                "email": unproven
            }
            self.fields["vouched"].widget.attrs["value"] = unproven
        else:
            del self.fields["vouched"]
        choices = [(role.value, role.label) for role in roles]
        self.fields["role"].choices = choices  # type: ignore[attr-defined]  # a ChoiceField
        if len(choices) == 1:
            self.fields["role"].widget = forms.HiddenInput()
            self.fields["role"].initial = choices[0][0]
