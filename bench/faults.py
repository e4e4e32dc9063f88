"""Whether an acknowledged answer is ever lost: people submit to the whole stack while its parts are
killed.

``python -m bench.faults --judgments 10000 --faults 50`` starts PostgreSQL and `manage.py stack`,
lets twenty clients save and submit over HTTP, kills web processes, workers, Redis and PostgreSQL's
connections meanwhile, and compares what was acknowledged with what is stored.
``tests/operations/test_faults.py`` is the short version.
"""

from __future__ import annotations

import argparse
import http.client
import json
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg2  # type: ignore[import-untyped]

from bench.breaking import PATIENCE_SECONDS, Faults
from bench.faults_asked import DEPARTED, PREPARE, STORED
from bench.pace import Pace
from bench.stack import postgresql, run_python, running_stack, stack_environment

CLIENTS = 20
# Of each client's pairs, these are only drafted: what stands there must be what was typed last.
DRAFTED = 2


@dataclass
class Acknowledged:
    """What the server said that it has, by client and position: the text of the answer and its
    revision."""

    submitted: dict[tuple[int, int], tuple[str, int]] = field(default_factory=dict)
    drafted: dict[tuple[int, int], tuple[str, int]] = field(default_factory=dict)
    retries: int = 0
    refused: list[str] = field(default_factory=list)


