"""A server that takes in whatever is sent to it, and keeps it as it came: in place of Sentry, or of
a collector of traces."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass
class Sink:
    """What came: addresses, headers (by names in small letters) and bodies, unpacked."""

    port: int = 0
    status: int = 200
    """With which it answers; 503 takes nothing."""
    came: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def dsn(self) -> str:
        return f"http://a-public-key@127.0.0.1:{self.port}/7"

    @property
    def everything(self) -> str:
        """All of it, to look for what must not be there."""
        bodies = b"\n".join(body for _, _, body in self.came).decode("utf-8", "replace")
        return f"{[(path, headers) for path, headers, _ in self.came]}\n{bodies}"

    def events(self) -> list[dict[str, Any]]:
        """Sentry's, out of their envelopes."""
        return [json.loads(body.splitlines()[2]) for _, _, body in self.came]

    def spans(self) -> list[Span]:
        spans = []
        for _, _, body in self.came:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                spans += [span for scope in resource.scope_spans for span in scope.spans]
        return spans


def attributes(span: Span) -> dict[str, Any]:
    return {
        attribute.key: getattr(attribute.value, str(attribute.value.WhichOneof("value")))
        for attribute in span.attributes
    }


@contextmanager
def sink() -> Iterator[Sink]:
    kept = Sink()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: Any) -> None: ...

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            if kept.status == 200:
                headers = {name.lower(): value for name, value in self.headers.items()}
                kept.came.append((self.path, headers, body))
            self.send_response(kept.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept.port = server.server_address[1]
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
