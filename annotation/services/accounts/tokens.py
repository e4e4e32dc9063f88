"""Personal keys for programs: made (and shown) once, used, revoked."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import ApiToken, User
from annotation.prepared import Prepared
from annotation.protocols.base import Problem, Wording
from annotation.services.accounts.still_in import still_in
from annotation.services.platform.events import event_record
from annotation.services.platform.letters import security_letter_later

# Secret scanners find a leaked key by its first letters.
START = "bareme_"
_SHOWN = len(START) + 6
LONGEST_DAYS = 365
MOST_TOKENS = 50
# A busy program must not cost a write for each of its requests.
USE_NOTED_EVERY = timedelta(minutes=1)
# Asked at each request of a program: composed once.
_KNOWN = Prepared(
    lambda digest: ApiToken.objects.select_related("user").filter(digest=digest).order_by(),
    plan_once=True,
    digest="a key's digest",
)


def secret_digest(secret: str) -> str:
    """What is stored of a key. Its 256 random bits need no slow hash: there is nothing to guess
    from."""
    return hashlib.sha256(secret.encode()).hexdigest()


@transaction.atomic
def token_create(
    *, actor: User, name: str, scopes: Collection[str], days: int, session: str | None = None
) -> tuple[ApiToken, str]:
    """A new key of the actor's own, and the secret, which is shown once and never stored.
    ``actor``: as they were when they asked; ``session``: the key of the log-in by which they did.

    Raises ``RuleError``: no name, no scope or an unknown one, a time outside 1 day to a year, too
    many keys; ``changed`` where that log-in does not hold any more.
    """
    still_in(actor, field="session", session=session)
    problems = _problems(actor, name.strip(), scopes, days)
    if problems:
        raise RuleError(problems)
    secret = START + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=actor,
        name=name.strip(),
        prefix=secret[:_SHOWN],
        digest=secret_digest(secret),
        scopes=[scope for scope in ApiToken.Scope.values if scope in scopes],
        expires_at=timezone.now() + timedelta(days=days),
    )
    event_record(
        actor=actor, verb="token_created", target=token, scopes=" ".join(token.scopes), days=days
    )
    security_letter_later(user=actor, change="token_created")
    return token, secret


@transaction.atomic
def token_revoke(*, actor: User | None, token: ApiToken) -> None:
    """Make a key useless at once. Revoking it again changes nothing."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(
        revoked_at=timezone.now()
    ):
        event_record(actor=actor, verb="token_revoked", target=token)


@transaction.atomic
def tokens_revoke(*, actor: User | None, user: User) -> int:
    """Make every key of a person useless, as when their password may be known to somebody; how many
    were valid."""
    valid = ApiToken.objects.filter(
        user=user, revoked_at__isnull=True, expires_at__gt=timezone.now()
    ).order_by("pk")
    revoked = list(valid)
    for token in revoked:
        token_revoke(actor=actor, token=token)
    return len(revoked)


def token_use(secret: str) -> ApiToken | None:
    """The valid key with this secret, of somebody whose account is open; notes that it was used."""
    if not secret.startswith(START):
        return None
    token = _KNOWN.first(digest=secret_digest(secret))
    if token is None or not token.is_valid or not token.user.is_active:
        return None
    now = timezone.now()
    if token.last_used_at is None or token.last_used_at < now - USE_NOTED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def _problems(actor: User, name: str, scopes: Collection[str], days: int) -> list[Problem]:
    problems = []
    if not 0 < len(name) <= 100:
        problems.append(
            Problem("name", "required", Wording("Donnez un nom à la clé.", "Give the key a name."))
        )
    if not scopes or set(scopes) - set(ApiToken.Scope.values):
        problems.append(
            Problem(
                "scopes",
                "required",
                Wording("Choisissez ce que la clé permet.", "Choose what it may do."),
            )
        )
    if not 1 <= days <= LONGEST_DAYS:
        message = Wording(f"De 1 à {LONGEST_DAYS} jours.", f"From 1 to {LONGEST_DAYS} days.")
        problems.append(Problem("days", "out_of_range", message))
    open_tokens = ApiToken.objects.filter(
        Q(user=actor, revoked_at__isnull=True, expires_at__gt=timezone.now())
    )
    if open_tokens.count() >= MOST_TOKENS:
        message = Wording(
            f"Vous avez {MOST_TOKENS} clés en vigueur : révoquez-en une d'abord.",
            f"You have {MOST_TOKENS} keys in force: revoke one first.",
        )
        problems.append(Problem("name", "too_many", message))
    return problems