class StormClient(threading.Thread):
    """One person: for each pair a draft and a submission, each sent again under its key until it is
    acknowledged."""

    def __init__(
        self, number: int, port: int, token: str, pairs: int, acknowledged: Acknowledged, pace: Pace
    ) -> None:
        super().__init__(daemon=True)
        self.number, self.port, self.token, self.pairs = number, port, token, pairs
        self.acknowledged, self.pace, self._done = acknowledged, pace, 0
        self._connection: http.client.HTTPConnection | None = None

    def run(self) -> None:
        try:
            self._judge()
        finally:
            self._hang_up()
            self.pace.worked(self.pairs - self._done)  # nobody waits for one who gave up

    def _judge(self) -> None:
        for position in range(1, self.pairs + 1):
            if not self.pace.wait_for_faults(self._done * CLIENTS, PATIENCE_SECONDS):
                self.acknowledged.refused.append(
                    f"{self.number}/{position}: a fault that was due did not happen"
                )
                return
            revision, text = 0, f"client {self.number} pair {position} draft"
            if not (saved := self._save(position, "draft", text, revision)):
                return
            self.acknowledged.drafted[self.number, position] = (text, saved)
            last = position > self.pairs - DRAFTED
            text = f"client {self.number} pair {position} {'second draft' if last else 'submitted'}"
            if not (again := self._save(position, "draft" if last else "judgment", text, saved)):
                return
            kept = self.acknowledged.drafted if last else self.acknowledged.submitted
            kept[self.number, position] = (text, again)
            self._done += 1
            self.pace.worked()

    def _save(self, position: int, what: str, text: str, revision: int) -> int:
        """The revision that was acknowledged; 0 when the server refused, which it never should."""
        answers = {
            "simplicity": 1,
            "characterization": 3,
            "bracket": 3,
            "errors": [{"type": "omission"}],
            "explanation": text,
        }
        body = {
            "key": str(uuid.uuid4()),
            "base_revision": revision,
            "answers": answers,
            "active_seconds": 20,
        }
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            status, answer = self._send(
                f"/api/v1/my/studies/storm/assignments/{position}/{what}/", body
            )
            if status == http.client.OK:
                return int(answer["revision"])
            if 400 <= status < 500:
                self.acknowledged.refused.append(
                    f"{what} {self.number}/{position}: {status} {answer}"
                )
                return 0
            self.acknowledged.retries += 1
            time.sleep(0.1)
        self.acknowledged.refused.append(
            f"{what} {self.number}/{position}: no answer in {PATIENCE_SECONDS:.0f} s"
        )
        return 0

    def _send(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and body; (0, {}) where the connection broke, and nobody knows whether it was
        stored."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        try:
            self._connection = self._connection or http.client.HTTPConnection(
                "127.0.0.1", self.port, timeout=20
            )
            self._connection.request("PUT", path, json.dumps(body), headers)
            answer = self._connection.getresponse()
            return answer.status, json.loads(answer.read() or b"{}")
        except (OSError, http.client.HTTPException, ValueError):
            self._hang_up()
            return 0, {}

    def _hang_up(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = None


@dataclass
class Outcome:
    """What was acknowledged, what was broken meanwhile, and what is wrong now (nothing, one
    hopes)."""

    judgments: int
    drafts: int
    retries: int
    seconds: float
    faults: dict[str, int]
    wrong: list[str]


def storm(judgments: int, *, faults: int, seed: int = 1, web: int = 3, parents: int = 3) -> Outcome:
    """Everything from an empty folder to the comparison; ends when every judgment is done and every
    fault has happened. Raises where the stack does not start."""
    pairs = -(-judgments // CLIENTS) + DRAFTED
    acknowledged, pace = Acknowledged(), Pace(pairs * CLIENTS, faults)
    with (
        tempfile.TemporaryDirectory(prefix="bareme-") as name,
        postgresql(Path(name, "pg")) as database_url,
    ):
        environment = stack_environment(Path(name, "data"), database_url)
        with running_stack(environment, web) as (stack, port):
            tokens = json.loads(run_python(environment, PREPARE, str(CLIENTS), str(pairs)))
            clients = [
                StormClient(n, port, token, pairs, acknowledged, pace)
                for n, token in enumerate(tokens)
            ]
            breaking = Faults(stack, database_url, seed=seed, parents=parents, pace=pace)
            begun = time.monotonic()
            for thread in (*clients, breaking):
                thread.start()
            for client in clients:
                client.join()
            seconds = time.monotonic() - begun
            breaking.end()
            stored = _stored(database_url)
            departed = json.loads(run_python(environment, DEPARTED))
    wrong = [*acknowledged.refused, *_compared(acknowledged, stored), *departed]
    counts = (len(acknowledged.submitted), len(acknowledged.drafted) - len(acknowledged.submitted))
    return Outcome(*counts, acknowledged.retries, seconds, dict(breaking.done), wrong)


def _compared(
    acknowledged: Acknowledged, stored: dict[tuple[int, int], dict[str, Any]]
) -> Iterator[str]:
    """Each difference between what was acknowledged and what is there."""
    for where, (text, _revision) in acknowledged.submitted.items():
        row = stored[where]
        if not row["submitted"] or row["explanation"] != text:
            yield f"{where}: acknowledged, and not there: {row}"
        elif (row["judgments"], row["revisions"], row["ratings"]) != (1, 1, 3):
            yield f"{where}: not exactly once: {row}"
    for where, (text, revision) in acknowledged.drafted.items():
        row = stored[where]
        if where not in acknowledged.submitted and (row["draft"], row["revision"]) != (
            text,
            revision,
        ):
            yield f"{where}: another draft than the acknowledged one: {row}"
    submitted = {where for where, row in stored.items() if row["submitted"]}
    if strangers := submitted - set(acknowledged.submitted):
        yield f"submitted by nobody: {sorted(strangers)[:5]}"


def _stored(database_url: str) -> dict[tuple[int, int], dict[str, Any]]:
    names = ("submitted", "draft", "revision", "explanation", "judgments", "revisions", "ratings")
    until = time.monotonic() + 30
    while True:
        try:
            with psycopg2.connect(database_url) as connection, connection.cursor() as cursor:
                cursor.execute(STORED)
                rows = cursor.fetchall()
            break
        except psycopg2.OperationalError:  # it may still recover from the last fault
            if time.monotonic() > until:
                raise
            time.sleep(0.5)
    number = len("annotator")
    return {
        (int(email.partition("@")[0][number:]), position): dict(zip(names, rest, strict=True))
        for email, position, *rest in rows
    }


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judgments", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--faults", type=int, default=50, help="spread evenly over the work (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    outcome = storm(options.judgments, faults=options.faults, seed=options.seed)
    print(
        f"{outcome.judgments} judgments and {outcome.drafts} drafts acknowledged in "
        f"{outcome.seconds:.0f} s"
    )
    print(f"{outcome.retries} requests sent again; faults: {outcome.faults}")
    for line in outcome.wrong[:20]:
        print(f"WRONG {line}")
    print(
        "every acknowledged answer is there exactly once"
        if not outcome.wrong
        else f"{len(outcome.wrong)} are wrong"
    )
    return 1 if outcome.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
