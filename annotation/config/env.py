"""Typed readers of the environment. A value that cannot be read stops the start and names its
remedy."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import tempfile
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured

from annotation.caches import caches_at
from annotation.config.owned_sqlite import OwnedConnection

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}


def _refused(name: str, problem: str, remedy: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} {problem}. {remedy}")


def env_str(name: str, default: str | None = None, *, choices: Sequence[str] = ()) -> str:
    """Text. Without a default the variable is required; an empty value counts as unset."""
    value = os.environ.get(name, "").strip()
    if not value:
        if default is None:
            raise _refused(name, "is not set", f"Set {name} in the environment; see .env.example.")
        return default
    if choices and value not in choices:
        raise _refused(name, f"is {value!r}", f"Set it to one of: {', '.join(choices)}.")
    return value


def env_secret(name: str, default: str | None = None) -> str:
    """Text that may also come from the file that NAME_FILE points to. Its value is never in a
    message."""
    file_name = os.environ.get(f"{name}_FILE", "").strip()
    if not file_name:
        return env_str(name, default)
    if os.environ.get(name, "").strip():
        raise _refused(name, f"and {name}_FILE are both set", "Keep one of the two.")
    try:
        return Path(file_name).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        remedy = f"Point {name}_FILE to a readable UTF-8 text file, or set {name}."
        raise _refused(
            f"{name}_FILE", f"names {file_name!r}, which cannot be read", remedy
        ) from error


def env_secrets(name: str) -> list[str]:
    """Comma-separated texts that may also come from the file that NAME_FILE points to."""
    return [part.strip() for part in env_secret(name, "").split(",") if part.strip()]


def env_bool(name: str, default: bool = False) -> bool:
    value = os.environ.get(name, "").strip().lower()
    if not value:
        return default
    if value in _TRUE or value in _FALSE:
        return value in _TRUE
    raise _refused(name, f"is {value!r}", "Set it to 1 or 0.")


def env_int(name: str, default: int, *, minimum: int = 0, maximum: int) -> int:
    """A whole number. ``maximum``: up to what it can work; a moment so many days ago, or so much
    memory, must be one that there is."""
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    try:
        number = int(value)
    except ValueError as error:
        remedy = f"Set it to a whole number, for example {default}."
        raise _refused(name, f"is {value!r}", remedy) from error
    if not minimum <= number <= maximum:
        remedy = f"Set it to {minimum} to {maximum}, for example {default}."
        raise _refused(name, f"is {value}", remedy)
    return number


def env_address(name: str, default: str) -> str:
    """Where a web server listens: host:port, [IPv6]:port, unix:socket or fd://number, several
    separated by commas; an IP address may do without its port."""
    value = env_str(name, default)
    for address in value.split(","):
        if not _is_address(address.strip()):
            raise _refused(
                name,
                f"is {value!r}",
                f"Set it to host:port (for example {default}), unix:/path or fd://number.",
            )
    return value


def _is_address(text: str) -> bool:
    if re.fullmatch(r"unix:.+|fd://[0-9]+|localhost|[0-9]+(\.[0-9]+){3}|\[[0-9A-Fa-f:.]+\]", text):
        return True
    host, _, port = text.rpartition(":")
    is_host = re.fullmatch(r"[^\s:/\[\]]*|\[[0-9A-Fa-f:.]+(%\w+)?\]", host) is not None
    is_number = re.fullmatch(r"[0-9]{1,5}", port) is not None
    return ":" in text and is_host and is_number and 0 < int(port) < 65536


def env_time_zone(name: str, default: str) -> str:
    """A name of the IANA time zone database."""
    value = env_str(name, default)
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError) as error:
        raise _refused(
            name,
            f"is {value!r}, which is no time zone",
            f"Set it to a name of the IANA database, for example {default} or Europe/Paris.",
        ) from error
    return value


def env_list(name: str, default: Sequence[str] = ()) -> list[str]:
    """Comma-separated texts."""
    value = os.environ.get(name, "").strip()
    return [part.strip() for part in value.split(",") if part.strip()] if value else list(default)


_FOLDER_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,29}")


def env_folders(name: str) -> dict[str, str]:
    """Comma-separated folders with the names that people see: name=/folder. Whether they are there
    is for whoever reads them to say: another machine may have them."""
    folders: dict[str, str] = {}
    for entry in env_list(name):
        label, _, folder = entry.partition("=")
        if not _FOLDER_NAME.fullmatch(label) or not folder.startswith("/") or label in folders:
            raise _refused(
                name,
                f"holds {entry!r}",
                "Write name=/folder, each name once, in small letters, digits, - _ and .",
            )
        folders[label] = folder
    return folders


def env_path(name: str, default: Path) -> Path:
    value = os.environ.get(name, "").strip()
    return Path(value).expanduser().resolve() if value else default


def env_data_folder(name: str, default: Path) -> Path:
    """A folder that is made where there is none, and that can be written to."""
    folder = env_path(name, default)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        refusal = "" if os.access(folder, os.W_OK | os.X_OK) else "Permission denied"
    except OSError as error:
        refusal = error.strerror or str(error)
    if refusal:
        remedy = f"Set {name} to a folder that the user of this process may write to."
        raise _refused(name, f"names {str(folder)!r}, which cannot be used ({refusal})", remedy)
    return folder


def in_memory(data_dir: Path) -> Path:
    """A folder of this machine and this data folder that is on no disk, where the system has such:
    what is mapped into memory ends its process once a disk is full."""
    memory = Path("/dev/shm")  # noqa: S108  (below it: a folder of this user's alone)
    root = memory if os.access(memory, os.W_OK) else Path(tempfile.gettempdir())
    named = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    return root / f"bareme-{os.getuid()}-{named}-{socket.gethostname()}"


_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_AT_HOSTS = {"https", "http", "redis", "rediss"}
_WRITTEN = "Write scheme://host:port/…, and / ? # @ : of a password in it as %2F %3F %23 %40 %3A."


def env_url(name: str, default: str = "", *, schemes: Sequence[str]) -> str:
    """A URL with one of the schemes. May hold a password, so messages show the scheme at most."""
    value = env_secret(name, default)
    return read_url(name, value, schemes=schemes) if value else ""


def read_url(name: str, url: str, *, schemes: Sequence[str]) -> str:
    """The same of a text that the setting ``name`` holds: what no library could open is refused
    here, where the setting is known."""
    match = _SCHEME.match(url)
    scheme = match[1].lower() if match else ""
    if scheme not in schemes:
        remedy = f"Start it with one of: {', '.join(scheme + '://' for scheme in schemes)}."
        raise _refused(name, f"has the scheme {scheme!r}", remedy)
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise _refused(name, "has brackets around no IPv6 address", _WRITTEN) from error
    if not _has_sound_port(parts):
        raise _refused(name, "has a port that is no number from 1 to 65535", _WRITTEN)
    host = unquote(parts.hostname or "")
    # Both clients of Redis go to this machine then.
    is_here = scheme in ("redis", "rediss") and not host
    if scheme in _AT_HOSTS and not is_here and not _is_host(host):
        raise _refused(name, "names no host", _WRITTEN)
    return scheme + url[len(scheme) :]


def _has_sound_port(parts: SplitResult) -> bool:
    try:
        return parts.port != 0
    except ValueError:
        return False


def _is_host(text: str) -> bool:
    """Whether a server may be called this: a name, or an IP address."""
    try:
        ip_address(text)
    except ValueError:
        return re.fullmatch(r"[\w-]{1,63}(\.[\w-]{1,63})*\.?", text) is not None
    return True


def env_host(name: str) -> str:
    """The name or the IP address of a server; "" where none is set."""
    value = env_str(name, "")
    if value and not _is_host(value):
        raise _refused(
            name,
            f"is {value!r}, which is no host name",
            "Set it to the name alone, for example mail.example.org: no scheme, port or path.",
        )
    return value


def env_sender(name: str, default: str) -> str:
    """An e-mail address, with or without a name before it."""
    value = env_str(name, default)
    if not _is_sender(value):
        raise _refused(
            name,
            f"is {value!r}, which is no e-mail address",
            'Set it to name@host, or to "What people see" <name@host>.',
        )
    return value


def _is_sender(text: str) -> bool:
    # Here: what parses addresses takes long to import, and few commands send a letter.
    from email.errors import InvalidHeaderDefect
    from email.policy import SMTPUTF8

    try:
        header: Any = SMTPUTF8.header_factory("From", text)
    # Line breaks; nothing after @; a dot right before "<", at which the parser itself fails.
    except (ValueError, IndexError, AttributeError):
        return False
    # An empty place in a list is read here, and refused where the letter goes out.
    is_list = text.strip(" ,") != text.strip()
    if is_list or any(isinstance(defect, InvalidHeaderDefect) for defect in header.defects):
        return False
    # Several, or a list with a name, send nothing.
    if len(header.groups) != 1 or header.groups[0].display_name is not None:
        return False
    host = header.addresses[0].domain
    return host.startswith("[") or _is_host(host)


def env_origin(name: str, default: str = "") -> str:
    """scheme://host[:port] without a path, as a browser's address bar has it."""
    value = env_url(name, default, schemes=("https", "http")).rstrip("/")
    parts = urlsplit(value)
    if "@" in parts.netloc:
        raise _refused(
            name,
            "holds a user name or a password, which each link would show",
            "Leave out what stands before the @, and the @.",
        )
    if parts.netloc.endswith(":"):
        raise _refused(name, "has a colon and no port after it", "Write the port, or no colon.")
    if parts.path or "?" in value or "#" in value:
        raise _refused(
            name,
            f"is {value!r}",
            "Set it to scheme://host[:port], for example https://bareme.example.org. Barème needs "
            "a host name of its own: it cannot be served below a path of another site.",
        )
    return value


