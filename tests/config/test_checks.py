"""What may not start, whoever starts it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.checks.security.base import check_secret_key
from django.core.exceptions import ImproperlyConfigured
from django.db.utils import ConnectionHandler
from django.utils import timezone

from annotation import checks
from annotation.checks import protocol_templates
from annotation.config.env import env_database
from annotation.models import Study, User
from annotation.protocols.kinds import Slider
from annotation.protocols.registry import PROTOCOLS
from annotation.selectors.platform import broker, system
from tests.factories import make_study
from tests.processes import PATIENCE, free_port
from tests.protocols.samples.plain import PROTOCOL as PLAIN
from workers import celery

KEY = "0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SAFE = {
    "DEMO": False,
    "DEBUG": False,
    "SECRET_KEY": "a-long-enough-key-0123456789-abcdefghijklmnopqrstuvwxyz",
    "SECRET_KEY_FALLBACKS": ["an-earlier-key-9876543210-zyxwvutsrqponmlkjihgfedcba"],
    "ALLOWED_HOSTS": ["bareme.example.org"],
    "PUBLIC_URL": "https://bareme.example.org",
    "METRICS_TOKEN": "",
}


@pytest.fixture(autouse=True)
def _safe(settings: Any) -> None:
    for name, value in SAFE.items():
        setattr(settings, name, value)


def codes() -> list[str | None]:
    return [message.id for message in checks.configuration()]


def test_safe_settings_pass() -> None:
    assert codes() == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "value", "code", "remedy"),
    [
        ("DEBUG", True, "bareme.E001", "BAREME_DEBUG=0"),
        ("SECRET_KEY", "short", "bareme.E002", "BAREME_SECRET_KEY"),
        ("SECRET_KEY", "ab" * 30, "bareme.E002", "BAREME_SECRET_KEY"),
        (
            "SECRET_KEY",
            "django-insecure-0123456789-abcdefghijklmnopqrstuvwxyz",
            "bareme.E002",
            "BAREME_SECRET_KEY",
        ),
        ("SECRET_KEY_FALLBACKS", [KEY, "short"], "bareme.E002", "BAREME_SECRET_KEY_FALLBACKS"),
        ("ALLOWED_HOSTS", [], "bareme.E003", "BAREME_ALLOWED_HOSTS"),
        ("ALLOWED_HOSTS", ["*"], "bareme.E003", "BAREME_ALLOWED_HOSTS"),
        *(
            ("ALLOWED_HOSTS", ["bareme.example.org", host], "bareme.E003", f"{host!r}.*xn--")
            for host in ("http://a.example", "a.example:80", "a.example/b", "a b", "étude.example")
        ),
        ("METRICS_TOKEN", "short", "bareme.E008", "32 characters"),
        ("PUBLIC_URL", "", "bareme.E004", "BAREME_PUBLIC_URL"),
        ("PUBLIC_URL", "http://bareme.example.org", "bareme.E004", "BAREME_PUBLIC_URL"),
    ],
)
def test_an_insecure_setting_is_refused(
    settings: Any, name: str, value: Any, code: str, remedy: str
) -> None:
    setattr(settings, name, value)
    assert codes() == [code]
    with pytest.raises(ImproperlyConfigured, match=rf"(?s){code}.*{remedy}"):
        checks.refuse_insecure_start()


@pytest.mark.django_db
def test_a_worker_asks_unless_it_was_forked_from_what_was_asked(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "_let_start", ContextVar("let_start_here", default=False))
    with checks.rules_are_made():
        checks.refuse_insecure_start()
    assert not checks.was_let_start()
    good, settings.PUBLIC_URL = settings.PUBLIC_URL, ""
    with pytest.raises(SystemExit, match=r"bareme\.E004"):
        celery.refuse_insecure_start()
    settings.PUBLIC_URL = good
    checks.refuse_insecure_start()
    assert checks.was_let_start()
    settings.PUBLIC_URL = ""
    celery.refuse_insecure_start()


@pytest.mark.parametrize(
    "host", ["a.example", ".a.example", "A.Example", "localhost", "10.0.0.1", "[::1]", "web-second"]
)
def test_a_host_that_a_request_may_be_for_is_taken(settings: Any, rf: Any, host: str) -> None:
    settings.ALLOWED_HOSTS = [host, "bareme.example.org"]
    assert codes() == []
    request = rf.get("/", headers={"Host": f"{host.removeprefix('.')}:8000"})
    assert request.get_host().startswith(host.removeprefix("."))


@pytest.mark.parametrize(
    ("length", "refused", "warned"),
    [(39, True, True), (40, False, True), (49, False, True), (50, False, False)],
)
def test_documents_say_how_long_a_key_must_be(
    settings: Any, length: int, refused: bool, warned: bool
) -> None:
    settings.SECRET_KEY = KEY[:length]
    assert ("bareme.E002" in codes()) == refused
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = KEY, [KEY[:length]]
    assert ("bareme.E002" in codes()) == refused, "an earlier key is asked the same"
    settings.SECRET_KEY = KEY[:length]
    ids = {message.id for message in check_secret_key(None)}
    assert ("security.W009" in ids) == warned
    root = Path(settings.BASE_DIR)
    [row] = [
        line
        for line in (root / "docs" / "operations.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| `BAREME_SECRET_KEY` |")
    ]
    assert "50 characters or more" in row
    assert "fewer than 40 no server starts" in row
    assert "50 characters or more" in (root / ".env.example").read_text(encoding="utf-8")


def test_a_missing_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Keyless(SimpleNamespace):
        @property
        def SECRET_KEY(self) -> str:  # noqa: N802
            raise ImproperlyConfigured("as Django's settings do")

    safe = {name: value for name, value in SAFE.items() if name != "SECRET_KEY"}
    monkeypatch.setattr(checks, "settings", Keyless(**safe))
    assert codes() == ["bareme.E002"]


def test_contents_are_looked_at_only_when_a_database_is_asked_for() -> None:
    assert checks.demonstration() == []


def test_http_is_for_ones_own_machine(settings: Any) -> None:
    settings.PUBLIC_URL, settings.ALLOWED_HOSTS = "http://localhost:8000", ["localhost"]
    assert codes() == []


@pytest.mark.parametrize(
    ("url", "allowed", "lacking"),
    [
        ("https://b.example.org", "other.org", "b.example.org"),
        ("https://B.example.org:8443", "b.example", "b.example.org"),
        ("http://[::1]:8000", "localhost", "[::1]"),
        ("https://étude.example", "etude.example", "xn--tude-9oa.example"),
        ("https://web_1.example.org", "web.example.org", "web_1.example.org"),
    ],
)
def test_a_public_address_that_no_page_would_be_answered_at_is_refused(
    settings: Any, url: str, allowed: str, lacking: str
) -> None:
    """It started as ready, and each page was 400."""
    settings.PUBLIC_URL, settings.ALLOWED_HOSTS = url, [allowed]
    [message] = checks.configuration()
    assert message.id == "bareme.E003"
    assert url in message.msg
    assert str(message.hint).startswith(f"Add {lacking} to BAREME_ALLOWED_HOSTS")


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://b.example.org:8443", "B.example.org"),
        ("https://b.example.org", ".example.org"),
        ("https://b.example.org.", "b.example.org"),
        ("http://[::1]:8000", "[::1]"),
        ("https://étude.example", "xn--tude-9oa.example"),
    ],
)
def test_a_public_address_among_the_allowed_names_passes(
    settings: Any, url: str, allowed: str
) -> None:
    settings.PUBLIC_URL, settings.ALLOWED_HOSTS = url, ["web", allowed]
    assert codes() == []


@pytest.mark.django_db
def test_a_demonstration_may_start(settings: Any) -> None:
    settings.DEMO = settings.DEBUG = True
    checks.refuse_insecure_start()


@pytest.mark.django_db
def test_a_demo_study_is_refused(settings: Any) -> None:
    Study.objects.create(key="demo", title="Demo", is_demo=True)
    User.objects.create_user("lea@demo.invalid", is_demo=True)
    with pytest.raises(
        ImproperlyConfigured, match=r"(?s)E005: There is a demo study: demo.*E006: There are 1 demo"
    ):
        checks.refuse_insecure_start()
    settings.DEMO = True
    checks.refuse_insecure_start()


@pytest.mark.django_db
class TestADatabaseThatIsNotReached:
    @pytest.fixture(autouse=True)
    def _away(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NAME", "postgres://u@127.0.0.1:1/studies")
        away = env_database("NAME", Path())
        monkeypatch.setattr(checks, "connections", ConnectionHandler({"default": away}))
        monkeypatch.setattr(system, "connections", checks.connections)

    def test_it_is_an_error_where_it_is_asked_about(self) -> None:
        assert checks.database_reached() == []
        [message] = checks.database_reached(databases=["default"])
        assert (message.id, message.is_serious()) == ("bareme.E013", True)
        assert "127.0.0.1, studies" in message.msg
        assert "DATABASE_URL" in (message.hint or "")

    def test_it_holds_up_neither_migrate_nor_a_server(self) -> None:
        """Each says so itself, and a server may be there first."""
        with checks.rules_are_made():
            assert checks.database_reached(databases=["default"]) == []
        checks.refuse_insecure_start()


@pytest.mark.django_db
def test_a_database_that_is_there_is_reached() -> None:
    assert checks.database_reached(databases=["default"]) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        [
            "-m",
            "gunicorn",
            "--no-control-socket",
            "--bind",
            "unix:{folder}/web.sock",
            "annotation.config.wsgi:application",
        ],
        ["-c", "import annotation.config.asgi"],
        ["-m", "celery", "-A", "workers.celery", "worker"],
        ["manage.py", "serve", "--port", str(free_port())],
    ],
    ids=["wsgi", "asgi", "worker", "serve"],
)
def test_every_way_to_start_refuses(command: list[str], tmp_path: Path) -> None:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("BAREME_")
    }
    environment |= {
        "BAREME_DATA_DIR": str(tmp_path),
        "BAREME_DEBUG": "1",
        "DATABASE_URL": "",
        "REDIS_URL": "",
    }
    command = [part.format(folder=tmp_path) for part in command]
    done = subprocess.run(
        [sys.executable, *command],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode != 0
    assert "bareme.E001" in done.stderr + done.stdout
    assert "bareme.E002" in done.stderr + done.stdout
    assert "BAREME_SECRET_KEY" in done.stderr + done.stdout


class TestProtocolTemplates:
    """What a protocol is drawn by is found at start, before somebody opens a page."""

    def test_those_that_are_published_can_be_drawn(self) -> None:
        assert protocol_templates() == []

    def test_a_kind_without_its_template_or_script_is_refused(self, monkeypatch: Any) -> None:
        monkeypatch.setattr(Slider, "kind", "dial")
        monkeypatch.setattr(Slider, "scripts", ("dial",))
        said = [
            message.msg
            for message in protocol_templates()
            if message.msg.startswith("tests.protocols.samples.everything")
        ]
        assert said == [
            "tests.protocols.samples.everything: its field 'warmth' cannot be drawn by "
            "judging/kinds/dial.html: there is no such file.",
            "tests.protocols.samples.everything: its field 'warmth' needs "
            "js/judging/kinds/dial.js, which is not there.",
            *(line.replace("warmth", "share") for line in said[:2]),
        ]

    def test_a_template_of_no_step_and_one_that_is_none(
        self, settings: Any, tmp_path: Path
    ) -> None:
        folder = tmp_path / "protocols" / "plain"
        folder.mkdir(parents=True)
        (folder / "clarty.html").write_text("", encoding="utf-8")
        (folder / "style.html").write_text("{% if %}", encoding="utf-8")
        [engine] = settings.TEMPLATES
        settings.TEMPLATES = [engine | {"DIRS": [tmp_path, *engine["DIRS"]]}]
        stray, broken = protocol_templates()
        assert "protocols/plain/clarty.html is of none of its steps" in stray.msg
        assert "its step 'style' cannot be drawn by protocols/plain/style.html" in broken.msg

    def test_a_template_that_includes_what_is_not_there_is_refused(
        self, settings: Any, tmp_path: Path
    ) -> None:
        folder = tmp_path / "judging" / "kinds"
        folder.mkdir(parents=True)
        (folder / "slider.html").write_text('{% include "judging/gone.html" %}', encoding="utf-8")
        [engine] = settings.TEMPLATES
        settings.TEMPLATES = [engine | {"DIRS": [tmp_path, *engine["DIRS"]]}]
        said = [message.msg for message in protocol_templates()]
        assert any(
            "its field 'warmth' cannot be drawn by judging/kinds/slider.html: it includes "
            "judging/gone.html: there is no such file." in text
            for text in said
        ), said

    def test_a_script_that_does_not_define_its_kind_is_refused(self, monkeypatch: Any) -> None:
        monkeypatch.setattr(Slider, "scripts", ("marks",))
        said = [message.msg for message in protocol_templates()]
        assert (
            "tests.protocols.samples.everything: its field 'warmth' is of the kind 'slider', which "
            "js/judging/kinds/marks.js does not define."
        ) in said

    @pytest.mark.django_db
    def test_what_is_no_protocol_is_refused_as_that_alone(self, monkeypatch: Any) -> None:
        broken = replace(PLAIN, steps=("none",))
        monkeypatch.setitem(PROTOCOLS, (PLAIN.key, PLAIN.version), broken)
        assert protocol_templates() == []
        with pytest.raises(ImproperlyConfigured, match=r"samples/plain\.py.*steps='none'"):
            checks.refuse_insecure_start()


@pytest.mark.django_db
class TestWhatAServerStartsWithAllTheSame:
    @pytest.fixture
    def said(
        self, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> Callable[[], list[tuple[str | None, str]]]:
        monkeypatch.setattr(checks, "databases_open_to_all", lambda _: [])
        monkeypatch.setattr(checks, "broker_answers", lambda: True)
        settings.DATA_DIR = tmp_path / "data"
        settings.BACKUP_DIR = tmp_path / "data" / "backups"
        settings.BACKUP_EVERY_HOURS = 24
        return lambda: [(message.id, message.msg) for message in checks.start_warnings()]

    def test_nothing_is_said_of_what_is_in_order(self, said: Any) -> None:
        assert said() == []

    def test_redis_away(self, said: Any, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(checks, "broker_answers", broker.broker_answers)
        settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
        [(code, problem)] = said()
        assert code == "bareme.W002"
        assert "judgments are stored" in problem

    def test_a_folder_of_backups_that_is_not_there(
        self, said: Any, settings: Any, tmp_path: Path
    ) -> None:
        settings.BACKUP_DIR = tmp_path / "disk" / "backups"
        [(code, problem)] = said()
        assert code == "bareme.W003"
        assert f"{settings.BACKUP_DIR} yet: the first backup makes it, in {tmp_path}" in problem
        settings.BACKUP_DIR.mkdir(parents=True)
        assert said() == []

    def test_one_that_cannot_be_made(self, said: Any, settings: Any, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        settings.BACKUP_DIR = tmp_path / "file" / "backups"
        [(code, problem)] = said()
        assert (code, "cannot be used" in problem) == ("bareme.W003", True)
        settings.BACKUP_EVERY_HOURS = 0
        assert said() == [], "none is made by itself"


class TestWhoMayReadTheDatabase:
    @pytest.fixture
    def database(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        """A file in a folder that lets everybody in, as the folders above it do."""
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            path = Path(folder) / "a b.sqlite3"
            path.parent.chmod(0o755)
            fake = SimpleNamespace(vendor="sqlite", settings_dict={"NAME": str(path)})
            monkeypatch.setattr(system, "connections", {"default": fake})
            yield path

    def test_a_new_one_is_its_owner_s_alone(self, database: Path) -> None:
        factory = env_database("NAME", database)["OPTIONS"]["factory"]
        with closing(sqlite3.connect(database=database, factory=factory)) as made:
            made.execute("PRAGMA journal_mode=WAL")
            made.execute("CREATE TABLE x (y)")
            rights = {path.stat().st_mode & 0o777 for path in database.parent.glob("a b*")}
            assert len([*database.parent.glob("a b*")]) == 3
        assert rights == {0o600}
        assert checks.database_readers(databases=["default"]) == []

    @pytest.mark.django_db
    def test_one_that_anybody_may_read_keeps_its_rights_and_is_told(self, database: Path) -> None:
        sqlite3.connect(database).close()
        database.touch()
        database.chmod(0o644)
        factory = env_database("NAME", database)["OPTIONS"]["factory"]
        sqlite3.connect(database=database, factory=factory).close()
        # As ``manage.py check --deploy`` asks, without a database's name.
        messages = run_checks(include_deployment_checks=True)
        [warning] = [message for message in messages if message.id == "bareme.W001"]
        assert f"chmod 600 '{database}'*" in str(warning.hint)
        assert database.stat().st_mode & 0o777 == 0o644
        database.parent.chmod(0o700)
        assert checks.database_readers(databases=["default"]) == []


@pytest.mark.django_db
def test_studies_whose_protocol_is_not_installed_are_named() -> None:
    assert checks.protocols_missing(databases=["default"]) == []
    for number in range(7):
        make_study(f"gone-{number}")
    Study.objects.update(protocol_key="clarity", protocol_version="2")
    make_study("there")
    over = [make_study("over", state="closed"), make_study("away", archived_at=timezone.now())]
    Study.objects.filter(pk__in=[study.pk for study in over]).update(protocol_key="tone")
    [warning] = checks.protocols_missing(databases=["default"])
    assert (warning.id, warning.msg) == (
        "bareme.W007",
        "Not installed here: clarity 2. Nobody can judge in gone-0, gone-1, gone-2, gone-3, gone-4 "
        "and 2 more.",
    )
    assert warning in checks.start_warnings()
    with checks.rules_are_made():
        assert checks.protocols_missing(databases=["default"]) == []
