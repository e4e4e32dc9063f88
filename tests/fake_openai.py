"""A local stand-in for an OpenAI-compatible service: real HTTP, scripted trouble, and an account of
what it billed.

The service bills a request when it begins to answer it, as the real one does: an answer that never
arrives is paid.
"""

from __future__ import annotations

import collections
import itertools
import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-test-never-to-be-seen-0123456789"


@dataclass
class Trouble:
    """What happens instead of, or before, an answer."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    error: dict[str, Any] | None = None
    cut: bool = False
    """Close the connection after the work was done and billed."""
    malformed: bool = False
    """Half a JSON object with status 200."""
    seconds: float = 0.0


def too_many(seconds: float) -> Trouble:
    return Trouble(
        status=429,
        headers={"Retry-After": str(seconds)},
        error={"message": "Rate limit", "code": "rpm"},
    )


def refused(status: int, code: str = "", message: str = "No") -> Trouble:
    return Trouble(status=status, error={"message": message, "code": code, "type": code})


class FakeOpenAI:
    """The server and its books. ``script`` is asked for each request by its number and body; None
    is no trouble."""

    def __init__(self) -> None:
        self.script: Callable[[int, dict[str, Any]], Trouble | None] = lambda number, body: None
        self.answer: Callable[[dict[str, Any]], str] = lambda body: (
            f"En clair : {passage(body)[:60]}"
        )
        self.finish_reason = "stop"
        self.key = KEY
        """What it asks for; "": a machine of one's own, which refuses any."""
        self.authorizations: list[str | None] = []
        self.seconds: float = 0.0
        self.jitter: float = 0.0
        self.billed: collections.Counter[str] = collections.Counter()
        self.requests: list[dict[str, Any]] = []
        self.moments: list[float] = []
        self.at_once = 0
        self.most_at_once = 0
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.batch_state = "completed"
        self.batch_answers: Callable[[dict[str, Any]], dict[str, Any] | None] = lambda line: None
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._random = random.Random(7)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def environment(self) -> dict[str, str]:
        return {"OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": KEY}

    def start(self) -> None:
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def begin(self, body: dict[str, Any]) -> tuple[int, Trouble]:
        with self._lock:
            number = next(self._numbers)
            self.requests.append(body)
            self.moments.append(time.monotonic())
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            trouble = self.script(number, body) or Trouble()
            if trouble.status == 200:
                self.billed[passage(body)] += 1
            if trouble.seconds == 0 and trouble.status == 200:
                trouble.seconds = max(
                    0.0, self.seconds + self._random.uniform(-self.jitter, self.jitter)
                )
        return number, trouble

    def end(self) -> None:
        with self._lock:
            self.at_once -= 1

    def completion(self, body: dict[str, Any], number: int) -> dict[str, Any]:
        text = self.answer(body)
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 1_780_000_000,
            "model": f"{body['model']}-answered",
            "system_fingerprint": "fp_test",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": text},
                    "finish_reason": self.finish_reason,
                }
            ],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }

    def run_batch(self, batch: dict[str, Any]) -> None:
        """Answer every line of a batch's input, at half the price."""
        answers, refusals = [], []
        for number, raw in enumerate(
            self.files[batch["input_file_id"]].decode().splitlines(), start=1
        ):
            line = json.loads(raw)
            special = self.batch_answers(line)
            if special is not None:
                refusals.append({"custom_id": line["custom_id"], "response": None, **special})
                continue
            self.billed[passage(line["body"])] += 1
            response = {
                "status_code": 200,
                "request_id": "r",
                "body": self.completion(line["body"], number),
            }
            answers.append({"custom_id": line["custom_id"], "response": response, "error": None})
        for name, lines in (("output_file_id", answers), ("error_file_id", refusals)):
            if lines:
                file_id = f"file-{name}-{batch['id']}"
                self.files[file_id] = "\n".join(json.dumps(line) for line in lines).encode()
                batch[name] = file_id


def passage(body: dict[str, Any]) -> str:
    """The passage in a request with the paper's prompt; the whole message of another."""
    text = str(body["messages"][-1]["content"])
    match = re.search(r"Complexe: (.*)\.$", text, re.DOTALL)
    return match[1] if match else text


