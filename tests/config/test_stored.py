"""The storage of scorers from the environment: a folder by default, any S3-compatible service when
asked for."""

from __future__ import annotations

import importlib.util

import pytest
from django.core.exceptions import ImproperlyConfigured

from annotation.config.stored import LOCAL, S3, env_storage

SET = {
    "BAREME_STORAGE": "s3",
    "BAREME_STORAGE_BUCKET": "scorers",
    "BAREME_STORAGE_ENDPOINT": "https://s3.example.org",
    "BAREME_STORAGE_REGION": "ca-east",
    "BAREME_STORAGE_PREFIX": "bareme",
    "BAREME_STORAGE_KEY": "key",
    "BAREME_STORAGE_SECRET": "secret",
}


@pytest.fixture
def environment(monkeypatch):
    """Sets exactly these; the libraries count as installed."""
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: name in ("storages", "boto3") or real(name)
    )

    def put(**names: str) -> None:
        for name in SET:
            for variable in (name, f"{name}_FILE"):
                monkeypatch.delenv(variable, raising=False)
        for name, value in names.items():
            monkeypatch.setenv(name, value)

    return put


def test_a_folder_is_the_default(environment):
    environment()
    assert env_storage() == LOCAL
    environment(BAREME_STORAGE="local", BAREME_STORAGE_BUCKET="unused")
    assert env_storage() == LOCAL


def test_a_bucket(environment):
    environment(**SET)
    storage = env_storage()
    assert storage["BACKEND"] == S3
    options = storage["OPTIONS"]
    assert (
        options["bucket_name"],
        options["endpoint_url"],
        options["region_name"],
        options["location"],
    ) == (
        "scorers",
        "https://s3.example.org",
        "ca-east",
        "bareme",
    )
    assert (options["access_key"], options["secret_key"]) == ("key", "secret")
    assert options["file_overwrite"] is False
    assert options["default_acl"] is None


def test_secrets_from_files(environment, tmp_path):
    for name in ("key", "secret"):
        (tmp_path / name).write_text(f"the {name}\n")
    given = {
        name: value
        for name, value in SET.items()
        if name not in ("BAREME_STORAGE_KEY", "BAREME_STORAGE_SECRET")
    }
    environment(
        **given,
        BAREME_STORAGE_KEY_FILE=str(tmp_path / "key"),
        BAREME_STORAGE_SECRET_FILE=str(tmp_path / "secret"),
    )
    options = env_storage()["OPTIONS"]
    assert (options["access_key"], options["secret_key"]) == ("the key", "the secret")


def test_a_machine_with_a_role_needs_no_key(environment):
    environment(BAREME_STORAGE="s3", BAREME_STORAGE_BUCKET="scorers")
    options = env_storage()["OPTIONS"]
    assert {
        options[name] for name in ("access_key", "secret_key", "endpoint_url", "region_name")
    } == {None}


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"BAREME_STORAGE": "ftp"}, "local, s3"),
        ({"BAREME_STORAGE_BUCKET": ""}, "BAREME_STORAGE_BUCKET"),
        ({"BAREME_STORAGE_BUCKET": "Bareme Bucket/!!"}, "BAREME_STORAGE_BUCKET"),
        ({"BAREME_STORAGE_BUCKET": "s3://bareme"}, "BAREME_STORAGE_BUCKET"),
        ({"BAREME_STORAGE_BUCKET": ".."}, "BAREME_STORAGE_BUCKET"),
        ({"BAREME_STORAGE_REGION": "ca central 1"}, "BAREME_STORAGE_REGION"),
        ({"BAREME_STORAGE_PREFIX": "/bareme"}, "BAREME_STORAGE_PREFIX"),
        ({"BAREME_STORAGE_PREFIX": "../x"}, "BAREME_STORAGE_PREFIX"),
        ({"BAREME_STORAGE_PREFIX": "a/./b"}, "BAREME_STORAGE_PREFIX"),
        ({"BAREME_STORAGE_ENDPOINT": "s3.example.org"}, "BAREME_STORAGE_ENDPOINT"),
        ({"BAREME_STORAGE_SECRET": ""}, "BAREME_STORAGE_SECRET"),
        ({"BAREME_STORAGE_KEY": ""}, "BAREME_STORAGE_KEY"),
    ],
)
def test_what_cannot_work_stops_the_start_and_is_named(environment, changed, named):
    environment(**(SET | changed))
    with pytest.raises(ImproperlyConfigured) as refused:
        env_storage()
    assert named in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BAREME_STORAGE_BUCKET", "Bareme_Bucket.of-2026"),
        (
            "BAREME_STORAGE_BUCKET",
            "arn:aws:s3:ca-central-1:123456789012:accesspoint/bareme",
        ),
        ("BAREME_STORAGE_REGION", "garage"),
        ("BAREME_STORAGE_PREFIX", "études/bareme/"),
        ("BAREME_STORAGE_PREFIX", ".hidden/..x"),
    ],
)
def test_what_some_service_takes_is_taken(environment, name, value):
    environment(**(SET | {name: value}))
    assert value in env_storage()["OPTIONS"].values()


@pytest.mark.skipif(
    importlib.util.find_spec("botocore") is None, reason="needs requirements-s3.txt"
)
def test_no_name_is_refused_that_the_client_would_send(environment):
    """And none is taken that it would not: every file would break by it."""
    from botocore.exceptions import InvalidRegionError
    from botocore.handlers import VALID_BUCKET
    from botocore.utils import validate_region_name

    from annotation.config.stored import _BUCKET, _REGION

    names = [
        "a",
        "A.b",
        "a_b-c",
        "-a",
        "a-",
        "a b",
        "a/b",
        "é",
        "12",
        "a" * 63,
        "a" * 64,
        "a" * 256,
    ]
    for name in names:
        assert bool(_BUCKET.fullmatch(name)) == bool(VALID_BUCKET.search(name)), name
        try:
            validate_region_name(name)
        except InvalidRegionError:
            assert not _REGION.fullmatch(name), name
        else:
            assert _REGION.fullmatch(name), name


def test_without_its_library_the_start_says_what_to_install(environment, monkeypatch):
    environment(**SET)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImproperlyConfigured, match=r"requirements-s3\.txt"):
        env_storage()


@pytest.mark.skipif(
    importlib.util.find_spec("storages") is None, reason="needs requirements-s3.txt"
)
def test_the_library_takes_these_options(environment):
    from storages.backends.s3 import S3Storage

    environment(**SET)
    made = S3Storage(**env_storage()["OPTIONS"])
    assert (made.bucket_name, made.endpoint_url, made.location) == (
        "scorers",
        "https://s3.example.org",
        "bareme",
    )
