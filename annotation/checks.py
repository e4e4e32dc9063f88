"""Reasons to refuse a start: settings that are safe in a demonstration only, and demonstrations in
a real database.

Registered for ``manage.py check --deploy``; each server calls ``refuse_insecure_start`` when it
starts, whatever started it. Commands that answer no browser are not held up.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as WarningMessage
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connections
from django.http.request import split_domain_port, validate_host
from django.template import TemplateDoesNotExist, TemplateSyntaxError
from django.template.loader import get_template
from django.template.loader_tags import ExtendsNode, IncludeNode

from annotation import sharing
from annotation.backup import database
from annotation.backup.errors import BackupError
from annotation.backup.sealing import readers
from annotation.backup.signing import keys_trusted
from annotation.models import PublishedProtocol, Study, User, triggers
from annotation.models.composed import COMPOSED_THERE, composed_look, composed_refused
from annotation.models.descriptions import files_edited
from annotation.pooling import (
    ANOTHER,
    ANOTHER_REMEDY,
    direct_is_another,
    is_lent,
    server_itself,
)
from annotation.protocols import registry
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import PROTOCOLS, place
from annotation.protocols.validity import faults
from annotation.selectors.platform.broker import broker_answers
from annotation.selectors.platform.system import (
    database_place,
    databases_open_to_all,
    owned_again,
)

_MAKE_KEY = (
    "Set BAREME_SECRET_KEY to the output of: python3 -c 'import secrets; "
    "print(secrets.token_urlsafe(50))'"
)
_DEMO_REMEDY = (
    "Set DATABASE_URL or BAREME_DATA_DIR to a database without them, remove them with `manage.py "
    "demo --remove`, or set BAREME_DEMO=1 if this is a demonstration."
)
# What no key may be below. Django warns below 50 (security.W009), which docs and remedies speak of;
# keys between the two have signed what runs, and an upgrade must not stop it.
_SHORTEST_KEY = 40
_MOST_NAMED = 5
_LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}
_being_made: ContextVar[bool] = ContextVar("rules_being_made", default=False)
_let_start: ContextVar[bool] = ContextVar("let_start", default=False)


@register(Tags.security, deploy=True)
def configuration(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """What the environment says."""
    if settings.DEMO:
        return []
    return [*_debug(), *_secret_key(), *_hosts(), *_public_url(), *_metrics_token()]


@register()
def names_unread(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """What is set under a name that nobody reads, which is most likely another one misspelt: its
    default holds, without a word. Values are secrets, and not shown."""
    if not settings.UNREAD_NAMES:
        return []
    names = ", ".join(
        f"{name} ({near}?)" if near else name for name, near in settings.UNREAD_NAMES.items()
    )
    remedy = "Mend the name or take it away; docs/operations.md lists all settings."
    return [
        WarningMessage(
            f"Set in the environment, and read by nobody: {names}.", hint=remedy, id="bareme.W009"
        )
    ]


@register(Tags.security, Tags.database, deploy=True)
def demonstration(
    app_configs: Sequence[AppConfig] | None = None, databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """What the database holds: everybody knows the passwords of a demonstration."""
    if settings.DEMO or not databases:
        return []
    messages: list[CheckMessage] = []
    try:
        if studies := list(Study.objects.filter(is_demo=True).values_list("key", flat=True)[:3]):
            messages.append(
                Error(
                    f"There is a demo study: {', '.join(studies)}.",
                    hint=_DEMO_REMEDY,
                    id="bareme.E005",
                )
            )
        if logins := User.objects.filter(is_demo=True).count():
            messages.append(
                Error(f"There are {logins} demo logins.", hint=_DEMO_REMEDY, id="bareme.E006")
            )
    except DatabaseError:
        # No tables yet: then there is no demonstration in it either. No database:
        # ``database_reached`` says so.
        return []
    return messages


@register(Tags.security, Tags.database)
def database_reached(
    app_configs: Sequence[AppConfig] | None = None, databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """Whether the others can look into the database at all: without it nothing is known of it.

    Not at the start of a server, which may be there before its database is; nor before ``migrate``,
    which says so itself.
    """
    messages: list[CheckMessage] = []
    for alias in () if _being_made.get() else databases or ():
        try:
            with connections[alias].cursor() as cursor:
                cursor.execute("SELECT 1")
        except DatabaseError as error:
            reason = str(error).strip().partition("\n")[0]
            problem = f"The database cannot be used ({database_place(alias)}): {reason}"
            remedy = "Start it, or mend DATABASE_URL. Nothing is known of what it holds."
            messages.append(Error(problem, hint=remedy, id="bareme.E013"))
    return messages


@register()
def protocols(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """Whether every published protocol is one that can be judged by, stored and exported."""
    return [
        Error(
            f"{place(*identity)}: the protocol {protocol.name!r} cannot be used: {fault.en}.",
            hint="Mend its definition; docs/protocols.md says what a protocol holds.",
            id="bareme.E009",
        )
        for identity, protocol in PROTOCOLS.items()
        for fault in faults(protocol)
    ]


@register(Tags.database)
def database_rules(
    app_configs: Sequence[AppConfig] | None = None, databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """Whether the database holds the triggers that keep wrong judgments out."""
    messages: list[CheckMessage] = []
    for alias in () if _being_made.get() else databases or ():
        try:
            missing = triggers.missing(connections[alias])
        except DatabaseError:
            continue  # no database: ``database_reached`` says so, and ``migrate`` itself
        if missing:
            names = ", ".join(sorted(missing))
            remedy = "Run `manage.py migrate`, which makes them again."
            messages.append(
                Error(f"The database lacks rules: {names}.", hint=remedy, id="bareme.E007")
            )
    return messages


@register(Tags.database)
def protocol_files(
    app_configs: Sequence[AppConfig] | None = None, databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """Whether protocols that are files say what the database was made ready for, and people judged
    by. Not before ``migrate``, which makes it ready, or refuses them itself."""
    messages: list[CheckMessage] = []
    for alias in () if _being_made.get() else databases or ():
        try:
            messages += [
                Error(f"{edited.reason}.", hint="docs/protocols.md.", id="bareme.E015")
                for edited in files_edited(alias)
            ]
        except DatabaseError:
            continue  # as above
    return messages


@register(Tags.database)
def database_encoding(
    app_configs: Sequence[AppConfig] | None = None, databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """Whether the database can hold any text: in another encoding pages work for a while, and then
    an accent in a JSON column is refused."""
    messages: list[CheckMessage] = []
    for alias in databases or ():
        if connections[alias].vendor != "postgresql":
            continue
        try:
            with connections[alias].cursor() as cursor:
                cursor.execute("SHOW server_encoding")
                [encoding] = cursor.fetchone()
        except DatabaseError:
            continue  # no database: ``database_reached`` says so, and ``migrate`` itself
        if encoding != "UTF8":
            remedy = (
                "Make one with: createdb --encoding=UTF8 --template=template0 bareme. What this "
                "one holds is moved by `manage.py backup --portable`, with the version that ran "
                "until now, and `manage.py restore`."
            )
            problem = f"The database's encoding is {encoding}, and only UTF8 holds every text."
            messages.append(Error(problem, hint=remedy, id="bareme.E011"))
    return messages


@register(Tags.database)
def database_direct(
    app_configs: Sequence[AppConfig] | None = None, databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """Whether the server's own address leads to the database that everybody works in: else another
    would be migrated, backed up and replaced.

    Not at the start of a server, which may not be let there and would wait: whoever goes there asks
    again.
    """
    try:
        is_another = bool(databases) and direct_is_another()
    except DatabaseError:
        return []  # one of them is not reached; whoever needs it will say so better
    if not is_another:
        return []
    return [
        Error(
            ANOTHER,
            hint=ANOTHER_REMEDY,
            id="bareme.E014",
        )
    ]


@register(Tags.security, deploy=True)
def backups(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """Whether backups can be made of this database, and by PostgreSQL's own programs."""
    try:
        with server_itself():
            is_pooled, lacking = is_lent(), database.tools_lacking()
    except DatabaseError:
        return []  # no database yet; migrate will say so better
    messages: list[CheckMessage] = []
    if is_pooled and not lacking:
        problem, remedy = database.pooled()
        problem = f"Backups will be refused: {problem}"
        messages.append(WarningMessage(problem, hint=remedy, id="bareme.W004"))
    if lacking:
        problem, _dot, remedy = lacking.partition(". ")
        messages.append(
            WarningMessage(
                f"Backups will hold the database as JSON, which only the version of Barème that "
                f"made them can restore: {problem}.",
                hint=remedy,
                id="bareme.W005",
            )
        )
    return messages


