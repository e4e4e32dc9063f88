"""A bucket that a real S3-compatible server holds (moto), reached over HTTP by the real client."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
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
