"""What every test stands on: fast hashing, plain static files, mail kept in memory, a data folder
of its own."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import quote

import hypothesis
import kombu.pools
import pytest
from django.conf import settings as django_settings
from django.core.cache import cache
from django.db import connection

from annotation.management.translations import compile_translations
from annotation.protocols.registry import COMPOSED, withdraw_composed
from annotation.selectors.privacy import free_text
from tests import emptied, migrated, readers, servers, shares, traced, worlds
from tests.beats import no_beats  # noqa: F401  (a fixture of every test)
from tests.cast import cast  # noqa: F401  (a fixture of every test)
from tests.order import give_out
from tests.processes import kill

KEY = "a-key-for-tests-only-0123456789-abcdefghijklmnopqrstuvwxyz"
PLAIN = {
    "DEMO": False,
    "DEBUG": False,
    "ACCESS_LOG": False,
    "SECRET_KEY": KEY,
    "PUBLIC_URL": "http://testserver",
    "ALLOWED_HOSTS": ["testserver", "localhost", "127.0.0.1"],
    "CSRF_TRUSTED_ORIGINS": [],
    "TLS": False,
    "SECURE_SSL_REDIRECT": False,
    "SECURE_HSTS_SECONDS": 0,
    "SECURE_PROXY_SSL_HEADER": None,
    "SESSION_COOKIE_SECURE": False,
    "CSRF_COOKIE_SECURE": False,
    "DATABASE_DIRECT": {},
    "BACKUP_EVERY_HOURS": 0,
    "BACKUP_SIGNING_KEY": "",
    "BACKUP_SIGNED_BY": [],
    "BACKUP_RECIPIENTS": [],
    # Hashing slowly is the point of a password hasher, and the cost of a test suite.
    "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
    # Each test process counts for itself; tests/config/test_caches.py tries the shared one.
    "CACHES": {
        name: {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": name}
        for name in ("default", "local")
    },
    "WHITENOISE_AUTOREFRESH": True,
    "WHITENOISE_USE_FINDERS": True,
    "STORAGES": {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
        "artefacts": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    },
}


def pytest_collection_finish() -> None:
    """What is loaded by now stays: looking through it for garbage again and again is an eighth of
    the suite's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--traced",
        action="store_true",
        help="only tests that reach branches of rules and services (tests/traced.py)",
    )


def pytest_configure(config: pytest.Config) -> None:
    # Once, before anything was read: whatever the developer's own environment says, tests start
    # from the same place.
    for name, value in PLAIN.items():
        setattr(django_settings, name, value)
    for path in django_settings.LOCALE_PATHS:
        compile_translations(Path(path))

    # How long an example takes says more of the machine than of the code.
    # CI tries the same examples each time: what a change did not cause is not found on its account.
    # By hand they are others each time, and what they find is mended.
    hypothesis.settings.register_profile(
        "bareme", deadline=None, derandomize=os.environ.get("BAREME_SAME_EXAMPLES") == "1"
    )
    hypothesis.settings.load_profile("bareme")
    _refuse_to_leave_out()


def _refuse_to_leave_out() -> None:
    """CI asks for everything, and must not pass on less."""
    if os.environ.get("BAREME_REQUIRE_POSTGRES") == "1" and connection.vendor != "postgresql":
        raise pytest.UsageError(
            "BAREME_REQUIRE_POSTGRES=1, but DATABASE_URL names no PostgreSQL server"
        )
    if os.environ.get("BAREME_REQUIRE_BROWSER") == "1" and not servers.chromium():
        raise pytest.UsageError("BAREME_REQUIRE_BROWSER=1, but there is no Chromium: install it")
    if os.environ.get("BAREME_REQUIRE_FIREFOX") == "1" and not servers.firefox():
        raise pytest.UsageError("BAREME_REQUIRE_FIREFOX=1, but there is no Firefox: install it")


_SERVERS = {"db", "transactional_db", "live_server", "redis_url"}


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    _choose(config, items)
    yield
    # Once everybody has said what is tried once.
    _share(config, items)
    # After everybody else has put them in order, and in processes that share the suite only: who
    # runs some of them, or wants the nearest first (tests/touched.py), gets those.
    if hasattr(config, "workerinput") and not config.option.loadscopereorder:
        give_out(items)


def _choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        asks = _SERVERS.intersection(getattr(item, "fixturenames", ()))
        if (
            not asks
            and not item.get_closest_marker("django_db")
            and not item.get_closest_marker("redis")
        ):
            item.add_marker("once")
    if config.getoption("traced"):
        _leave(config, items, {item for item in items if not _is_traced(item)})
    if connection.vendor == "postgresql":
        return
    for item in items:
        if "postgres" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="needs PostgreSQL; the second run has it"))


