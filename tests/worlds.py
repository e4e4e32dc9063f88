"""What many tests begin with is made once in a process: each works in a savepoint on it, and leaves
it as it was.

A world is a function that writes rows and returns what a test is to be given of them. Its fixture
gives every test a copy of its own; the rows stand in an open transaction around the tests' own
until a test comes that begins with something else. Tests that commit, or that other processes look
at, have theirs made anew.

    @world
    def cast() -> Cast: ...

    @world
    def alpha(cast: Cast) -> dict[str, object]: ...  # stands on another
"""

from __future__ import annotations

import copy
import inspect
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import override_settings

from annotation.services.platform import row_counts


def counted_at_once() -> Any:
    """What is rolled back is never committed, and PostgreSQL would plan on the empty tables of
    other tests."""
    return patch.object(
        row_counts, "transaction", SimpleNamespace(on_commit=lambda call, robust: call())
    )


def own_settings(folder: Path) -> dict[str, Any]:
    """What is set for each test, and for the making of what it begins with."""
    return {
        "DATA_DIR": folder,
        "MEDIA_ROOT": folder / "files",
        "STATIC_ROOT": folder / "static",
        # A busy machine takes its time over a file that a page would leave to a worker.
        "READING_LIMITS_AT_ONCE": settings.READING_LIMITS,
    }


@dataclass(frozen=True)
class World:
    name: str
    make: Callable[..., Any]
    takes: tuple[str, ...]

    @property
    def below(self) -> str | None:
        return self.takes[0] if self.takes else None


@dataclass
class Standing:
    """A world whose rows are there: what it gave, how it is taken away, and its files as they
    were."""

    world: World
    made: dict[str, Any]
    undo: ExitStack
    files: Path | None


WORLDS: dict[str, World] = {}


def world(make: Callable[..., Any]) -> Any:
    """The fixture of a world. Its name is the function's; its arguments are what the worlds below
    gave, and the first of them is the one that it stands on."""
    return named(make.__name__, make, *inspect.signature(make).parameters)


def named(name: str, make: Callable[..., Any], *takes: str) -> Any:
    """The same for one of several of a kind. A test that asks for it by its parameter has the mark
    ``world(name)``."""
    known = WORLDS.setdefault(name, World(name, make, takes))
    assert known.make.__module__ == make.__module__, f"two worlds are called {name}"

    @pytest.fixture(name=name)
    def given(request: pytest.FixtureRequest, db: None) -> Any:
        held: Held = request.getfixturevalue("_worlds")
        return held.given(name)

    return given


def chain(name: str) -> list[World]:
    """A world and all it stands on, the lowest first."""
    top = WORLDS[name]
    return [*(chain(top.below) if top.below else ()), top]


class Held:
    """The worlds whose rows are in this process's database, each on top of the one before."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._standing = folder, list[Standing]()
        self._copies: dict[str, Any] = {}

    @property
    def data(self) -> Path:
        """The data folder of tests that stand on files."""
        return self._folder / "data"

    def begin(self, wanted: list[World], *, commits: bool) -> None:
        """Before a test: have its worlds and no others stand, and their files as they were."""
        self._copies = {}
        keep = [] if commits else wanted
        while [standing.world for standing in self._standing] != keep[: len(self._standing)]:
            self._standing.pop().undo.close()
        for missing in keep[len(self._standing) :]:
            self._standing.append(self._raise(missing))
        if self.has_files:
            self._put_files(self._standing[-1].files)

    @property
    def has_files(self) -> bool:
        return bool(self._standing) and self._standing[-1].files is not None

    def given(self, name: str) -> Any:
        """This test's own copy of what a world gave, or a world made for it alone."""
        if name not in self._copies:
            if self._standing:
                # One copy of all: what two worlds both speak of stays one thing.
                self._copies = copy.deepcopy(self._standing[-1].made)
            else:
                alone = WORLDS[name]
                self._copies[name] = alone.make(*map(self.given, alone.takes))
        return self._copies[name]

    def end(self) -> None:
        while self._standing:
            self._standing.pop().undo.close()

    def _raise(self, above: World) -> Standing:
        before = self._standing[-1] if self._standing else None
        self._put_files(before.files if before else None)
        made = copy.deepcopy(before.made) if before else {}
        with ExitStack() as undo:
            undo.enter_context(_taken_back())
            with self._surroundings():
                made[above.name] = above.make(*(made[name] for name in above.takes))
            return Standing(above, made, undo.pop_all(), self._files_of(above))

    def _surroundings(self) -> ExitStack:
        with ExitStack() as stack:
            stack.enter_context(override_settings(**own_settings(self.data)))
            if connection.vendor == "postgresql":
                stack.enter_context(counted_at_once())
            return stack.pop_all()

    def _files_of(self, owner: World) -> Path | None:
        if not any(self.data.iterdir()):
            return None
        kept = self._folder / owner.name
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(self.data, kept)
        return kept

    def _put_files(self, kept: Path | None) -> None:
        shutil.rmtree(self.data, ignore_errors=True)
        if kept is None:
            self.data.mkdir(parents=True)
        else:
            shutil.copytree(kept, self.data)


def _taken_back() -> ExitStack:
    """A transaction, within the one that is open, that is rolled back."""
    with ExitStack() as stack:
        block = transaction.atomic()
        # As Django marks its own: what must not run inside a transaction may run inside a test's.
        block._from_testcase = True  # type: ignore[attr-defined]
        stack.enter_context(block)
        stack.callback(transaction.set_rollback, True)
        return stack.pop_all()


def wanted(request: pytest.FixtureRequest) -> list[World]:
    """The worlds of a test: the longest chain that it names."""
    marked = [mark.args[0] for mark in request.node.iter_markers("world")]
    chains = [chain(name) for name in (*request.fixturenames, *marked) if name in WORLDS]
    longest = max(chains, key=len, default=[])
    apart = [worlds for worlds in chains if worlds != longest[: len(worlds)]]
    assert not apart, (
        f"{request.node.nodeid} begins with two worlds, neither of which stands on the other"
    )
    return longest


def commits(item: Any) -> bool:
    """Whether a test's rows are committed, so that it must find the database empty."""
    marker = item.get_closest_marker("django_db")
    marked = marker is not None and bool(
        marker.kwargs.get("transaction") or marker.kwargs.get("reset_sequences")
    )
    names = getattr(item, "fixturenames", ())
    return marked or bool({"transactional_db", "live_server"} & set(names))
