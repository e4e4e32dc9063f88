"""The rules of leased work, without a database: which state follows an outcome, and how long a
retry backs off.

The vocabulary, here and wherever a worker does something that a row asks for:

- *claim*: one conditional UPDATE by which a worker takes a row; who changes none goes away.
- *lease*: the moment until which a claim holds. A *heartbeat* renews it; one that lapses means a
  dead worker.
- *attempt*: the work from one claim to its *outcome*.
- *retry*: another attempt after one that failed or whose lease lapsed; *backoff*: the wait before
  it.

``services.platform.leases`` carries these rules out on rows.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Of a row that asks for work."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


class Outcome(StrEnum):
    """How an attempt ended."""

    DONE = "done"
    """With what was asked for."""
    RETRY = "retry"
    """Without it; another attempt may fare better."""
    LOST = "lost"
    """Unknown: its lease lapsed."""
    PUT_OFF = "put_off"
    """Before it began: its turn has not come. Counts as no attempt."""
    STOPPED = "stopped"
    """Somebody asked for its end."""
    FAILED = "failed"
    """Without what was asked for, and another attempt would end the same."""


_NEXT = {
    Outcome.DONE: State.DONE,
    Outcome.PUT_OFF: State.WAITING,
    Outcome.STOPPED: State.STOPPED,
    Outcome.FAILED: State.FAILED,
}


def next_state(outcome: Outcome, *, attempts: int = 0, most: int = 0) -> State:
    """Where a running row goes. ``attempts``: how many ended so, this one included; ``most``: how
    many may."""
    if outcome in (Outcome.RETRY, Outcome.LOST):
        return State.WAITING if attempts < most else State.FAILED
    return _NEXT[outcome]


@dataclass(frozen=True)
class Backoff:
    """Exponential, with jitter that is drawn from the work's own name: the same failure always
    waits the same time, and those that failed together do not come back together. In seconds."""

    first: float
    longest: float

    def seconds(self, work: object, retries: int, *, at_least: float | None = None) -> float:
        """The wait after an attempt that came after so many retries; ``at_least``: what a service
        asked for."""
        # Far beyond any longest wait, and far below what a float holds.
        longest = min(self.longest, self.first * 2.0 ** min(retries, 64))
        drawn = hashlib.sha256(f"{work}:{retries}".encode()).digest()[0] / 255
        jittered = longest * (0.5 + drawn / 2)
        return jittered if at_least is None else at_least + jittered * 0.2
