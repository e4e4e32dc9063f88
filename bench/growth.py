"""What pages take when a study grows: 1, 10 and 100 times the data; and the agreement page of 297
pairs × 5 annotators.

``python -m bench.growth`` asks through the whole middleware stack in this process and gives seconds
of its clock, the median of a few requests. The floor of a page is the same page at the smallest
size; its ratio is to be read beside the growth of the data. Growth is linear or better where it is
at most that of the data.
"""

from __future__ import annotations

import argparse
import statistics
import time

from bench.database import temporary_database
from bench.record import record

PAIRS, ANNOTATORS, TIMES = 30, 3, "1,10,100"
ROUNDS = 5
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
        first = study.annotators.order_by("pk")[0]
        first.user = self.people["annotator"]
        first.save()
        return key

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


def growth(reader: Reader, times: list[int], vendor: str) -> None:
    keys = {size: reader.study(f"times-{size}", PAIRS * size, ANNOTATORS) for size in times}
    for page in PAGES:
        taken = {size: reader.first_and_again(page, key) for size, key in keys.items()}
        for place, way in enumerate(("first", "again")):
            base = taken[times[0]][place]
            for size in times:
                judgments = PAIRS * size * ANNOTATORS
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
    times = [int(size) for size in parser.parse_args().times.split(",")]
    with temporary_database() as vendor:
        reader = Reader()
        warm = reader.study("warm", 6, ANNOTATORS)
        for page in PAGES:
            reader.first_and_again(page, warm)
        dashboard(reader, vendor)
        growth(reader, times, vendor)


if __name__ == "__main__":
    main()
