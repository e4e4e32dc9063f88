"""Names that begin with BAREME_ and that nobody reads: most likely another one misspelt, whose
default holds without a word."""

from __future__ import annotations

from collections.abc import Mapping

_OURS = "BAREME_"
# The settings that docs/operations.md lists, without their first word.
_SETTINGS = frozenset(
    [
        "ACCESS_LOG",
        "ACCESS_RECORD_DAYS",
        "ALLOWED_HOSTS",
        "API_REQUESTS_PER_MINUTE",
        "BACKUP_DIR",
        "BACKUP_EVERY",
        "BACKUP_KEEP",
        "BACKUP_KEEP_WEEKS",
        "BACKUP_RECIPIENTS",
        "BACKUP_SIGNED_BY",
        "DATA_DIR",
        "DEBUG",
        "DEMO",
        "EMAIL_FROM",
        "EMAIL_HOST",
        "EMAIL_PORT",
        "EMAIL_TLS",
        "EMAIL_USER",
        "ENCODERS",
        "HSTS_SECONDS",
        "HSTS_SUBDOMAINS",
        "LLM_CONCURRENCY",
        "LLM_ENDPOINTS",
        "LLM_PRICES",
        "LLM_QUEUE",
        "LLM_REQUESTS_PER_MINUTE",
        "LLM_TIMEOUT_SECONDS",
        "LLM_TOKENS_PER_MINUTE",
        "LOG_FORMAT",
        "METRICS_DIR",
        "MODELLING_QUEUE",
        "OIDC_CLIENT_ID",
        "OIDC_ISSUER",
        "OIDC_NAME",
        "OIDC_TRUST_ADDRESSES",
        "PREPARED_STATEMENTS",
        "PROTOCOLS",
        "READING_AT_ONCE",
        "READING_CPU_SECONDS",
        "READING_MEMORY_MB",
        "READING_SECONDS",
        "SECOND_FACTOR_FOR",
        "STATIC_DIR",
        "STORAGE",
        "STORAGE_BUCKET",
        "STORAGE_PREFIX",
        "STORAGE_REGION",
        "TIME_ZONE",
        "TRACES_PERCENT",
        "TRAINING_QUEUE",
        "TRUSTED_PROXIES",
        "UPLOAD_LIMIT_BYTES",
        "WEB_BIND",
        "WEB_DRAIN_SECONDS",
        "WEB_PROCESSES",
        "WEB_THREADS",
    ]
)
# Those that may be NAME_FILE too.
_FROM_FILES = frozenset(
    [
        "BACKUP_SIGNING_KEY",
        "DATABASE_DIRECT_URL",
        "EMAIL_PASSWORD",
        "METRICS_TOKEN",
        "OIDC_CLIENT_SECRET",
        "PUBLIC_URL",
        "SECRET_KEY",
        "SECRET_KEY_FALLBACKS",
        "SENTRY_DSN",
        "STORAGE_ENDPOINT",
        "STORAGE_KEY",
        "STORAGE_SECRET",
        "TRACES_ENDPOINT",
        "TRACES_HEADERS",
    ]
)
# The same for one service of models, named at the end.
_OF_A_SERVICE = (
    "LLM_CONCURRENCY_",
    "LLM_KEY_",
    "LLM_REQUESTS_PER_MINUTE_",
    "LLM_TOKENS_PER_MINUTE_",
)
# Read by docker-compose.yml, by the program in docs/api.md, and by the tests.
_OTHERS = frozenset(
    [
        "HOST",
        "POSTGRES_IMAGE",
        "PROXY_IMAGE",
        "PYTHON_IMAGE",
        "REDIS_IMAGE",
        "VERSION",
        "ANNOTATORS",
        "TOKEN",
        "URL",
        "ALL_WALKS",
        "CHROMIUM",
        "FIREFOX",
        "FIRST_RUN_SECONDS",
        "HOSTILE_BODIES",
        "HOSTILE_SEED",
        "LATE",
        "REQUIRE_BROWSER",
        "REQUIRE_FIREFOX",
        "REQUIRE_POOLER",
        "REQUIRE_POSTGRES",
        "REQUIRE_TORCH",
        "SAME_EXAMPLES",
        "SCREENSHOTS",
        "SHARED",
    ]
)
# What Kubernetes tells every container of a service that is called as we are.
_OF_KUBERNETES = "_SERVICE_HOST"


def unread_names(environment: Mapping[str, str]) -> dict[str, str]:
    """Each such name that has a value, with the setting that it resembles most ("": none)."""
    services = [
        name.removesuffix(_OF_KUBERNETES) for name in environment if name.endswith(_OF_KUBERNETES)
    ]
    given = tuple(f"{service}_{word}" for service in services for word in ("SERVICE_", "PORT"))
    return {
        name: _nearest(name.removeprefix(_OURS))
        for name, value in sorted(environment.items())
        if name.startswith(_OURS)
        and value.strip()
        and not name.startswith(given)
        and not _is_read(name.removeprefix(_OURS))
    }


def _is_read(name: str) -> bool:
    if name in _SETTINGS or name in _FROM_FILES or name in _OTHERS:
        return True
    if name.removesuffix("_FILE") in _FROM_FILES:
        return True
    return any(name.startswith(begin) and name != begin for begin in _OF_A_SERVICE)


def _nearest(name: str) -> str:
    # Imported here: hardly any start needs it.
    from difflib import get_close_matches

    files = [f"{known}_FILE" for known in _FROM_FILES]
    near = get_close_matches(name, sorted([*_SETTINGS, *_FROM_FILES, *files]), n=1)
    return _OURS + near[0] if near else ""
