"""Garbage collection in processes that serve."""

from __future__ import annotations

import gc

# A page, a submission or a batch of an export makes and drops some thousands of objects, none of
# them garbage that only a collection would find. Python looks after every 700 by itself, which
# takes a tenth of a judgment's time.
_ALLOCATIONS = 10_000
# Loading makes half a million objects and next to no garbage; looking through them all again and
# again is a quarter of a start. Fewer collections than this gain nothing more.
_WHILE_LOADING = 200_000
# Of commands and tests, which load more as they go and run for minutes: what hangs together in
# circles may be large.
_AFTERWARDS = 50_000


def garbage_hardly_ever() -> None:
    """While modules are loaded."""
    gc.set_threshold(_WHILE_LOADING)


def garbage_seldom() -> None:
    """Once they are."""
    gc.set_threshold(_AFTERWARDS)


def garbage_settle(*, is_anew: bool = False) -> None:
    """What is loaded by now stays out of garbage collection, which comes more rarely from now on.

    For a process that serves, or that forks those that do: to look at what is shared would copy it.
    Where it ``is_anew``, nothing but modules was loaded: garbage is not looked for, which would
    take a twentieth of a start. Elsewhere what is not found would stay for good.
    """
    if not is_anew:
        gc.collect()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS)
