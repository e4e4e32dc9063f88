"""Garbage collection in processes that serve."""

from __future__ import annotations

import gc

# A page, a submission or a batch of an export makes and drops some thousands of objects, none of
# them garbage that only a collection would find. Python looks after every 700 by itself, which
# takes a tenth of a judgment's time.
_ALLOCATIONS = 10_000


def garbage_settle() -> None:
    """What is loaded by now stays out of garbage collection, which comes more rarely from now on.

    For a process that serves, or that forks those that do: to look at what is shared would copy it.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS)
