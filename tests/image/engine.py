"""Buildah and podman, asked by command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

# Some hosts let nobody raise a limit, and podman always asks for some.
_RUNTIME = """#!{python}
import json, os, sys
arguments = sys.argv[1:]


def leave_limits(path, inside):
    with open(path) as file:
        whole = json.load(file)
    (whole[inside] if inside else whole).pop("rlimits", None)
    with open(path, "w") as file:
        json.dump(whole, file)


for number, argument in enumerate(arguments):
    if argument in ("--bundle", "-b"):
        leave_limits(os.path.join(arguments[number + 1], "config.json"), "process")
    if argument in ("--process", "-p"):
        leave_limits(arguments[number + 1], "")
os.execvp("runc", ["runc", *arguments])
"""


def told(text: str) -> None:
    """A line of the story."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def run(*command: str | Path, stdin: str | None = None, check: bool = True) -> str:
    """What it printed. Raises ``RuntimeError`` with the end of what it said where it fails."""
    done = subprocess.run(
        [str(part) for part in command], input=stdin, capture_output=True, text=True, check=False
    )
    if check and done.returncode:
        raise RuntimeError(
            f"{' '.join(map(str, command))[:200]}: {done.returncode}\n"
            f"{done.stdout[-2000:]}{done.stderr[-3000:]}"
        )
    return done.stdout.strip()


class Podman:
    """With a runtime that leaves limits as they are."""

    def __init__(self, folder: Path) -> None:
        self._runtime = folder / "runc-as-it-is"
        self._runtime.write_text(_RUNTIME.format(python=sys.executable))
        self._runtime.chmod(0o755)

    def __call__(self, *arguments: str | Path, check: bool = True, stdin: str | None = None) -> str:
        return run("podman", "--runtime", self._runtime, *arguments, check=check, stdin=stdin)

    def address(self, container: str, network: str) -> str:
        """Its address in a network."""
        (inspected,) = json.loads(self("inspect", container))
        return str(inspected["NetworkSettings"]["Networks"][network]["IPAddress"])


def has_image(name: str) -> bool:
    """Whether it lies here."""
    return subprocess.run(["podman", "image", "exists", name], check=False).returncode == os.EX_OK


def size_megabytes(name: str) -> int:
    return int(run("podman", "image", "inspect", "--format", "{{.Size}}", name)) // 10**6
