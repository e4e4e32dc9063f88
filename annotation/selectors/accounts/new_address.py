"""Addresses of an account: the one that waits for its code, and those before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from annotation.models import AddressChange, User


@dataclass(frozen=True)
class Held:
    """An address, and from when until when it was the account's; None: from its beginning, until
    now. Another account may have had it before, or may since."""

    email: str
    since: datetime | None
    until: datetime | None


def address_change_waiting(user: User) -> QuerySet[AddressChange]:
    """The change that waits for the code that was sent, if one does."""
    return AddressChange.objects.filter(user=user, taken_at__isnull=True)


def addresses_held(user: User) -> Iterator[Held]:
    """Each address of the account, the first one first, its present one last."""
    since: datetime | None = None
    taken = AddressChange.objects.filter(user=user, taken_at__isnull=False).order_by(
        "taken_at", "pk"
    )
    for before, until in taken.values_list("before", "taken_at"):
        yield Held(before, since, until)
        since = until
    yield Held(user.email, since, None)
