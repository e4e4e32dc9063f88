"""What `serve` and `stack` say of where they listen."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand

from annotation.management.commands import stack
from annotation.management.demo_address import demo_address
from annotation.management.starting import (
    demonstration_opens_at,
    listens_at,
    only_one_here,
    place,
)


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


@pytest.mark.parametrize(
    ("command", "option", "bounds"),
    [
        *(("serve", f"--workers={given}", "1 to 512") for given in ("0", "-1", "513", "x")),
        *(("serve", f"--jobs={given}", "1 to 512") for given in ("0", "-2")),
        *(("serve", f"--calls={given}", "0 to 512") for given in ("-1", "1.5")),
        *(("stack", f"--{name}=0", "1 to 512") for name in ("web", "jobs", "calls")),
    ],
)
def test_a_number_of_processes_that_nothing_starts_with_is_refused_in_words(
    command: str, option: str, bounds: str
) -> None:
    """With no web process a start waited a minute, and pointed at a message that was not there."""
    with pytest.raises(CommandError, match=rf"is no number from {bounds}"):
        call_command(command, option)


@pytest.mark.parametrize(
    ("bind", "place"),
    [
        ("127.0.0.1:8000", ("127.0.0.1", 8000)),
        ("0.0.0.0:9000", ("0.0.0.0", 9000)),
        (":9000", ("0.0.0.0", 9000)),
        ("localhost", ("localhost", 8000)),
        ("[::1]:9000", ("::1", 9000)),
        ("[::1]", ("::1", 8000)),
        ("unix:/run/bareme.sock", (None, None)),
        ("fd://3", (None, None)),
        ("127.0.0.1:8000,[::1]:8000", (None, None)),
    ],
)
def test_where_the_stack_listens_is_the_setting_s(bind: str, place: tuple[str, int]) -> None:
    assert listens_at(bind) == place


def test_the_stack_takes_address_and_processes_from_the_environment(settings: Any) -> None:
    """It went by its own options alone, whatever was set."""
    settings.WEB_BIND, settings.WEB_PROCESSES = "0.0.0.0:9000", 3

    def read(command: BaseCommand, *given: str) -> tuple[str, int, int]:
        options = command.create_parser("manage.py", "stack").parse_args([*given])
        return options.host, options.port, options.web

    assert read(stack.Command()) == ("0.0.0.0", 9000, 3)
    given = ("--host=127.0.0.1", "--port=8001", "--web=4")
    assert read(stack.Command(), *given) == ("127.0.0.1", 8001, 4)
    settings.WEB_BIND = "unix:/run/bareme.sock"
    with pytest.raises(CommandError, match=r"BAREME_WEB_BIND is 'unix:/run/bareme.sock'"):
        call_command("stack")


def test_a_demonstration_is_opened_where_it_listens(settings: Any) -> None:
    settings.DEMO = True
    assert place("0.0.0.0", 8001) == "http://127.0.0.1:8001"


def test_letters_of_a_demonstration_lead_to_its_port(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They led to port 8000, wherever it was served."""
    monkeypatch.setenv("BAREME_PUBLIC_URL", "")
    settings.DEMO, settings.DATA_DIR = True, tmp_path
    assert demo_address(tmp_path) == "http://127.0.0.1:8000"
    with only_one_here() as lock:
        demonstration_opens_at(lock, "0.0.0.0", 8044)
        assert settings.PUBLIC_URL == os.environ["BAREME_PUBLIC_URL"] == "http://127.0.0.1:8044"
        # Of `manage.py invite` in another terminal.
        assert demo_address(tmp_path) == "http://127.0.0.1:8044"
    monkeypatch.setenv("BAREME_PUBLIC_URL", "")
    with only_one_here() as lock:
        demonstration_opens_at(lock, "::1", 9)
    assert demo_address(tmp_path) == "http://[::1]:9"
    (tmp_path / "serve.lock").write_text("http://a.example:1/path")
    assert demo_address(tmp_path) == "http://127.0.0.1:8000"


@pytest.mark.parametrize("is_demo", [True, False])
def test_an_address_that_was_set_stays(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_demo: bool
) -> None:
    if is_demo:
        monkeypatch.setenv("BAREME_PUBLIC_URL", "http://bareme.test")
    settings.DEMO, settings.DATA_DIR, settings.PUBLIC_URL = is_demo, tmp_path, "http://bareme.test"
    with only_one_here() as lock:
        demonstration_opens_at(lock, "127.0.0.1", 8044)
    assert settings.PUBLIC_URL == "http://bareme.test"
    assert (tmp_path / "serve.lock").read_text() == ""
