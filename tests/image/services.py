"""docker-compose.yml brought up by podman, service by service: podman-compose of Debian 12 does not
get past health conditions."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from tests.image.engine import Podman, told

PREFIX = "bareme-image-test"
_WAITS = """
SELECT now()::time(0), pid, application_name, client_addr, state, wait_event_type, wait_event,
       round(extract(epoch FROM now() - xact_start)), pg_blocking_pids(pid), left(query, 200)
  FROM pg_stat_activity WHERE xact_start < now() - interval '1 s' AND pid <> pg_backend_pid()
"""
_WAITS_NO_MORE = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
 WHERE query LIKE '%pg_blocking_pids%' AND pid <> pg_backend_pid()
"""
# What is set where compose would read .env.
_ASKED = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


class Services:
    """The services of the compose file under a folder that has its secrets, Caddyfile and
    bareme.env."""

    def __init__(self, podman: Podman, folder: Path, environment: Mapping[str, str]) -> None:
        self.podman, self.folder, self.environment = podman, folder, environment
        text = _ASKED.sub(self._value, (folder / "docker-compose.yml").read_text(encoding="utf-8"))
        self.compose: dict[str, Any] = yaml.safe_load(text.replace("$$", "$"))
        self.all: dict[str, dict[str, Any]] = self.compose["services"]
        self.image: dict[str, str] = {name: service["image"] for name, service in self.all.items()}

    def _value(self, match: re.Match[str]) -> str:
        name, kind, otherwise = match.groups()
        value = self.environment.get(name, "")
        return value or (otherwise if kind == "-" else "")

    def networks_make(self) -> None:
        for name, network in self.compose["networks"].items():
            flags = ["--internal"] if (network or {}).get("internal") else []
            self.podman("network", "create", *flags, f"{PREFIX}-{name}")

    def up(self, name: str, wait: bool = True) -> None:
        """Start one, or start it again with the image that it has now, and wait until it is
        healthy."""
        command = self.all[name].get("command") or []
        self.podman(
            "run", "--detach", "--name", f"{PREFIX}-{name}", *self._flags(name), self.image[name],
            *([command] if isinstance(command, str) else command),
        )  # fmt: skip
        if wait:
            self.wait(name)

    def once(self, name: str, *command: str) -> str:
        """A service's container for one command."""
        return self.podman("run", "--rm", *self._flags(name), self.image[name], *command)

    def down(self, name: str) -> float:
        """Stop and remove one as compose does, in its own time; seconds that it took."""
        begun = time.monotonic()
        grace = _seconds(self.all[name].get("stop_grace_period", "10s"))
        self.podman("stop", "--time", str(grace), f"{PREFIX}-{name}")
        self.podman("rm", "--force", f"{PREFIX}-{name}")
        return time.monotonic() - begun

    def wait(self, name: str, seconds: float = 240) -> None:
        """Until its own health check passes. Raises ``RuntimeError`` with its log."""
        test = self.all[name].get("healthcheck", {}).get("test")
        until = time.monotonic() + seconds
        while test and not self._healthy(name, test):
            if time.monotonic() > until:
                log = self.podman("logs", "--tail", "40", f"{PREFIX}-{name}", check=False)
                raise RuntimeError(f"{name} did not become healthy:\n{log}")
            time.sleep(0.5)

    def manage(self, *arguments: str, service: str = "web", stdin: str | None = None) -> str:
        """A command of manage.py in a running container."""
        flags = ["--interactive"] if stdin is not None else []
        return self.podman(
            "exec", *flags, f"{PREFIX}-{service}", "python", "manage.py", *arguments, stdin=stdin
        )

    def address(self, name: str) -> str:
        return self.podman.address(f"{PREFIX}-{name}", f"{PREFIX}-outside")

    def remove_everything(self) -> None:
        """Containers, networks and volumes of this test."""
        listed = self.podman("ps", "--all", "--format", "{{.Names}}", check=False).split()
        for name in [name for name in listed if name.startswith(PREFIX)]:
            self.podman("rm", "--force", "--time", "1", name, check=False)
        for name in self.compose["volumes"]:
            self.podman("volume", "rm", "--force", f"{PREFIX}-{name}", check=False)
        for name in self.compose["networks"]:
            self.podman("network", "rm", "--force", f"{PREFIX}-{name}", check=False)

    def _healthy(self, name: str, test: list[str]) -> bool:
        shell = ["sh", "-c", *test[1:]] if test[0] == "CMD-SHELL" else test[1:]
        command = ["exec", f"{PREFIX}-{name}", *shell]
        try:
            self.podman(*command)
        except (RuntimeError, subprocess.SubprocessError):
            return False
        return True

    def _flags(self, name: str) -> list[str]:
        service = self.all[name]
        flags = [
            f"--network={PREFIX}-{network}:alias={name}" for network in service.get("networks", [])
        ]
        for key, value in service.get("environment", {}).items():
            flags.append(f"--env={key}={value}")
        files = [self.folder / file["path"] for file in service.get("env_file", [])]
        flags += [f"--env-file={path}" for path in files if path.exists()]
        for secret in service.get("secrets", []):
            file = self.folder / self.compose["secrets"][secret]["file"]
            flags.append(f"--volume={file}:/run/secrets/{secret}:ro")
        for volume in service.get("volumes", []):
            source, _, target = volume.partition(":")
            place = self.folder / source if source.startswith(".") else f"{PREFIX}-{source}"
            flags.append(f"--volume={place}:{target}")
        flags += [f"--tmpfs={place}" for place in service.get("tmpfs", [])]
        flags += [f"--cap-drop={name}" for name in service.get("cap_drop", [])]
        flags += [f"--cap-add={name}" for name in service.get("cap_add", [])]
        flags += [f"--security-opt={_option(option)}" for option in service.get("security_opt", [])]
        if service.get("read_only"):
            flags.append("--read-only")
        if "user" in service:
            flags.append(f"--user={service['user']}")
        if "stop_signal" in service:
            flags.append(f"--stop-signal={service['stop_signal']}")
        if "shm_size" in service:
            flags.append(f"--shm-size={service['shm_size']}")
        memory = service.get("deploy", {}).get("resources", {}).get("limits", {}).get("memory")
        return [*flags, f"--memory={memory}"] if memory else flags


@contextmanager
def waits_seen(services: Services, into: Path) -> Iterator[None]:
    """Whoever is in the middle of something for more than a second in the database, and for whom
    they wait, each second into a file: where a request hangs the reason stands there."""
    command = ("psql", "--username=bareme", "--quiet", "--tuples-only", "bareme")
    with into.open("w", encoding="utf-8") as said:
        watching = subprocess.Popen(
            ["podman", "exec", "--interactive", f"{PREFIX}-postgres", *command],
            stdin=subprocess.PIPE, stdout=said, stderr=said, text=True,
        )  # fmt: skip
        if watching.stdin:
            watching.stdin.write(f"{_WAITS}\\watch 1\n")
            watching.stdin.flush()
        try:
            yield
        finally:
            # A program in a container does not end with the command that started it.
            services.podman("exec", f"{PREFIX}-postgres", *command, "--command", _WAITS_NO_MORE)
            watching.kill()
            watching.communicate()


def _option(option: str) -> str:
    return option.removesuffix(":true")


def _seconds(length: str) -> int:
    return int(length.removesuffix("s"))


def log_where_it_fails(services: Services) -> None:
    """The end of each container's log."""
    for name in services.all:
        said = services.podman("logs", "--tail", "15", f"{PREFIX}-{name}", check=False)
        if said:
            told(f"--- {name}\n{said}")
