"""What is set under a name that nobody reads is said at the start, with the name that was meant."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from annotation import checks
from annotation.config.names import unread_names
from tests.operations.settings_read import names_read, secrets_read

ROOT = Path(settings.BASE_DIR)
MENTIONED = re.compile(r"\bBAREME_[A-Z0-9_]*[A-Z0-9]\b(?!_)")
# A value in what follows is nobody's business.
SET = "hidden"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("BAREME_STORGE", "BAREME_STORAGE"),
        ("BAREME_BACKUP_EVRY", "BAREME_BACKUP_EVERY"),
        ("BAREME_PUBLIC_URI", "BAREME_PUBLIC_URL"),
        ("BAREME_SECRETKEY_FILE", "BAREME_SECRET_KEY_FILE"),
        ("BAREME_STORAGE_FILE", "BAREME_STORAGE_KEY_FILE"),
        ("BAREME_LLM_KEY_", ""),
        ("BAREME_XYZZY", ""),
    ],
)
def test_a_misspelt_name_is_named_with_the_one_that_was_meant(name: str, near: str) -> None:
    """It was ignored without a word."""
    unread = unread_names({name: SET, "BAREME_DEMO": "1", "STORGE": SET})
    assert list(unread) == [name]
    if near:
        assert unread[name] == near


def test_an_empty_one_is_unset() -> None:
    assert unread_names({"BAREME_STORGE": " "}) == {}


def test_every_setting_is_known() -> None:
    for name in [*names_read(), *(f"{name}_FILE" for name in secrets_read())]:
        assert unread_names({name: SET}) == {}, name
    for name in names_read() - secrets_read():
        # A service may be called "file".
        is_of_services = unread_names({f"{name}_LOCAL": SET}) == {}
        assert is_of_services or unread_names({f"{name}_FILE": SET}), f"{name} comes from no file"


@pytest.mark.parametrize(
    "name",
    [
        *("BAREME_LLM_KEY_LOCAL", "BAREME_LLM_KEY_LOCAL_FILE", "BAREME_LLM_CONCURRENCY_OPENAI"),
        *("BAREME_LLM_REQUESTS_PER_MINUTE_MY_OWN", "BAREME_LLM_TOKENS_PER_MINUTE_LOCAL"),
    ],
)
def test_those_of_a_service_end_on_its_name(name: str) -> None:
    assert unread_names({name: SET}) == {}


def test_what_else_is_read_here_is_known() -> None:
    """By Compose, by tests, by benches: a run of the suite warns of nothing."""
    places = [ROOT / "Makefile", ROOT / "docker-compose.yml", ROOT / ".ci" / "run"]
    for folder in ("bench", "tests"):
        places += (ROOT / folder).rglob("*.py")
    names: set[str] = set()
    for path in places:
        if path != Path(__file__):
            names |= set(MENTIONED.findall(path.read_text(encoding="utf-8")))
    assert len(names) > 60
    assert unread_names(dict.fromkeys(names, SET)) == {}


def test_what_kubernetes_says_of_a_service_called_so_is_no_setting() -> None:
    service = {
        "BAREME_WEB_SERVICE_HOST": "10.0.0.1",
        "BAREME_WEB_SERVICE_PORT_HTTP": "8000",
        "BAREME_WEB_PORT": "tcp://10.0.0.1:8000",
        "BAREME_WEB_PORT_8000_TCP_ADDR": "10.0.0.1",
    }
    assert unread_names(service) == {}
    del service["BAREME_WEB_SERVICE_HOST"]
    assert unread_names(service)


@pytest.mark.django_db
def test_it_is_said_at_the_start_and_by_the_check(settings: Any) -> None:
    assert checks.names_unread() == []
    settings.UNREAD_NAMES = {"BAREME_STORGE": "BAREME_STORAGE", "BAREME_XYZZY": ""}
    [warning] = checks.names_unread()
    assert (warning.id, warning.msg) == (
        "bareme.W009",
        "Set in the environment, and read by nobody: BAREME_STORGE (BAREME_STORAGE?), "
        "BAREME_XYZZY.",
    )
    assert warning in checks.start_warnings()
