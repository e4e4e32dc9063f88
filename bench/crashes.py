"""Whether a crash of the browser loses words: numbered ones are typed into a judging page, and all
processes of the browser are killed at a random moment.

``python -m bench.crashes --kills 200`` serves the demonstration, and for each kill opens a pair in
Chromium with a profile on the disk, types (every other time without a network), kills, opens the
profile again and compares. Nothing may be missing that was older than 250 ms at the kill, and no
word that stood there when the page called it kept. ``tests/browser/test_crashes.py`` is the short
version, and tests/browser/firefox has it in Firefox.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from bench.first_load import student_state
from bench.startup import serving
from tests.servers import chromium

# What was typed within this time before the kill may be gone.
GRACE_SECONDS = 0.25
_FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
]
_COMMENT = "document.querySelector('[name=comment]')"
# One word more, as a key press leaves it; whether the page calls what stands there kept.
_TYPE = f"""(word) => {{
  const field = {_COMMENT};
  if (word) {{
    field.value += word;
    field.dispatchEvent(new Event("input", {{ bubbles: true }}));
  }}
  const said = document.getElementById("save-status");
  const {{ kept, local }} = document.getElementById("strings").dataset;
  return Boolean(said.dataset.state === "saved" && said.textContent || [kept, local].includes(said.textContent));
}}"""  # noqa: E501


@dataclass
class Kill:
    """One kill. ``due``: words that must be back; ``called_kept``: those of which the page had said
    so."""

    offline: bool
    mark: str
    typed: int = 0
    due: int = 0
    called_kept: int = 0
    back: int = 0
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Place:
    """Where to type: a judging page, and the cookies of its annotator."""

    url: str
    cookies: list[Any]


# Starts a browser with a profile on the disk: its context.
Start = Callable[[Any, Path], Any]


def start_chromium(playwright: Any, profile: Path) -> Any:
    options = {
        "executable_path": chromium(),
        "args": _FLAGS,
        "viewport": {"width": 1366, "height": 768},
    }
    return playwright.chromium.launch_persistent_context(profile, **options)


@contextmanager
def browser_with_profile(
    playwright: Any, profile: Path, place: Place, start: Start
) -> Iterator[tuple[Any, list[psutil.Process]]]:
    """A page in a browser with its profile on the disk, and the first of its processes."""
    context = start(playwright, profile)
    try:
        # Kept cookies are written late, too; who was logged in is not what is tried here.
        context.add_cookies(place.cookies)
        yield context.pages[0], _processes(profile)
    finally:
        with suppress(Exception):  # it was killed
            context.close()


def _processes(profile: Path) -> list[psutil.Process]:
    """All that were started with this profile, whatever the browser calls the option. Their
    children are theirs."""
    processes = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if any(str(profile) in part for part in process.cmdline()):
                processes.append(process)
    if not processes:
        raise RuntimeError("The browser's process is not there.")
    return processes


def open_pair(page: Any, url: str) -> None:
    """Until the page has looked for what earlier ones left."""
    page.goto(url)
    page.locator("main[data-synced]").wait_for(state="attached")


def kill(
    page: Any, processes: list[psutil.Process], chance: random.Random, *, offline: bool
) -> Kill:
    """Type into an open page, then kill its browser."""
    done = Kill(offline, mark=f"k{chance.randrange(10**9)}")
    page.evaluate(f"{_COMMENT}.value = ''")
    page.context.set_offline(offline)
    moments = _type(page, done, chance)
    killed = time.monotonic()
    _kill_all(processes)
    done.due = sum(1 for moment in moments if moment < killed - GRACE_SECONDS)
    return done


def look(page: Any, done: Kill) -> Kill:
    """Compare what was typed before the kill with what the page holds now."""
    words = page.evaluate(f"{_COMMENT}.value").split()
    back = [int(word.partition("n")[2]) for word in words if word.startswith(f"{done.mark}n")]
    done.back = len(back)
    if back != list(range(len(back))):
        done.wrong.append(f"out of order: {words}")
    for name in ("due", "called_kept"):
        if done.back < (wanted := getattr(done, name)):
            done.wrong.append(f"{done.back} of {done.typed} words are back, {wanted} were {name}")
    return done


def _type(page: Any, done: Kill, chance: random.Random) -> list[float]:
    """The moments at which the words stood there."""
    moments: list[float] = []
    for number in range(chance.randint(3, 40)):
        said = page.evaluate(_TYPE, f"{done.mark}n{number} ")
        moments.append(time.monotonic())
        done.typed = number + 1
        if said:
            done.called_kept = done.typed
        time.sleep(chance.choice([0, 0.01, 0.03, 0.06, 0.12]))
    until = time.monotonic() + chance.choice([0, 0, chance.uniform(0, 0.5), chance.uniform(0, 2)])
    while time.monotonic() < until:
        if page.evaluate(_TYPE, ""):
            done.called_kept = done.typed
        time.sleep(0.01)
    return moments


def _kill_all(processes: list[psutil.Process]) -> None:
    whole = set(processes)
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            whole.update(process.children(recursive=True))
    for victim in whole:
        with suppress(psutil.NoSuchProcess):
            victim.kill()
    psutil.wait_procs(list(whole), timeout=30)


def kills(
    playwright: Any, place: Place, number: int, *, seed: int, start: Start = start_chromium
) -> Iterator[Kill]:
    """As many kills on one profile, every other one without a network."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(
        prefix="bareme-profile-", ignore_cleanup_errors=True
    ) as profile:
        former = None
        for turn in range(number + 1):
            with browser_with_profile(playwright, Path(profile), place, start) as (page, processes):
                open_pair(page, place.url)
                if former is not None:
                    yield look(page, former)
                if turn < number:
                    former = kill(page, processes, chance, offline=turn % 2 == 0)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    from playwright.sync_api import sync_playwright

    done: list[Kill] = []
    with tempfile.TemporaryDirectory(prefix="bareme-") as data, sync_playwright() as playwright:
        environment = os.environ | {
            "BAREME_DATA_DIR": data,
            "DJANGO_SETTINGS_MODULE": "annotation.config.settings",
        }
        with serving(environment, "--demo") as (_, port, _seconds):
            host = f"http://127.0.0.1:{port}"
            place = Place(f"{host}/annotate/demo/10/", student_state(playwright, host)["cookies"])
            for crash in kills(playwright, place, options.kills, seed=options.seed):
                done.append(crash)
                for line in crash.wrong:
                    print(
                        f"WRONG kill {len(done)}{' offline' if crash.offline else ''}: {line}",
                        flush=True,
                    )
    _report(done, options.seed)
    return 1 if any(crash.wrong for crash in done) else 0


def _report(done: list[Kill], seed: int) -> None:
    for offline in (True, False):
        some = [crash for crash in done if crash.offline is offline]
        names = ("typed", "due", "called_kept", "back")
        sums = {name: sum(getattr(crash, name) for crash in some) for name in names}
        print(
            f"{'offline' if offline else 'online'}: {len(some)} kills (seed {seed}), "
            f"{sums['typed']} words typed, "
            f"{sums['due']} older than {GRACE_SECONDS * 1000:.0f} ms, {sums['called_kept']} "
            "called kept, "
            f"{sums['back']} back; {sum(bool(crash.wrong) for crash in some)} kills lost something"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
