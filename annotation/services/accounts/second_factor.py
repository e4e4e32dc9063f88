"""The second step of a log-in: a code of an authenticator application (TOTP, RFC 6238), or a
recovery code.

Devices, drift, replay and throttling are django-otp's; a log-in asks for the code in
``annotation.web.accounts.forms.account``.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotation.errors import RuleError
from annotation.models import ApiToken, User
from annotation.services.platform.events import event_record
from annotation.services.platform.letters import security_letter_later

RECOVERY_CODES = 10
_DIGITS = 6
_NAME = "Barème"
_REFUSALS = {
    "wrong": (
        "Ce n'est pas le code du moment, ou il a déjà servi : attendez le suivant. "
        "L'heure du téléphone doit être juste.",
        "This is not the present code, or it was used already: wait for the next one. "
        "The phone's clock has to be right.",
    ),
    "later": (
        "Trop de codes faux : attendez, chaque fois deux fois plus longtemps. "
        "Un nouveau mot de passe met fin à l'attente.",
        "Too many wrong codes: wait, twice as long each time. A new password ends the waiting.",
    ),
    "exists": (
        (
            "La deuxième étape est déjà active. Si vous n'avez pas vu les codes de secours, "
            "créez-en de nouveaux."
        ),
        "The second step is on already. If you did not see the recovery codes, make new ones.",
    ),
}


@dataclass(frozen=True)
class SecondFactor:
    """What somebody has set up: since when, and how many recovery codes they have not used."""

    since: datetime
    recovery_codes: int


def second_factor_of(user: User) -> SecondFactor | None:
    """None for somebody who logs in with the password alone."""
    device = TOTPDevice.objects.filter(user=user, confirmed=True).first()
    if device is None:
        return None
    return SecondFactor(device.created_at, StaticToken.objects.filter(device__user=user).count())


def second_factor_required(user: User) -> bool:
    """Whether this installation asks it of somebody with this person's parts
    (BAREME_SECOND_FACTOR_FOR)."""
    asked_of = settings.SECOND_FACTOR_FOR
    if asked_of == "leads":
        return user.is_admin or user.led.exists()
    return asked_of == "admins" and user.is_admin


def second_factor_due(user: User, token: ApiToken | None = None) -> bool:
    """Whether somebody has to set it up before anything that their part lets them do.

    Asked at each such request and never remembered: a part is given, and a device taken away, while
    somebody is logged in. An open session needs no more than the device, because setting it up ends
    all others. A key does: it was made by the password alone if it is older than the device.
    """
    if not second_factor_required(user):
        return False
    device = TOTPDevice.objects.filter(user=user, confirmed=True).first()
    return device is None or (token is not None and token.created_at < device.created_at)


def second_factor_check(*, user: User, code: str) -> None:
    """Take a code of a log-in; one that was taken is used up. A recovery code's owner is told by
    mail.

    Raises ``RuleError``: ``wrong``, or ``later`` for any code that comes too soon after wrong ones.
    """
    typed = _typed(code)
    # Only the device that makes such codes is asked: a wrong code makes a device wait, and every
    # right one of the application would be a wrong recovery code.
    devices = TOTPDevice if typed.isdecimal() and len(typed) == _DIGITS else StaticDevice
    with transaction.atomic():
        device = devices.objects.select_for_update().filter(user=user, confirmed=True).first()
        outcome = _outcome(device, typed)
        if outcome == "right" and devices is StaticDevice:
            event_record(actor=user, verb="recovery_code_used", target=user)
            security_letter_later(user=user, change="recovery_code_used")
    # Only now: what the device counted must not be rolled back.
    _refuse(outcome)


def second_factor_forgive(user: User) -> None:
    """Forget wrong codes: a new password shuts out whoever tried them."""
    for devices in (TOTPDevice, StaticDevice):
        for device in devices.objects.filter(user=user):
            device.throttle_reset()


@transaction.atomic
def second_factor_begin(*, actor: User) -> TOTPDevice:
    """A new secret, which counts once a code of it was seen. One that was begun before is thrown
    away.

    Raises ``RuleError`` where there is one already.
    """
    _lock(actor)
    if second_factor_of(actor) is not None:
        _refuse("exists")
    TOTPDevice.objects.filter(user=actor).delete()
    return TOTPDevice.objects.create(user=actor, name=_NAME, confirmed=False)


def second_factor_begun(actor: User) -> TOTPDevice | None:
    """The secret that waits for its first code."""
    return TOTPDevice.objects.filter(user=actor, confirmed=False).first()


def second_factor_confirm(*, actor: User, code: str) -> list[str]:
    """Turn it on with a first code; the recovery codes, which are shown once.

    Raises ``RuleError``: ``exists`` where it is on already (a second click), ``wrong``, ``later``.
    """
    codes: list[str] = []
    with transaction.atomic():
        _lock(actor)
        device = second_factor_begun(actor)
        outcome = (
            "exists" if second_factor_of(actor) is not None else _outcome(device, _typed(code))
        )
        if device is not None and outcome == "right":
            device.confirmed = True
            device.save(update_fields=["confirmed"])
            codes = _new_codes(actor)
            event_record(actor=actor, verb="second_factor_added", target=actor)
            security_letter_later(user=actor, change="second_factor_added")
    _refuse(outcome)
    return codes


@transaction.atomic
def recovery_codes_renew(*, actor: User) -> list[str]:
    """New ones; the former are worth nothing any more. Raises ``RuleError`` without a second
    step."""
    _lock(actor)
    if second_factor_of(actor) is None:
        raise RuleError.single(
            "code",
            "missing",
            "La deuxième étape n'est pas active.",
            "The second step is not turned on.",
        )
    event_record(actor=actor, verb="recovery_codes_renewed", target=actor)
    security_letter_later(user=actor, change="recovery_codes_renewed")
    return _new_codes(actor)


@transaction.atomic
def second_factor_remove(*, actor: User | None, user: User, reason: str = "") -> None:
    """Turn it off: one's own, or as an admin somebody's who lost their phone and codes.

    Raises ``RuleError`` without a reason for another person's, for one's own where it is required,
    and where there is none.
    """
    _lock(user)
    if actor != user and not reason.strip():
        raise RuleError.single("reason", "required", "Donnez une raison.", "Give a reason.")
    if actor == user and second_factor_required(user):
        raise RuleError.single(
            "user",
            "required",
            "Votre rôle demande la deuxième étape : elle reste active.",
            "Your part asks for the second step: it stays on.",
        )
    if not devices_remove(user):
        raise RuleError.single(
            "user",
            "missing",
            "La deuxième étape n'est pas active.",
            "The second step is not turned on.",
        )
    event_record(actor=actor, verb="second_factor_removed", target=user, reason=reason)
    security_letter_later(user=user, change="second_factor_removed")


def devices_remove(user: User) -> int:
    """Every secret and recovery code of a person; how many secrets had been confirmed."""
    confirmed: int = TOTPDevice.objects.filter(user=user, confirmed=True).count()
    TOTPDevice.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()
    return confirmed


def _new_codes(user: User) -> list[str]:
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name=_NAME)
    codes = [StaticToken.random_token() for _ in range(RECOVERY_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=code) for code in codes)
    return codes


def _typed(code: str) -> str:
    return "".join(code.split()).lower()


def _outcome(device: Device | None, typed: str) -> str:
    if device is None:
        return "wrong"
    if not device.verify_is_allowed()[0]:
        return "later"
    return "right" if device.verify_token(typed) else "wrong"


def _refuse(outcome: str) -> None:
    if outcome != "right":
        raise RuleError.single("code", outcome, *_REFUSALS[outcome])


def _lock(user: User) -> None:
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
