"""Stand-ins of the images that are built upon, of Debian's packages and this Python; only where the
real ones cannot be pulled."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from tests.image.engine import has_image, run, told

RELEASE = "trixie"
_SOURCE = re.compile(r"^(?:deb|URIs:) +(https?://\S+/debian)/?\s", re.MULTILINE)
_PYTHON_NEEDS = (
    "ca-certificates,libssl3t64,libffi8,libsqlite3-0,libreadline8t64,libbz2-1.0,liblzma5,zlib1g,"
    "libexpat1,libncursesw6,libuuid1,libgdbm6t64"
)
_SERVERS = ("postgresql-17", "redis-server", "wget")
# Of the release's backports: the Caddyfile asks for what the release's own does not know.
_NEWER = ("caddy",)

_CLEAN = """\
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
"""
_POSTGRES = """#!/bin/sh
set -e
mkdir -p "$PGDATA"
chown -R postgres "$PGDATA" /var/run/postgresql
as() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    cat "$POSTGRES_PASSWORD_FILE" > /tmp/password
    chown postgres /tmp/password
    as initdb $POSTGRES_INITDB_ARGS --username "$POSTGRES_USER" --pwfile /tmp/password
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    as pg_ctl -w -o "-c listen_addresses=" start
    as createdb --username "$POSTGRES_USER" "$POSTGRES_DB"
    as pg_ctl -w -m fast stop
fi
exec setpriv --reuid postgres --regid postgres --clear-groups postgres -c "listen_addresses=*"
"""


def bases_make(folder: Path, names: dict[str, str]) -> list[str]:
    """Pull, or stand in for, each image; the names of those that are stand-ins.

    ``names``: what is needed of each ("python", "postgres", "redis", "caddy") by its name. Asks for
    root where one has to stand in.
    """
    missing = {
        what: name for what, name in names.items() if not has_image(name) and not _pulled(name)
    }
    if not missing:
        return []
    told(f"Standing in, of Debian {RELEASE}'s packages, for {', '.join(missing.values())}")
    python = folder / "python"
    if not python.exists():
        _debian(python)
        _python_into(python)
    if "python" in missing:
        _commit(python, missing["python"], {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"})
    if set(missing) - {"python"}:
        servers = folder / "servers"
        if not servers.exists():
            # Not by reading: /dev/zero, where it could be made, has no end.
            run("cp", "-a", python, servers)
            _servers_into(servers)
        for what in set(missing) - {"python"}:
            _commit(servers, missing[what], *_SET[what])
    return sorted(missing.values())


_SET: dict[str, tuple[dict[str, str], list[str]]] = {
    "postgres": (
        {
            "PGDATA": "/var/lib/postgresql/data",
            "PATH": "/usr/lib/postgresql/17/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        },
        ["/usr/local/bin/postgres-start"],
    ),
    "redis": ({}, []),
    "caddy": (
        {"XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "/config"},
        ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"],
    ),
}


def _pulled(name: str) -> bool:
    try:
        return (
            subprocess.run(
                ["podman", "pull", "--quiet", name], capture_output=True, timeout=120, check=False
            ).returncode
            == 0
        )
    except subprocess.TimeoutExpired:
        return False


def _mirror() -> str:
    """The one that this machine takes its own packages from."""
    for path in (*Path("/etc/apt/sources.list.d").glob("*"), Path("/etc/apt/sources.list")):
        if path.is_file() and (match := _SOURCE.search(path.read_text(encoding="utf-8"))):
            return match[1]
    raise RuntimeError("No Debian mirror in /etc/apt: nothing to make a base image of.")


def _debian(target: Path) -> None:
    run(
        "debootstrap", "--variant=minbase", f"--include={_PYTHON_NEEDS}", RELEASE, target, _mirror()
    )
    shutil.copy("/etc/resolv.conf", target / "etc/resolv.conf")
    # Where this machine goes out by way of a proxy of its own, its authority has to be known.
    bundle = Path("/etc/ssl/certs/ca-certificates.crt")
    shutil.copy(bundle, target / "etc/ssl/certs/ca-certificates.crt")
    (target / "etc/pip.conf").write_text(f"[global]\ncert = {bundle}\n")
    # As the official image has it: what was downloaded does not stay in a layer.
    (target / "etc/apt/apt.conf.d/docker-clean").write_text(_CLEAN)
    _chroot(target, "apt-get", "clean")


def _python_into(target: Path) -> None:
    """This Python, without what was installed into it, under /usr/local as in the official one."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    base, local = Path(sys.base_prefix), target / "usr/local"
    (local / "lib").mkdir(parents=True, exist_ok=True)
    shutil.copy(base / "bin" / version, local / "bin" / version)
    for library in (base / "lib").glob("libpython3*"):
        shutil.copy(library, local / "lib" / library.name)
    shutil.copytree(
        sysconfig.get_path("stdlib"),
        local / "lib" / version,
        symlinks=True,
        ignore=shutil.ignore_patterns("__pycache__", "site-packages", "test", "config-*"),
    )
    for name in ("python", "python3"):
        (local / "bin" / name).symlink_to(version)
    _chroot(target, "ldconfig")
    _chroot(target, version, "-m", "ensurepip")


def _servers_into(target: Path) -> None:
    (target / "etc/apt/sources.list.d/backports.list").write_text(
        f"deb {_mirror()} {RELEASE}-backports main\n"
    )
    _chroot(target, "apt-get", "update", "-qq")
    install = ("apt-get", "install", "-qq", "-y", "--no-install-recommends")
    _chroot(target, *install, *_SERVERS)
    _chroot(target, *install, "-t", f"{RELEASE}-backports", *_NEWER)
    start = target / "usr/local/bin/postgres-start"
    start.write_text(_POSTGRES)
    start.chmod(0o755)
    _chroot(target, "apt-get", "clean")


def _chroot(target: Path, *command: str) -> None:
    run("env", "DEBIAN_FRONTEND=noninteractive", "chroot", target, *command)


def _commit(
    root: Path, name: str, environment: dict[str, str], command: list[str] | None = None
) -> None:
    container = run("buildah", "from", "scratch")
    try:
        run("cp", "-a", f"{root}/.", run("buildah", "mount", container))
        run("buildah", "umount", container)
        settings = [f"--env={key}={value}" for key, value in environment.items()]
        if command:
            settings.append(f"--cmd={' '.join(command)}")
        run("buildah", "config", *settings, container)
        run("buildah", "commit", "--quiet", container, name)
    finally:
        run("buildah", "rm", container, check=False)
