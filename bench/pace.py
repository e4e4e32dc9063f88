"""Faults spread over work instead of over time: how quick a machine is changes neither how many
happen nor when."""

from __future__ import annotations

import threading


class Pace:
    """Shared by those who work and the one who breaks things.

    Fault ``k`` of ``n`` is due when ``k / (n + 1)`` of the work is done, and whoever is ahead of a
    fault that is due waits for it: every fault meets work, and work follows the last one.
    """

    def __init__(self, work: int, faults: int) -> None:
        self._due_at = [work * number // (faults + 1) for number in range(1, faults + 1)]
        self._changed = threading.Condition()
        self._worked = 0
        self._broken = 0
        self._ended = False

    def worked(self, amount: int = 1) -> None:
        """So much is done, or will never be."""
        with self._changed:
            self._worked += amount
            self._changed.notify_all()

    def broken(self) -> None:
        """The fault that was due has happened."""
        with self._changed:
            self._broken += 1
            self._changed.notify_all()

    def wait_for_work(self) -> bool:
        """Until a fault is due; False when there is none to come."""
        with self._changed:
            if self._broken == len(self._due_at):
                return False
            due = self._due_at[self._broken]
            self._changed.wait_for(lambda: self._ended or self._worked >= due)
            return not self._ended

    def wait_for_faults(self, worked: int, seconds: float) -> bool:
        """Until all faults have happened that are due once so much is done, or none comes any more;
        False when that took longer."""
        due = sum(at <= worked for at in self._due_at)
        with self._changed:
            return self._changed.wait_for(lambda: self._ended or self._broken >= due, seconds)

    def end(self) -> None:
        """Nobody waits any longer."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
