"""The table of the suite's time knows every folder of tests; files are given out by what they
take."""

from __future__ import annotations

import json
from pathlib import Path

from tests.durations import KINDS, durations, kept, longest, table
from tests.order import SECONDS, File, by_turns

ROOT = Path(__file__).resolve().parent.parent


def test_every_test_is_of_one_kind():
    named = [name for names in KINDS.values() for name in names]
    folders = {
        path.name for path in ROOT.iterdir() if path.is_dir() and any(path.glob("**/test_*.py"))
    }
    alone = {path.stem for path in ROOT.glob("test_*.py")}
    assert sorted(named) == sorted(folders | alone)


def test_seconds_are_summed(tmp_path):
    report = tmp_path / "suite.xml"
    report.write_text(
        '<testsuites><testsuite><testcase classname="tests.web.test_x" time="1.5"/>'
        '<testcase classname="tests.web.judging.test_y.TestZ" time="0.5"/>'
        '<testcase classname="tests.api.test_x" time="2"/></testsuite></testsuites>',
        encoding="utf-8",
    )
    seconds = durations(report)
    assert (seconds["pages"], seconds["API"]) == ((2, 2.0), (1, 2.0))
    assert "| pages | 2 | 2 | 50% |" in table(seconds)
    assert longest(report, 2) == [(2.0, 1, "tests.api.test_x"), (1.5, 1, "tests.web.test_x")]


def test_the_longest_files_are_kept_in_the_longer_of_two_reports(tmp_path):
    for name, seconds in (("one", 7.4), ("other", 9.6)):
        (tmp_path / name).write_text(
            f'<s><testcase classname="tests.web.test_x.TestIt" time="{seconds}"/>'
            '<testcase classname="tests.api.test_short" time="4.9"/></s>',
            encoding="utf-8",
        )
    assert kept([tmp_path / "one", tmp_path / "other"]) == {"tests/web/test_x.py": 10}


def test_every_file_that_is_known_for_its_time_is_there():
    named = json.loads(SECONDS.read_text(encoding="utf-8"))
    assert named
    assert [name for name in named if not (ROOT.parent / name).is_file()] == []


def test_the_longest_come_first_and_files_that_wait_by_turns_with_others():
    waiting = [File(f"w{n}", 10.0, waits=True) for n in range(3)]
    computing = [File(f"c{n}", 1.0, waits=False) for n in range(6)]
    assert " ".join(by_turns([*computing, *waiting])) == "w0 c0 c1 w1 c2 c3 w2 c4 c5"
    assert by_turns([File("b", 1.0, waits=True), File("a", 2.0, waits=True)]) == ["a", "b"]
    assert by_turns([]) == []
