"""Keeps a few child processes running, and ends them in order.

Children are forked rather than started anew: Django is loaded once, which halves the time to the
first page and shares the memory. So nothing here may start a thread, and database connections are
closed before ``start``.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.context import ForkProcess

from annotation.garbage import garbage_settle
from annotation.management.orphans import end_with_parent, show_as

_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_STEADY_SECONDS = 30.0
_MOST_QUICK_ENDS = 5
_LOOK_EVERY_SECONDS = 0.1


def always() -> bool:
    """Of a child that is wanted from the start."""
    return True


class GivenUp(RuntimeError):
    """A child ends again and again; trying on would only hide why."""


@dataclass
class Restarts:
    """When what ended is started again: later each time, and not for ever."""

    started_at: float = 0.0
    again_at: float = 0.0
    quick_ends: int = 0

    def plan(self, name: str, how: str, now: float, *, last: str) -> str:
        """Plan the next start, and say it. Raises ``GivenUp`` where it ended soon after its start
        too often in a row; ``last`` is added to that."""
        is_quick = now - self.started_at < _STEADY_SECONDS
        self.quick_ends = self.quick_ends + 1 if is_quick else 1
        if self.quick_ends >= _MOST_QUICK_ENDS:
            raise GivenUp(f"{name} ended {self.quick_ends} times in a row {last}.")
        pause = 0.5 * 2**self.quick_ends
        self.again_at = now + pause
        return f"{name} {how}; it starts again in {pause:.0f} s."


@dataclass
class Child:
    """One process to keep running, from the first time that it is ``wanted``. ``signals`` end it:
    ``grace_seconds`` for each, and then it is killed."""

    name: str
    run: Callable[[], None]
    wanted: Callable[[], bool] = always
    signals: tuple[signal.Signals, ...] = (signal.SIGTERM,)
    grace_seconds: float = 5.0
    process: ForkProcess | None = field(default=None, init=False)
    restarts: Restarts = field(default_factory=Restarts, init=False)
    asked_to_stop: bool = field(default=False, init=False)

    @property
    def started_at(self) -> float:
        """0 until its first start."""
        return self.restarts.started_at

    def start(self) -> None:
        self.process = multiprocessing.get_context("fork").Process(
            target=self._become, name=self.name
        )
        self.process.start()
        self.restarts.started_at = time.monotonic()
        self.asked_to_stop = False

    def running(self) -> bool:
        return self.process is not None and self.process.is_alive()

    def ask_to_stop(self) -> None:
        """Send the first signal, and wait for nothing."""
        if not self.asked_to_stop:
            self._send(self.signals[0])
            self.asked_to_stop = True

    def stop(self) -> None:
        if self.process is None:
            return
        self.ask_to_stop()
        self._wait(self.process, self.grace_seconds)
        for number in self.signals[1:]:
            self._send(number)
            self._wait(self.process, self.grace_seconds)
        self._kill_group(self.process)
        self.process = None

    def _send(self, number: signal.Signals) -> None:
        if self.process is not None and self.process.is_alive() and self.process.pid:
            os.kill(self.process.pid, number)

    @staticmethod
    def _wait(process: ForkProcess, seconds: float) -> None:
        # Not join(seconds): that waits for a pipe which grandchildren hold as well.
        until = time.monotonic() + seconds
        while process.is_alive() and time.monotonic() < until:
            time.sleep(0.02)

    @staticmethod
    def _kill_group(process: ForkProcess) -> None:
        """Also after a clean end: a grandchild must not outlive it."""
        with suppress(ProcessLookupError):  # nobody is left, or it did not come to lead its group
            os.killpg(process.pid or 0, signal.SIGKILL)
        process.kill()
        process.join()

    def _become(self) -> None:
        """In the new process."""
        for number in _STOPS:
            signal.signal(number, signal.SIG_DFL)
        # A session of its own: Ctrl-C in the terminal reaches the supervisor only, which ends its
        # children in order.
        os.setsid()
        end_with_parent()
        show_as(f"bareme-{self.name}")
        self.run()


class Supervisor:
    """Runs its children until a signal asks it to stop. The first of them stops before the
    others."""

    def __init__(self, children: Sequence[Child], *, say: Callable[[str], None]) -> None:
        self.children = children
        self.say = say
        self.stopping = False

    def start(self) -> None:
        """Start the first child; the others follow when ``watch`` begins, so that it has the
        machine to itself."""
        for number in _STOPS:
            signal.signal(number, self._ask_to_stop)
        garbage_settle()
        self.children[0].start()

    def watch(self, also: Callable[[], None] = lambda: None) -> None:
        """Return when asked to stop. ``also`` is called at each look. Raises ``GivenUp``."""
        while not self.stopping:
            for child in self.children:
                self._look_after(child)
            also()
            time.sleep(_LOOK_EVERY_SECONDS)

    def stop(self) -> None:
        """The first child by itself: what it still does, it may do with the others there. These
        then end side by side: each worker takes two seconds."""
        self.children[0].stop()
        for child in self.children:
            child.ask_to_stop()
        for child in self.children:
            child.stop()

    def _ask_to_stop(self, *_: object) -> None:
        self.stopping = True

    def _look_after(self, child: Child) -> None:
        now = time.monotonic()
        if child.running():
            return
        if child.process is not None:
            self._plan_restart(child, child.process.exitcode, now)
        elif now >= child.restarts.again_at and (child.started_at or child.wanted()):
            child.start()

    def _plan_restart(self, child: Child, code: int | None, now: float) -> None:
        child.stop()
        how, last = f"ended with code {code}", f"(last code {code})"
        self.say(child.restarts.plan(f"The {child.name} process", how, now, last=last))
