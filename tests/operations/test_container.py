"""The container files against the code: Docker cannot run everywhere, reading them can."""

from __future__ import annotations

import http.client
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands
from django.urls import resolve

from annotation.management import probe
from annotation.selectors.platform import sign_file
from annotation.selectors.platform.broker import queue_names
from tests.operations.settings_read import names_read, secrets_read
from tests.processes import free_port, until

ROOT = Path(settings.BASE_DIR)
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {
    name: service for name, service in SERVICES.items() if service["image"].startswith("bareme:")
}
WORKERS = {name: service for name, service in OURS.items() if name.startswith("worker-")}
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
# One line for each instruction.
INSTRUCTIONS = [
    line
    for line in re.sub(r"\\\n\s*", "", DOCKERFILE).splitlines()
    if line.strip() and not line.startswith("#")
]
FINAL = INSTRUCTIONS[max(i for i, line in enumerate(INSTRUCTIONS) if line.startswith("FROM")) :]


def option(command: list[str], name: str) -> str:
    return command[command.index(name) + 1]


def known_name(name: str) -> bool:
    """Whether the settings read it, or its file where it is a secret."""
    return name in names_read() or name.removesuffix("_FILE") in secrets_read()


def megabytes(size: str) -> int:
    return int(size[:-1]) * {"m": 1, "g": 1024}[size[-1]]


