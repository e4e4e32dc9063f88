"""Accounts: their address, how one is made, what their screens look like."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from annotation.errors import RuleError
from annotation.models import FormerName, LeadDigest, User
from annotation.protocols.characters import shows_nothing
from annotation.services.platform.events import event_record

LONGEST_NAME = 150
MOST_FORMER_NAMES = 20
"""Each is looked for in all that people typed, whenever something is published."""
PREFERENCES = (
    "language",
    "theme",
    "type_size",
    "spacing",
    "typeface",
    "break_after_minutes",
    "auto_advance",
    "keys",
    "digest",
)


def address(email: str) -> str:
    """An e-mail address as accounts hold it. Raises ``RuleError`` for what is none."""
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError as error:
        raise RuleError.single(
            "email",
            "invalid",
            "Ce n'est pas une adresse de courriel.",
            "This is not an e-mail address.",
        ) from error
    return email


def _nameless() -> RuleError:
    return RuleError.single("name", "required", "Écrivez votre nom.", "Write your name.")


@transaction.atomic
def account_create(*, email: str, name: str, password: str, language: str = "fr") -> User:
    """A new account; one that a command makes may be nameless. Raises ``RuleError`` for an address
    that is none or has one, a name that shows nothing, and for a weak password."""
    email, name = address(email), " ".join(name.split())
    if name and shows_nothing(name):
        raise _nameless()
    try:
        validate_password(password, User(email=email, name=name))
    except ValidationError as error:
        message = " ".join(error.messages)
        raise RuleError.single("password", "weak", message, message) from error
    try:
        with transaction.atomic():
            user = User.objects.create_user(email, password, name=name, language=language)
    except IntegrityError as error:
        raise RuleError.single(
            "email",
            "has_account",
            "Un compte existe pour cette adresse : connectez-vous, puis ouvrez le lien de nouveau.",
            "There is an account for this address: log in, then open the link again.",
        ) from error
    event_record(actor=user, verb="account_created", target=user)
    return user


@transaction.atomic
def user_rename(*, user: User, name: str) -> User:
    """Correct one's name. The one before stays a ``FormerName``: what people typed may hold it.
    Nothing is done, and nothing recorded, where the name is the same.

    Raises ``RuleError`` for a name that is empty or too long, after ``MOST_FORMER_NAMES`` others,
    and where the account was closed meanwhile.
    """
    name = " ".join(name.split())
    if shows_nothing(name):
        raise _nameless()
    if len(name) > LONGEST_NAME:
        raise RuleError.single(
            "name",
            "too_long",
            f"Le nom a {len(name)} caractères; le maximum est {LONGEST_NAME}.",
            f"The name has {len(name)} characters; the maximum is {LONGEST_NAME}.",
        )
    held = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if not held.is_active:
        raise RuleError.single("name", "closed", "Ce compte est fermé.", "This account is closed.")
    if held.name == name:
        return held
    if held.former_names.exclude(name=name).count() >= MOST_FORMER_NAMES:
        raise RuleError.single(
            "name",
            "too_many",
            "Vous avez corrigé votre nom trop souvent : demandez à qui s'occupe de ce serveur.",
            "You have corrected your name too often: ask whoever looks after this server.",
        )
    held.former_names.filter(name=name).delete()
    if held.name:
        FormerName.objects.get_or_create(user=held, name=held.name)
    held.name = name
    held.save(update_fields=["name"])
    event_record(actor=held, verb="name_corrected", target=held)
    return held


def user_update_preferences(*, user: User, **preferences: Any) -> User:
    """Store some of ``PREFERENCES``. No event: what somebody's screen looks like is nobody's
    concern."""
    for name, chosen in preferences.items():
        if name not in PREFERENCES:
            raise TypeError(f"not a preference: {name}")
        setattr(user, name, chosen)
    user.save(update_fields=list(preferences))
    if "digest" in preferences:
        # Met anew: the next letter comes with the day or the week that begins next.
        LeadDigest.objects.filter(user=user).delete()
    return user


@transaction.atomic
def table_choose(*, user: User, table: str, columns: dict[str, bool]) -> User:
    """Keep which columns of a table somebody wants to see. No event, as for preferences. Two
    windows that choose for two tables at once both keep theirs."""
    held = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    user.tables = {**held.tables, table: columns}
    user.save(update_fields=["tables"])
    return user
