"""Reasons to refuse a start: settings that are safe in a demonstration only, and demonstrations in
a real database.

Registered for ``manage.py check --deploy``; each server calls ``refuse_insecure_start`` when it
starts, whatever started it. Commands that answer no browser are not held up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connections

from annotation.models import Study, User, triggers

_MAKE_KEY = (
    "Set BAREME_SECRET_KEY to the output of: python3 -c 'import secrets; "
    "print(secrets.token_urlsafe(50))'"
)
_DEMO_REMEDY = (
    "Set DATABASE_URL or BAREME_DATA_DIR to a database without them, remove them with `manage.py "
    "demo --remove`, or set BAREME_DEMO=1 if this is a demonstration."
)
_LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}


@register(Tags.security, deploy=True)
def configuration(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """What the environment says."""
    if settings.DEMO:
        return []
    return [*_debug(), *_secret_key(), *_hosts(), *_public_url(), *_metrics_token()]


@register(Tags.security, Tags.database, deploy=True)
def demonstration(
    app_configs: Sequence[AppConfig] | None = None, databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """What the database holds: everybody knows the passwords of a demonstration."""
    if settings.DEMO or not databases:
        return []
    found: list[CheckMessage] = []
    try:
        if studies := list(Study.objects.filter(is_demo=True).values_list("key", flat=True)[:3]):
            found.append(
                Error(
                    f"There is a demo study: {', '.join(studies)}.",
                    hint=_DEMO_REMEDY,
                    id="bareme.E005",
                )
            )
        if logins := User.objects.filter(is_demo=True).count():
            found.append(
                Error(f"There are {logins} demo logins.", hint=_DEMO_REMEDY, id="bareme.E006")
            )
    except DatabaseError:
        return []  # no tables yet, or no database: then there is no demonstration in it either
    return found


@register(Tags.database)
def database_rules(
    app_configs: Sequence[AppConfig] | None = None, databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """Whether the database holds the triggers that keep wrong judgments out."""
    found: list[CheckMessage] = []
    for alias in databases or ():
        try:
            missing = triggers.missing(connections[alias])
        except DatabaseError:
            continue  # no database yet; migrate will say so better
        if missing:
            names = ", ".join(sorted(missing))
            remedy = "Run `manage.py migrate`, which makes them again."
            found.append(
                Error(f"The database lacks rules: {names}.", hint=remedy, id="bareme.E007")
            )
    return found


def refuse_insecure_start() -> None:
    """Raise ``ImproperlyConfigured`` with every reason and its remedy."""
    found = [
        *configuration(),
        *demonstration(databases=["default"]),
        *database_rules(databases=["default"]),
    ]
    if found:
        reasons = "\n".join(
            f"  {message.id}: {message.msg}\n    {message.hint}" for message in found
        )
        raise ImproperlyConfigured(f"Barème does not start like this:\n{reasons}")


def _debug() -> list[CheckMessage]:
    if not settings.DEBUG:
        return []
    return [
        Error(
            "Debug mode is on.",
            hint="Set BAREME_DEBUG=0, or BAREME_DEMO=1 on your own machine.",
            id="bareme.E001",
        )
    ]


def _secret_key() -> list[CheckMessage]:
    try:
        key = settings.SECRET_KEY
    except ImproperlyConfigured:
        return [Error("There is no secret key.", hint=_MAKE_KEY, id="bareme.E002")]
    if len(key) < 40 or len(set(key)) < 10 or key.startswith("django-insecure-"):
        return [
            Error(
                "The secret key is short, repetitive or a published default.",
                hint=_MAKE_KEY,
                id="bareme.E002",
            )
        ]
    return []


def _hosts() -> list[CheckMessage]:
    remedy = (
        "Set BAREME_PUBLIC_URL, or BAREME_ALLOWED_HOSTS to the names this server answers to, "
        "separated by commas."
    )
    if not settings.ALLOWED_HOSTS:
        return [Error("No host name is allowed.", hint=remedy, id="bareme.E003")]
    if any("*" in host or host == "." for host in settings.ALLOWED_HOSTS):
        return [Error("Any host name is allowed.", hint=remedy, id="bareme.E003")]
    return []


def _metrics_token() -> list[CheckMessage]:
    if not settings.METRICS_TOKEN or len(settings.METRICS_TOKEN) >= 32:
        return []
    remedy = (
        "Set BAREME_METRICS_TOKEN to 32 characters or more, or leave it empty: then there are no "
        "metrics."
    )
    return [
        Error(
            "The token of the metrics is short enough to be guessed.", hint=remedy, id="bareme.E008"
        )
    ]


def _public_url() -> list[CheckMessage]:
    url = urlsplit(settings.PUBLIC_URL)
    if url.scheme == "https" or (url.scheme == "http" and url.hostname in _LOCAL_HOSTS):
        return []
    problem = (
        "The public address uses http, which shows passwords to the network."
        if url.scheme
        else "There is no public address."
    )
    remedy = (
        "Set BAREME_PUBLIC_URL to the https:// address that people open (http:// only for "
        "localhost)."
    )
    return [Error(problem, hint=remedy, id="bareme.E004")]
