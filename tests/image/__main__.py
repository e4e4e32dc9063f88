"""``python -m tests.image``: build, bring up, use, upgrade under load, restore, take down."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import platform
import secrets
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.faults_asked import PREPARE
from tests.image.bases import bases_make
from tests.image.engine import Podman, run, size_megabytes, told
from tests.image.hosts import SECONDS, Dying, bucket_start, hosts_of
from tests.image.people import Annotator, Asked, Connection, together
from tests.image.services import PREFIX, Services, log_where_it_fails, waits_seen

ROOT = Path(__file__).resolve().parent.parent.parent
HOST = "bareme.localhost"
IMAGE = "localhost/bareme:image-test"
ANNOTATORS, PAIRS = 6, 2000
EMAIL, PASSWORD = "admin@example.org", "une phrase de passe assez longue"
_ORDER = (
    "postgres",
    "redis",
    "web",
    "web-second",
    "proxy",
    "worker-default",
    "worker-llm",
    "worker-training",
    "beat",
)
# What the next version might bring: a column that may be empty.
_MIGRATION = """
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("annotation", "{last}")]
    operations = [
        migrations.RunSQL(
            "ALTER TABLE annotation_study ADD COLUMN image_test text NULL", migrations.RunSQL.noop
        )
    ]
"""
_FAKE = """
from http.server import ThreadingHTTPServer
from tests import fake_openai
fake = fake_openai.FakeOpenAI()
ThreadingHTTPServer(("0.0.0.0", 8080), fake_openai._handler(fake)).serve_forever()
"""


_COUNT = """
import django
django.setup()
from annotation.models import Judgment
people = Judgment.objects.filter(assignment__annotator__user__isnull=False)
print(people.filter(submitted_at__isnull=False).count())
"""
_LEAD = """
import django
django.setup()
from annotation.models import ApiToken, Lead, Study, User
from annotation.services.accounts.tokens import token_create
user = User.objects.create_user("lead@example.org")
Lead.objects.create(study=Study.objects.get(key="storm"), user=user)
print(token_create(actor=user, name="t", scopes=ApiToken.Scope.values, days=1)[1])
"""


@dataclass
class State:
    """What a later run needs of one that was kept."""

    tokens: list[str] = field(default_factory=list)
    # How far each annotator is.
    positions: list[int] = field(default_factory=lambda: [0] * ANNOTATORS)
    backup: str = ""
    backup_holds: int = 0

    @classmethod
    def read(cls, folder: Path) -> State:
        return cls(**json.loads((folder / "state.json").read_text(encoding="utf-8")))

    def write(self, folder: Path) -> None:
        (folder / "state.json").write_text(json.dumps(asdict(self)), encoding="utf-8")


class Story:
    """Each step with what it came to, for whoever reads docs/operations.md."""

    def __init__(self, folder: Path, work: Path, *, apart: bool, kept: bool = False) -> None:
        self.steps: list[tuple[str, str]] = []
        self.state = State.read(folder) if kept else State()
        self.podman = Podman(work)
        _prepare(folder, kept=kept)
        self.folder, self.work = folder, work
        settings = {"BAREME_HOST": HOST, "BAREME_VERSION": "image-test"}
        self.services = Services(self.podman, folder, settings)
        for name, image in self.services.image.items():
            ours = image.startswith("bareme:")
            self.services.image[name] = IMAGE if ours else f"docker.io/library/{image}"
        self.apart = apart
        if apart:
            hosts_of(self.services)
        self.order = (*_ORDER, *(SECONDS.values() if apart else ()))

    def steps_of(self, hosts: bool) -> list[Callable[[], None]]:
        """What is done, in order."""
        begin = [self.build, self.up, self.people, self.judged]
        if hosts:
            return [*begin, self.hosts, self.down]
        rest = [self.models, self.exported, self.backed_up, self.restored, self.upgraded, self.down]
        return [*begin, *rest]

    def note(self, what: str, result: str) -> None:
        self.steps.append((what, result))
        told(f"{what}: {result}")

    def build(self) -> None:
        images = self.services.image
        stand_ins = bases_make(
            self.work,
            {
                "python": "docker.io/library/python:3.11-slim-trixie",
                "postgres": images["postgres"],
                "redis": images["redis"],
                "caddy": images["proxy"],
            },
        )
        begun = time.monotonic()
        run(
            "buildah",
            "bud",
            "--isolation",
            "chroot",
            "--network",
            "host",
            "--layers",
            "--tag",
            IMAGE,
            ROOT,
        )
        base = size_megabytes("docker.io/library/python:3.11-slim-trixie")
        whole = size_megabytes(IMAGE)
        self.note(
            "image built from the Dockerfile as it is",
            f"{time.monotonic() - begun:.0f} s, {whole} MB, {whole - base} of them over its base",
        )
        self.note(
            "stand-ins, made of Debian's packages, since no registry was reached"
            if stand_ins
            else "images pulled",
            ", ".join(stand_ins) or "all",
        )

    def up(self) -> None:
        self.services.remove_everything()
        self.services.networks_make()
        begun = time.monotonic()
        for name in ("postgres", "redis"):
            self.services.up(name)
        self.services.once("migrate", "python", "manage.py", "migrate")
        if self.apart:
            bucket_start(self.podman, self.services.image["web"])
        for name in self.order[2:]:
            self.services.up(name)
        self.note("up from nothing, every health check passed", f"{time.monotonic() - begun:.0f} s")
        self.podman(
            "run",
            "--detach",
            "--name",
            f"{PREFIX}-fake",
            f"--network={PREFIX}-outside:alias=fake",
            f"--volume={ROOT}/tests:/fake/tests:ro",
            "--workdir=/fake",
            self.services.image["web"],
            "python",
            "-c",
            _FAKE,
        )

    def people(self) -> None:
        person = Connection(self.services.address("proxy"), HOST)
        _through(person, "/livez", 200)
        for path in ("/readyz", "/metrics"):
            _through(person, path, 404)
        self.services.manage("create_admin", EMAIL, "--password", stdin=f"{PASSWORD}\n")
        status, headers, _page = person.form(
            "/account/login/", {"username": EMAIL, "password": PASSWORD}
        )
        if status != http.client.FOUND:
            raise RuntimeError(f"log-in through the proxy: {status}")
        _through(person, headers["Location"], 200)
        self.note("admin made, logged in through the proxy by TLS", "done")
        made = self.podman(
            "exec", f"{PREFIX}-web", "python", "-c", PREPARE, str(ANNOTATORS), str(PAIRS)
        )
        self.state.tokens = json.loads(made.splitlines()[-1])

    def models(self) -> None:
        said = self.services.manage(
            "generate",
            "storm",
            "--wait",
            "--price",
            "1",
            "1",
            "--ceiling",
            "50",
            service="worker-llm",
        )
        self.note("models asked (the fake service)", said.splitlines()[-1])

    def judged(self, seconds: float = 10) -> None:
        tally = self._while(lambda: time.sleep(seconds))
        self.note(f"{ANNOTATORS} people judge through the proxy for {seconds:.0f} s", _words(tally))

    def exported(self) -> None:
        begun = time.monotonic()
        lead = Connection(self.services.address("proxy"), HOST)
        token = self._lead_token()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        _status, _, body = lead.ask(
            "POST",
            "/api/v1/studies/storm/exports/",
            json.dumps({"layout": "long", "format": "csv"}).encode(),
            headers,
        )
        job = json.loads(body)
        address = f"/api/v1/studies/storm/exports/{job['id']}/"
        while job["state"] not in ("done", "failed"):
            time.sleep(0.2)
            job = json.loads(lead.ask("GET", address, headers=headers)[2])
        status, _, content = lead.ask(
            "GET", f"{address}file/", headers={"Authorization": f"Bearer {token}"}
        )
        if (job["state"], status, len(content)) != ("done", 200, job["size"]):
            raise RuntimeError(f"export: {job} {status} {len(content)}")
        self.note(
            "export written by the worker, fetched through the proxy",
            f"{len(content):,} bytes, {time.monotonic() - begun:.1f} s",
        )

    def backed_up(self) -> None:
        said = self.services.manage("backup", "--output", "/backups")
        self.state.backup = said.split(":", 1)[0]
        self.note("backup", said.split(": ", 1)[1])
        verified = self.services.manage("verify_backup", self.state.backup)
        self.note("verify_backup", verified.splitlines()[0])
        self.state.backup_holds = self._count()
        self.state.write(self.folder)

    def restored(self) -> None:
        """What came after the backup is thrown away."""
        positions = self.state.positions.copy()
        self._while(lambda: time.sleep(3))
        ours = [service for service in _ORDER if service.startswith(("web", "worker", "beat"))]
        for service in ours:
            self.services.down(service)
        begun = time.monotonic()
        restore = ("python", "manage.py", "restore", self.state.backup, "--replace")
        self.services.once("web", *restore)
        for service in ours:
            self.services.up(service)
        if (count := self._count()) != self.state.backup_holds:
            raise RuntimeError(f"restored {count} judgments of {self.state.backup_holds}")
        self.state.positions = positions
        self.note(
            "restore in place of what came after it",
            f"{count} judgments, {time.monotonic() - begun:.0f} s with the start of everything",
        )

    def upgraded(self) -> None:
        """The next version, with one more migration, while people judge."""
        v2 = _next_version(self.services.image["web"])
        before = self._count()
        took: dict[str, float] = {}

        def replace() -> None:
            for name in (
                "migrate",
                "web",
                "web-second",
                "worker-default",
                "worker-llm",
                "worker-training",
                "beat",
            ):
                self.services.image[name] = v2
            self.services.once("migrate", "python", "manage.py", "migrate")
            for name in ("web", "web-second"):
                begun = time.monotonic()
                self.services.down(name)
                self.services.up(name)
                # The proxy asks every other second who is well.
                time.sleep(5)
                took[name] = time.monotonic() - begun - 5
            for name in ("worker-default", "worker-llm", "worker-training", "beat"):
                self.services.down(name)
                self.services.up(name)

        waits = self.folder / "waits.txt"
        with waits_seen(self.services, waits):
            tally = self._while(replace)
        stored = self._count() - before
        self.note(
            "upgrade with a migration while they judge: each web service stopped and started",
            ", ".join(f"{name} {seconds:.1f} s" for name, seconds in took.items()),
        )
        self.note("requests meanwhile, none sent twice", _words(tally))
        told("\n".join(tally.slow))
        self.note("acknowledged judgments that are stored", f"{stored} of {tally.acknowledged}")
        if tally.failed or stored < tally.acknowledged:
            told(waits.read_text(encoding="utf-8")[-5000:])
            raise RuntimeError("\n".join(tally.failed[:10]) or "acknowledged judgments are missing")

    def hosts(self) -> None:
        """Hosts that share no folder, and die."""
        dying = Dying(self.services, self._lead_token(), HOST)
        self.note("an export, written by a worker host", dying.files_from_both())
        self.note("backup", dying.backup_made())
        self.note("two clocks", dying.clock_dies())
        self.note("two workers of files, the first killed", dying.worker_dies())
        before = self._count()
        tally = self._while(self._kill_a_web_host)
        stored = self._count("web-second") - before
        self.note("a web host killed while people judge", _words(tally))
        self.note("acknowledged judgments that are stored", f"{stored} of {tally.acknowledged}")
        # What was under way in it is gone, and nothing else: one request of each person at most.
        if len(tally.failed) > ANNOTATORS or stored < tally.acknowledged:
            raise RuntimeError("\n".join(tally.failed[:10]) or "judgments are missing")

    def _kill_a_web_host(self) -> None:
        time.sleep(3)
        self.podman("kill", "--signal", "KILL", f"{PREFIX}-web")
        time.sleep(10)

    def down(self) -> None:
        took = {name: self.services.down(name) for name in reversed(self.order)}
        longest = max(took, key=lambda name: took[name])
        self.services.remove_everything()
        self.note(
            "down",
            f"{sum(took.values()):.0f} s, the longest {longest} {took[longest]:.1f} s",
        )

    def _while(self, act: Callable[[], object]) -> Asked:
        stop = threading.Event()
        address = self.services.address("proxy")
        people = [
            Annotator(n, token, Connection(address, HOST), stop)
            for n, token in enumerate(self.state.tokens)
        ]
        for person in people:
            person.position = self.state.positions[person.number]
            person.start()
        try:
            act()
        finally:
            stop.set()
            for person in people:
                person.join(90)
                self.state.positions[person.number] = person.position
        return together(people)

    def _count(self, service: str = "web") -> int:
        return int(self._asked(_COUNT, service))

    def _lead_token(self) -> str:
        return self._asked(_LEAD)

    def _asked(self, program: str, service: str = "web") -> str:
        """The last line of what a program in a container prints."""
        said = self.podman("exec", f"{PREFIX}-{service}", "python", "-c", program)
        return said.splitlines()[-1]


def _words(tally: Asked) -> str:
    return (
        f"{tally.requests:,} requests, {len(tally.failed)} failed, {tally.acknowledged:,} "
        f"judgments acknowledged, the longest request {tally.longest:.1f} s"
    )


def _through(person: Connection, path: str, wanted: int) -> None:
    status, _headers, _content = person.ask("GET", path)
    if status != wanted:
        raise RuntimeError(f"{path} through the proxy: {status}, not {wanted}")


def _prepare(folder: Path, *, kept: bool) -> None:
    """The folder that docs/operations.md describes: compose file, proxy's file, secrets (those of
    one that was kept stay)."""
    for name in ("docker-compose.yml", "Caddyfile"):
        shutil.copy(ROOT / name, folder / name)
    if kept:
        return
    place = folder / "secrets"
    place.mkdir(mode=0o755)
    new = {
        name: secrets.token_hex(32)
        for name in ("secret_key", "metrics_token", "postgres_password", "redis_password")
    }
    new["database_url"] = f"postgres://bareme:{new['postgres_password']}@postgres:5432/bareme"
    new["redis_url"] = f"redis://:{new['redis_password']}@redis:6379/0"
    new |= {"openai_api_key": "sk-test-never-to-be-seen-0123456789", "email_password": ""}
    for name, value in new.items():
        (place / name).write_text(value)
        (place / name).chmod(0o444)
    (folder / "bareme.env").write_text(
        "OPENAI_BASE_URL=http://fake:8080/v1\nBAREME_API_REQUESTS_PER_MINUTE=1000000\n"
    )


def _next_version(image: str) -> str:
    """The same image with one more migration."""
    last = max(path.stem for path in (ROOT / "annotation/migrations").glob("0*.py"))
    name = f"{int(last[:4]) + 1:04}_image_test.py"
    container = run("buildah", "from", image)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_text(_MIGRATION.format(last=last))
        path.chmod(0o644)
        run("buildah", "copy", container, path, f"/app/annotation/migrations/{name}")
    v2 = "localhost/bareme:image-test-next"
    run("buildah", "commit", "--quiet", container, v2)
    run("buildah", "rm", container)
    return v2


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.image", description=__doc__)
    parser.add_argument(
        "--work",
        type=Path,
        default=ROOT / "var" / "image-test",
        help="where stand-ins are kept for the next time",
    )
    parser.add_argument(
        "--keep", action="store_true", help="leave everything running, to look at it"
    )
    parser.add_argument(
        "--again", action="store_true", help="from the restore on, over what was kept, and keep it"
    )
    parser.add_argument(
        "--hosts", action="store_true", help="hosts that share no folder, and die, instead"
    )
    options = parser.parse_args(arguments)
    missing = [
        name
        for name in ("buildah", "podman", "runc", "debootstrap", "iptables")
        if shutil.which(name) is None
    ]
    if missing or os.geteuid() != 0:
        told(f"Needs root and these of Debian: {', '.join(missing) or 'all are here'}.")
        return 2
    options.work.mkdir(parents=True, exist_ok=True)
    folder = options.work / "folder"
    if not options.again:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    story = Story(folder, options.work, apart=options.hosts, kept=options.again)
    steps = story.steps_of(options.hosts)
    if options.again:
        steps = [story.restored, story.upgraded]
    elif options.keep:
        steps.remove(story.down)
    begun = time.monotonic()
    try:
        for step in steps:
            step()
    except Exception as error:  # noqa: BLE001  (whatever it is, nothing is left running)
        told(f"FAILED: {type(error).__name__}: {error}")
        log_where_it_fails(story.services)
        if not (options.keep or options.again):
            story.services.remove_everything()
        return 1
    commit = run("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")
    changed = " with changes" if run("git", "-C", str(ROOT), "status", "--porcelain") else ""
    told(
        f"\nOf commit {commit}{changed}, {time.strftime('%Y-%m-%d')}, {platform.machine()}, "
        f"{os.cpu_count()} cores, {time.monotonic() - begun:.0f} s in all.\n"
    )
    told(
        "\n".join(
            [
                "| step | result |",
                "|---|---|",
                *(f"| {what} | {result} |" for what, result in story.steps),
            ]
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