def env_broker(name: str, private_socket: Path) -> str:
    """Celery's address of Redis: a server's, or the socket of the one that `serve` starts."""
    # Redis clients write unix://, Celery writes redis+socket:// for the same thing.
    return (_redis(name) or f"unix://{private_socket}").replace("unix://", "redis+socket://", 1)


def env_caches(name: str) -> dict[str, Any]:
    """Django's caches, where the environment names a Redis in it (see ``caches_at``)."""
    return caches_at(_redis(name))


def _redis(name: str) -> str:
    """The address of Redis, as both its own client and Celery's can read it."""
    url = env_url(name, schemes=("redis", "rediss", "unix", "redis+socket"))
    parts = urlsplit(url)
    if parts.scheme in ("unix", "redis+socket"):
        if parts.hostname or len(parts.path) < 2:
            raise _refused(name, "names no socket", "Write unix:///path/to/socket.")
    elif not re.fullmatch(r"(/[0-9]{0,9})?", parts.path):
        raise _refused(
            name,
            "names a database that is no number from 0 on",
            f"Write {parts.scheme}://host:6379/0.",
        )
    # One of the two clients fails over any other.
    is_tls = parts.scheme == "rediss"
    if parts.query and not (is_tls and all(o.startswith("ssl_") for o in parts.query.split("&"))):
        raise _refused(
            name,
            "has options after a question mark",
            "Leave them out: only rediss:// takes any, those of ssl_….",
        )
    if "ssl_cert_reqs=CERT_" in parts.query:
        raise _refused(
            name,
            "has ssl_cert_reqs in a spelling that one of the two clients does not know",
            "Write none, optional or required.",
        )
    return url


