"""What a lead's program waits for in a study of 10,000 pairs × 5 annotators: a report, an export,
an import of 10,000 pairs.

``python -m bench.programs`` starts what ``manage.py serve`` starts, web processes and workers, and
asks by the API, the clock at the client: a report on agreement with 1,000 draws the first time and
again, each export from the request until its file is there in whole, and pairs from the request
until they are stored. ``--others`` judgments of another study lie beside. The floor is the health
view in the same run. Each is the quickest of three, but for what can be asked for the first time
only once in a process.
"""

from __future__ import annotations

import argparse
import json
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench.importing import NAMES, rows
from bench.over_http import Client
from bench.record import machine_record, record
from bench.stack import answers_at, free_port, postgresql, run_python, stack_environment

PAIRS, ANNOTATORS, OTHERS, DRAWS, TIMES = 10_000, 5, 1_000_000, 1000, 3
_EXPORTS = (("long", "csv"), ("long", "jsonl"), ("wide", "csv"), ("errors", "csv"))
_PATIENCE_SECONDS = 600.0
# In a process of its own, before anybody is served; what it prints last is the lead's token.
_FILL = """
import sys
import django
django.setup()
from django.core.management import call_command
call_command("migrate", interactive=False, verbosity=0)
from annotation.models import ApiToken, Lead, Study, User
from annotation.services.accounts.tokens import token_create
from annotation.services.studies.studies import study_create
from bench.load import others_fill
from tests.bulk import fill_study
pairs, annotators, others, times = map(int, sys.argv[1:])
# First: what is there already would be multiplied as well.
others_fill(others)
lead = User.objects.create_user("lead@example.org")
study = Study.objects.create(key="bench", title="Bench", state="main")
Lead.objects.create(study=study, user=lead)
fill_study(study, pairs=pairs, annotators=annotators)
for number in range(times):
    study_create(actor=lead, key=f"empty-{number}", title="Empty")
print(token_create(actor=lead, name="bench", scopes=ApiToken.Scope.values, days=1)[1])
"""


@contextmanager
def served(environment: dict[str, str]) -> Iterator[int]:
    """``manage.py serve``, ready; its port."""
    port = free_port()
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        process = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
        try:
            until = time.monotonic() + _PATIENCE_SECONDS
            while not answers_at(port, "/readyz"):
                if process.poll() is not None or time.monotonic() > until:
                    said.seek(0)
                    raise RuntimeError(f"Nothing is served:\n{said.read()[-3000:]}")
                time.sleep(0.1)
            yield port
        finally:
            process.terminate()
            process.wait(60)


class Program:
    """What a lead's program asks, and how long it waits."""

    def __init__(self, port: int, token: str, vendor: str) -> None:
        self.client = Client(port, api_token=token)
        self.vendor = vendor
        self.floor = min(self._seconds(lambda: self.client.ask("/healthz")) for _ in range(50))

    def _seconds(self, call: Callable[[], object]) -> float:
        begun = time.perf_counter()
        call()
        return time.perf_counter() - begun

    def waited(self, what: str, *calls: Callable[[], object], note: str = "") -> None:
        """The quickest of ``calls``, recorded."""
        seconds = min(self._seconds(call) for call in calls)
        record(what, seconds, "s wall", floor=self.floor, database=self.vendor, note=note)

    def order(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """What is asked for by POST, once it is done. Raises ``RuntimeError`` where it fails."""
        answer: dict[str, Any] = json.loads(self.client.ask(path, body, statuses=(201, 202)))
        place = answer.get("location") or f"{path}{answer.get('id', '')}/"
        until = time.monotonic() + _PATIENCE_SECONDS
        while answer.get("state") in {"queued", "running"}:
            if time.monotonic() > until:
                raise RuntimeError(f"{place} is still {answer['state']}")
            time.sleep(0.02)
            answer = json.loads(self.client.ask(place))
        if answer.get("state") == "failed":
            raise RuntimeError(f"{place}: {answer}")
        return answer

    def export(self, layout: str, form: str) -> None:
        place = "/api/v1/studies/bench/exports/"
        done = self.order(place, {"layout": layout, "format": form})
        content = self.client.ask(f"{place}{done['id']}/file/")
        if len(content) != done["size"]:
            raise RuntimeError(f"{len(content)} bytes of {done['size']}")

    def pairs(self, number: int) -> None:
        wanted = [dict(zip(NAMES, row, strict=True)) for row in rows()]
        self.order(f"/api/v1/studies/empty-{number}/pairs/", {"pairs": wanted})


def _measure(program: Program, what: str) -> None:
    agreement = f"/api/v1/studies/bench/agreement/?draws={DRAWS}&seed="

    def agree(seed: int) -> Callable[[], object]:
        return lambda: program.client.ask(f"{agreement}{seed}")

    program.waited(f"agreement of {what}, the first in its process", agree(1))
    # Both web processes have loaded what it needs by then, wherever the connection ended.
    program.waited(f"agreement of {what}, another seed", *map(agree, range(2, 2 + TIMES)))
    program.waited(f"agreement of {what}, again", *[agree(2)] * 5)
    for layout, form in _EXPORTS:
        calls = [lambda layout=layout, form=form: program.export(layout, form)] * TIMES
        program.waited(f"export of {what}, asked for until fetched: {layout} {form}", *calls)
    stored = [lambda number=number: program.pairs(number) for number in range(TIMES)]
    program.waited(f"import of {PAIRS} pairs, sent until stored", *stored)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a lead's program waits for.")
    parser.add_argument("--others", type=int, default=OTHERS, help="(default: %(default)s)")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="(default: %(default)s)")
    parser.add_argument("--sqlite", action="store_true", help="not on PostgreSQL")
    options = parser.parse_args()
    machine_record()
    what = f"{options.pairs} pairs × {ANNOTATORS}"
    sizes = [options.pairs, ANNOTATORS, options.others, TIMES]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bareme-")))
        databases = {"sqlite": ""}
        if not options.sqlite:
            databases["postgresql"] = stack.enter_context(postgresql(folder / "pg"))
        for vendor, url in databases.items():
            environment = stack_environment(folder / vendor, url)
            environment["BAREME_SECRET_KEY"] = secrets.token_hex(32)
            token = run_python(environment, _FILL, *map(str, sizes)).split()[-1]
            with served(environment) as port:
                _measure(Program(port, token, vendor), what)


if __name__ == "__main__":
    main()
