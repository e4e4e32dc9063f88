"""People at the proxy: one who logs in by a browser's way, annotators who judge without a pause and
count what is refused."""

from __future__ import annotations

import http.client
import json
import re
import ssl
import threading
import time
import uuid
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode

_SLOW_SECONDS = 4.0


class Connection:
    """HTTPS to an address, by the name that the certificate is for."""

    def __init__(self, address: str, host: str) -> None:
        self.address, self.host = address, host
        self.cookies: dict[str, str] = {}
        self._connection: http.client.HTTPSConnection | None = None

    def ask(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers, body. Raises ``OSError``, ``http.client.HTTPException``."""
        if self._connection is None:
            self._connection = _ByName(self.address, self.host)
        all_headers = {"Host": self.host, **(headers or {})}
        if self.cookies:
            all_headers["Cookie"] = "; ".join(
                f"{key}={value}" for key, value in self.cookies.items()
            )
        try:
            self._connection.request(method, path, body or None, all_headers)
            answer = self._connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            self._connection = None
            raise
        for line in answer.headers.get_all("Set-Cookie") or []:
            self.cookies |= {key: morsel.value for key, morsel in SimpleCookie(line).items()}
        return answer.status, dict(answer.headers), content

    def form(self, path: str, fields: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        """A page's form, sent as a browser sends it."""
        _status, _headers, page = self.ask("GET", path)
        token = re.search(rb'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        if token is None:
            raise RuntimeError(f"{path} has no form: {page[:300]!r}")
        body = urlencode(fields | {"csrfmiddlewaretoken": token[1].decode()}).encode()
        return self.ask(
            "POST",
            path,
            body,
            {
                "Content-Type": "application/x-www-form-urlencoded",
                "Referer": f"https://{self.host}{path}",
                "Origin": f"https://{self.host}",
            },
        )


class _ByName(http.client.HTTPSConnection):
    """The authority is the proxy's own: what is tried here is not who it is."""

    def __init__(self, address: str, host: str) -> None:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        super().__init__(address, 443, timeout=60, context=context)
        self._name, self._own = host, context

    def connect(self) -> None:
        http.client.HTTPConnection.connect(self)
        self.sock = self._own.wrap_socket(self.sock, server_hostname=self._name)


@dataclass
class Asked:
    """What all annotators asked for together."""

    requests: int = 0
    acknowledged: int = 0
    failed: list[str] = field(default_factory=list)
    longest: float = 0.0
    # Those that took longer than anybody would like: when they began, what, seconds.
    slow: list[str] = field(default_factory=list)


class Annotator(threading.Thread):
    """Judges pair after pair until told to stop; asks nothing twice, so that each failure is
    seen."""

    def __init__(
        self, number: int, token: str, connection: Connection, stop: threading.Event
    ) -> None:
        super().__init__(daemon=True)
        self.number, self.asked, self.position = number, Asked(), 0
        self._connection, self._ending = connection, stop
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def run(self) -> None:
        while not self._ending.is_set():
            self.position += 1
            place = f"/api/v1/my/studies/storm/assignments/{self.position}/"
            if self._send("GET", place) is None:
                continue
            saved = self._send("PUT", f"{place}draft/", self._answers(0))
            if saved and self._send("PUT", f"{place}judgment/", self._answers(saved["revision"])):
                self.asked.acknowledged += 1

    def _answers(self, revision: int) -> dict[str, Any]:
        return {
            "key": str(uuid.uuid4()),
            "base_revision": revision,
            "answers": {
                "simplicity": 1,
                "characterization": 3,
                "bracket": 3,
                "errors": [{"type": "omission"}],
                "explanation": f"annotator {self.number}, pair {self.position}",
            },
            "active_seconds": 20,
        }

    def _send(self, method: str, path: str, body: Any = None) -> Any:
        self.asked.requests += 1
        begun = time.monotonic()
        try:
            status, _headers, content = self._connection.ask(
                method, path, json.dumps(body).encode() if body else b"", self._headers
            )
        except (OSError, http.client.HTTPException) as error:
            self.asked.failed.append(f"{method} {path}: {type(error).__name__}")
            return None
        finally:
            took = time.monotonic() - begun
            self.asked.longest = max(self.asked.longest, took)
            if took > _SLOW_SECONDS:
                at = time.strftime("%T", time.localtime(time.time() - took))
                self.asked.slow.append(f"{at} {method} {path}: {took:.1f} s")
        if status != http.client.OK:
            self.asked.failed.append(f"{method} {path}: {status} {content[:120]!r}")
            return None
        return json.loads(content)


def together(annotators: list[Annotator]) -> Asked:
    """What they asked for, added up."""
    total = Asked()
    for annotator in annotators:
        total.requests += annotator.asked.requests
        total.acknowledged += annotator.asked.acknowledged
        total.failed += annotator.asked.failed
        total.slow = sorted(total.slow + annotator.asked.slow)
        total.longest = max(total.longest, annotator.asked.longest)
    return total