def env_database(name: str, default_file: Path | None = None) -> dict[str, Any]:
    """Django's settings for sqlite:///relative, sqlite:////absolute or
    postgres://user:password@host:port/name. Without a file to fall back on: none for an unset one,
    and a server's only."""
    files = ("sqlite",) if default_file else ()
    url = env_url(name, schemes=(*files, "postgres", "postgresql"))
    if not url:
        return _sqlite(str(default_file)) if default_file else {}
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        if parts.netloc or len(parts.path) < 2:
            raise _refused(
                name, "names no file", "Write sqlite:////absolute/file or sqlite:///relative/file."
            )
        return _sqlite(unquote(parts.path[1:]))
    return _postgresql(name, parts)


def env_database_direct(name: str, pooled: dict[str, Any]) -> dict[str, Any]:
    """Django's settings for the server's own address beside ``pooled``, which are those of a pooler
    before it; none for an unset one."""
    direct = env_database(name)
    if direct and direct["ENGINE"] != pooled["ENGINE"]:
        raise _refused(
            name,
            "is set, and DATABASE_URL names no PostgreSQL",
            f"Set DATABASE_URL to the pooler's address, or to this one and leave {name} out.",
        )
    return direct


def _sqlite(file_name: str) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": file_name,
        "CONN_MAX_AGE": 60,
        "OPTIONS": {
            # Take the write lock at BEGIN: a transaction that starts as a reader and then writes
            # cannot wait for its turn in SQLite, it fails at once with "database is locked".
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "factory": OwnedConnection,
            # FULL: "saved" must hold when the power goes, and a judgment is worth one fsync.
            # What is deleted is written over, in whatever way SQLite was built: an erasure is one.
            "init_command": (
                "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA temp_store=MEMORY;"
                "PRAGMA mmap_size=134217728;PRAGMA journal_size_limit=67108864;"
                "PRAGMA secure_delete=ON;"
            ),
        },
    }


def _postgresql(name: str, parts: SplitResult) -> dict[str, Any]:
    # A server that does not answer must not hold a page for minutes.
    options: dict[str, Any] = {"connect_timeout": "10", **dict(parse_qsl(parts.query))}
    database = unquote(parts.path.lstrip("/"))
    if not database:
        raise _refused(name, "names no database", "Write postgres://user:password@host:5432/name.")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": database,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        # A socket folder comes as ?host=/folder, because a path cannot stand where a host name
        # does.
        "HOST": options.pop("host", unquote(parts.hostname or "")),
        "PORT": str(parts.port or options.pop("port", "")),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": options,
    }