@register()
def backup_keys(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """Whether the keys of backups are keys: found out at the start, and not in the night."""
    try:
        keys_trusted()
        readers()
    except BackupError as error:
        problem, _dot, remedy = str(error).partition(". ")
        return [Error(f"{problem}.", hint=remedy, id="bareme.E012")]
    return []


@register(Tags.security, deploy=True)
def database_readers(
    app_configs: Sequence[AppConfig] | None = None, databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """Whether anybody on this machine may read a database that is a file. Its rights stay as they
    are: somebody may have set them."""
    return [
        WarningMessage(
            f"Anybody on this machine may read the database {path}: e-mail addresses and digests "
            "of passwords are in it.",
            hint=f"Run: {owned_again(path)}",
            id="bareme.W001",
        )
        for path in databases_open_to_all(databases)
    ]


@register(Tags.security, deploy=True)
def bucket_reached(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """Whether the bucket can be used, where there is one. It may come: judgments need none."""
    if not (refusal := sharing.bucket_refusal()):
        return []
    return [
        WarningMessage(
            f"The bucket does not answer as it should ({refusal}): judgments are stored all the "
            "same; exports, releases, trainings, backups and files that are sent in fail until it "
            "does.",
            hint="Mend what begins with BAREME_STORAGE, the bucket's rules, or the way to it.",
            id="bareme.W006",
        )
    ]


@register(Tags.database)
def protocols_missing(
    app_configs: Sequence[AppConfig] | None = None, databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """Whether studies that are not over follow protocols that are not installed: they can be read,
    and nobody can judge, which a setting that was forgotten does without a word."""
    messages: list[CheckMessage] = []
    for alias in () if _being_made.get() else databases or ():
        try:
            waiting = _waiting_for_protocols(alias)
            messages += _composed_refused(alias)
        except DatabaseError:
            continue  # as above
        if waiting:
            names = ", ".join(sorted({name for _key, name in waiting}))
            keys = ", ".join(key for key, _name in waiting[:_MOST_NAMED])
            more = f" and {len(waiting) - _MOST_NAMED} more" if len(waiting) > _MOST_NAMED else ""
            problem = f"Not installed here: {names}. Nobody can judge in {keys}{more}."
            remedy = (
                "Name its file or module in BAREME_PROTOCOLS; `BAREME_PROTOCOLS= manage.py "
                "protocol write <key> <version>` gives a file back that the database keeps."
            )
            messages.append(WarningMessage(problem, hint=remedy, id="bareme.W007"))
    return messages


def _composed_refused(alias: str) -> list[CheckMessage]:
    """Those that people have installed, and that this version refuses."""
    return [
        WarningMessage(
            f"The protocol {str(kept)!r}, which somebody has installed on a page, cannot be judged "
            f"by: {'; '.join(reasons)}.",
            hint="Its studies can be read. Go back to the version of Barème that took it, or have "
            "its file mended and installed as another version.",
            id="bareme.W008",
        )
        for kept in PublishedProtocol.objects.using(alias).filter(COMPOSED_THERE).order_by("pk")
        if (reasons := composed_refused(kept))
    ]


def _waiting_for_protocols(alias: str) -> list[tuple[str, str]]:
    """Studies that go on, by key, with the protocol that is not there."""
    composed_look(alias)
    going_on = Study.objects.using(alias).filter(archived_at=None)
    followed = going_on.exclude(state=Study.State.CLOSED).order_by("key")
    return [
        (key, f"{protocol_key} {version}")
        for key, protocol_key, version in followed.values_list(
            "key", "protocol_key", "protocol_version"
        )
        if (protocol_key, version) not in PROTOCOLS
    ]


def start_warnings() -> list[CheckMessage]:
    """What a server on one machine starts with all the same, and its operator wants to know before
    somebody misses an export or a backup."""
    return [
        *names_unread(),
        *database_readers(databases=["default"]),
        *protocols_missing(databases=["default"]),
        *_broker(),
        *_backup_folder(),
        *bucket_reached(),
    ]


@contextmanager
def rules_are_made() -> Iterator[None]:
    """While ``migrate`` asks what stands in its way: rules that the database lacks do not, it is
    what makes them."""
    token = _being_made.set(True)
    try:
        yield
    finally:
        _being_made.reset(token)


@register(Tags.templates)
def protocol_templates(
    app_configs: Sequence[AppConfig] | None = None, **_: Any
) -> list[CheckMessage]:
    """Whether every field of every protocol can be drawn: its kind's template and scripts, and the
    templates that a protocol has of its own, which each name one of its steps."""
    return [
        Error(f"{registry.SOURCES[identity]}: {fault}", hint=remedy, id="bareme.E010")
        for identity, protocol in registry.PROTOCOLS.items()
        for fault, remedy in _template_faults(protocol)
    ]


def _template_faults(protocol: Protocol) -> list[tuple[str, str]]:
    try:
        return [*_undrawn(protocol), *_stray_templates(protocol)]
    except Exception:
        if faults(protocol):
            return []  # what is no protocol is refused as that, and cannot be asked this (E009)
        raise


def _undrawn(protocol: Protocol) -> Iterator[tuple[str, str]]:
    for f in protocol.fields:
        names = [f"judging/kinds/{f.kind}.html"]
        names += [f"judging/kinds/{name}.html" for name in f.draws.values() if name]
        for name in names:
            if reason := _fault_of(name):
                remedy = f"Write templates/{name}; docs/architecture.md says what it is given."
                yield f"its field {f.name!r} cannot be drawn by {name}: {reason}.", remedy
        paths = [f"js/judging/kinds/{name}.js" for name in f.scripts]
        paths += [f"css/judging/kinds/{name}.css" for name in f.styles]
        for path in paths:
            if finders.find(path) is None:
                remedy = f"Write static/{path}, or take it out of what the kind says it needs."
                yield f"its field {f.name!r} needs {path}, which is not there.", remedy
        if f.scripts and not _is_defined(f.kind, f.scripts[0]):
            path = f"js/judging/kinds/{f.scripts[0]}.js"
            remedy = f'End static/{path} on define("{f.kind}", …), with its class on Field.'
            yield (
                f"its field {f.name!r} is of the kind {f.kind!r}, which {path} does not define.",
                remedy,
            )


def _stray_templates(protocol: Protocol) -> Iterator[tuple[str, str]]:
    steps = {step.key for step in protocol.steps}
    for folder in settings.TEMPLATES[0]["DIRS"]:
        for path in sorted((Path(folder) / "protocols" / protocol.key).glob("*.html")):
            name = f"protocols/{protocol.key}/{path.name}"
            if path.stem not in steps:
                known = ", ".join(sorted(steps))
                yield f"{name} is of none of its steps ({known}).", "Rename it or take it away."
            elif reason := _fault_of(name):
                yield f"its step {path.stem!r} cannot be drawn by {name}: {reason}.", "Mend it."


def _fault_of(name: str, seen: tuple[str, ...] = ()) -> str:
    """Why there is no such template; "" for a sound one."""
    try:
        template = get_template(name)
    except TemplateDoesNotExist:
        return "there is no such file"
    except TemplateSyntaxError as error:
        return str(error)
    if name in seen:
        return ""
    for included in _included(template):
        if reason := _fault_of(included, (*seen, name)):
            return reason if " includes " in reason else f"it includes {included}: {reason}"
    return ""


def _included(template: Any) -> Iterator[str]:
    """The templates that this one includes or extends by their names."""
    nodes = template.template.nodelist
    for node in nodes.get_nodes_by_type((IncludeNode, ExtendsNode)):
        named = node.template if isinstance(node, IncludeNode) else node.parent_name
        if isinstance(named.var, str):
            yield named.var


def _is_defined(kind: str, script: str) -> bool:
    """Whether a script announces this kind; one that is not there is refused as that."""
    path = finders.find(f"js/judging/kinds/{script}.js")
    if path is None:
        return True
    written = Path(str(path)).read_text(encoding="utf-8")
    return (
        "define(" in written and re.search(rf"""["'`]{re.escape(kind)}["'`]""", written) is not None
    )


def refuse_insecure_start() -> None:
    """Raise ``ImproperlyConfigured`` with every reason and its remedy."""
    unsound = protocols()
    messages = [
        *configuration(),
        *unsound,
        *demonstration(databases=["default"]),
        # Generated from the protocols: not from those that are none.
        *([] if unsound else database_rules(databases=["default"])),
        *([] if unsound else protocol_files(databases=["default"])),
        *database_encoding(databases=["default"]),
        *backup_keys(),
        *protocol_templates(),
    ]
    if messages:
        reasons = "\n".join(
            f"  {message.id}: {message.msg}\n    {message.hint}" for message in messages
        )
        raise ImproperlyConfigured(f"Barème does not start like this:\n{reasons}")
    if not _being_made.get():
        _let_start.set(True)


def was_let_start() -> bool:
    """Whether ``refuse_insecure_start`` refused nothing in this process, or before it was forked:
    to look at it all again takes a twentieth of a start, and copies 10 MB of what forks share."""
    return _let_start.get()


def _debug() -> list[CheckMessage]:
    if not settings.DEBUG:
        return []
    return [
        Error(
            "Debug mode is on.",
            hint="Set BAREME_DEBUG=0, or BAREME_DEMO=1 on your own machine.",
            id="bareme.E001",
        )
    ]


def _secret_key() -> list[CheckMessage]:
    try:
        key = settings.SECRET_KEY
    except ImproperlyConfigured:
        return [Error("There is no secret key.", hint=_MAKE_KEY, id="bareme.E002")]
    messages: list[CheckMessage] = []
    if _is_weak(key):
        problem = "The secret key is short, repetitive or a published default."
        messages.append(Error(problem, hint=_MAKE_KEY, id="bareme.E002"))
    # What an earlier key has signed is believed as well.
    if any(_is_weak(earlier) for earlier in settings.SECRET_KEY_FALLBACKS):
        problem = "An earlier secret key is short, repetitive or a published default."
        remedy = "Take it out of BAREME_SECRET_KEY_FALLBACKS: who has a session of it logs in anew."
        messages.append(Error(problem, hint=remedy, id="bareme.E002"))
    return messages


def _is_weak(key: str) -> bool:
    return len(key) < _SHORTEST_KEY or len(set(key)) < 10 or key.startswith("django-insecure-")


def _hosts() -> list[CheckMessage]:
    remedy = (
        "Set BAREME_PUBLIC_URL, or BAREME_ALLOWED_HOSTS to the names this server answers to, "
        "separated by commas."
    )
    if not settings.ALLOWED_HOSTS:
        return [Error("No host name is allowed.", hint=remedy, id="bareme.E003")]
    if any("*" in host or host == "." for host in settings.ALLOWED_HOSTS):
        return [Error("Any host name is allowed.", hint=remedy, id="bareme.E003")]
    stray = [host for host in settings.ALLOWED_HOSTS if not _is_answerable(host)]
    if stray:
        problem = f"No request can be for the host name {', '.join(map(repr, stray))}."
        remedy += " Names alone, as browsers send them: no scheme, port, path or accent (xn--…)."
        return [Error(problem, hint=remedy, id="bareme.E003")]
    public = _public_host()
    if public and not validate_host(public, settings.ALLOWED_HOSTS):
        problem = f"The public address {settings.PUBLIC_URL} is of no host name that is allowed."
        remedy = f"Add {public} to BAREME_ALLOWED_HOSTS, or mend BAREME_PUBLIC_URL."
        return [Error(problem, hint=remedy, id="bareme.E003")]
    return []


def _public_host() -> str:
    """The host of the public address, as browsers name it in a request; "" where there is none."""
    netloc = urlsplit(settings.PUBLIC_URL).netloc
    with suppress(UnicodeError):  # what is no name of any host then stays as it is
        netloc = netloc.encode("idna").decode("ascii")
    return split_domain_port(netloc)[0] or netloc


def _is_answerable(allowed: str) -> bool:
    """Whether Django lets a request in that is for this very name, or for the domain (".…")."""
    host, _port = split_domain_port(allowed.removeprefix("."))
    return validate_host(host, [allowed])


def _metrics_token() -> list[CheckMessage]:
    if not settings.METRICS_TOKEN or len(settings.METRICS_TOKEN) >= 32:
        return []
    remedy = (
        "Set BAREME_METRICS_TOKEN to 32 characters or more, or leave it empty: then there are no "
        "metrics."
    )
    return [
        Error(
            "The token of the metrics is short enough to be guessed.", hint=remedy, id="bareme.E008"
        )
    ]


def _broker() -> list[CheckMessage]:
    """A Redis that is away may come; what can be stored without it is stored meanwhile."""
    if broker_answers():
        return []
    return [
        WarningMessage(
            "Redis does not answer, or takes no message: judgments are stored all the same; "
            "exports, trainings, backups and calls of models wait until it does.",
            hint="Start it, make room in it, or mend REDIS_URL.",
            id="bareme.W002",
        )
    ]


def _backup_folder() -> list[CheckMessage]:
    """Of backups that are made by themselves. Their folder is made with the first, unless it cannot
    be; and where a disk is not mounted, it would be made on another."""
    folder = settings.BACKUP_DIR
    if not settings.BACKUP_EVERY_HOURS:
        return []
    there = next(path for path in (folder, *folder.parents) if os.path.exists(path))  # noqa: PTH110  (none that is kept from us is an error)
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        problem = f"The folder of backups {folder} cannot be used: no backup will be made."
        remedy = "Set BAREME_BACKUP_DIR to a folder that the user of this process may write to."
    elif there != folder and not folder.is_relative_to(settings.DATA_DIR):
        problem = f"There is no folder {folder} yet: the first backup makes it, in {there}."
        remedy = "If it is on another disk, mount that first; else mend BAREME_BACKUP_DIR."
    else:
        return []
    return [WarningMessage(problem, hint=remedy, id="bareme.W003")]


def _public_url() -> list[CheckMessage]:
    url = urlsplit(settings.PUBLIC_URL)
    if url.scheme == "https" or (url.scheme == "http" and url.hostname in _LOCAL_HOSTS):
        return []
    problem = (
        "The public address uses http, which shows passwords to the network."
        if url.scheme
        else "There is no public address."
    )
    remedy = (
        "Set BAREME_PUBLIC_URL to the https:// address that people open (http:// only for "
        "localhost)."
    )
    return [Error(problem, hint=remedy, id="bareme.E004")]