def _share(config: pytest.Config, items: list[pytest.Item]) -> None:
    pace = shares.Pace.of(os.environ)
    is_left = (
        shares.is_left_by_postgresql
        if connection.vendor == "postgresql"
        else shares.is_left_by_sqlite
    )
    _leave(config, items, {item for item in items if is_left(_described(item), pace)})


def _described(item: pytest.Item) -> shares.Case:
    is_walked = item.get_closest_marker("walk") is not None and hasattr(item, "callspec")
    return shares.Case(
        item.nodeid,
        is_once=item.get_closest_marker("once") is not None,
        is_walked=is_walked and not item.nodeid.startswith("tests/services/"),
        is_of_postgresql="postgres" in item.keywords,
        is_of_both="postgres" in item.keywords
        or (worlds.commits(item) and item.get_closest_marker("both_databases") is None),
    )


def _leave(config: pytest.Config, items: list[pytest.Item], left: set[pytest.Item]) -> None:
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]


def pytest_report_header() -> list[str]:
    return shares.said(shares.Pace.of(os.environ), on_postgresql=connection.vendor == "postgresql")


# Services that ask which database it is.
_BY_DATABASE = ("tests/services/planning/", "tests/services/platform/")


def _is_traced(item: pytest.Item) -> bool:
    """On PostgreSQL for what SQLite never enters, locks and row counts; nowhere for browsers and
    for walks over addresses that other tests open one by one."""
    if connection.vendor == "postgresql":
        return item.nodeid.startswith(_BY_DATABASE) or (
            item.nodeid.startswith("tests/services/")
            and ("postgres" in item.keywords or worlds.commits(item))
        )
    if "browser" in item.keywords or item.get_closest_marker("walk"):
        return False
    return traced.is_reaching(item.nodeid.partition("::")[0])


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for name, browser in (("Chromium", servers.chromium()), ("Firefox", servers.firefox())):
        if not browser:
            terminalreporter.write_line(
                f"Tests in {name} were left out: there is none on this machine.", yellow=True
            )


@pytest.fixture(scope="session")
def _worlds(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[worlds.Held]:
    """What stands in this process's database between tests (tests/worlds.py)."""
    held = worlds.Held(tmp_path_factory.mktemp("worlds"))
    yield held
    with django_db_blocker.unblock():
        held.end()


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: Any, request: pytest.FixtureRequest) -> None:
    """The transaction of a test is opened within that of the worlds it begins with, so these come
    first."""
    if fixturedef.argname == "_django_db_helper":
        held = request.getfixturevalue("_worlds")
        with request.getfixturevalue("django_db_blocker").unblock():
            held.begin(worlds.wanted(request), commits=worlds.commits(request.node))


