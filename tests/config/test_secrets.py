"""Each setting that is marked (secret) in .env.example may come from a file, and is read from
one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings

from tests.config.test_settings import read

# The setting, what its file holds, and an expression that gives it back.
CASES = {
    "BAREME_SECRET_KEY": ("file-key-0123456789", "s.SECRET_KEY"),
    "BAREME_SECRET_KEY_FALLBACKS": ("old-1, old-2", "', '.join(s.SECRET_KEY_FALLBACKS)"),
    "DATABASE_URL": ("postgres://u:hidden@h/n", "'postgres://u:%(PASSWORD)s@h/n' % s.DATABASES['default']"),  # noqa: E501
    "BAREME_DATABASE_DIRECT_URL": ("postgres://u:hidden@s/n", "'postgres://u:%(PASSWORD)s@s/n' % s.DATABASE_DIRECT"),  # noqa: E501
    "REDIS_URL": ("redis://:file-secret@h:6379/2", "s.CELERY_BROKER_URL"),
    "OPENAI_API_KEY": ("file-key", "s.LLM_ENDPOINTS['openai'].key"),
    "BAREME_EMAIL_PASSWORD": ("file-password", "s.EMAIL_HOST_PASSWORD"),
    "BAREME_METRICS_TOKEN": ("file-token", "s.METRICS_TOKEN"),
    "BAREME_BACKUP_SIGNING_KEY": ("file-key", "s.BACKUP_SIGNING_KEY"),
    "BAREME_LLM_KEY_LOCAL": ("file-key", "s.LLM_ENDPOINTS['local'].key"),
}  # fmt: skip
EXTRAS = {
    "BAREME_OIDC_CLIENT_SECRET",
    "BAREME_STORAGE_KEY",
    "BAREME_STORAGE_SECRET",
    "BAREME_SENTRY_DSN",
    "BAREME_TRACES_ENDPOINT",
    "BAREME_TRACES_HEADERS",
}


@pytest.mark.parametrize("name", CASES)
def test_a_secret_comes_from_its_file(name: str, tmp_path: Path) -> None:
    content, expression = CASES[name]
    (tmp_path / "secret").write_text(f"{content}\n")
    environment = {
        f"{name}_FILE": str(tmp_path / "secret"),
        "BAREME_LLM_ENDPOINTS": "local=http://gpu:8000/v1",
    }
    if name == "BAREME_DATABASE_DIRECT_URL":
        environment["DATABASE_URL"] = "postgres://u@pooler/n"
    assert read(expression, tmp_path, **environment) == content


def test_every_secret_of_the_list_of_settings_is_tried() -> None:
    listed = (settings.BASE_DIR / ".env.example").read_text()
    marked = re.findall(r"^# \(secret\).*\n(?:#.*\n)*?(?:# )?([A-Z_<>]+)=", listed, re.MULTILINE)
    assert len(marked) >= 7
    untried = {name.replace("<NAME>", "LOCAL") for name in marked} - set(CASES)
    # Those of S3, Sentry, OpenTelemetry and OpenID Connect are read only with their libraries,
    # which not every installation has: they must be read the same way.
    sources = "".join(
        path.read_text() for path in (settings.BASE_DIR / "annotation" / "config").glob("*.py")
    )
    assert untried <= EXTRAS
    read_as_secrets = set(re.findall(r'env_(?:secrets?|url)\("(\w+)"', sources))
    assert untried - read_as_secrets == set()


def test_no_secret_is_read_in_another_way() -> None:
    """A key, password or token that ``env_str`` reads could not come from a file."""
    names = []
    for path in (settings.BASE_DIR / "annotation" / "config").glob("*.py"):
        names += re.findall(
            r'env_(?:str|list|url)\("(\w*(?:KEY|PASSWORD|TOKEN|SECRET)\w*)"', path.read_text()
        )
    assert names == []
