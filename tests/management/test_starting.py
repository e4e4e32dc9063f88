"""What `serve` and `stack` say of where they listen."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.management.starting import place


@pytest.mark.parametrize(
    ("public", "host", "said"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1", "http://127.0.0.1:8000"),
        (
            "http://127.0.0.1:8044",
            "127.0.0.1",
            "http://127.0.0.1:8044, listening on 127.0.0.1:8000",
        ),
        ("https://a.example", "0.0.0.0", "https://a.example, listening on 0.0.0.0:8000"),
        ("https://a.example", "::1", "https://a.example, listening on [::1]:8000"),
    ],
)
def test_what_is_listened_on_is_named_beside_the_public_address(
    settings: Any, public: str, host: str, said: str
) -> None:
    settings.DEMO, settings.PUBLIC_URL = False, public
    assert place(host, 8000) == said


@pytest.mark.parametrize("port", ["99999", "0", "-1", "abc"])
@pytest.mark.parametrize("command", ["serve", "stack"])
def test_what_is_no_port_is_refused_in_words(command: str, port: str) -> None:
    with pytest.raises(CommandError, match=rf"--port: '{port}' is no port: .* such as 8000"):
        call_command(command, f"--port={port}")


def test_a_demonstration_is_opened_where_it_listens(settings: Any) -> None:
    settings.DEMO = True
    assert place("0.0.0.0", 8001) == "http://127.0.0.1:8001"
