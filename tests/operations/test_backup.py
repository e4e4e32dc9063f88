"""A backup put back somewhere else is the same installation. Runs on whichever database is
configured."""

from __future__ import annotations

import fcntl
import html
import io
import json
import os
import re
import shutil
import subprocess
import sys
import uuid
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.utils import timezone

from annotation import checks
from annotation.backup import archive, database
from annotation.models import Event, Judgment, User, triggers
from annotation.protocols.registry import CONTENTS
from annotation.selectors.platform.parts import migrations_applied
from tests.bulk import fill_study
from tests.cast import Cast
from tests.composing import installed
from tests.factories import make_assignment, make_study, make_user

pytestmark = pytest.mark.django_db(transaction=True)

# What two installations are compared by, run in a process of its own.
STATE = """
import hashlib, json
import django
django.setup()
from django.apps import apps
from django.conf import settings
from django.db import connection
from annotation.models import Event, Judgment, Study, User, triggers
digests = {}
for model in apps.get_models(include_auto_created=True):
    if model._meta.label in ("sessions.Session", "annotation.Event"):
        continue
    # PostgreSQL answers bytes as a memoryview, whose words are its address, and orders what JSON leaves unordered.
    def told(value):
        if isinstance(value, (bytes, memoryview)):
            return bytes(value).hex()
        return json.dumps(value, sort_keys=True) if isinstance(value, (dict, list)) else str(value)
    rows = [[told(value) for value in row] for row in model._base_manager.order_by("pk").values_list()]
    digests[model._meta.label] = [len(rows), hashlib.sha256(json.dumps(rows).encode()).hexdigest()]
state = {
    "rows": digests,
    "judged_at": [at.isoformat() for at in Judgment.objects.order_by("pk").values_list("submitted_at", flat=True)[:3]],
    "missing": sorted(triggers.missing(connection)),
    "files": {name: (settings.DATA_DIR / name).read_text() for name in ("snapshots/a/x.csv", "files/b.txt")},
    "verbs": sorted(Event.objects.values_list("verb", flat=True).distinct()),
}
state["next"] = Study.objects.create(key="next", title="Next").pk
print(json.dumps(state))
"""  # noqa: E501


@pytest.fixture
def filled(alone: None) -> int:
    """An installation with judgments, people, files and a session; how many judgments."""
    study = make_study("alpha", lead=make_user("lead"))
    # Its rules are made in no migration.
    installed(make_user("composes"))
    make_study("clear", protocol_key="clarity")
    count = fill_study(study, pairs=6, annotators=2)
    Judgment.objects.filter(submitted_at__isnull=False).update(active_seconds=61)
    Session.objects.create(session_key="k" * 32, session_data="", expire_date=timezone.now())
    for name in ("snapshots/a/x.csv", "files/b.txt", "cache/agreement/c.json", "exports/d.csv"):
        path = settings.DATA_DIR / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Ce que contient {name}.", encoding="utf-8")
    return count


