"""What an import takes: 10,000 pairs from CSV and XLSX, and a file of FrJUDGE's shape and size.

``python -m bench.importing`` measures reading and storing apart, in this process, language
detection and duplicate checks included; the floor is the bare insertion of as many rows in the same
run. With a path, the released FrJUDGE file at that path is imported as well.
"""

from __future__ import annotations

import csv
import io
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from annotation.garbage import garbage_settle
from bench.database import temporary_database
from bench.record import record

PAIRS = 10_000
NAMES = ("id", "original", "simplification", "system", "source")


def clause(number: int) -> tuple[str, str]:
    """Texts of the length of FrJUDGE's, all different."""
    original = (
        f"L'assureur rembourse, au titre de l'article {number}, les frais raisonnables que "
        "l'assuré engage pour protéger les biens désignés, sauf s'il omet d'aviser par écrit dans "
        "le délai prévu ou si la perte résulte "
        f"d'un acte intentionnel; l'indemnité ne dépasse pas {number} $ par sinistre."
    )
    simplified = (
        f"L'assureur paie les frais normaux de l'article {number}. L'assuré doit aviser par "
        "écrit à temps. "
        f"Un acte voulu n'est pas couvert. Le maximum est de {number} $."
    )
    return original, simplified


def rows() -> list[tuple[str, ...]]:
    return [(f"clause-{n}", *clause(n), f"model-{n % 3}", "police") for n in range(1, PAIRS + 1)]


def as_csv() -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=";").writerows([NAMES, *rows()])
    return text.getvalue().encode("cp1252")


def as_xlsx() -> bytes:
    from openpyxl import Workbook

    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet("paires")
    for row in [NAMES, *rows()]:
        sheet.append(row)
    target = io.BytesIO()
    workbook.save(target)
    return target.getvalue()


@dataclass
class Timer:
    """CPU seconds of one call after another; the first is the floor of the others."""

    vendor: str
    floor: float | None = None

    def __post_init__(self) -> None:
        # As a web process does before it serves (annotation.config.gunicorn).
        garbage_settle()

    def __call__(self, label: str, call: Callable[[], Any]) -> Any:
        cpu, wall = time.process_time(), time.perf_counter()
        result = call()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        record(
            f"import: {label}",
            cpu,
            "s CPU",
            floor=self.floor,
            database=self.vendor,
            note=f"wall {wall:.2f} s",
        )
        self.floor = self.floor or cpu
        return result


def read(content: bytes) -> Any:
    """The pairs in a table, its columns guessed."""
    from annotation.corpus.columns import guess_mapping
    from annotation.corpus.pairs import pairs_of
    from annotation.corpus.table_files import read_table

    table = read_table(content)
    return pairs_of(table, guess_mapping(table.columns))


def floor() -> None:
    """The bare insertion of as many rows, in one transaction."""
    from django.db import transaction

    from annotation.models import Item, Simplification
    from annotation.services.studies.studies import study_create

    with transaction.atomic():
        study = study_create(actor=None, key="floor", title="Floor")
        items = Item.objects.bulk_create(
            [
                Item(study=study, key=row[0], position=n, original=row[1])
                for n, row in enumerate(rows(), 1)
            ],
            batch_size=2000,
        )
        Simplification.objects.bulk_create(
            [
                Simplification(item=item, text=row[2])
                for item, row in zip(items, rows(), strict=True)
            ],
            batch_size=2000,
        )


def browse(client: Any, key: str, content: bytes) -> None:
    """Upload, preview and import, as a lead does it in a browser; ``client`` is Django's. What is
    left to a worker is done here, so that its time counts too."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    from annotation.models import Item

    page = client.post(
        f"/studies/{key}/import/", {"file": SimpleUploadedFile("pairs", content)}
    ).url
    carry_out()
    assert client.get(page).status_code == 200
    columns = {f"map_{name}": place for place, name in enumerate(NAMES)}
    answer = client.post(page, columns | {"round": "main", "action": "import"})
    assert answer.status_code == 302, answer.content.decode()
    carry_out()
    assert Item.objects.filter(study__key=key).count() == PAIRS


def carry_out() -> None:
    """Do what is left to a worker, as one does it."""
    from annotation.models import Job
    from annotation.services.intake.readings_work import reading_carry_out

    for job in Job.objects.filter(state=Job.State.QUEUED):
        assert reading_carry_out(job.public_id)


def tables(timed: Timer) -> None:
    """The same pairs as CSV and as XLSX: read, stored, and brought in by the page."""
    from django.test import Client

    from annotation.models import User
    from annotation.services.items.items import pairs_import
    from annotation.services.studies.studies import study_create

    lead = User.objects.create_user("lead@example.org")
    client = Client()
    client.force_login(lead)
    client.get("/")
    for kind, content in (("csv", as_csv()), ("xlsx", as_xlsx())):
        study = study_create(actor=None, key=kind, title=kind)
        label = f"{kind} ({len(content) / 2**20:.1f} MB): read and check"
        pairs = timed(label, partial(read, content))
        timed(f"{kind}: store", partial(pairs_import, actor=None, study=study, pairs=pairs))
        study = study_create(actor=lead, key=f"{kind}-web", title=kind)
        timed(
            f"{kind} in the browser: upload, preview, import",
            partial(browse, client, study.key, content),
        )


def released_file(timed: Timer, path: Path) -> None:
    """The FrJUDGE file at this path, read and stored."""
    from annotation.corpus.frjudge import read_frjudge
    from annotation.services.items.frjudge import frjudge_import
    from annotation.services.studies.studies import study_create

    released = timed(f"{path.name}: read", lambda: read_frjudge(path.read_bytes()))
    study = study_create(actor=None, key="frjudge", title="FrJUDGE")
    print(timed("… store", partial(frjudge_import, actor=None, study=study, released=released)))


def main(paths: list[str]) -> None:
    with temporary_database() as vendor:
        timed = Timer(vendor)
        timed(f"floor: bare insertion of {PAIRS} pairs", floor)
        tables(timed)
        for path in paths:
            released_file(timed, Path(path))


if __name__ == "__main__":
    main(sys.argv[1:])
