from __future__ import annotations

from typing import Any

import pytest
from django.test import RequestFactory

from annotation.config.throttling import client_address, login_name


def test_case_buys_no_further_attempts(rf: RequestFactory) -> None:
    assert login_name(rf.post("/", {"username": " Lea@Example.org "})) == "lea@example.org"
    assert login_name(None, {"username": "LEA@example.org"}) == "lea@example.org"
    assert login_name(None) == ""


@pytest.mark.parametrize(
    ("trusted", "forwarded", "address"),
    [
        (0, "203.0.113.9", "10.0.0.1"),
        (1, "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        (2, "203.0.113.9, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
        (2, "198.51.100.7", "10.0.0.1"),
        # With the port, as some proxies write it: no attempt would be counted with the one before.
        (1, "203.0.113.9:5, 198.51.100.7:51234", "198.51.100.7"),
        (1, "[2001:db8::7]:443", "2001:db8::7"),
        (1, "[2001:DB8:0::7]", "2001:db8::7"),
        (1, "2001:db8::7", "2001:db8::7"),
        (1, "fe80::1%eth0", "fe80::1"),
        # What is none would break each log-in on PostgreSQL.
        (1, "unknown", "10.0.0.1"),
        (1, "198.51.100.7:x", "10.0.0.1"),
    ],
)
def test_only_our_own_proxies_are_believed(
    rf: RequestFactory, settings: Any, trusted: int, forwarded: str, address: str
) -> None:
    settings.TRUSTED_PROXIES = trusted
    request = rf.get("/", headers={"X-Forwarded-For": forwarded}, REMOTE_ADDR="10.0.0.1")
    assert client_address(request) == address
