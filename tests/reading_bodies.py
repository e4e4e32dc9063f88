"""An application that reads what it is sent, and a worker that waits less for it than ours."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

from annotation.config.web_worker import EvenWorker


class HastyWorker(EvenWorker):
    """Gives up sooner, so that a test need not wait for it."""

    short_seconds, long_seconds, long_rate = 2.0, 2.0, 10**6


def application(environ: dict[str, Any], begin: Callable[..., Any]) -> Iterable[bytes]:
    """Answers with the digest of the body."""
    body = environ["wsgi.input"].read()
    answer = hashlib.sha256(body).hexdigest().encode("ascii")
    begin("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(answer)))])
    return [answer]