@pytest.fixture(autouse=True)
def _own_folder(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> None:
    folder = tmp_path
    if worlds.wanted(request):
        request.getfixturevalue("db")
        held = request.getfixturevalue("_worlds")
        folder = held.data if held.has_files else tmp_path
    for name, value in worlds.own_settings(folder).items():
        setattr(settings, name, value)


@pytest.fixture(scope="session", autouse=True)
def _readers_forked() -> Iterator[None]:
    with readers.forked():
        yield


@pytest.fixture
def started_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers of files start as they do in use (tests/readers.py)."""
    monkeypatch.setattr("annotation.reading.subprocess", subprocess)


@pytest.fixture(autouse=True)
def _nothing_known_yet() -> Iterator[None]:
    """What a test installed on the pages is not known to the process that the next one begins
    with, whatever its database holds."""
    yield
    for identity in list(COMPOSED):
        withdraw_composed(*identity)
    free_text._answer_members.cache_clear()


@pytest.fixture
def nothing_counted() -> None:
    """Nobody has asked for a letter yet: accounts of other tests had the same keys."""
    cache.clear()


@pytest.fixture(autouse=True)
def _count_at_once(request: pytest.FixtureRequest) -> Iterator[None]:
    if (
        connection.vendor != "postgresql"
        or "row_counts" in request.node.nodeid
        or worlds.commits(request.node)
    ):
        yield
        return
    with worlds.counted_at_once():
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """SQLite in a file, as it is used: in memory it has no WAL, no locks, and no second process."""
    if connection.vendor == "sqlite":
        path = tmp_path_factory.mktemp("database") / "test.sqlite3"
        connection.settings_dict["TEST"]["NAME"] = str(path)
        pragmas = connection.settings_dict["OPTIONS"]["init_command"]
        connection.settings_dict["OPTIONS"]["init_command"] = pragmas.replace(
            "synchronous=FULL", "synchronous=OFF"
        )


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_modify_db_settings: None, pytestconfig: pytest.Config) -> bool:
    """On a copy of a database that is migrated already, no migration is left to run."""
    if connection.vendor != "sqlite":
        return False
    kept = _kept_databases(pytestconfig)
    return kept is not None and migrated.take(kept, Path(connection.settings_dict["TEST"]["NAME"]))


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None,
    django_db_keepdb: bool,
    pytestconfig: pytest.Config,
    django_db_blocker: Any,
) -> Iterator[None]:
    kept = _kept_databases(pytestconfig)
    if connection.vendor == "sqlite" and kept is not None and not django_db_keepdb:
        migrated.keep(kept, Path(connection.settings_dict["TEST"]["NAME"]))
    is_postgresql = connection.vendor == "postgresql"
    with (
        emptied.row_by_row(connection) if is_postgresql else nullcontext(),
        emptied.described_once(),
    ):
        yield
    if is_postgresql:
        with django_db_blocker.unblock():
            emptied.end_others(connection)


def _kept_databases(config: pytest.Config) -> Path | None:
    """Where migrated databases are kept from run to run; None where pytest keeps nothing
    (``-p no:cacheprovider``)."""
    own = getattr(config, "cache", None)
    return None if own is None else own.mkdir("databases")


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real Redis: REDIS_URL when set, else a private one."""
    if given := os.environ.get("REDIS_URL"):
        yield given
        return
    with servers.redis(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.fixture
def child_database_url(transactional_db: None) -> str:
    """The database of the running test, as another process reaches it."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    login = f"{quote(database['USER'])}:{quote(database['PASSWORD'])}"
    return f"postgres://{login}@/{database['NAME']}?host={quote(database['HOST'])}&port={database['PORT'] or 5432}"  # noqa: E501


@pytest.fixture
def child_environment(child_database_url: str, redis_url: str, tmp_path: Path) -> dict[str, str]:
    """The environment of another process that works on this test's database, queue and data
    folder."""
    own = {
        "DATABASE_URL": child_database_url,
        "BAREME_DATABASE_DIRECT_URL": "",
        "REDIS_URL": redis_url,
        "BAREME_DATA_DIR": str(tmp_path),
        "BAREME_DEMO": "1",
    }
    return os.environ | own


@pytest.fixture
def live_worker(
    child_environment: dict[str, str], redis_url: str, worker_id: str, settings: Any
) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts real Celery workers on this test's database; jobs requested in the test reach them."""
    from workers.celery import app

    queue = f"test-{worker_id}-{uuid.uuid4().hex[:8]}"
    before = {name: app.conf[name] for name in ("broker_url", "task_default_queue")}
    broker = redis_url.replace("unix://", "redis+socket://", 1)
    settings.CELERY_BROKER_URL = broker
    settings.LLM_QUEUE = f"{queue}-llm"
    app.conf.update(
        broker_url=broker, broker_write_url=broker, broker_read_url=broker, task_default_queue=queue
    )
    _forget_connections(app)
    started: list[subprocess.Popen[bytes]] = []

    def start(
        *, concurrency: int = 1, environment: dict[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        # As `manage.py serve` has it: no worker checks every model and address again, and only
        # those that ask models load what that takes. A worker in which both happen is
        # tests/operations/test_watching.py's.
        own = {"BAREME_LLM_QUEUE": f"{queue}-llm", "CELERY_SKIP_CHECKS": "1"} | (environment or {})
        command = [
            sys.executable,
            "-m",
            "celery",
            "-A",
            "workers.celery",
            "--quiet",
            "worker",
            "-l",
            "WARNING",
        ]
        options = [
            "-c",
            str(concurrency),
            "-Q",
            f"{queue},{queue}-llm" if "OPENAI_API_KEY" in own else queue,
            "--without-gossip",
            "--without-mingle",
        ]
        started.append(subprocess.Popen([*command, *options], env=child_environment | own))
        return started[-1]

    yield start
    # How a worker ends when it is asked to is tried elsewhere (tests/config/test_serve.py,
    # tests/operations): waiting for it here took longer than most of these tests.
    kill(*started)
    app.conf.update(before)
    _forget_connections(app)


def _forget_connections(app: Any) -> None:
    """The next message goes to the broker that is configured now."""
    kombu.pools.reset()
    app._pool = app.amqp._producer_pool = None
