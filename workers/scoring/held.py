"""Whether a process of this machine is at a training: a lock on a file in its folder, which the
kernel frees when the process ends, however it ends.

The lease decides who has a run. The lock only tells, before the lease lapses, that whoever had it
is dead.
"""

from __future__ import annotations

import fcntl
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from annotation.models import TrainingRun, WorkState
from annotation.services.scoring.training_work import training_give_back

_NAME = "held"


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the folder while the block runs. Where another process holds it, go on without: it has
    lost its lease, and will hear of it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / _NAME).open("ab") as file:
        _locked(file.fileno())
        yield


def is_abandoned(run: TrainingRun, folder: Path) -> bool:
    """Whether the run says that it is running here, and no process of this machine holds its
    folder. False where that cannot be known: it runs elsewhere, or has no folder yet."""
    if run.state != WorkState.RUNNING or run.device.rpartition(":")[0] != socket.gethostname():
        return False
    try:
        with (folder / _NAME).open("ab") as file:
            return _locked(file.fileno())
    except OSError:
        return False


def give_back_abandoned(device: str, folder_of: Callable[[TrainingRun], Path]) -> list[TrainingRun]:
    """Runs on this device whose process was killed, waiting again: nobody has to wait for their
    lease."""
    running = TrainingRun.objects.filter(state=WorkState.RUNNING, device=device)
    return [
        run for run in running if is_abandoned(run, folder_of(run)) and training_give_back(run=run)
    ]


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
