"""Settings of an institution that lets people in."""

from __future__ import annotations

import importlib.util

import pytest
from django.core.exceptions import ImproperlyConfigured

from annotation.config.institution import env_institution

WHOLE = {
    "BAREME_OIDC_ISSUER": "https://login.example.org/realms/law",
    "BAREME_OIDC_CLIENT_ID": "bareme",
    "BAREME_OIDC_CLIENT_SECRET": "s3cret",
}
ALL = (*WHOLE, "BAREME_OIDC_NAME", "BAREME_OIDC_TRUST_ADDRESSES")


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ALL:
        monkeypatch.delenv(name, raising=False)


def set_all(monkeypatch: pytest.MonkeyPatch, **changed: str) -> None:
    for name, value in (WHOLE | changed).items():
        monkeypatch.setenv(name, value)


def test_nobody_is_let_in_by_one_unless_it_is_set() -> None:
    assert env_institution() == {}


def test_what_is_set_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    set_all(monkeypatch, BAREME_OIDC_NAME="Laval", BAREME_OIDC_TRUST_ADDRESSES="1")
    assert env_institution() == {
        "issuer": WHOLE["BAREME_OIDC_ISSUER"],
        "client_id": "bareme",
        "client_secret": "s3cret",
        "name": "Laval",
        "vouches": True,
    }


@pytest.mark.parametrize(
    "issuer", ["http://localhost:8080", "http://127.0.0.1:9", "http://[::1]:9/realms/law"]
)
def test_ones_own_machine_needs_no_certificate(
    monkeypatch: pytest.MonkeyPatch, issuer: str
) -> None:
    set_all(monkeypatch, BAREME_OIDC_ISSUER=issuer)
    assert env_institution()["issuer"] == issuer


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"BAREME_OIDC_ISSUER": "http://login.example.org"}, "begins with http://"),
        ({"BAREME_OIDC_ISSUER": "http://localhost.example.org"}, "begins with http://"),
        ({"BAREME_OIDC_ISSUER": "login.example.org"}, "BAREME_OIDC_ISSUER has the scheme ''"),
        ({"BAREME_OIDC_ISSUER": "https://a.example.org/?x=1"}, "has a query or a fragment"),
        ({"BAREME_OIDC_CLIENT_ID": ""}, "BAREME_OIDC_CLIENT_ID is not set"),
        ({"BAREME_OIDC_CLIENT_SECRET": ""}, "BAREME_OIDC_CLIENT_SECRET is not set"),
        ({"BAREME_OIDC_TRUST_ADDRESSES": "maybe"}, "BAREME_OIDC_TRUST_ADDRESSES is 'maybe'"),
    ],
)
def test_what_cannot_work_stops_the_start(
    monkeypatch: pytest.MonkeyPatch, changed: dict[str, str], said: str
) -> None:
    set_all(monkeypatch, **changed)
    with pytest.raises(ImproperlyConfigured, match=said.replace("?", r"\?")) as refused:
        env_institution()
    assert "s3cret" not in str(refused.value)


def test_without_its_library_the_start_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_all(monkeypatch)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImproperlyConfigured, match=r"requirements-oidc\.txt"):
        env_institution()
