"""Keeping children running, with children that are nothing but a shell line."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import psutil
import pytest

from annotation.management import supervisor as module
from annotation.management.supervisor import Child, GivenUp, Supervisor
from tests.processes import PATIENCE, until


@pytest.fixture(autouse=True)
def _signals_restored() -> Iterator[None]:
    kept = {
        number: signal.getsignal(number)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def shell(line: str, **options) -> Child:
    return Child("test", lambda: os.execvp("sh", ["sh", "-c", line]), **options)


def test_a_child_that_ends_at_once_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOOK_EVERY_SECONDS", 0.01)
    monkeypatch.setattr(module, "_MOST_QUICK_ENDS", 2)
    said: list[str] = []
    supervisor = Supervisor([shell("exit 3")], say=said.append)
    supervisor.start()
    with pytest.raises(GivenUp, match=r"process ended 2 times in a row \(last code 3\)"):
        supervisor.watch()
    assert said == ["The test process ended with code 3; it starts again in 1 s."]


def test_the_first_child_stops_before_the_others_and_these_side_by_side(tmp_path) -> None:
    order = tmp_path / "order"
    # The second ends only once the third was asked to.
    waits = {"a": ":", "b": f"until grep -q c {order}; do sleep 0.05; done", "c": ":"}
    children = [
        shell(
            f"trap 'echo {n} >> {order}; {wait}; exit' TERM; echo up > {tmp_path}/{n}; "
            "sleep 600 & wait",
            grace_seconds=PATIENCE,
        )
        for n, wait in waits.items()
    ]
    supervisor = Supervisor(children, say=print)
    supervisor.start()
    for child in children[1:]:
        child.start()
    assert until(lambda: all((tmp_path / n).exists() for n in waits))
    signal.raise_signal(signal.SIGINT)
    supervisor.watch()
    supervisor.stop()
    stopped = order.read_text().split()
    assert stopped[0] == "a"
    assert sorted(stopped) == list(waits)
    assert not any(child.running() for child in children)


def test_a_child_that_does_not_listen_is_killed_with_its_own_children(tmp_path) -> None:
    child = shell(
        f"trap '' TERM QUIT; sleep 600 & echo $! > {tmp_path}/pid; while :; do sleep 1; done",
        grace_seconds=0.2,
    )
    child.start()
    assert until(
        lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip() != ""
    )
    own = psutil.Process(int((tmp_path / "pid").read_text()))
    child.stop()  # neither of the two would have ended by itself for ten minutes
    assert not child.running()
    assert not psutil.wait_procs([own], timeout=PATIENCE)[1]
