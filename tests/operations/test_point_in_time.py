"""Back to a moment by PostgreSQL's own log, by the very lines of ``docs/operations.md``: what came
after is gone, what came before is there, and who was erased since is erased again."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests.servers import programs

pytestmark = [pytest.mark.postgres, pytest.mark.slow]

ROOT = Path(settings.BASE_DIR)
# PostgreSQL refuses to run as root.
OWNER = "nobody"
LATE = """
import django; django.setup()
from annotation.models import User
User.objects.create_user("late@example.org")
"""
BEFORE = """
import django; django.setup()
from django.contrib.sessions.models import Session
from django.utils import timezone
from annotation.models import User
User.objects.create_user("stays@example.org")
User.objects.create_user("asks@example.org")
Session.objects.create(session_key="x", session_data="", expire_date=timezone.now())
"""
ERASED = """
import django; django.setup()
from annotation.models import User
from annotation.services.privacy.erasure import erasure_grant
from annotation.services.privacy.erasure_requests import erasure_request
user = User.objects.get(email="asks@example.org")
request = erasure_request(actor=None, user=user, wish="keep")
erasure_grant(actor=None, request=request, judgments="keep", reason="asked for it")
"""
FOUND = """
import django; django.setup()
from django.contrib.sessions.models import Session
from annotation.models import Event, User
print(*User.objects.filter(erased_at=None).values_list("email", flat=True))
print(User.objects.exclude(erased_at=None).count(), Session.objects.count())
print(Event.objects.filter(verb="database_recovered").count())
"""


def lines_of_docs() -> list[str]:
    """The blocks of commands of that section, in order."""
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    section = text.split("### To a moment (PostgreSQL)")[1].split("\n## ")[0]
    return re.findall(r"```sh\n(.*?)```", section, flags=re.DOTALL)


class Server:
    """A PostgreSQL server of its own, which can be stopped and put back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.admin = f"postgresql://postgres@/postgres?host={folder}"
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("BAREME_", "PG", "DATABASE_", "REDIS_"))
        } | {
            "PATH": os.pathsep.join([str(programs()), os.environ["PATH"]]),
            "PGDATA": str(self.data),
            "SERVER": self.admin,
            "ARCHIVE": str(folder / "archive"),
            "COPY": str(folder / "copy"),
            "DATABASE_URL": f"postgresql://postgres@/bareme?host={folder}",
            "DJANGO_SETTINGS_MODULE": "annotation.config.settings",
            "BAREME_DATA_DIR": str(folder / "files"),
            "BAREME_DEMO": "1",
            "PYTHONPATH": str(ROOT),
        }

    def as_owner(self, script: str, **more: str) -> str:
        """What a shell of the server's user prints for these lines."""
        user: dict[str, Any] = {"user": OWNER, "extra_groups": ()} if os.getuid() == 0 else {}
        return self._run(["bash", "-euo", "pipefail", "-c", script], more, cwd=self.folder, **user)

    def here(self, script: str, **more: str) -> str:
        """The same where Barème is."""
        called = f'manage.py() {{ "{sys.executable}" manage.py "$@"; }}\n'
        return self._run(["bash", "-euo", "pipefail", "-c", called + script], more, cwd=ROOT)

    def python(self, program: str) -> str:
        return self._run([sys.executable, "-c", program], {}, cwd=ROOT)

    def _run(self, command: list[str], more: dict[str, str], **options: Any) -> str:
        # Into a file: a server that is started holds the pipe, and nobody would see its end.
        with tempfile.TemporaryFile("w+") as said:
            done = subprocess.run(
                command,
                env=self.environment | more,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                check=False,
                **options,
            )
            said.seek(0)
            text = said.read()
        assert done.returncode == 0, text
        return text


@pytest.fixture
def server() -> Iterator[Server]:
    # Not pytest's own folder, which only its owner may enter.
    folder = Path(tempfile.mkdtemp(prefix="bareme-"))
    if os.getuid() == 0:
        shutil.chown(folder, OWNER)
    made = Server(folder)
    try:
        made.as_owner("mkdir -m 700 archive && initdb --username postgres --auth trust >initdb.log")
        made.as_owner(
            f"printf \"unix_socket_directories = '{folder}'\\nlisten_addresses = ''\\n\" "
            '>> "$PGDATA/postgresql.conf" && pg_ctl start --wait --log "$PGDATA/log"'
        )
        made.as_owner('createdb --maintenance-db "$SERVER" bareme')
        (folder / "files").mkdir()
        yield made
    finally:
        subprocess.run(
            [programs() / "pg_ctl", "stop", "--mode", "immediate", "--pgdata", made.data],
            check=False,
            capture_output=True,
            user=OWNER if os.getuid() == 0 else None,
        )
        shutil.rmtree(folder)


def test_back_to_a_moment(server: Server) -> None:
    archive, copy, back, after = lines_of_docs()
    server.here("manage.py migrate --verbosity 0")
    server.as_owner(archive)
    server.as_owner(copy)
    server.python(BEFORE)
    moment = server.as_owner('psql "$SERVER" --tuples-only --no-align --command "SELECT now()"')
    server.python(LATE)
    server.python(ERASED)
    assert server.python(FOUND).splitlines()[0] == "stays@example.org late@example.org"
    server.as_owner(back, MOMENT=moment.strip())
    said = server.here(after, MOMENT=moment.strip())
    assert "Erased again, because they were erased after it: 1 account(s)." in said
    assert "No list of erasures" not in said
    assert server.python(FOUND).splitlines() == ["stays@example.org", "1 0", "1"]
    # And it takes judgments again: it is no server that only reads.
    server.python(LATE)
