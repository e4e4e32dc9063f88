"""Hosts that share no folder: two web services, two workers of each file, two clocks, PostgreSQL,
Redis and an S3-compatible server (moto's), each in a network namespace of its own; and hosts that
die."""

from __future__ import annotations

import json
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.image.engine import Podman
from tests.image.people import Connection
from tests.image.services import PREFIX, Services

BUCKET = "bareme"
SECONDS = {"worker-default": "worker-default-second", "beat": "beat-second"}
_SETTINGS = f"""BAREME_STORAGE=s3
BAREME_STORAGE_BUCKET={BUCKET}
BAREME_STORAGE_ENDPOINT=http://s3:9000
BAREME_STORAGE_REGION=us-east-1
BAREME_STORAGE_KEY=key
BAREME_STORAGE_SECRET=secret-of-the-bucket
BAREME_BACKUP_EVERY=24
"""
_BUCKET = f"""
import boto3
boto3.client("s3", endpoint_url="http://127.0.0.1:9000", region_name="us-east-1",
             aws_access_key_id="key", aws_secret_access_key="s").create_bucket(Bucket="{BUCKET}")
"""
# A job whose message was lost: only a clock finds it.
_LOST = """
import django
django.setup()
from datetime import timedelta
from django.utils import timezone
from annotation.models import Job, Lead, Study
from annotation.selectors.publishing.exports import export_spec
study = Study.objects.get(key="storm")
lead = Lead.objects.filter(study=study).first().user
parameters = export_spec("wide", "csv", {}).parameters()
job = Job.objects.create(study=study, kind="export", parameters=parameters, requested_by=lead,
                         lease_until=timezone.now() - timedelta(seconds=1))
print(job.public_id)
"""
_STATE = """
import sys, django
django.setup()
from annotation.models import Job
print(Job.objects.get(public_id=sys.argv[1]).state)
"""
_FETCH = """
import sys, urllib.request as u
headers = {"Host": sys.argv[2], "X-Forwarded-Proto": "https", "Authorization": sys.argv[3]}
print(len(u.urlopen(u.Request("http://127.0.0.1:8000" + sys.argv[1], headers=headers)).read()))
"""
_BACKUPS = """
import django
django.setup()
from annotation.backup.scheduled import backups_in_bucket
print(" ".join(backups_in_bucket()))
"""


def hosts_of(services: Services) -> Services:
    """The same services, each with a data folder of its own; the second worker and clock beside
    the first."""
    for first, second in SECONDS.items():
        services.all[second] = services.all[first]
        services.image[second] = services.image[first]
    for name, service in list(services.all.items()):
        if services.image[name].startswith("localhost/bareme:"):
            apart = [
                f"{volume.partition(':')[0]}-{name}:{volume.partition(':')[2]}"
                for volume in service.get("volumes", [])
            ]
            services.all[name] = service | {"volumes": apart}
            services.compose["volumes"] |= {place.partition(":")[0]: {} for place in apart}
    with (services.folder / "bareme.env").open("a", encoding="utf-8") as settings:
        settings.write(_SETTINGS)
    return services


def bucket_start(podman: Podman, image: str) -> None:
    """The S3-compatible server, of this environment's own libraries."""
    libraries = Path(sysconfig.get_path("purelib")).resolve()
    podman(
        "run", "--detach", "--name", f"{PREFIX}-s3", f"--network={PREFIX}-outside:alias=s3",
        f"--volume={libraries}:/libraries:ro", "--env=PYTHONPATH=/libraries", image,
        "python", "-m", "moto.server", "-H", "0.0.0.0", "-p", "9000",
    )  # fmt: skip
    until = time.monotonic() + 120
    while True:
        try:
            podman("exec", f"{PREFIX}-s3", "python", "-c", _BUCKET)
            return
        except RuntimeError:
            if time.monotonic() > until:
                raise
            time.sleep(1)


