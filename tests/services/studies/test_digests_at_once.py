"""Two workers that come to the leads' letters in the same moment, each a process of its own with
its own connection: every lead gets one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from annotation.models import Event, LeadDigest, User
from annotation.services.studies.digests import AT_ONCE, digests_send_due, period_of
from tests.factories import make_study, make_user
from tests.processes import PATIENCE, until

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite has one writer: nobody claims beside"
    ),
]
LEADS = 6
# A worker's process: it says that it is ready, waits for a line, and sends what is due. What the
# mail server would get is written to a folder, a file for each letter.
WORKER = """
import json
import sys
import django
django.setup()
from django.conf import settings
from django.db import connection
told = json.loads(sys.argv[1])
settings.SECRET_KEY = told["key"]
settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = told["database"]
settings.EMAIL_HOST, settings.PUBLIC_URL = "mail.example", "https://etude.example"
settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
settings.EMAIL_FILE_PATH = told["folder"]
from annotation.services.studies import digests
connection.ensure_connection()
print("ready", flush=True)
sys.stdin.readline()
print(digests.digests_send_due(), flush=True)
"""


def worker(folder: Path) -> subprocess.Popen[str]:
    arguments = {
        "database": connection.settings_dict["NAME"],
        "folder": str(folder),
        "key": settings.SECRET_KEY,
    }
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, json.dumps(arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def line(process: subprocess.Popen[str]) -> str:
    said = process.stdout.readline().strip()
    assert said, process.communicate(timeout=PATIENCE)[1]
    return said


@pytest.fixture
def leads(settings) -> list[User]:
    """Leads whose letter is due: each has been met, and the last one was of an earlier week."""
    assert LEADS <= AT_ONCE, "one sweep is to find all of them"
    settings.EMAIL_HOST, settings.PUBLIC_URL = "mail.example", "https://etude.example"
    users = [make_user(f"lead{number}") for number in range(LEADS)]
    for number, lead in enumerate(users):
        make_study(f"etude{number}", lead=lead)
    assert digests_send_due() == 0
    LeadDigest.objects.update(period="2020-W01")
    return users


def letters(folder: Path) -> Counter[str]:
    """Who got how many."""
    text = "".join(file.read_text(encoding="utf-8") for file in folder.iterdir())
    return Counter(row[4:] for row in text.splitlines() if row.startswith("To: "))


def waiting() -> int:
    """How many sessions of this database wait for a row."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND wait_event_type = 'Lock'"
        )
        return int(cursor.fetchone()[0])


def both(folder: Path, hold: Any) -> list[int]:
    """How many letters each of two workers sent, which begin while ``hold`` has the claims."""
    workers = [worker(folder), worker(folder)]
    try:
        assert [line(process) for process in workers] == ["ready", "ready"]
        with hold():
            for process in workers:
                process.stdin.write("go\n")
                process.stdin.flush()
            # Both have read whose letter is due, and wait for the same claim.
            assert until(lambda: waiting() == 2)
        return [int(line(process)) for process in workers]
    finally:
        for process in workers:
            process.kill()
            process.communicate()


def test_two_processes_in_one_moment_send_each_letter_once(leads, tmp_path):
    first = LeadDigest.objects.order_by("user").first()

    class Held:
        """The first lead's row, held by this process until both workers have come to it."""

        def __enter__(self) -> None:
            self.at = transaction.atomic()
            self.at.__enter__()
            LeadDigest.objects.select_for_update().get(pk=first.pk)

        def __exit__(self, *error: Any) -> None:
            self.at.__exit__(*error)

    numbers = both(tmp_path, Held)
    assert sum(numbers) == LEADS
    assert letters(tmp_path) == {lead.email: 1 for lead in leads}
    assert set(LeadDigest.objects.values_list("outcome", "tries")) == {("sent", 1)}
    assert Event.objects.filter(verb="digest_sent").count() == LEADS


def test_what_one_process_has_claimed_the_other_leaves_to_it(leads, tmp_path):
    """A claim that is not old belongs to whoever may be writing the letter at this moment."""
    theirs = LeadDigest.objects.order_by("user").first()
    now = timezone.now()
    LeadDigest.objects.filter(pk=theirs.pk).update(
        period=period_of(theirs.user.digest, now), outcome="claimed", tries=1, tried_at=now
    )
    process = worker(tmp_path)
    try:
        assert line(process) == "ready"
        process.stdin.write("go\n")
        process.stdin.flush()
        assert int(line(process)) == LEADS - 1
    finally:
        process.kill()
        process.communicate()
    assert letters(tmp_path) == {lead.email: 1 for lead in leads[1:]}
    assert LeadDigest.objects.get(pk=theirs.pk).tried_at == now
