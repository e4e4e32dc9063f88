"""Libraries that nobody could be asked about never pass for safe ones."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from tests.house import audit

SAFE = {"name": "django", "version": "5.2.19", "vulns": []}
BAD = {"name": "pyyaml", "version": "5.1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["5.4"]}]}
UNKNOWN = {
    "name": "amqp",
    "skip_reason": "Dependency not found on PyPI and could not be audited: amqp (5.4.2)",
}


@pytest.mark.parametrize(
    ("libraries", "code", "said"),
    [
        ([SAFE], 0, "No known vulnerability in 1 libraries"),
        ([SAFE, BAD], audit.FOUND, "VULNERABLE: pyyaml 5.1: PYSEC-1; mended in: 5.4"),
        (
            [SAFE, UNKNOWN],
            audit.NOT_AUDITED,
            "NOT AUDITED: the vulnerability data could not be reached for 1 of 2",
        ),
        ([UNKNOWN], audit.NOT_AUDITED, "NOT AUDITED"),
        ([BAD, UNKNOWN], audit.FOUND, "NOT AUDITED"),
        ([], audit.NOT_AUDITED, "NOT AUDITED"),
    ],
)
def test_what_is_said_of_a_report(libraries: list[dict[str, Any]], code: int, said: str) -> None:
    outcome = audit.outcome({"dependencies": libraries})
    assert outcome.code == code
    assert said in "\n".join(outcome.lines)
    assert ("No known" in "\n".join(outcome.lines)) == (code == 0)


@pytest.mark.parametrize("printed", ["", "not json", "{}"])
def test_a_report_that_is_none_is_no_pass(printed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = subprocess.CompletedProcess(
        [], 1, stdout=printed, stderr="WARNING: x\nConnectionError: no route\n"
    )
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    outcome = audit.look_up()
    assert outcome.code == audit.NOT_AUDITED
    assert outcome.lines == (
        "NOT AUDITED: nothing was looked up (ConnectionError: no route). This is no pass.",
    )


@pytest.mark.parametrize("error", [FileNotFoundError(), subprocess.TimeoutExpired("pip-audit", 1)])
def test_nor_is_a_tool_that_does_not_run(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(subprocess, "run", broken)
    assert audit.look_up().code == audit.NOT_AUDITED


def test_only_what_could_not_be_looked_up_may_be_gone_on_from(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "look_up", lambda: audit.outcome({"dependencies": [UNKNOWN]}))
    assert (audit.main([]), audit.main(["--go-on"])) == (audit.NOT_AUDITED, 0)
    assert capsys.readouterr().out.count("NOT AUDITED") == 2
    monkeypatch.setattr(audit, "look_up", lambda: audit.outcome({"dependencies": [BAD]}))
    assert (audit.main([]), audit.main(["--go-on"])) == (audit.FOUND, audit.FOUND)