def _handler(fake: FakeOpenAI) -> type[BaseHTTPRequestHandler]:
    return type("Handler", (_Handler,), {"fake": fake})


class _Handler(BaseHTTPRequestHandler):
    fake: FakeOpenAI
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args: Any) -> None: ...

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        given = self.headers.get("Authorization")
        self.fake.authorizations.append(given)
        if given != (f"Bearer {self.fake.key}" if self.fake.key else None):
            self._send(
                401,
                {"error": {"message": f"Incorrect API key provided: {KEY[:6]}***", "code": "key"}},
            )
        elif self.path.endswith("/chat/completions"):
            self._complete(json.loads(raw))
        elif self.path.endswith("/files"):
            self._upload(raw)
        elif self.path.endswith("/batches"):
            self._batch(json.loads(raw))
        elif self.path.endswith("/cancel"):
            batch = self.fake.batches[self.path.split("/")[-2]]
            batch["status"] = "cancelled"
            self._send(200, batch)
        else:
            self._send(404, {"error": {"message": "no such path", "code": ""}})

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.endswith("/content"):
            self._bytes(200, self.fake.files[path.split("/")[-2]], "application/octet-stream")
        elif path.endswith("/batches"):
            self._send(
                200,
                {
                    "object": "list",
                    "data": list(self.fake.batches.values())[::-1],
                    "has_more": False,
                },
            )
        elif "/batches/" in path:
            batch = self.fake.batches[path.rsplit("/", 1)[1]]
            if batch["status"] == "in_progress" and self.fake.batch_state != "in_progress":
                batch["status"] = self.fake.batch_state
                if self.fake.batch_state in ("completed", "expired"):
                    self.fake.run_batch(batch)
            self._send(200, batch)
        else:
            self._send(404, {"error": {"message": "no such path", "code": ""}})

    def _complete(self, body: dict[str, Any]) -> None:
        number, trouble = self.fake.begin(body)
        time.sleep(trouble.seconds)
        # Before the answer: whoever has it may ask again sooner than this thread goes on.
        self.fake.end()
        if trouble.cut:
            self.close_connection = True
            self.connection.close()
        elif trouble.malformed:
            self._bytes(200, b'{"id": "chatcmpl-', "application/json")
        elif trouble.status != 200:
            self._send(
                trouble.status, {"error": trouble.error or {"message": "trouble"}}, trouble.headers
            )
        else:
            self._send(200, self.fake.completion(body, number), {"x-request-id": f"req-{number}"})

    def _upload(self, raw: bytes) -> None:
        file_id = f"file-{len(self.fake.files) + 1}"
        boundary = self.headers["Content-Type"].split("boundary=")[1].encode()
        for part in raw.split(b"--" + boundary):
            head, _, content = part.partition(b"\r\n\r\n")
            if b'name="file"' in head:
                self.fake.files[file_id] = content.removesuffix(b"\r\n")
        self._send(200, {"id": file_id, "object": "file", "bytes": 1, "created_at": 1, "filename": "b.jsonl",  # noqa: E501
                         "purpose": "batch", "status": "processed"})  # fmt: skip

    def _batch(self, body: dict[str, Any]) -> None:
        batch_id = f"batch_{len(self.fake.batches) + 1}"
        self.fake.batches[batch_id] = {
            "id": batch_id, "object": "batch", "endpoint": body["endpoint"], "status": "in_progress",  # noqa: E501
            "input_file_id": body["input_file_id"], "completion_window": "24h", "created_at": 1,
            "metadata": body.get("metadata"), "output_file_id": None, "error_file_id": None, "errors": None,  # noqa: E501
        }  # fmt: skip
        self._send(200, self.fake.batches[batch_id])

    def _send(
        self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None
    ) -> None:
        self._bytes(status, json.dumps(body).encode(), "application/json", headers)

    def _bytes(
        self, status: int, raw: bytes, kind: str, headers: dict[str, str] | None = None
    ) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(raw)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)
        except OSError:
            self.close_connection = True  # the client was killed


@contextmanager
def fake_openai() -> Iterator[FakeOpenAI]:
    """A running service."""
    fake = FakeOpenAI()
    fake.start()
    try:
        yield fake
    finally:
        fake.stop()
