"""Where files lie that more than one machine needs: a folder of this machine, or a bucket."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from annotation.config.env import env_secret, env_str, env_url

LOCAL = {"BACKEND": "django.core.files.storage.FileSystemStorage"}
S3 = "annotation.config.bucket.Bucket"
# What the client sends at all: a service may have rules of its own, and be asked for more or less.
_BUCKET = re.compile(r"(?!\.+$)[A-Za-z0-9._-]{1,255}|arn:\S+")
_REGION = re.compile(r"(?![0-9]+$)(?!-)[A-Za-z0-9-]{1,63}(?<!-)")


def env_storage() -> dict[str, Any]:
    """The storage that BAREME_STORAGE names, as Django's STORAGES takes it.

    Raises ``ImproperlyConfigured`` for S3 without a bucket, with names that nothing could work
    with, with half a key pair, or without its libraries.
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
        "bucket_name": _bucket(),
        "endpoint_url": env_url("BAREME_STORAGE_ENDPOINT", schemes=("https", "http")) or None,
        "region_name": _region() or None,
        "location": _prefix(),
        "access_key": key or None,
        "secret_key": secret or None,
        # Nobody reads these files by an address of their own; a name that is taken is never written
        # over.
        "default_acl": None,
        "file_overwrite": False,
        "signature_version": "s3v4",
    }
    return {"BACKEND": S3, "OPTIONS": options}


def _bucket() -> str:
    name = env_str("BAREME_STORAGE_BUCKET")
    if _BUCKET.fullmatch(name):
        return name
    raise ImproperlyConfigured(
        f"BAREME_STORAGE_BUCKET is {name!r}, which is no bucket's name. Set it to the name alone: "
        "letters, digits, full stops, hyphens and underscores. Its address goes into "
        "BAREME_STORAGE_ENDPOINT, a folder into BAREME_STORAGE_PREFIX."
    )


def _region() -> str:
    name = env_str("BAREME_STORAGE_REGION", "")
    if not name or _REGION.fullmatch(name):
        return name
    raise ImproperlyConfigured(
        f"BAREME_STORAGE_REGION is {name!r}, which is no region's name. Set it as the service "
        "writes it, such as ca-central-1, or leave it empty."
    )


def _prefix() -> str:
    """What every name begins with. With a slash before it, or of a folder above, the
    storage would refuse every file."""
    prefix = env_str("BAREME_STORAGE_PREFIX", "")
    if not prefix.startswith("/") and not {".", ".."} & set(prefix.split("/")):
        return prefix
    raise ImproperlyConfigured(
        f"BAREME_STORAGE_PREFIX is {prefix!r}. Set it to what names in the bucket begin with, "
        "without / before it, and without . or .. as a folder, such as bareme."
    )
