"""A bucket that a real S3-compatible server holds (moto), reached over HTTP by the real client."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

BUCKET = "bareme"


@contextmanager
def s3_server() -> Iterator[str]:
    """Its address; it forgets everything at the end."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        server.stop()


class _BreaksOff(BaseHTTPRequestHandler):
    """Says of every file that it is there, and ends the connection in the middle of it."""

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()

    def do_GET(self) -> None:
        self.do_HEAD()
        self.wfile.write(bytes(1000))

    def log_message(self, *_given: object) -> None:
        """Nothing."""


@contextmanager
def breaking_server() -> Iterator[str]:
    """The address of a storage whose files break off."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _BreaksOff) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def bucket_new(endpoint: str) -> dict[str, Any]:
    """Makes a bucket of its own there; Django's settings of it."""
    import boto3

    name = f"{BUCKET}-{uuid.uuid4().hex[:8]}"
    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
    boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **keys).create_bucket(
        Bucket=name
    )
    return {
        "BACKEND": "annotation.config.bucket.Bucket",
        "OPTIONS": {
            "bucket_name": name,
            "endpoint_url": endpoint,
            "region_name": "us-east-1",
            "access_key": "key",
            "secret_key": "secret",
            "default_acl": None,
            "file_overwrite": False,
            "signature_version": "s3v4",
        },
    }
