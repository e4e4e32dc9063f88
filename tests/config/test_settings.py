"""The key of a demonstration, and settings as another process reads them."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

from annotation.config import env
from annotation.config.secret import demo_secret_key


def read(expression: str, folder: Path, **environment: str) -> str:
    """What the settings give in a process of their own."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("BAREME_")}
    own |= {"BAREME_DATA_DIR": str(folder), "DATABASE_URL": "", "REDIS_URL": "", **environment}
    command = [
        sys.executable,
        "-c",
        f"from annotation.config import settings as s; print({expression})",
    ]
    return subprocess.run(
        command, env=own, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_a_demonstration_keeps_its_key(tmp_path: Path) -> None:
    key = demo_secret_key(tmp_path)
    assert len(key) > 50
    assert demo_secret_key(tmp_path) == key
    assert (tmp_path / "demo-secret-key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["demo-secret-key"]


def test_the_faster_of_two_starts_keeps_its_key(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "demo-secret-key").write_text("first")
    answers = iter([False])
    monkeypatch.setattr(Path, "exists", lambda self: next(answers))
    assert demo_secret_key(tmp_path) == "first"


def test_a_real_start_insists_on_https(tmp_path: Path) -> None:
    values = (
        "s.SESSION_COOKIE_SECURE, s.SECURE_SSL_REDIRECT, s.SECURE_HSTS_SECONDS > 0, "
        "s.ALLOWED_HOSTS, s.DEBUG"
    )
    output = read(values, tmp_path, BAREME_PUBLIC_URL="https://bareme.example.org")
    assert output == "True True True ['bareme.example.org'] False"


def test_an_ipv6_address_answers_as_browsers_write_it(tmp_path: Path) -> None:
    assert read("s.ALLOWED_HOSTS", tmp_path, BAREME_PUBLIC_URL="http://[::1]:8000") == "['[::1]']"


def test_a_demonstration_works_over_http_on_its_own_machine(tmp_path: Path) -> None:
    output = read(
        "s.SESSION_COOKIE_SECURE, s.SECURE_SSL_REDIRECT, s.ALLOWED_HOSTS", tmp_path, BAREME_DEMO="1"
    )
    assert output == "False False ['localhost', '127.0.0.1', '[::1]']"


def test_everything_that_is_written_is_in_the_data_folder(tmp_path: Path) -> None:
    places = (
        "[s.DATABASES['default']['NAME'], s.STATIC_ROOT, s.MEDIA_ROOT, "
        "s.CELERY_BEAT_SCHEDULE_FILENAME]"
    )
    assert read(f"all(str(p).startswith(str(s.DATA_DIR)) for p in {places})", tmp_path) == "True"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BAREME_WEB_THREADS", "0"),
        ("BAREME_WEB_PROCESSES", "0"),
        ("BAREME_WEB_BIND", "foo"),
        ("BAREME_TRACES_PERCENT", "500"),
        ("BAREME_EMAIL_PORT", "99999999"),
        ("BAREME_BACKUP_EVERY", "99999999999"),
        ("BAREME_BACKUP_KEEP_WEEKS", "1000000"),
        ("BAREME_ACCESS_RECORD_DAYS", "999999999"),
        ("BAREME_LLM_CONCURRENCY", "1000000000000"),
        ("BAREME_TIME_ZONE", "Mars/Olympus"),
    ],
)
def test_what_a_server_would_refuse_every_command_refuses(
    tmp_path: Path, name: str, value: str
) -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        read("s.TIME_ZONE", tmp_path, **{name: value})
    assert f"{name} is " in refused.value.stderr
    assert "for example" in refused.value.stderr


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("REDIS_URL", "redis://localhost:6379/abc", "names a database that is no number from 0 on"),
        ("BAREME_EMAIL_HOST", "http://x", "is 'http://x', which is no host name"),
        ("BAREME_EMAIL_FROM", "notanaddress", "is 'notanaddress', which is no e-mail address"),
        ("BAREME_DATABASE_DIRECT_URL", "postgres://u@s/n", "is set, and DATABASE_URL names no"),
    ],
)
def test_what_leads_nowhere_every_command_refuses(
    tmp_path: Path, name: str, value: str, said: str
) -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        read("s.TIME_ZONE", tmp_path, **{name: value})
    assert f"{name} {said}" in refused.value.stderr


def numbers() -> dict[str, int]:
    """Each number of the settings by its name, with the most that it may be."""
    path = Path(env.__file__).with_name("settings.py")
    calls = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "env_int"
    ]
    most = (next(word.value for word in call.keywords if word.arg == "maximum") for call in calls)
    known = {"_YEAR": 365 * 24 * 3600}
    return {
        ast.literal_eval(call.args[0]): int(eval(ast.unparse(highest), known))
        for call, highest in zip(calls, most, strict=True)
    }


def test_no_number_is_without_a_highest(tmp_path: Path) -> None:
    """A number that nothing can be made of was taken, and pages and sweeps fell over it."""
    highest = inspect.signature(env.env_int).parameters["maximum"]
    assert highest.default is inspect.Parameter.empty, "env_int must be told up to what"
    most = numbers()
    assert len(most) > 15
    # With each at its highest every moment that they are counted from is one that there is.
    moments = (
        "[timezone.now() - timedelta(days=s.ACCESS_RECORD_DAYS), "
        "timezone.now() - timedelta(hours=s.BACKUP_EVERY_HOURS), "
        "timezone.now() - timedelta(weeks=s.BACKUP_KEEP_WEEKS)] != []"
    )
    said = f"(lambda timezone, timedelta: {moments})(__import__('django.utils.timezone').utils.timezone, s.timedelta)"  # noqa: E501
    given = {name: str(number) for name, number in most.items()}
    assert read(said, tmp_path, DJANGO_SETTINGS_MODULE="tests.settings", **given) == "True"