@pytest.fixture
def backup(filled: int, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("backups") / "one.zip"
    call_command("backup", output=str(path), stdout=io.StringIO())
    return path


Elsewhere = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def elsewhere(
    child_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Elsewhere]]:
    """Another machine: a data folder and a database of its own, on which commands run as
    processes."""
    made: list[str] = []

    def machine(vendor: str = connection.vendor) -> Elsewhere:
        folder = tmp_path_factory.mktemp("elsewhere")
        environment = child_environment | {
            "BAREME_DATA_DIR": str(folder),
            "PYTHONPATH": str(Path.cwd()),
        }
        environment["DJANGO_SETTINGS_MODULE"] = "annotation.config.settings"
        if vendor == "postgresql":
            name = f"restored_{uuid.uuid4().hex[:12]}"
            with connection.cursor() as cursor:
                cursor.execute(f"CREATE DATABASE {name}")
            made.append(name)
            own = str(connection.settings_dict["NAME"])
            environment["DATABASE_URL"] = re.sub(
                rf"/{re.escape(own)}(?=\?|$)", f"/{name}", environment["DATABASE_URL"]
            )
        else:
            environment["DATABASE_URL"] = f"sqlite:///{folder / 'other.sqlite3'}"

        def run(*arguments: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
            command = [sys.executable, *arguments]
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False
            )
            assert not ok or done.returncode == 0, done.stderr
            return done

        return run

    yield machine
    with connection.cursor() as cursor:
        for name in made:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def state_here(environment: dict[str, str]) -> dict[str, Any]:
    own = environment | {
        "DJANGO_SETTINGS_MODULE": "annotation.config.settings",
        "PYTHONPATH": str(Path.cwd()),
    }
    done = subprocess.run(
        [sys.executable, "-c", STATE], env=own, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    state: dict[str, Any] = json.loads(done.stdout)
    return state


def same(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert after["rows"] == before["rows"]
    assert after["judged_at"] == before["judged_at"]
    assert after["files"] == before["files"]
    assert after["missing"] == []
    assert after["next"] >= before["next"], (
        "a number that a restored row has is not given out again"
    )
    assert "backup_restored" in after["verbs"]


class TestRehearsal:
    def test_another_machine_becomes_the_same(self, backup, elsewhere, child_environment, filled):
        machine = elsewhere()
        done = machine("manage.py", "restore", str(backup))
        assert "2 files" in done.stdout
        assert "not installed here" not in done.stderr
        after = json.loads(machine("-c", STATE).stdout)
        same(state_here(child_environment), after)
        assert after["rows"]["annotation.Judgment"][0] == filled
        sessions = (
            "import django; django.setup(); from django.contrib.sessions.models import Session "
            "as S; "
        )
        assert machine("-c", sessions + "print(S.objects.count())").stdout == "0\n", (
            "everybody logs in anew"
        )

    def test_a_portable_backup_gives_every_row_as_it_was(
        self, filled, elsewhere, child_environment, tmp_path_factory
    ):
        path = tmp_path_factory.mktemp("backups") / "portable.zip"
        make_study("own", protocol_key="plain", protocol_version="2.0")
        call_command("backup", output=str(path), portable=True, stdout=io.StringIO())
        machine = elsewhere()
        errors = machine("manage.py", "restore", str(path)).stderr
        assert "follow protocols that are not installed here: plain 2.0." in errors
        same(state_here(child_environment), json.loads(machine("-c", STATE).stdout))

    def test_a_protocols_file_that_differs_there_is_named_and_stops_nothing(
        self, filled, elsewhere, child_environment, tmp_path_factory
    ):
        folder = tmp_path_factory.mktemp("protocols")
        study = make_study("own", protocol_key="bracketed", protocol_version="1")
        Judgment.objects.create(assignment=make_assignment(study), protocol="bracketed 1")
        call_command("backup", output=str(folder / "b.zip"), portable=True, stdout=io.StringIO())
        other = CONTENTS["bracketed", "1"].replace("Une fourchette", "Un palier")
        (folder / "bracketed.json").write_text(other, encoding="utf-8")
        child_environment["BAREME_PROTOCOLS"] = str(folder / "bracketed.json")
        machine = elsewhere()
        errors = machine("manage.py", "restore", str(folder / "b.zip")).stderr
        assert "otherwise than when they did (first at title.fr)" in errors
        state = json.loads(machine("-c", STATE).stdout)
        assert (state["missing"], "backup_restored" in state["verbs"]) == ([], True)
        refused = machine("manage.py", "migrate", ok=False)
        assert (refused.returncode, "is never edited" in refused.stderr) == (1, True)

    @pytest.mark.postgres
    @pytest.mark.parametrize(
        ("source", "target"), [("sqlite", "postgresql"), ("postgresql", "sqlite")]
    )
    def test_portable_goes_from_one_kind_to_the_other(
        self, backup, elsewhere, tmp_path_factory, source, target
    ):
        first, second = elsewhere(source), elsewhere(target)
        portable = tmp_path_factory.mktemp("backups")
        call_command("backup", output=str(portable / "a.zip"), portable=True, stdout=io.StringIO())
        first("manage.py", "restore", str(portable / "a.zip"))
        first("manage.py", "backup", "--portable", "--output", str(portable / "b.zip"))
        second("manage.py", "restore", str(portable / "b.zip"))
        same(json.loads(first("-c", STATE).stdout), json.loads(second("-c", STATE).stdout))

    def test_over_an_installation_with_replace_only(self, backup, elsewhere):
        machine = elsewhere()
        machine("manage.py", "restore", str(backup))
        refused = machine("manage.py", "restore", str(backup), ok=False)
        assert refused.returncode == 1
        assert "--replace" in refused.stderr
        machine("manage.py", "restore", str(backup), "--replace")
        assert json.loads(machine("-c", STATE).stdout)["missing"] == []


class TestBackup:
    def test_it_holds_what_cannot_be_made_again_and_says_so(self, backup):
        with archive.opened(backup) as (_zip, manifest):
            names = set(manifest["files"])
        assert names == {database.NAMES[manifest["kind"]], "snapshots/a/x.csv", "files/b.txt"}
        event = Event.objects.get(verb="backup_made")
        assert event.details["files"] == 2
        assert event.details["bytes"] == backup.stat().st_size

    def test_only_its_owner_may_read_it(self, backup):
        assert backup.stat().st_mode & 0o077 == 0

    def test_a_folder_gets_a_file_named_after_the_moment(self, filled, tmp_path_factory):
        folder = tmp_path_factory.mktemp("backups")
        call_command("backup", output=str(folder), stdout=io.StringIO())
        assert [path.suffix for path in folder.iterdir()] == [".zip"]

    def test_it_is_said_where_it_lies(self, filled, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        out = io.StringIO()
        call_command("backup", output="here.zip", stdout=out)
        assert out.getvalue().startswith(f"{tmp_path / 'here.zip'}: ")

    def test_what_is_no_backup_is_not_lost_to_one(self, filled, tmp_path):
        precious = tmp_path / "p.txt"
        precious.write_text("precious")
        with zipfile.ZipFile(tmp_path / "foreign.zip", "w") as foreign:
            foreign.writestr("manifest.json", "{}")
        os.mkfifo(tmp_path / "pipe.zip")
        for name in ("p.txt", "foreign.zip", "pipe.zip"):
            with pytest.raises(CommandError, match=rf"{name} exists already and is no backup"):
                call_command("backup", output=str(tmp_path / name))
        assert precious.read_text() == "precious"
        assert (tmp_path / "pipe.zip").is_fifo()

    def test_an_earlier_backup_and_an_empty_file_are_replaced(self, filled, tmp_path):
        path = tmp_path / "made-by-mktemp"
        path.touch()
        for _night in range(2):
            before = path.read_bytes()
            call_command("backup", output=str(path), stdout=io.StringIO())
            assert before != path.read_bytes()

    def test_a_folder_that_is_not_there_does_not_become_a_file(self, filled, tmp_path):
        folder = tmp_path / "backups"
        with pytest.raises(CommandError, match=r"no folder .*/backups\. Make it first"):
            call_command("backup", output=str(folder))
        assert not folder.exists()

    def test_not_among_the_files_that_it_holds(self, filled):
        with pytest.raises(CommandError, match="another place"):
            call_command("backup", output=str(settings.DATA_DIR / "files" / "x.zip"))

    def test_a_failure_leaves_nothing_half_done(self, filled, tmp_path_factory, monkeypatch):
        folder = tmp_path_factory.mktemp("backups")

        def fail(*_: object) -> None:
            raise OSError("No space left on device")

        monkeypatch.setattr(archive.Writer, "add", fail)
        with pytest.raises(CommandError, match="No space"):
            call_command("backup", output=str(folder / "x.zip"))
        assert list(folder.iterdir()) == []
        assert not Event.objects.filter(verb="backup_made").exists()

    def test_a_file_that_goes_in_the_meantime_is_left_out(
        self, filled, tmp_path_factory, monkeypatch
    ):
        gone = settings.DATA_DIR / "files" / "gone.txt"
        entries = [*archive.files_under(settings.DATA_DIR), ("files/gone.txt", gone)]
        monkeypatch.setattr(archive, "files_under", lambda _: iter(entries))
        path = tmp_path_factory.mktemp("backups") / "x.zip"
        call_command("backup", output=str(path), stdout=io.StringIO())
        with archive.opened(path) as (_zip, manifest):
            assert "files/gone.txt" not in manifest["files"]

    def test_a_link_leads_nowhere(self, filled, tmp_path):
        (settings.DATA_DIR / "files" / "link").symlink_to("/etc/hostname")
        assert "files/link" not in dict(archive.files_under(settings.DATA_DIR))

    def test_what_is_half_written_is_left_out(self, filled):
        for name in ("snapshots/.0a.part/items.jsonl", "releases/.a-1.zip.0a.zip.part"):
            path = settings.DATA_DIR / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        assert [name for name, _ in archive.files_under(settings.DATA_DIR) if ".part" in name] == []

    def test_every_folder_of_the_code_is_kept_or_made_again(self):
        """A new folder under the data folder has to be decided on."""
        source = "\n".join(
            path.read_text(encoding="utf-8")
            for top in ("annotation", "workers", "api")
            for path in (Path(settings.BASE_DIR) / top).rglob("*.py")
        )
        used = set(re.findall(r'DATA_DIR\)? / "([a-z-]+)"', source))
        # Finished files that other machines need have their names in annotation/sharing.py.
        publishing = Path(settings.BASE_DIR) / "annotation/services/publishing"
        shared = [path.read_text(encoding="utf-8") for path in publishing.glob("*.py")]
        used |= {
            name for text in shared for name in re.findall(r'^_FOLDER = "(.+)"', text, re.MULTILINE)
        }
        made_again = {
            "exports",
            "cache",
            "backups",
            "static",
            "celerybeat-schedule",
            "metrics",
            "workers",
            "postgresql",
            "reading",
        }
        assert used - made_again - set(archive.FOLDERS) == set()
        assert set(archive.FOLDERS) <= used


def rewritten(source: Path, change: Callable[[dict[str, bytes], dict[str, Any]], None]) -> Path:
    """A copy whose content and manifest were changed."""
    with zipfile.ZipFile(source) as old:
        content = {name: old.read(name) for name in old.namelist()}
    manifest = json.loads(content.pop(archive.MANIFEST))
    change(content, manifest)
    path = source.with_name("changed.zip")
    with zipfile.ZipFile(path, "w") as new:
        for name, data in content.items():
            new.writestr(name, data)
        new.writestr(archive.MANIFEST, json.dumps(manifest))
    return path


def planted(name: str) -> Callable[[dict[str, bytes], dict[str, Any]], None]:
    """A file of this name, its digest right."""

    def change(content: dict[str, bytes], manifest: dict[str, Any]) -> None:
        content[name] = b"x"
        digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
        manifest["files"][name] = {"sha256": digest, "bytes": 1}

    return change


def damaged(content: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    content["files/b.txt"] = b"other"


def of_another_format(_content: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["format"] = 99


def of_a_later_version(_content: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["migrations"].append("annotation.9999_later")


def of_no_kind(_content: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["kind"] = "oracle"


def without_a_list(_content: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["files"] = []


def without_digests(_content: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["files"] = dict.fromkeys(manifest["files"], "x")


def without_a_database(content: dict[str, bytes], manifest: dict[str, Any]) -> None:
    name = database.NAMES[manifest["kind"]]
    del content[name], manifest["files"][name]


def portable_of_an_earlier_version(_content: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["kind"] = "portable"
    manifest["migrations"] = manifest["migrations"][:-1]


def with_an_unlisted_file(content: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    content["files/unlisted"] = b"x"


def of_the_other_kind(_content: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["kind"] = "postgresql" if manifest["kind"] == "sqlite" else "sqlite"


LEFT = ("serve.lock", "backup.lock", "demo-secret-key")


def files() -> list[str]:
    """Everything in the data folder but what each command leaves there."""
    paths = [path for path in settings.DATA_DIR.rglob("*") if path.is_file()]
    return [str(path) for path in paths if path.name not in LEFT]


CHANGES: list[tuple[Callable[[dict[str, bytes], dict[str, Any]], None], str]] = [
    (damaged, "damaged"),
    (of_another_format, "format"),
    (of_a_later_version, "later version"),
    (of_no_kind, "kind"),
    (without_a_list, "not one that Barème writes"),
    (without_digests, "not one that Barème writes"),
    (without_a_database, "no database"),
    (portable_of_an_earlier_version, "by the version that made it"),
    (of_the_other_kind, "another kind of database"),
    (planted("files/../../outside"), "belongs in none"),
    (planted("/etc/outside"), "belongs in none"),
    (planted("../outside"), "belongs in none"),
    (planted("static/js/platform/site.js"), "belongs in none"),
    (planted("files\\..\\outside"), "belongs in none"),
    (planted("files"), "belongs in none"),
    (with_an_unlisted_file, "its manifest lists"),
]


class TestRefusals:
    @pytest.fixture(autouse=True)
    def _nothing_is_touched(self, backup: Path) -> Iterator[None]:
        before = (Judgment.objects.count(), sorted(files()))
        yield
        assert Judgment.objects.count() == before[0]
        assert sorted(files()) == before[1]
        assert (settings.DATA_DIR / "files" / "b.txt").read_text() == "Ce que contient files/b.txt."
        assert Session.objects.count() == 1
        assert not triggers.missing(connection)

    def test_what_is_not_a_whole_backup_of_this_version(self, backup):
        for change, said in CHANGES:
            with pytest.raises(CommandError, match=said):
                call_command("restore", str(rewritten(backup, change)), replace=True)

    def test_a_file_that_was_cut_short(self, backup):
        cut = backup.with_name("cut.zip")
        for share in (0.2, 0.6, 0.99):
            cut.write_bytes(backup.read_bytes()[: int(backup.stat().st_size * share)])
            with pytest.raises(CommandError, match="cannot be read"):
                call_command("restore", str(cut), replace=True)

    def test_every_flipped_bit_that_matters_is_seen(self, backup):
        whole = backup.read_bytes()
        flipped = backup.with_name("flipped.zip")
        for at in range(100, len(whole), len(whole) // 25):
            flipped.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
            try:
                with archive.opened(flipped) as (_zip, manifest):
                    names = set(manifest["files"])
            except archive.BackupError:
                continue
            # A bit in a time of day or another field that nothing reads.
            assert "files/b.txt" in names

    def test_a_foreign_file(self, backup):
        other = backup.with_name("other.zip")
        for content in (b"", b"not a zip", b"PK\x05\x06" + bytes(18)):
            other.write_bytes(content)
            with pytest.raises(CommandError, match=r"cannot be read|no manifest"):
                call_command("restore", str(other), replace=True)

    def test_no_file(self, backup):
        with pytest.raises(CommandError, match="cannot be read"):
            call_command("restore", str(backup.with_name("none.zip")))

    def test_a_database_with_people_needs_replace(self, backup):
        with pytest.raises(CommandError, match="--replace"):
            call_command("restore", str(backup))

    def test_a_server_that_runs_on_this_folder(self, backup):
        with (settings.DATA_DIR / "serve.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with pytest.raises(CommandError, match="running"):
                call_command("restore", str(backup), replace=True)

    @pytest.mark.postgres
    def test_a_database_that_others_use(self, backup, child_environment):
        """A server or a worker on another machine."""
        command = [sys.executable, "manage.py", "restore", str(backup), "--replace"]
        done = subprocess.run(
            command, env=child_environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert "in use" in done.stderr

    def test_a_sqlite_database_that_is_none(self, backup, tmp_path_factory):
        path = tmp_path_factory.mktemp("other") / "database.sqlite3"
        path.write_bytes(b"SQLite format 3\x00" + bytes(4096))
        with pytest.raises(archive.BackupError, match="own check"):
            database._load_sqlite(path)


@pytest.mark.postgres
class TestPostgresql:
    def test_without_its_tools_a_backup_is_portable(self, filled, tmp_path_factory, monkeypatch):
        monkeypatch.setattr(shutil, "which", lambda _name: None)
        path = tmp_path_factory.mktemp("backups") / "x.zip"
        errors = io.StringIO()
        call_command("backup", output=str(path), stdout=io.StringIO(), stderr=errors)
        with archive.opened(path) as (_zip, manifest):
            assert manifest["kind"] == "portable"
        reason = "There is no pg_dump or no pg_restore here. Install PostgreSQL's client programs"
        assert "only this version of Barème can restore" in errors.getvalue()
        assert reason in errors.getvalue()
        assert Event.objects.get(verb="backup_made").details["reason"].startswith(reason)

    def test_with_an_older_pg_dump_too_and_it_is_said_beforehand(
        self, tmp_path, monkeypatch, cast: Cast
    ):
        for name in ("pg_dump", "pg_restore"):
            program = tmp_path / "bin" / name
            program.parent.mkdir(exist_ok=True)
            program.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 13.6 (Debian 13.6-1)'\n")
            program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
        reason = "pg_dump here is version 13, and the server is version"
        [warning] = checks.backups()
        assert warning.id == "bareme.W005"
        assert reason in warning.msg
        assert str(warning.hint).startswith("Install PostgreSQL's client programs, version")
        errors = io.StringIO()
        call_command("backup", output=str(tmp_path / "x.zip"), stdout=io.StringIO(), stderr=errors)
        assert reason in errors.getvalue()
        page = html.unescape(cast.client("admin").get("/system/").content.decode())
        assert "seule la version de Barème qui l'a faite" in page
        assert reason in page

    def test_one_that_is_asked_for_gives_no_reason(self, tmp_path):
        errors = io.StringIO()
        path = str(tmp_path / "x.zip")
        call_command("backup", output=path, portable=True, stdout=io.StringIO(), stderr=errors)
        assert errors.getvalue() == ""
        assert "reason" not in Event.objects.get(verb="backup_made").details

    def test_a_restore_needs_its_tools(self, monkeypatch):
        monkeypatch.setattr(shutil, "which", lambda _name: None)
        with pytest.raises(archive.BackupError, match="pg_restore"):
            database.refuse_misfit(database.POSTGRESQL, migrations_applied())

    def test_a_restored_database_has_counted_its_rows(self, backup, elsewhere):
        """Until it does so by itself it plans as if all tables were empty."""
        if not shutil.which("pg_restore"):
            pytest.skip("PostgreSQL's client programs are not here")
        machine = elsewhere()
        machine("manage.py", "restore", str(backup))
        program = (
            "import django; django.setup()\n"
            "from django.db import connection\n"
            "with connection.cursor() as cursor:\n"
            '    cursor.execute("SELECT count(*) FROM pg_stats WHERE tablename = %s", '
            "['annotation_judgment'])\n"
            "    print(cursor.fetchone()[0] > 0)\n"
        )
        assert machine("-c", program).stdout.strip() == "True"

    def test_a_failing_restore_leaves_the_old_rows(self, backup, elsewhere, tmp_path_factory):
        """The dump is readable, and a statement in it fails: nothing was dropped."""
        if not shutil.which("pg_restore"):
            pytest.skip("PostgreSQL's client programs are not here")
        machine = elsewhere()
        machine("manage.py", "restore", str(backup))
        program = (
            "import django; django.setup()\n"
            "from pathlib import Path; import sys\n"
            "from annotation.backup import database\n"
            "from annotation.models import Judgment\n"
            "real = database._postgresql_tool\n"
            "def broken(tool, *arguments):\n"
            "    real(tool, *arguments)\n"
            "    if tool == 'pg_restore':\n"
            "        script = next(Path(a[7:]) for a in arguments if a.startswith('--file='))\n"
            "        script.write_text(script.read_text() + '\\nSELECT 1/0;\\n')\n"
            "database._postgresql_tool = broken\n"
            "try:\n"
            "    database.load('postgresql', Path(sys.argv[1]))\n"
            "except database.BackupError as error:\n"
            "    print('refused', Judgment.objects.count())\n"
        )
        with archive.opened(backup) as (opened, manifest):
            assert manifest["kind"] == "postgresql"
            dump = tmp_path_factory.mktemp("dump") / "database.pgdump"
            archive.extract(opened, dump.name, dump)
        assert machine("-c", program, str(dump)).stdout == "refused 12\n"


def test_an_empty_database_is_nobodys_loss():
    assert database.is_empty()
    User.objects.create_user("somebody@example.org")
    assert not database.is_empty()


def test_of_an_empty_database_there_is_no_backup(elsewhere, tmp_path):
    """A crontab without the server's settings: each night left a file of nothing, called as a
    backup is."""
    refused = elsewhere()("manage.py", "backup", "--output", str(tmp_path), ok=False)
    assert refused.returncode == 1
    assert "nothing to back up" in refused.stderr
    assert not list(tmp_path.iterdir())
