"""What every page and operation that takes a study reads when the study grows: 1, 10 and 100 times
the data; and the agreement page of 297 pairs × 5 annotators.

``python -m bench.growth`` asks every address of a study, of one of its pairs and of one of its
people, page and API, through the whole middleware stack in this process, as a lead or as an
annotator, and counts what its statements read: rows on PostgreSQL, hundreds of instructions on
SQLite. What shows more may read more: an answer GROWS where it reads more than half as much again
as its bytes explain. A machine that is busy otherwise changes none of that. ``--others`` judgments
of other studies lie beside: what reads them at any size grows with the installation. ``--seconds``
adds the clock for the pages that people look at most; their floor is the same page at the smallest
size.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from bench.database import temporary_database
from bench.load import others_fill
from bench.record import record

# Not fewer pairs than the last ones by which somebody's pace is told.
PAIRS, ANNOTATORS, TIMES = 100, 3, "1,10,100"
ROUNDS = 5
# An index of a hundred times the rows is a level or two deeper.
SLACK, LEAST = 1.5, 60
PARTS = {"study", "item", "simplification", "rank", "dimension", "position", "pseudonym"}
"""What of an address any study has."""
PAGES = {
    "study": "/studies/{key}/",
    "items": "/studies/{key}/items/",
    "watch": "/studies/{key}/watch/",
    "agreement": "/studies/{key}/agreement/",
    "mine": "/annotate/{key}/mine/",
}


class Reader:
    """Two people who are logged in, a lead and an annotator."""

    def __init__(self) -> None:
        from django.test import Client

        from annotation.models import User

        self.people = {
            name: User.objects.create_user(f"{name}@example.org") for name in ("lead", "annotator")
        }
        self.clients = {name: Client() for name in self.people}
        for name, client in self.clients.items():
            client.force_login(self.people[name])

    def study(self, key: str, pairs: int, annotators: int) -> str:
        """A filled study that both of them belong to; its key."""
        from annotation.models import Lead, Study
        from tests.bulk import fill_study

        study = Study.objects.create(key=key, title=key, state="main")
        Lead.objects.create(study=study, user=self.people["lead"])
        fill_study(study, pairs=pairs, annotators=annotators)
        for number, annotator in enumerate(study.annotators.order_by("pk")):
            # Of who has no account, what was worked is in their pairs alone.
            annotator.user = self.person("annotator" if number == 0 else f"peer-{number}")
            annotator.save(update_fields=["user"])
        work_fill(study)
        return key

    def person(self, name: str) -> Any:
        from annotation.models import User

        return User.objects.get_or_create(email=f"{name}@example.org")[0]

    def seconds(self, page: str, key: str) -> float:
        client = self.clients["annotator" if page == "mine" else "lead"]
        path = PAGES[page].format(key=key)
        begun = time.perf_counter()
        answer = client.get(path)
        taken = time.perf_counter() - begun
        if answer.status_code != 200:
            raise RuntimeError(f"{path}: {answer.status_code}")
        return taken

    def first_and_again(self, page: str, key: str) -> tuple[float, float]:
        """The first request, which may compute what is kept, and the median of the ones after
        it."""
        return self.seconds(page, key), statistics.median(
            self.seconds(page, key) for _ in range(ROUNDS)
        )


def work_fill(study: Any) -> None:
    """What is beside the judgments: drafts and submissions, and what is kept of all that."""
    from annotation.models import Assignment, Draft, JudgmentRevision
    from annotation.services.base.standings import positions_check
    from annotation.services.platform.row_counts import row_counts_refresh

    blank = study.protocol.clean({})
    rows = [
        (pk, annotator, at)
        for pk, annotator, at in Assignment.objects.filter(annotator__study=study).values_list(
            "pk", "annotator", "judgment__submitted_at"
        )
        if at is not None
    ]
    Draft.objects.bulk_create(
        [
            Draft(assignment_id=pk, annotator_id=annotator, saved_at=at)
            for pk, annotator, at in rows
        ],
        batch_size=5000,
    )
    JudgmentRevision.objects.bulk_create(
        [
            JudgmentRevision(assignment_id=pk, number=1, answers=blank, submitted_at=at)
            for pk, _one, at in rows
        ],
        batch_size=5000,
    )
    list(positions_check(rebuild=True))
    row_counts_refresh(Draft, JudgmentRevision)


def addresses(pattern: str) -> list[str]:
    """Every address of a study, page and API, whose parts ``parts_of`` knows and in which
    ``pattern`` is found."""
    from django.urls import get_resolver

    routes = set()
    for route in _routes(get_resolver(), "/"):
        parts = re.findall(r"<(?:[^>:]*:)?([^>]*)>", route)
        if "study" in parts and PARTS.issuperset(parts):
            routes.add(re.sub(r"<(?:[^>:]*:)?([^>]*)>", r"{\1}", route))
    return sorted(route for route in routes if re.search(pattern, route))


def parts_of(key: str) -> dict[str, str]:
    """What stands in addresses of a study: it, a pair in its middle, its first person."""
    from annotation.models import Simplification, Study

    study = Study.objects.get(key=key)
    pairs = Simplification.objects.filter(item__study=study).order_by("item__position")
    pair = pairs.select_related("item")[pairs.count() // 2]
    return {
        "study": key,
        "item": pair.item.key,
        "simplification": str(pair.pk),
        "rank": str(pair.position),
        "dimension": study.protocol.dimensions[-1],
        "position": "3",
        "pseudonym": study.annotators.order_by("pk")[0].pseudonym,
    }


def _routes(resolver: Any, before: str) -> Iterator[str]:
    from django.urls import URLResolver

    for entry in resolver.url_patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _routes(entry, route)
        else:
            yield route


class Reading(NamedTuple):
    """``rows`` that the statements of a request read, ``length`` of the answer in bytes, and how
    many seconds somebody ``waited`` who asked first."""

    rows: int
    length: int
    waited: float


class Readings:
    """What each address reads, by a lead or by an annotator."""

    def __init__(self, reader: Reader) -> None:
        from django.test import Client

        from annotation.models import ApiToken
        from annotation.services.accounts.tokens import token_create

        self.clients = list(reader.clients.values())
        self.programs = [
            Client(
                headers={
                    "authorization": "Bearer "
                    + token_create(
                        actor=person, name="bench", scopes=ApiToken.Scope.values, days=1
                    )[1]
                }
            )
            for person in reader.people.values()
        ]

    def of(self, path: str) -> Reading | None:
        """What the first who gets an answer there reads; None where nobody does by GET. Asked
        twice: the first time composes, plans and may compute what is kept, for which somebody
        waits."""
        for client in self.programs if path.startswith("/api/") else self.clients:
            begun = time.perf_counter()
            if self._read(client, path) is not None:
                waited = time.perf_counter() - begun
                again = self._read(client, path)
                return None if again is None else Reading(*again, waited)
        return None

    def _read(self, client: Any, path: str) -> tuple[int, int] | None:
        from django.core.cache import cache
        from django.db import transaction

        from tests.reading_rows import reading

        # Nobody waits: it is the rows that are asked about.
        cache.clear()
        with transaction.atomic(), reading() as counted:
            answer = client.get(path)
            size = len(b"".join(answer) if answer.streaming else answer.content)
        return (counted.read, size) if answer.status_code == 200 else None


def rows(reader: Reader, keys: dict[int, str], vendor: str, pattern: str) -> None:
    """Print what every address reads at each size, those that grow at the end once more."""
    readings, growing = Readings(reader), []
    parts = {size: parts_of(key) for size, key in keys.items()}
    for address in addresses(pattern):
        by_size = {size: readings.of(address.format(**of)) for size, of in parts.items()}
        answered = {size: of for size, of in by_size.items() if of is not None}
        if len(answered) < len(keys):
            print(f"{address:60} nothing by GET")
            continue
        base = answered[min(answered)]
        for size, reading in answered.items():
            shown = max(1.0, reading.length / max(1, base.length))
            grows = reading.rows > max(LEAST, SLACK * max(1, base.rows) * shown)
            note = f"{reading.waited:.1f} s at first{', GROWS' if grows else ''}"
            growing += [address] * (grows and size == max(answered))
            name = f"{address} × {size}, {reading.length} bytes"
            record(name, reading.rows, "read", floor=base.rows, database=vendor, note=note)
    print(f"{len(growing)} grow faster than what they show: {', '.join(growing) or 'none'}")


def dashboard(reader: Reader, vendor: str) -> None:
    first, again = reader.first_and_again("agreement", reader.study("dashboard", 297, 5))
    record(
        "dashboard of 297 × 5, computed",
        first,
        "s",
        floor=again,
        database=vendor,
        note="floor: kept",
    )
    record("dashboard of 297 × 5, kept", again, "s", database=vendor)


def seconds(
    reader: Reader, keys: dict[int, str], times: list[int], annotators: int, vendor: str
) -> None:
    for page in PAGES:
        taken = {size: reader.first_and_again(page, key) for size, key in keys.items()}
        for place, way in enumerate(("first", "again")):
            base = taken[times[0]][place]
            for size in times:
                judgments = PAIRS * size * annotators
                name = f"{page} of {judgments} judgments, {way}"
                grown = taken[size][place] / base
                verdict = "" if size == times[0] else _verdict(grown, size / times[0])
                record(name, taken[size][place], "s", floor=base, database=vendor, note=verdict)


def _verdict(grown: float, data: float) -> str:
    return f"{data:.0f} × the data: {'linear or better' if grown <= data else 'WORSE THAN LINEAR'}"


def main() -> None:
    parser = argparse.ArgumentParser(description="What pages take when a study grows.")
    parser.add_argument(
        "--times", default=TIMES, help="sizes, the smallest first (default: %(default)s)"
    )
    parser.add_argument(
        "--annotators", type=int, default=ANNOTATORS, help="who judge all (default: %(default)s)"
    )
    parser.add_argument(
        "--others", type=int, default=0, help="judgments of other studies (default: %(default)s)"
    )
    parser.add_argument(
        "--addresses", default="", help="those alone that this expression is found in"
    )
    parser.add_argument("--seconds", action="store_true", help="the clock as well")
    options = parser.parse_args()
    times = [int(size) for size in options.times.split(",")]
    with temporary_database() as vendor:
        others_fill(options.others)
        reader = Reader()
        warm = reader.study("warm", 6, options.annotators)
        for page in PAGES:
            reader.first_and_again(page, warm)
        keys = {
            size: reader.study(f"times-{size}", PAIRS * size, options.annotators) for size in times
        }
        rows(reader, keys, vendor, options.addresses)
        if options.seconds:
            dashboard(reader, vendor)
            seconds(reader, keys, times, options.annotators, vendor)


if __name__ == "__main__":
    main()
