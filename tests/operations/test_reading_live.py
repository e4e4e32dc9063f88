"""A hostile file and a real server: while it is read, everybody's pages are answered."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import httpx2 as httpx
import pytest

from annotation.demo.study import ANNOTATORS, KEY, LEAD, PASSWORD
from tests import hostile
from tests.config.test_serve import (  # the fixtures that this one stands on
    READY,
    Served,
    folder,  # noqa: F401
    installed,  # noqa: F401
    served,  # noqa: F401
)
from tests.processes import PATIENCE, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.redis,
    pytest.mark.once,
]


def browser(at: Served, email: str) -> httpx.Client:
    client = httpx.Client(
        base_url=f"http://127.0.0.1:{at.port}", timeout=PATIENCE, follow_redirects=True
    )
    page = posted(client, "/account/login/", username=email, password=PASSWORD)
    assert "Barème" in page.text
    assert "/account/login/" not in str(page.url)
    return client


def posted(
    client: httpx.Client,
    path: str,
    files: dict[str, tuple[str, bytes]] | None = None,
    **fields: str,
):
    client.get(path)
    token = client.cookies.get("bareme_csrf") or ""
    answer = client.post(path, data=fields | {"csrfmiddlewaretoken": token}, files=files)
    assert answer.status_code == 200, answer.text
    return answer


def test_pages_are_answered_while_a_hostile_file_is_read(
    served: Served,  # noqa: F811
    folder: Path,  # noqa: F811
) -> None:
    served.until(READY)
    lead, annotator = browser(served, LEAD.email), browser(served, ANNOTATORS[0].email)
    (database,) = folder.glob("*.sqlite3")
    with closing(sqlite3.connect(database, timeout=PATIENCE)) as connection:

        def state() -> str:
            row = connection.execute(
                "SELECT state FROM annotation_job WHERE kind = 'reading'"
            ).fetchone()
            return str(row[0]) if row else ""

        # As many rows as a file may have, in a few hundred kilobytes: seconds of a processor, on
        # any machine.
        rows = "".join(
            hostile.cells(number, f"La prime {number}", "Vous payez.")
            for number in range(2, 99_000)
        )
        content = hostile.sheet(hostile.HEADER + rows)
        page = posted(lead, f"/studies/{KEY}/import/", files={"file": ("paires.xlsx", content)})
        assert "/readings/" in str(page.url)
        assert until(lambda: state() != "queued"), served.said
        answered = 0
        while state() == "running":
            assert served.status() == 200
            assert annotator.get(f"/annotate/{KEY}/1/").status_code == 200
            answered += state() == "running"
        assert answered, "it was read before anybody could ask"
        assert state() == "done"
    page = lead.get(str(page.url))
    assert page.status_code == 200
    assert "/import/" in str(page.url)
    lead.close()
    annotator.close()
    assert served.end() == 0, served.said
