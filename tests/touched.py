"""The tests that a change touches, the nearest first, for a minute:
`python -m tests.touched [FILE …]`.

Without a file: what differs from the branch point with main and is not committed yet (on main
itself: since the last commit). Near is what stands in the change, then what shares a word of
subject with a changed path, then what imports it, directly or through others. Nothing is chosen by
name alone, so files may move. What a minute did not reach is counted at the end; `make test` runs
everything.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import grimp
import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("annotation", "workers", "api", "tests")
# Words of a path that name a layer or a kind of file, and no subject.
LAYERS = {
    "annotation", "api", "bench", "commands", "conftest", "corpus", "css", "forms", "html", "init",
    "json", "locale", "management", "messages", "models", "page", "pages", "presenters",
    "selectors", "serializers", "services", "static", "templates", "test", "tests", "unit", "urls",
    "views", "web", "workers",
}  # fmt: skip
# In a page, what only a browser runs.
BROWSERS = ("static/", "templates/")
SECONDS = 60
# Reading more than this would take the minute itself.
MOST_FILES = 40


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", help="instead of what git says was changed")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help="no test begins later (default: %(default)s)"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--list", action="store_true", help="only say which files, and how near they are"
    )
    options = parser.parse_args(arguments)
    clock = Clock(time.monotonic() + options.seconds)
    changed = options.files or sorted(changed_files())
    ranked = near(changed)
    files = list(ranked)[:MOST_FILES]
    print(
        f"{len(changed)} changed files touch {len(ranked)} files of tests; the nearest "
        f"{len(files)} are tried."
    )
    if options.list:
        for path, distance in ranked.items():
            print(distance, path)
        return 0
    if not files:
        return 0
    return clock.run(
        files, options.processes, browsers=any(path.startswith(BROWSERS) for path in changed)
    )


def changed_files() -> set[str]:
    """What a change consists of so far, as git sees it."""
    base = next(
        (lines for name in ("main", "origin/main") if (lines := _git("merge-base", "HEAD", name))),
        ["HEAD"],
    )[0]
    own = {*_git("diff", "--name-only", base), *_git("ls-files", "--others", "--exclude-standard")}
    return own or set(_git("diff", "--name-only", "HEAD~1"))


def _git(*command: str) -> list[str]:
    process = subprocess.run(
        ["git", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return process.stdout.split("\n")[:-1] if process.returncode == 0 else []


def near(changed: Iterable[str]) -> dict[str, int]:
    """Files of tests by how far they are from a change, the nearest first."""
    changed = list(changed)
    known = {_path(name): name for name in _graph().modules if _path(name)}
    # A file that is no module is as near as who names it.
    pages, modules = _naming({path for path in changed if path not in known}, known)
    starts = {known[path]: 0 for path in changed if path in known}
    starts = {known[path]: 1 for path in modules} | starts
    distances = {path: 2 + distance for path, distance in _importing(starts).items()}
    words, further = _subjects(changed), _subjects([*pages, *modules])
    if set(changed) - set(known) and not modules:
        # What nobody names, messages and settings of tools, the house's own tests look at.
        further |= subject("house")
    for path in filter(_is_test, known):
        own = (
            0
            if path in changed
            else 1
            if words & subject(path)
            else 2
            if further & subject(path)
            else None
        )
        if own is not None:
            distances[path] = min(distances.get(path, own), own)
    return dict(
        sorted(
            distances.items(),
            key=lambda ranked: (ranked[1], -len(words & subject(ranked[0])), ranked[0]),
        )
    )


def subject(path: str) -> set[str]:
    """What a path is about, each word by its beginning: «judging» and «judge.html» share one."""
    words = re.findall(r"[a-z]{3,}", path.lower())
    return {word[:4] for word in words if word not in LAYERS}


def _subjects(paths: Iterable[str]) -> set[str]:
    return {word for path in paths for word in subject(path)}


_built: list[Any] = []


def _graph() -> Any:
    if not _built:
        sys.path[:0] = [str(ROOT)]
        _built.append(grimp.build_graph(*PACKAGES, cache_dir=None))
    return _built[0]


def _path(module: str) -> str:
    """Where a module is, from the root; empty where it is not a file."""
    plain = module.replace(".", "/")
    return next(
        (name for name in (f"{plain}.py", f"{plain}/__init__.py") if (ROOT / name).is_file()), ""
    )


def _is_test(path: str) -> bool:
    return path.startswith("tests/") and Path(path).name.startswith("test_")


def _importing(starts: dict[str, int]) -> dict[str, int]:
    """Files of tests that import one of these modules, by how many imports lie between."""
    distances, edge = dict(starts), list(starts)
    while edge:
        module = edge.pop(0)
        for name in _graph().find_modules_that_directly_import(module):
            if name not in distances:
                distances[name] = distances[module] + 1
                edge.append(name)
    return {path: distances[name] for name in distances if _is_test(path := _path(name))}


def _naming(files: set[str], known: Iterable[str]) -> tuple[list[str], list[str]]:
    """Pages and modules in which one of these files is named: a template by its view, a document by
    its test."""
    pages = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in ROOT.glob("templates/**/*.html")
    }
    named, names = list[str](), {_named(path) for path in files}
    # What includes or extends a page, or loads a script, is named in its turn.
    while more := [
        path
        for path, text in pages.items()
        if path not in named and any(name in text for name in names)
    ]:
        named += more
        names |= {_named(path) for path in more}
    texts = ((path, (ROOT / path).read_text(encoding="utf-8")) for path in known if names)
    return named, [path for path, text in texts if any(name in text for name in names)]


def _named(path: str) -> str:
    """A file as others name it."""
    return re.sub(r"^(templates|static|annotation/templates)/", "", path)


class Clock:
    """Lets no test begin when the time is over, and says what was left."""

    def __init__(self, until: float) -> None:
        self.until, self.ran, self.failed, self.all = until, set[str](), 0, 0
        self.session: pytest.Session | None = None

    def run(self, files: list[str], processes: int, *, browsers: bool) -> int:
        kinds = "not slow" if browsers else "not slow and not browser"
        own = ["--quiet", "-r", "fE", "-m", kinds, "--dist", "loadfile"]
        code = pytest.main([*own, "--numprocesses", str(processes), *files], plugins=[self])
        if code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            return 0
        if code != pytest.ExitCode.INTERRUPTED or not self.session:
            return int(code)
        print(
            f"Time is up: {len(self.ran)} of {self.all or 'the'} nearest tests ran. `make "
            "test` runs everything."
        )
        return int(self.failed > 0)

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self.session = session

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self.all = len(ids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.ran.add(report.nodeid)
        self.failed += report.failed
        if time.monotonic() > self.until and self.session:
            # Where several processes run them, it is xdist that stops.
            spread = self.session.config.pluginmanager.get_plugin("dsession")
            (spread or self.session).shouldstop = "the time is over"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
