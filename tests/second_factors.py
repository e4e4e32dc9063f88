"""Codes of the second step of a log-in, as an application on a phone makes them."""

from __future__ import annotations

import time

from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotation.models import User


def code_of(user: User) -> str:
    """What the application shows now."""
    device = TOTPDevice.objects.get(user=user)
    totp = TOTP(device.bin_key, device.step, device.t0, device.digits)
    totp.time = time.time()
    return f"{totp.token():06d}"