class Dying:
    """What is tried of hosts that die, in the order in which it is told."""

    def __init__(self, services: Services, lead: str, host: str) -> None:
        self.services, self.host = services, host
        self.headers = {"Authorization": f"Bearer {lead}", "Content-Type": "application/json"}

    def files_from_both(self) -> str:
        """An export and a release, written by whichever worker, fetched through each web host."""
        export = self._asked("exports/", {"layout": "long", "format": "csv"})
        export = self._until(f"exports/{export['id']}/", lambda answer: answer["state"] == "done")
        sizes = {
            web: self._size(web, f"exports/{export['id']}/file/") for web in ("web", "web-second")
        }
        if set(sizes.values()) != {export["size"]}:
            raise RuntimeError(f"of {export['size']} bytes came {sizes}")
        return f"{export['size']:,} bytes from each web host"

    def clock_dies(self) -> str:
        """A job whose message was lost is found by the clock that is left."""
        self.services.podman("kill", "--signal", "KILL", f"{PREFIX}-beat")
        return self._lost_job_done("after the first clock was killed")

    def worker_dies(self) -> str:
        self.services.podman("kill", "--signal", "KILL", f"{PREFIX}-worker-default")
        export = self._asked("exports/", {"layout": "errors", "format": "csv"})
        self._until(f"exports/{export['id']}/", lambda answer: answer["state"] == "done")
        return "an export is written by the other"

    def backup_made(self) -> str:
        """By the clock and whichever worker; in the bucket."""
        until = time.monotonic() + 180
        while not (names := self._in_web(_BACKUPS)):
            if time.monotonic() > until:
                raise RuntimeError("no backup was made by itself")
            time.sleep(1)
        said = self.services.manage("verify_backup", names.split()[0], service="web-second")
        # Both clocks have struck several times by now: of each moment, one stroke counted.
        if len(made := self._in_web(_BACKUPS).split()) != 1:
            raise RuntimeError(f"two clocks made {len(made)} backups where one was due: {made}")
        return f"made by itself, by one of two clocks, verified elsewhere: {said.splitlines()[0]}"

    def _lost_job_done(self, when: str) -> str:
        job, begun = self._in_web(_LOST), time.monotonic()
        while self._in_web(_STATE, job) != "done":
            if time.monotonic() - begun > 180:
                raise RuntimeError(f"{when} nobody found a job whose message was lost")
            time.sleep(1)
        return (
            f"{when}, a job whose message was lost is done after {time.monotonic() - begun:.0f} s"
        )

    def _in_web(self, program: str, *arguments: str) -> str:
        said = self.services.podman(
            "exec", f"{PREFIX}-web-second", "python", "-c", program, *arguments
        )
        return said.splitlines()[-1] if said else ""

    def _asked(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return self._answer("POST", path, json.dumps(body).encode())

    def _until(self, path: str, done: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        until = time.monotonic() + 180
        while not done(answer := self._answer("GET", path)):
            if answer["state"] == "failed" or time.monotonic() > until:
                raise RuntimeError(f"{path}: {answer}")
            time.sleep(0.5)
        return answer

    def _answer(self, method: str, path: str, body: bytes = b"") -> dict[str, Any]:
        person = Connection(self.services.address("proxy"), self.host)
        where = f"/api/v1/studies/storm/{path}"
        status, _headers, content = person.ask(method, where, body, self.headers)
        if status >= 400:
            raise RuntimeError(f"{method} {where}: {status} {content[:300]!r}")
        answer: dict[str, Any] = json.loads(content)
        return answer

    def _size(self, web: str, path: str) -> int:
        """How many bytes one web host gives when it is asked past the proxy."""
        where = f"/api/v1/studies/storm/{path}"
        arguments = (where, self.host, self.headers["Authorization"])
        return int(
            self.services.podman("exec", f"{PREFIX}-{web}", "python", "-c", _FETCH, *arguments)
        )
