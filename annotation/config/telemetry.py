"""Where errors and traces are sent to, where an installation asks for it: Sentry, and a collector
of OpenTelemetry. Their libraries are an extra, and are looked for only then."""

from __future__ import annotations

import importlib.util
import re

from django.core.exceptions import ImproperlyConfigured

from annotation.config.env import env_int, env_secrets, env_url
from annotation.tracing import Traces

_INSTALL = "Install requirements-telemetry.txt, or unset it."
_DSN = re.compile(r"https?://[^@/\s:]+(?::[^@/\s]*)?@[^/@\s]+/(?:[^\s?#]*/)?\d+/?")
_HEADER = re.compile(r"[A-Za-z0-9-]+=\S.*")


def env_reports() -> str:
    """The address (DSN) that BAREME_SENTRY_DSN gives; "" where errors are sent nowhere.

    Raises ``ImproperlyConfigured`` for what is no such address, and without its library. The
    address holds a key and is in no message.
    """
    dsn = env_url("BAREME_SENTRY_DSN", schemes=("https", "http"))
    if not dsn:
        return ""
    if not _DSN.fullmatch(dsn):
        raise ImproperlyConfigured(
            "BAREME_SENTRY_DSN is no DSN. Copy it from the project's settings in Sentry: "
            "https://key@host/number."
        )
    if not importlib.util.find_spec("sentry_sdk"):
        raise ImproperlyConfigured(
            f"BAREME_SENTRY_DSN is set, but sentry-sdk is not installed. {_INSTALL}"
        )
    return dsn


def env_traces() -> Traces | None:
    """The collector that BAREME_TRACES_ENDPOINT names; None where nothing is traced.

    Raises ``ImproperlyConfigured`` for headers and shares that are none, and without its library.
    """
    endpoint = env_url("BAREME_TRACES_ENDPOINT", schemes=("https", "http"))
    percent = env_int("BAREME_TRACES_PERCENT", 100, maximum=100)
    if not endpoint:
        return None
    headers = env_secrets("BAREME_TRACES_HEADERS")
    if not all(_HEADER.fullmatch(header) for header in headers):
        raise ImproperlyConfigured(
            "BAREME_TRACES_HEADERS holds what is no header. Write name=value, separated by commas."
        )
    if not _has_opentelemetry():
        raise ImproperlyConfigured(
            f"BAREME_TRACES_ENDPOINT is set, but OpenTelemetry is not installed. {_INSTALL}"
        )
    named = (header.partition("=") for header in headers)
    return Traces(endpoint, tuple((name, value) for name, _, value in named), percent)


def _has_opentelemetry() -> bool:
    """The exporter, which needs all the others. Its packages are looked for one after the other:
    to look for a part of what is not there raises."""
    name = ""
    for part in ("opentelemetry", "exporter", "otlp", "proto", "http"):
        name = f"{name}.{part}".lstrip(".")
        if not importlib.util.find_spec(name):
            return False
    return True
