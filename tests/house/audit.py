"""Known vulnerabilities of the pinned libraries: `python -m tests.house.audit`.

pip-audit says "no known vulnerabilities" also where it could ask nobody. Here that is a failure of
its own, and never looks like a pass. With ``--go-on`` (`make check`, which must run without a
network) it is said and decides nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REQUIREMENTS = (
    "requirements-s3.txt",
    "requirements-telemetry.txt",
    "requirements-oidc.txt",
    "requirements-ml.txt",
    "requirements-crowd.txt",
)
FOUND, NOT_AUDITED = 1, 3
# By identifier, with why each does not concern us. Empty is best.
ACCEPTED: dict[str, str] = {}
_PATIENCE_SECONDS = 600


@dataclass(frozen=True)
class Outcome:
    """What is said, and the exit code of who must know."""

    lines: tuple[str, ...]
    code: int


def outcome(report: dict[str, Any] | None, reason: str = "") -> Outcome:
    """Of pip-audit's report as JSON; None where there is none, for this reason."""
    if report is None:
        return Outcome(
            (f"NOT AUDITED: nothing was looked up ({reason}). This is no pass.",), NOT_AUDITED
        )
    libraries = report["dependencies"]
    vulnerable = [
        f"VULNERABLE: {library['name']} {library['version']}: {flaw['id']}; mended in: {', '.join(flaw['fix_versions'])}"  # noqa: E501
        for library in libraries
        for flaw in library.get("vulns", ())
        if flaw["id"] not in ACCEPTED
    ]
    skipped = [library["name"] for library in libraries if "skip_reason" in library]
    lines = list(vulnerable)
    if skipped or not libraries:
        lines.append(
            f"NOT AUDITED: the vulnerability data could not be reached for {len(skipped)} of "
            f"{len(libraries)} libraries"
            f" ({', '.join(skipped[:3])}, …). This is no pass."
        )
    if lines:
        return Outcome(tuple(lines), FOUND if vulnerable else NOT_AUDITED)
    return Outcome(
        (f"No known vulnerability in {len(libraries)} libraries, each of which was looked up.",), 0
    )


def look_up(files: tuple[str, ...] = REQUIREMENTS) -> Outcome:
    command = [
        str(Path(sys.executable).with_name("pip-audit")),
        "--no-deps",
        "--disable-pip",
        "--format",
        "json",
    ]
    for name in files:
        command += ["--requirement", name]
    command += ["--progress-spinner", "off"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_PATIENCE_SECONDS
        )
        return outcome(json.loads(done.stdout))
    except (OSError, subprocess.TimeoutExpired) as error:
        return outcome(None, type(error).__name__)
    except (ValueError, KeyError):
        said = done.stderr.strip().splitlines()
        return outcome(None, said[-1] if said else "pip-audit said nothing")


def main(arguments: list[str]) -> int:
    looked_up = look_up()
    print("\n".join(looked_up.lines))
    return 0 if looked_up.code == NOT_AUDITED and "--go-on" in arguments else looked_up.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
