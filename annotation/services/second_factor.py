"""The second step of a log-in: a code of an authenticator application (TOTP, RFC 6238), or a recovery code.

Devices, drift, replay and throttling are django-otp's; a log-in asks for the code in ``annotation.web.forms.account``.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import django_otp
from django.conf import settings
from django.db import transaction
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotation.errors import RuleError
from annotation.models import User
from annotation.services.events import event_record
from annotation.services.letters import security_letter_later

RECOVERY_CODES = 10
_NAME = "Barème"


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
    """Whether this installation asks it of somebody with this person's parts (BAREME_SECOND_FACTOR_FOR)."""
    asked_of = settings.SECOND_FACTOR_FOR
    if asked_of == "leads":
        return user.is_admin or user.led.exists()
    return asked_of == "admins" and user.is_admin


def second_factor_matches(*, user: User, code: str) -> bool:
    """Whether a code is right now. One that was taken is used up; after wrong ones it takes ever longer until the
    next is looked at. Where it was a recovery code the person is told by mail."""
    device = django_otp.match_token(user, "".join(code.split()).lower())
    if isinstance(device, StaticDevice):
        event_record(actor=user, verb="recovery_code_used", target=user)
        security_letter_later(user=user, change="recovery_code_used")
    return device is not None


@transaction.atomic
def second_factor_begin(*, actor: User) -> TOTPDevice:
    """A new secret, which counts once a code of it was seen. One that was begun before is thrown away.

    Raises ``RuleError`` where there is one already.
    """
    _lock(actor)
    if second_factor_of(actor) is not None:
        raise RuleError.single(
            "code",
            "exists",
            "La deuxième étape est déjà active : désactivez-la d'abord.",
            "The second step is on already: turn it off first.",
        )
    TOTPDevice.objects.filter(user=actor).delete()
    return TOTPDevice.objects.create(user=actor, name=_NAME, confirmed=False)


def second_factor_begun(actor: User) -> TOTPDevice | None:
    """The secret that waits for its first code."""
    return TOTPDevice.objects.filter(user=actor, confirmed=False).first()


def second_factor_confirm(*, actor: User, code: str) -> list[str]:
    """Turn it on with a first code; the recovery codes, which are shown once. Raises ``RuleError``."""
    # The device counts wrong codes in rows that a rollback would take away.
    device = second_factor_begun(actor)
    if device is None or not device.verify_token("".join(code.split())):
        raise RuleError.single(
            "code",
            "wrong",
            "Ce n'est pas le code du moment. Attendez le suivant ; l'heure du téléphone doit être juste.",
            "This is not the present code. Wait for the next one; the phone's clock has to be right.",
        )
    with transaction.atomic():
        _lock(actor)
        device.confirmed = True
        device.save(update_fields=["confirmed"])
        codes = _new_codes(actor)
        event_record(actor=actor, verb="second_factor_added", target=actor)
        security_letter_later(user=actor, change="second_factor_added")
    return codes


@transaction.atomic
def recovery_codes_renew(*, actor: User) -> list[str]:
    """New ones; the former are worth nothing any more. Raises ``RuleError`` without a second step."""
    _lock(actor)
    if second_factor_of(actor) is None:
        raise RuleError.single(
            "code", "missing", "La deuxième étape n'est pas active.", "The second step is not turned on."
        )
    event_record(actor=actor, verb="recovery_codes_renewed", target=actor)
    security_letter_later(user=actor, change="recovery_codes_renewed")
    return _new_codes(actor)


@transaction.atomic
def second_factor_remove(*, actor: User | None, user: User, reason: str = "") -> None:
    """Turn it off: one's own, or as an admin somebody's who lost their phone and codes.

    Raises ``RuleError`` without a reason for another person's, for one's own where it is required, and where there
    is none.
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
            "user", "missing", "La deuxième étape n'est pas active.", "The second step is not turned on."
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


def _lock(user: User) -> None:
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