class TestReadingFiles:
    """What files may ask for fits where they are read, beside the processes that asked."""

    OF_ONE_PROCESS = 200

    @pytest.mark.parametrize(
        ("service", "limits", "processes"),
        # Two web processes, whose parent is shared memory; a worker's parent with its two.
        [
            ("web", settings.READING_LIMITS_AT_ONCE, 2),
            ("worker-default", settings.READING_LIMITS, 3),
        ],
    )
    def test_it_fits(self, service, limits, processes):
        given = megabytes(SERVICES[service]["deploy"]["resources"]["limits"]["memory"])
        files = (limits.output_bytes + settings.UPLOAD_LIMIT_BYTES) // 2**20
        if limits is settings.READING_LIMITS_AT_ONCE:
            files = limits.output_bytes // 2**20 + 2  # nothing larger is read there
        read_at_once = settings.READING_AT_ONCE * (limits.memory_bytes // 2**20 + files)
        assert read_at_once + processes * self.OF_ONE_PROCESS <= given
        (folder,) = SERVICES[service]["tmpfs"]
        room = megabytes(folder.partition("size=")[2].partition(",")[0])
        assert settings.READING_AT_ONCE * files <= room


class TestCompose:
    def test_every_service_says_how_its_health_is_seen(self):
        """An image in the OCI format carries no health check of its own."""
        assert [name for name, service in SERVICES.items() if "healthcheck" not in service] == []
        waited_for = {
            name
            for service in SERVICES.values()
            for name, how in service.get("depends_on", {}).items()
            if how["condition"] == "service_healthy"
        }
        for name in waited_for:
            assert SERVICES[name]["healthcheck"].get("test"), name

    def test_images_of_others_can_be_had_by_digest(self):
        """From .env, without touching a tracked file; each setting stands in the documentation."""
        images = {
            name: re.fullmatch(r"\$\{(BAREME_\w+_IMAGE):-[a-z]+:[\w.-]+\}", service["image"])
            for name, service in SERVICES.items()
            if name not in OURS
        }
        assert images, "there are some"
        assert [name for name, match in images.items() if match is None] == []
        built = SERVICES["web"]["build"]["args"]["PYTHON_IMAGE"]
        base = re.fullmatch(r"\$\{(BAREME_PYTHON_IMAGE):-(.+)\}", built)
        assert base, built
        assert f"ARG PYTHON_IMAGE={base[2]}" in INSTRUCTIONS
        documentation = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
        for setting in [base[1], *(match[1] for match in images.values() if match)]:
            assert f"`{setting}`" in documentation, setting

    def test_settings_of_one_s_own_go_into_a_file_that_git_leaves_alone(self):
        for service in OURS.values():
            assert service["env_file"] == [{"path": "bareme.env", "required": False}]
        ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
        assert "/bareme.env" in ignored

    def test_everything_that_it_takes_is_there(self):
        parts = {
            "proxy",
            "web",
            "worker-default",
            "worker-llm",
            "worker-training",
            "beat",
            "postgres",
            "redis",
        }
        assert parts <= set(SERVICES)

    @pytest.mark.parametrize("name", OURS)
    def test_each_name_is_a_setting_and_each_secret_is_given(self, name):
        service = OURS[name]
        for variable, value in service["environment"].items():
            assert known_name(variable), f"{name}: nothing reads {variable}"
            if variable.endswith("_FILE"):
                assert value.removeprefix("/run/secrets/") in service["secrets"], (
                    f"{name}: {variable}"
                )

    def test_secrets_come_from_files_and_nothing_has_a_default_password(self):
        text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
        named = {secret for service in SERVICES.values() for secret in service.get("secrets", [])}
        assert named == set(COMPOSE["secrets"])
        assert all(
            secret["file"].startswith("./secrets/") for secret in COMPOSE["secrets"].values()
        )
        for name in re.findall(r"\b\w*(?:PASSWORD|SECRET_KEY|TOKEN|API_KEY)\w*(?=:)", text):
            assert name.endswith("_FILE"), f"{name} would stand in the environment"
        assert "/secrets/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
        assert "${BAREME_HOST:?" in text, "without a name it does not start"

    def test_each_queue_has_a_worker_and_each_worker_a_queue_of_the_code(self):
        served = [
            queue
            for service in WORKERS.values()
            for queue in option(service["command"], "--queues").split(",")
        ]
        assert sorted(served) == sorted(queue_names())

    @pytest.mark.parametrize("name", OURS)
    def test_each_command_exists(self, name):
        command = OURS[name].get("command") or ["gunicorn"]
        if command[0] == "python":
            assert command[1] == "manage.py"
            assert command[2] in get_commands()
        elif command[0] == "celery":
            from celery.bin.celery import celery

            assert command[1:4] == ["-A", "workers.celery", "--quiet"], "no banner in the log"
            known = {
                name for parameter in celery.commands[command[4]].params for name in parameter.opts
            }
            given = {part.split("=")[0] for part in command[5:] if part.startswith("--")}
            assert given <= known
        else:
            assert command == ["gunicorn"], "the image's own"

    def test_no_worker_talks_with_the_others(self):
        """As under `serve` and `stack`: their signs of life are our own."""
        quiet = {"--without-gossip", "--without-mingle", "--without-heartbeat"}
        assert all(quiet <= set(service["command"]) for service in WORKERS.values())

    def test_what_holds_against_the_file_of_settings_is_named(self):
        text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
        named = text.split("holds against `bareme.env`")[1].split("docker-compose.override.yml")[0]
        fixed = {name for service in OURS.values() for name in service["environment"]}
        assert set(re.findall(r"`([A-Z_]+)`", named)) == fixed

    def test_one_clock_only(self):
        beats = [
            name
            for name, service in OURS.items()
            if {"beat", "--beat"} & set(service.get("command", []))
        ]
        assert beats == ["beat"]
        assert "replicas" not in str(SERVICES["beat"])

    @pytest.mark.parametrize("name", SERVICES, ids=lambda name: f"the-{name}")
    def test_each_is_confined(self, name):
        service = SERVICES[name]
        assert service["cap_drop"] == ["ALL"]
        assert service["read_only"] is True
        assert "no-new-privileges:true" in service["security_opt"]
        assert set(service["deploy"]["resources"]["limits"]) == {"memory"}
        assert service.get("privileged") is None
        assert not any("docker.sock" in volume for volume in service.get("volumes", []))
        assert "healthcheck" in service or name == "web", "web has the image's own"

    def test_cores_are_shared_by_weight(self):
        """Docker refuses to start a container whose limit is above the machine's own cores."""
        assert "cpus" not in str(SERVICES)
        weights = {name: service.get("cpu_shares", 1024) for name, service in SERVICES.items()}
        assert (
            weights["worker-training"]
            < weights["worker-llm"]
            == weights["worker-default"]
            < weights["web"]
        )

    def test_only_the_proxy_is_reached_from_outside(self):
        assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
        for name in ("postgres", "redis"):
            assert SERVICES[name]["networks"] == ["inside"]
        assert COMPOSE["networks"]["inside"] == {"internal": True}
        assert "inside" not in SERVICES["proxy"]["networks"]

    def test_what_is_written_lies_on_a_volume(self):
        for name in OURS:
            assert "data:/data" in OURS[name]["volumes"], name
        used = {
            volume.split(":")[0]
            for service in SERVICES.values()
            for volume in service.get("volumes", [])
        }
        assert {name for name in used if not name.startswith(".")} == set(COMPOSE["volumes"])
        assert "ENV" in " ".join(FINAL)
        assert "BAREME_DATA_DIR=/data" in " ".join(FINAL)

    def test_what_starts_waits_for_what_it_needs(self):
        for name, service in OURS.items():
            for other, condition in service["depends_on"].items():
                assert other in SERVICES
                if condition["condition"] == "service_healthy":
                    assert "healthcheck" in SERVICES[other] or other == "web", (
                        f"{name} waits for {other} forever"
                    )
        assert SERVICES["migrate"]["restart"] == "no"
        assert SERVICES["web"]["depends_on"]["migrate"] == {
            "condition": "service_completed_successfully"
        }

    def test_one_image_is_built_once(self):
        assert len({service["image"] for service in OURS.values()}) == 1
        assert [name for name, service in OURS.items() if "build" in service] == ["web"]

    def test_a_database_that_is_being_prepared_is_not_healthy(self):
        """On its first start PostgreSQL answers on its socket long before it can be reached."""
        test = SERVICES["postgres"]["healthcheck"]["test"]
        assert option(test, "--host") == "127.0.0.1"

    def test_no_password_in_a_process_list(self):
        shell, flag, script = SERVICES["redis"]["command"]
        assert (shell, flag) == ("sh", "-c")
        command, *configuration = script.splitlines()
        assert "/run/secrets" not in command
        assert configuration == ["requirepass $$(cat /run/secrets/redis_password)", "END"]

    def test_workers_get_longer_to_end_than_their_job(self):
        for service in WORKERS.values():
            assert (
                int(service["stop_grace_period"].rstrip("s"))
                > settings.CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT
            )
            assert probe_of(service["healthcheck"]["test"]) == "worker"


def probe_of(test: list[str]) -> str:
    assert test[:4] == ["CMD", "python", "-m", "annotation.management.probe"]
    return test[4]


class TestProxy:
    caddy = (ROOT / "Caddyfile").read_text(encoding="utf-8")

    def test_it_sends_to_the_port_that_the_image_opens(self):
        (target,) = re.findall(r"reverse_proxy (\S+)", self.caddy)
        (exposed,) = [line.split()[1] for line in FINAL if line.startswith("EXPOSE")]
        assert target == f"web:{exposed}"
        assert f"BAREME_WEB_BIND=0.0.0.0:{exposed}" in " ".join(FINAL)
        assert "web" in SERVICES["web"]["environment"]["BAREME_ALLOWED_HOSTS"].split(",")

    def test_one_proxy_is_counted_and_its_headers_are_its_own(self):
        assert SERVICES["web"]["environment"]["BAREME_TRUSTED_PROXIES"] == "1"
        assert "header_up X-Forwarded-For {remote_host}" in self.caddy
        assert (
            settings.SECURE_PROXY_SSL_HEADER is None
            or settings.SECURE_PROXY_SSL_HEADER[0] == "HTTP_X_FORWARDED_PROTO"
        )
        assert "header_up X-Forwarded-Proto {scheme}" in self.caddy

    def test_it_lets_uploads_through_and_lets_go_of_connections_first(self):
        from annotation.config import gunicorn

        refused = re.search(r"header_regexp Content-Length (\S+)", self.caddy)[1]  # type: ignore[index]
        assert not re.search(refused, str(10 * settings.UPLOAD_LIMIT_BYTES))
        assert int(re.search(r"keepalive (\d+)s", self.caddy)[1]) < gunicorn.keepalive  # type: ignore[index]

    def test_it_breaks_no_body_off(self):
        """It would count as a failure of the web server, which gets nobody's requests then."""
        directives = re.sub(r"(?m)^\s*#.*", "", self.caddy)
        assert "request_body" not in directives
        assert "fail_duration" in directives

    @pytest.mark.parametrize(
        ("size", "is_huge"),
        [("", False), ("499999999", False), ("500000000", True), ("1400000000", True)],
    )
    def test_only_what_announces_half_a_gigabyte_is_refused_by_it(self, size, is_huge):
        refused = re.search(r"header_regexp Content-Length (\S+)", self.caddy)[1]  # type: ignore[index]
        assert bool(re.search(refused, size)) is is_huge

    def read_by(self, caddy: str, text: str) -> str:
        """As it is, or with what it names for one from before ``request_buffers``."""
        version = subprocess.run(
            [caddy, "version"], check=True, capture_output=True, text=True
        ).stdout
        if [int(part) for part in re.findall(r"\d+", version)[:3]] < [2, 6, 4]:
            text = re.sub(r"(?m)^\t\t(request|response)_buffers .*\n", "", text)
            text = re.sub(r"(?m)^\t\t#   (\w+)", r"\t\t\1", text)
            assert "\t\tbuffer_requests\n" in text
        return text

    @pytest.mark.skipif(shutil.which("caddy") is None, reason="there is no Caddy")
    def test_it_is_read_by_the_caddy_that_is_here(self, tmp_path):
        caddy = str(shutil.which("caddy"))
        file = tmp_path / "Caddyfile"
        file.write_text(self.read_by(caddy, self.caddy), encoding="utf-8")
        read = subprocess.run(
            [caddy, "validate", "--adapter", "caddyfile", "--config", str(file)],
            env=os.environ | {"BAREME_HOST": "localhost", "XDG_DATA_HOME": str(tmp_path)},
            check=False,
            capture_output=True,
            text=True,
        )
        assert read.returncode == 0, read.stderr

    @pytest.mark.skipif(shutil.which("caddy") is None, reason="there is no Caddy")
    def test_what_is_huge_and_servers_that_are_away_are_answered_in_words(self, tmp_path):
        with self.before(tmp_path, free_port(), tries="0s") as port:
            huge = self.asked(port, "POST", {"Content-Length": "1400000000"})
            absent = self.asked(port, "GET", {})
        assert huge == (413, "Trop volumineux. / Too large.")
        assert absent[0] in (502, 503)
        assert "Barème does not answer at the moment." in absent[1]

    @pytest.mark.skipif(shutil.which("caddy") is None, reason="there is no Caddy")
    def test_a_database_that_is_away_is_told_in_the_page_s_own_words(self, tmp_path):
        """Both servers counted as gone: people waited half a minute, and got Caddy's sentence."""
        asked: list[str] = []

        class NoDatabase(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                is_serving = resolve(self.path).url_name == "servez"
                body = b"ok\n" if is_serving else b"The database is not reached"
                self.send_response(200 if is_serving else 503)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                """Nothing."""

        with HTTPServer(("127.0.0.1", 0), NoDatabase) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            # Tried for longer than anybody here waits: there is nothing to try again.
            with self.before(tmp_path, server.server_port, tries="600s") as port:
                assert until(lambda: bool(asked))
                answer = self.asked(port, "GET", {})
            server.shutdown()
        assert answer == (503, "The database is not reached")

    @contextmanager
    def before(self, folder: Path, behind: int, tries: str) -> Iterator[int]:
        """The proxy, in front of one server at that port; its own port."""
        caddy, port = str(shutil.which("caddy")), free_port()
        text = self.read_by(caddy, self.caddy)
        text = text.replace("{$BAREME_HOST} {", f"http://localhost:{port} {{", 1)
        text = text.replace("web:8000 web-second:8000", f"127.0.0.1:{behind}")
        text = text.replace("lb_try_duration 30s", f"lb_try_duration {tries}")
        file = folder / "Caddyfile"
        file.write_text("{\n\tadmin off\n\tauto_https off\n}\n" + text, encoding="utf-8")
        folders = {name: str(folder) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME")}
        proxy = subprocess.Popen(
            [caddy, "run", "--adapter", "caddyfile", "--config", str(file)],
            env=os.environ | {"BAREME_HOST": "localhost"} | folders,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            self.listens(port)
            yield port
        finally:
            proxy.kill()
            proxy.wait()

    def listens(self, port: int) -> None:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                return
            time.sleep(0.05)
        raise AssertionError("Caddy does not listen")

    def asked(self, port: int, method: str, headers: dict[str, str]) -> tuple[int, str]:
        connection = http.client.HTTPConnection("localhost", port, timeout=20)
        connection.request(method, "/", headers=headers)
        answer = connection.getresponse()
        said = answer.status, answer.read().decode()
        connection.close()
        return said

    def test_it_chooses_by_what_tells_who_serves(self):
        path = re.search(r"health_uri (\S+)", self.caddy)[1]  # type: ignore[index]
        assert resolve(path).url_name == "servez"

    def test_what_it_keeps_inside_exists(self):
        paths = re.search(r"@inside path (.+)", self.caddy)[1].split()  # type: ignore[index]
        assert [resolve(path).view_name for path in paths] == ["metrics", "readyz"]


class TestImage:
    def test_nobody_runs_as_root(self):
        (user,) = [line.split()[1] for line in FINAL if line.startswith("USER")]
        assert int(user.split(":")[0]) > 0
        last = max(i for i, line in enumerate(FINAL) if line.startswith(("RUN", "COPY")))
        assert next(i for i, line in enumerate(FINAL) if line.startswith("USER")) > last

    def test_the_python_of_the_project_and_no_compiler(self):
        bases = {line.split()[1] for line in INSTRUCTIONS if line.startswith("FROM")}
        assert bases == {"${PYTHON_IMAGE}"}
        (base,) = [line for line in INSTRUCTIONS if line.startswith("ARG PYTHON_IMAGE=")]
        assert base.removeprefix("ARG PYTHON_IMAGE=").startswith("python:3.11-slim")
        assert "--only-binary :all:" in DOCKERFILE
        for tool in ("gcc", "build-essential", "-dev "):
            assert tool not in DOCKERFILE

    def test_what_it_copies_is_there_and_is_sent(self):
        copied = {
            part
            for line in INSTRUCTIONS
            if line.startswith("COPY") and "--from" not in line
            for part in line.split()[1:-1]
        }
        ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        let_through = {line[1:] for line in ignored if line.startswith("!")}
        assert copied == let_through
        assert all(list(ROOT.glob(name)) for name in copied)
        assert "*" in ignored, "nothing is sent that is not named: no data, no secrets"

    def test_its_names_are_settings(self):
        given = {
            name
            for line in INSTRUCTIONS
            for name in re.findall(r"\b((?:BAREME|DATABASE|REDIS)_\w+)=", line)
        }
        assert given
        assert all(known_name(name) for name in given)

    def test_its_client_programs_are_not_older_than_the_server(self):
        client = int(re.search(r"postgresql-client-(\d+)", DOCKERFILE)[1])  # type: ignore[index]
        server = int(re.search(r"postgres:(\d+)", SERVICES["postgres"]["image"])[1])  # type: ignore[index]
        assert client >= server

    def test_its_commands_exist(self):
        for line in INSTRUCTIONS:
            for command in re.findall(r"manage\.py (\w+)", line):
                assert command in get_commands()
        (health,) = [line for line in FINAL if line.startswith("HEALTHCHECK")]
        assert probe_of(["CMD", *yaml.safe_load(health.partition(" CMD ")[2])]) == "web"
        (command,) = [
            yaml.safe_load(line.removeprefix("CMD ")) for line in FINAL if line.startswith("CMD")
        ]
        stack = (ROOT / "annotation/management/commands/stack.py").read_text(encoding="utf-8")
        written = re.sub(r"\s+", " ", stack).replace("[ ", "[").replace(", ]", "]")
        assert str(command).replace("'", '"') in written, "`manage.py stack` starts the same"

    @pytest.mark.slow
    def test_what_it_builds_needs_no_key_and_no_database(self, tmp_path):
        """The two commands of the build, without any environment."""
        steps = next(line for line in INSTRUCTIONS if "manage.py collectstatic" in line)
        collect = re.search(r"manage\.py (collectstatic[^&]*)", steps)[1]  # type: ignore[index]
        environment = {
            "BAREME_DATA_DIR": str(tmp_path / "build"),
            "BAREME_STATIC_DIR": str(tmp_path / "collected"),
        }
        command = [sys.executable, "manage.py", *shlex.split(collect)]
        done = subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "collected" / "staticfiles.json").exists()


class TestProbe:
    @pytest.fixture
    def server(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
        """A web server that says "ok" at /livez to those who know its name."""
        hosts: list[str] = []

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hosts.append(self.headers["Host"])
                self.send_response(200 if self.path == "/livez" else 404)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        httpd = HTTPServer(("127.0.0.1", 0), Answer)
        Thread(target=httpd.serve_forever, daemon=True).start()
        monkeypatch.setenv("BAREME_WEB_BIND", f"0.0.0.0:{httpd.server_port}")
        monkeypatch.setenv("BAREME_PUBLIC_URL", "https://bareme.example.org")
        yield hosts
        httpd.shutdown()
        httpd.server_close()

    def test_web(self, server, monkeypatch):
        assert probe.main(["web"]) == 0
        assert server == ["bareme.example.org"], "another host is refused by the settings"

    def test_web_whose_address_comes_from_a_file(self, server, monkeypatch, tmp_path):
        (tmp_path / "url").write_text("https://other.example.org\n")
        monkeypatch.delenv("BAREME_PUBLIC_URL")
        monkeypatch.setenv("BAREME_PUBLIC_URL_FILE", str(tmp_path / "url"))
        assert probe.main(["web"]) == 0
        assert server == ["other.example.org"]

    @pytest.mark.parametrize("start", ["unix:", "unix://"])
    def test_web_at_a_socket(self, monkeypatch, tmp_path, start):
        class Server(HTTPServer):
            address_family = socket.AF_UNIX

            def server_bind(self) -> None:
                self.socket.bind(self.server_address)

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200 if self.path == "/livez" else 404)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        # A socket's name has a hundred bytes at most.
        monkeypatch.chdir(tmp_path)
        httpd = Server("s", Answer)
        Thread(target=httpd.serve_forever, daemon=True).start()
        try:
            monkeypatch.setenv("BAREME_WEB_BIND", f"{start}s")
            assert probe.main(["web"]) == 0
            monkeypatch.setenv("BAREME_WEB_BIND", f"127.0.0.1:1, {start}s")
            assert probe.main(["web"]) == 0, "one of several addresses is enough"
            monkeypatch.setenv("BAREME_WEB_BIND", f"{start}gone")
            assert probe.main(["web"]) == 1
        finally:
            httpd.shutdown()
            httpd.server_close()

    @pytest.mark.parametrize(
        ("address", "asked"),
        [
            ("0.0.0.0:9000", ("127.0.0.1", 9000)),
            ("[::]:9000", ("127.0.0.1", 9000)),
            (":9000", ("127.0.0.1", 9000)),
            ("[::1]:9000", ("::1", 9000)),
            ("127.0.0.2", ("127.0.0.2", 8000)),
            ("localhost:80", ("localhost", 80)),
        ],
    )
    def test_where_it_asks(self, address, asked):
        connection = probe._connection(address)
        assert (connection.host, connection.port) == asked

    def test_an_inherited_socket_has_no_name(self, monkeypatch):
        monkeypatch.setenv("BAREME_WEB_BIND", "fd://3")
        assert probe.main(["web"]) == 1

    def test_no_web(self, monkeypatch):
        monkeypatch.setenv("BAREME_WEB_BIND", "127.0.0.1:1")
        assert probe.main(["web"]) == 1

    def test_worker(self, monkeypatch, tmp_path):
        monkeypatch.setattr(sign_file.tempfile, "gettempdir", lambda: str(tmp_path))
        assert probe.main(["worker"]) == 1
        sign_file.sign_file().touch()
        assert probe.main(["worker"]) == 0
        monkeypatch.setattr(probe.time, "time", lambda: sign_file.sign_file().stat().st_mtime + 100)
        assert probe.main(["worker"]) == 1

    @pytest.mark.parametrize("arguments", [[], ["beat"], ["web", "worker"]])
    def test_anything_else(self, arguments):
        assert probe.main(arguments) == 2
