"""The table of the suite's time knows every folder of tests."""

from __future__ import annotations

from pathlib import Path

from tests.durations import KINDS, durations, longest, table

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
    found = durations(report)
    assert (found["pages"], found["API"]) == ((2, 2.0), (1, 2.0))
    assert "| pages | 2 | 2 | 50% |" in table(found)
    assert longest(report, 2) == [(2.0, 1, "tests.api.test_x"), (1.5, 1, "tests.web.test_x")]
