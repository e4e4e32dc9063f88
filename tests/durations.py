"""Where the suite's time goes: by kind of test, as a table, and the files that take most of it.

    make test-embedded REPORT=1
    python -m tests.durations var/suite-sqlite.xml

Seconds are those that tests and their fixtures took, summed over processes: no wall time.
``--keep`` writes down what the longest files took, in the longer of several reports: the order in
which files are given out follows it (tests/order.py).
"""

from __future__ import annotations

import argparse
import json
import xml.etree.ElementTree as ET  # a report of our own
from collections import defaultdict
from pathlib import Path

from tests.order import SECONDS

KINDS = {
    "rules": (
        *("agreement", "corpus", "generation", "metrics", "privacy", "protocols"),
        *("questions", "release", "scoring"),
        *("test_accents", "test_allocation", "test_leasing", "test_uncut"),
    ),
    "services and reads": ("services", "selectors", "models", "test_prepared", "test_rows"),
    "pages": ("web",),
    "API": ("api",),
    "browsers": ("browser",),
    "workers and scorers": ("workers", "scorers"),
    "processes, commands, settings": (
        *(
            "config",
            "demo",
            "management",
            "operations",
            "test_reading",
            "test_sharing",
            "test_workbooks",
        ),
    ),
    "the house": ("fuzz", "house"),
}
_OF = {folder: kind for kind, folders in KINDS.items() for folder in folders}


def durations(report: Path) -> dict[str, tuple[int, float]]:
    """Tests and seconds by kind. Raises ``KeyError`` for a folder that no kind has."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for case in ET.parse(report).getroot().iter("testcase"):
        seconds[_OF[case.attrib["classname"].split(".")[1]]].append(float(case.attrib["time"]))
    return {kind: (len(seconds[kind]), sum(seconds[kind])) for kind in KINDS}


def table(by_kind: dict[str, tuple[int, float]]) -> str:
    """As Markdown, with shares of all seconds."""
    whole = sum(seconds for _tests, seconds in by_kind.values()) or 1.0
    lines = ["| kind | tests | seconds | share |", "|---|---:|---:|---:|"]
    lines += [
        f"| {kind} | {tests:,} | {seconds:,.0f} | {seconds / whole:.0%} |"
        for kind, (tests, seconds) in by_kind.items()
    ]
    return "\n".join(lines)


def longest(report: Path, number: int = 25) -> list[tuple[float, int, str]]:
    """Seconds, tests and module of what takes most, the longest first."""
    times: dict[str, list[float]] = defaultdict(list)
    for case in ET.parse(report).getroot().iter("testcase"):
        # A class within a module is part of it.
        name = ".".join(part for part in case.attrib["classname"].split(".") if part.islower())
        times[name].append(float(case.attrib["time"]))
    sums = [(sum(seconds), len(seconds), name) for name, seconds in times.items()]
    return sorted(sums, reverse=True)[:number]


_KEPT_SECONDS = 5.0


def kept(reports: list[Path]) -> dict[str, int]:
    """Files that took five seconds or more in one of the reports, by name, with their seconds."""
    longest_seconds: dict[str, int] = {}
    for report in reports:
        for seconds, _tests, module in longest(report, 10_000):
            name = f"{module.replace('.', '/')}.py"
            if seconds >= _KEPT_SECONDS:
                longest_seconds[name] = max(longest_seconds.get(name, 0), round(seconds))
    return dict(sorted(longest_seconds.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path, nargs="+")
    parser.add_argument("--keep", action="store_true", help="write tests/seconds.json anew")
    given = parser.parse_args()
    for report in given.report:
        print(table(durations(report)))
        for seconds, tests, name in longest(report):
            print(f"{seconds:8.0f} s {tests:5} {name}")
    if given.keep:
        text = json.dumps(kept(given.report), indent=2)
        SECONDS.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
