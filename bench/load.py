"""Judging over HTTP: as many annotators as there are threads ask for the next pair and submit, one
after the other.

``python -m bench.load`` starts the web server as it runs in a deployment (gunicorn with
``annotation.config.gunicorn``, two processes) on a database of its own, SQLite or beside
DATABASE_URL's, which holds a million judgments of other studies. In studies of 10,000, 300 and 20
pairs, each given to 25 people, 1, 5 and 20 of them judge, by the page (with a session) and by the
API (with a token), each over a connection that stays open; last comes the ratio of the largest
study to the smallest. The floor is as many requests to ``/healthz`` by as many clients. The clients
run on the same machine and take part of its cores; CPU is of the web server and, on PostgreSQL, of
what works for it there.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from annotation.management.embedded import PrivateRedis
from bench.database import temporary_database
from bench.over_http import Client, connected, cpu_seconds, percentiles, timed, together, web
from bench.record import machine_record, record

ANNOTATORS, JUDGMENTS, PROCESSES = "1,5,20", 300, 2
PAIRS, PEOPLE, OTHERS = "10000,300,20", 25, 1_000_000
_OTHER_RATERS, _AT_ONCE = 25, 40_000
_ANSWERS = {"simplicity": 1, "characterization": 3, "bracket": 3, "errors": [{"type": "omission"}]}


@dataclass(frozen=True)
class People:
    """Those who judge a study, each by the keys of their sessions and their tokens."""

    key: str
    sessions: list[str]
    tokens: list[str]


def people_of(key: str, annotators: int, pairs: int) -> People:
    """A study in its main round with so many people, who judge every pair."""
    from django.conf import settings
    from django.test import Client as Visitor

    from annotation.models import (
        Annotator,
        ApiToken,
        Item,
        Simplification,
        Study,
        User,
        text_digest,
    )
    from annotation.services.accounts.tokens import token_create
    from annotation.services.studies.studies import study_change_state, study_create

    study = study_create(actor=None, key=key, title=key)
    texts = [f"Clause {number}. " + "mot " * 60 for number in range(1, pairs + 1)]
    items = Item.objects.bulk_create(
        Item(study=study, key=f"i{n}", position=n, original=text, original_digest=text_digest(text))
        for n, text in enumerate(texts, start=1)
    )
    Simplification.objects.bulk_create(
        Simplification(item=item, text="phrase simple " * 20, language="fr") for item in items
    )
    people = People(key, [], [])
    for number in range(annotators):
        user = User.objects.create_user(f"{key}-{number}@example.org")
        Annotator.objects.create(study=study, user=user, pseudonym=f"A{number}")
        visitor = Visitor()
        visitor.force_login(user)
        people.sessions.append(visitor.cookies[settings.SESSION_COOKIE_NAME].value)
        people.tokens.append(
            token_create(actor=user, name="bench", scopes=ApiToken.Scope.values, days=1)[1]
        )
    begun, cpu = time.perf_counter(), time.process_time()
    study_change_state(actor=None, study=Study.objects.get(pk=study.pk), to="main", reason="bench")
    if pairs > 1000:
        record(
            f"opening a main round of {pairs} × {annotators}",
            time.perf_counter() - begun,
            "s wall",
            database=connection_vendor(),
            note=f"CPU without the database's {time.process_time() - cpu:.2f} s",
        )
    return people


def connection_vendor() -> str:
    from django.db import connection

    return connection.vendor


def others_fill(judgments: int) -> None:
    """So many judgments of other studies, which must cost those who judge nothing."""
    from annotation.models import Judgment, Study
    from bench.multiplied import studies_multiply
    from tests.bulk import fill_study

    if judgments:
        times = max(1, judgments // _AT_ONCE)
        study = Study.objects.create(key="others", title="others", state="main")
        pairs = judgments // times // _OTHER_RATERS
        fill_study(study, pairs=pairs, annotators=_OTHER_RATERS)
        studies_multiply(times)
        print(f"beside {Judgment.objects.count():,} judgments of other studies", flush=True)


def by_page(key: str) -> Callable[[Client, int], tuple[float, ...]]:
    """One judgment: milliseconds of the page and of the submission."""

    def judge(client: Client, position: int) -> tuple[float, ...]:
        return timed(
            lambda: client.ask(f"/annotate/{key}/{position}/"),
            lambda: client.ask(f"/annotate/{key}/{position}/submit/", _body()),
        )

    return judge


def by_api(key: str) -> Callable[[Client, int], tuple[float, ...]]:
    """One judgment: milliseconds of asking what is next and of the submission."""
    mine = f"/api/v1/my/studies/{key}"

    def judge(client: Client, _number: int) -> tuple[float, ...]:
        pair: list[bytes] = []
        return timed(
            lambda: pair.append(client.ask(f"{mine}/next/")),
            lambda: client.ask(
                f"{mine}/assignments/{json.loads(pair[0])['position']}/judgment/", _body(), "PUT"
            ),
        )

    return judge


def _body() -> dict[str, Any]:
    return {"key": str(uuid.uuid4()), "base_revision": 0, "answers": _ANSWERS, "active_seconds": 20}


def nothing(client: Client, _position: int) -> tuple[float, ...]:
    """The floor of a judgment: two requests that do nothing."""
    return timed(lambda: client.ask("/healthz"), lambda: client.ask("/healthz"))


def clients_of(way: str, port: int, people: People, start: int, number: int) -> list[Client]:
    """So many of these people from the ``start``-th on, as the page or the API knows them."""
    chosen = slice(start, start + number)
    if way == "page":
        return [Client(port, session=key) for key in people.sessions[chosen]]
    return [Client(port, api_token=token) for token in people.tokens[chosen]]


def warm(port: int) -> None:
    """Every process and thread has judged: templates are loaded, connections open."""
    people = people_of("warm", 16, 16)
    with connected(clients_of("page", port, people, 0, 8)) as clients:
        together(clients, 16, by_page("warm"))
    with connected(clients_of("api", port, people, 8, 8)) as clients:
        together(clients, 16, by_api("warm"))


WAYS: dict[str, Callable[[str], Callable[[Client, int], tuple[float, ...]]]] = {
    "page": by_page,
    "API": by_api,
}


@dataclass(frozen=True)
class Level:
    """So many annotators at once in a study of so many pairs."""

    way: str
    annotators: int
    pairs: int

    def measure(
        self, server: psutil.Process, port: int, people: People, judgments: int, vendor: str
    ) -> float:
        """The figures; gives the server's CPU of a judgment in milliseconds."""
        each = max(1, min(judgments // self.annotators, 20))
        with connected([Client(port) for _ in range(self.annotators)]) as nobodies:
            floor_seconds, floors = together(nobodies, each, nothing)
        with connected(clients_of(self.way, port, people, 0, self.annotators)) as clients:
            before = cpu_seconds(server)
            seconds, spent = together(clients, each, WAYS[self.way](people.key))
            cpu = 1000 * (cpu_seconds(server) - before) / len(spent)
        where = (
            f"by the {self.way}, {self.annotators} at once, {self.pairs} pairs × "
            f"{len(people.sessions)}"
        )
        record(
            f"judgments {where}",
            len(spent) / seconds,
            "1/s",
            floor=len(spent) / floor_seconds,
            database=vendor,
        )
        record(f"server CPU of a judgment {where}", cpu, "ms", database=vendor)
        bare = percentiles([sum(pair) for pair in floors])
        for label, value, least in zip(
            ("p50", "p95"), percentiles([sum(p) for p in spent]), bare, strict=True
        ):
            record(f"next + submit {where}, {label}", value, "ms", floor=least, database=vendor)
        return cpu


def sizes(server: psutil.Process, port: int, options: argparse.Namespace, vendor: str) -> None:
    """Every size, way and number of annotators; then what the largest study costs more than the
    smallest."""
    pairs = [int(size) for size in options.pairs.split(",")]
    spent: dict[tuple[str, int], dict[int, float]] = {}
    for annotators in map(int, options.annotators.split(",")):
        for size in pairs:
            for way in WAYS:
                people = people_of(f"of-{size}-{annotators}-{way.lower()}", PEOPLE, size)
                cpu = Level(way, annotators, size).measure(
                    server, port, people, options.judgments, vendor
                )
                spent.setdefault((way, annotators), {})[size] = cpu
    for (way, annotators), by_size in spent.items():
        most, least = max(by_size), min(by_size)
        name = f"CPU by the {way}, {annotators} at once: {most} pairs over {least}"
        record(name, by_size[most] / by_size[least], "times", database=vendor)


def main() -> None:
    parser = argparse.ArgumentParser(description="Judgments over HTTP.")
    parser.add_argument(
        "--annotators", default=ANNOTATORS, help="how many at once (default: %(default)s)"
    )
    parser.add_argument(
        "--pairs", default=PAIRS, help="sizes of the studies (default: %(default)s)"
    )
    parser.add_argument(
        "--others",
        type=int,
        default=OTHERS,
        help="judgments of other studies (default: %(default)s)",
    )
    parser.add_argument(
        "--judgments", type=int, default=JUDGMENTS, help="of each number (default: %(default)s)"
    )
    parser.add_argument(
        "--processes", type=int, default=PROCESSES, help="web processes (default: %(default)s)"
    )
    options = parser.parse_args()
    machine_record()
    with tempfile.TemporaryDirectory(prefix="bareme-") as folder:
        redis = None if os.environ.get("REDIS_URL") else PrivateRedis(Path(folder))
        if redis:
            redis.start()
            os.environ["REDIS_URL"] = redis.url
        try:
            with temporary_database() as vendor, web(options.processes) as (server, port):
                others_fill(options.others)
                warm(port)
                sizes(server, port, options, vendor)
        finally:
            if redis:
                redis.stop()


if __name__ == "__main__":
    main()
