"""Where files lie that more than one machine needs: a folder of this machine, or a bucket."""

from __future__ import annotations

import importlib.util
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from annotation.config.env import env_secret, env_str, env_url

LOCAL = {"BACKEND": "django.core.files.storage.FileSystemStorage"}
S3 = "annotation.config.bucket.Bucket"


def env_storage() -> dict[str, Any]:
    """The storage that BAREME_STORAGE names, as Django's STORAGES takes it.

    Raises ``ImproperlyConfigured`` for S3 without a bucket, with half a key pair, or without its
    libraries.
    """
    if env_str("BAREME_STORAGE", "local", choices=("local", "s3")) == "local":
        return dict(LOCAL)
    if not all(importlib.util.find_spec(name) for name in ("storages", "boto3")):
        raise ImproperlyConfigured(
            "BAREME_STORAGE is 's3', but django-storages is not installed. Install "
            "requirements-s3.txt."
        )
    key, secret = env_secret("BAREME_STORAGE_KEY", ""), env_secret("BAREME_STORAGE_SECRET", "")
    if bool(key) != bool(secret):
        raise ImproperlyConfigured(
            "Only one of BAREME_STORAGE_KEY and BAREME_STORAGE_SECRET is set. Set both, or none "
            "where the machine has a role of its own."
        )
    options: dict[str, Any] = {
        "bucket_name": env_str("BAREME_STORAGE_BUCKET"),
        "endpoint_url": env_url("BAREME_STORAGE_ENDPOINT", schemes=("https", "http")) or None,
        "region_name": env_str("BAREME_STORAGE_REGION", "") or None,
        "location": env_str("BAREME_STORAGE_PREFIX", ""),
        "access_key": key or None,
        "secret_key": secret or None,
        # Nobody reads these files by an address of their own; a name that is taken is never written
        # over.
        "default_acl": None,
        "file_overwrite": False,
        "signature_version": "s3v4",
    }
    return {"BACKEND": S3, "OPTIONS": options}
