"""``manage.py protocol``: a protocol of one's own as a file of JSON, without Python."""

from __future__ import annotations

import json
import shlex
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from annotation.management.files import named, read_file
from annotation.models import PublishedProtocol, Study
from annotation.models.descriptions import fixed_otherwise
from annotation.protocols import registry
from annotation.protocols.file_schema import protocol_schema
from annotation.protocols.files import (
    ProtocolIsCode,
    ProtocolUnreadable,
    file_text,
    protocol_read,
)
from annotation.protocols.kinds import Field
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import (
    FILE,
    PROTOCOLS,
    UnknownProtocol,
    is_composed,
    place,
    published,
)
from annotation.protocols.validity import composed_faults, faults


class Command(BaseCommand):
    help = (
        "A protocol of your own as a file of JSON: begin with an installed one (write), look "
        "through yours (check), have your editor know what may stand in it (schema). What is "
        "installed, by whom, and how many studies follow it (list)."
    )
    # What is to be mended may be the protocol that keeps everything from starting.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        chores = parser.add_subparsers(dest="chore", required=True, metavar="CHORE")
        check = chores.add_parser("check", help="what is wrong with these files, each at its place")
        check.add_argument("files", nargs="+", type=named, metavar="FILE")
        write = chores.add_parser("write", help="an installed protocol as such a file")
        write.add_argument("key", help=f"one of {', '.join(sorted({key for key, _ in PROTOCOLS}))}")
        write.add_argument("version", nargs="?", default="", help="(default: the highest)")
        chores.add_parser("schema", help="the JSON Schema of such a file")
        chores.add_parser("list", help="what is installed, where it stands, how many follow it")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["chore"] == "check":
            self._check(options["files"])
        elif options["chore"] == "write":
            self._write(options["key"], options["version"])
        elif options["chore"] == "list":
            self._list()
        else:
            self.stdout.write(json.dumps(protocol_schema(), ensure_ascii=False, indent=2))

    def _list(self) -> None:
        pinned = Study.objects.values_list("protocol_key", "protocol_version")
        studies = Counter(pinned.order_by())
        for protocol in published():
            number = studies[protocol.key, protocol.version]
            self.stdout.write(
                f"{protocol.name}, {protocol.title.fr} / {protocol.title.en}: "
                f"{_standing(protocol)}; {number or 'no'} {'study' if number == 1 else 'studies'}"
            )

    def _check(self, files: list[str]) -> None:
        wrong = 0
        taken = {(each.key, each.version): place(each.key, each.version) for each in published()}
        for file in files:
            protocol, reasons = _looked_through(file, taken)
            wrong += bool(reasons)
            for reason in reasons:
                self.stderr.write(f"{file}: {reason.rstrip('.')}.")
            if protocol is not None and not reasons:
                self.stdout.write("\n".join(_description(file, protocol)))
        if wrong:
            raise CommandError(
                f"{wrong} of {len(files)} cannot be used. What may stand there: docs/protocols.md, "
                '`manage.py protocol schema`; Wording(fr, en) is {"fr": …, "en": …} in a file, a '
                "tuple a list, True true."
            )

    def _write(self, key: str, version: str) -> None:
        text = self._text(key, version)
        self.stdout.write(text, ending="" if text.endswith("\n") else "\n")

    def _text(self, key: str, version: str) -> str:
        """Of an installed one, or what the database keeps of the file of one that was."""
        try:
            return _written(registry.named(key, version))
        except UnknownProtocol:
            return self._kept(key, version)

    def _kept(self, key: str, version: str) -> str:
        kept = PublishedProtocol.objects.filter(key=key).order_by("pk")
        former = kept.filter(version=version).last() if version else kept.last()
        if former is None:
            raise CommandError(
                f"There is no protocol {key!r}{f' in version {version!r}' if version else ''}. "
                f"Installed: {', '.join(protocol.name for protocol in published())}."
            )
        if not former.file:
            raise CommandError(
                f"{former} is not installed, and was a module: its rules are code, which the "
                "database does not keep."
            )
        self.stderr.write(f"{former} is not installed: this is its file, as the database keeps it.")
        return former.file


def _standing(protocol: Protocol) -> str:
    """Where it stands, and since when where somebody has installed it."""
    if not is_composed(protocol):
        return place(protocol.key, protocol.version)
    kept = PublishedProtocol.objects.get(key=protocol.key, version=protocol.version)
    by = kept.installed_by.email if kept.installed_by else "somebody who is gone"
    return f"installed on a page on {kept.installed_at:%Y-%m-%d} by {by}"


def _written(protocol: Protocol) -> str:
    """As its file says it, or as a file could."""
    try:
        return registry.written(protocol)
    except ProtocolIsCode as error:
        raise CommandError(
            f"{protocol.name} is more than a file holds: its {', '.join(error.functions)} "
            "are code. Begin with another one, or write a module (docs/architecture.md, "
            '"Adding a protocol").'
        ) from error


def _looked_through(
    file: str, taken: dict[tuple[str, str], str]
) -> tuple[Protocol | None, list[str]]:
    """What the file holds, and what is wrong with it. ``taken``: where each protocol stands that
    there is; its own is added."""
    path = str(Path(file).absolute())
    try:
        text = file_text(read_file(file))
        protocol = protocol_read(text)
    except CommandError as error:
        return None, [str(error).rstrip(".")]
    except ProtocolUnreadable as error:
        return None, [fault.en for fault in error.faults]
    ask = faults if _is_kept(protocol) else composed_faults
    reasons = [fault.en for fault in ask(protocol)] or _judged_otherwise(protocol, text)
    if not path.endswith(FILE) or "," in path:
        reasons.append(f"BAREME_PROTOCOLS takes a path that ends in {FILE} and has no comma")
    holder = taken.setdefault((protocol.key, protocol.version), path)
    if not is_composed(protocol) and Path(holder).resolve() != Path(path).resolve():
        reasons.append(
            f"{holder} has published {protocol.name!r} already: give it another key, or another "
            "version"
        )
    return protocol, reasons


def _is_kept(protocol: Protocol) -> bool:
    """Whether it was published here before, and stays as it is."""
    try:
        return PublishedProtocol.objects.filter(key=protocol.key, version=protocol.version).exists()
    except DatabaseError:
        return False


def _judged_otherwise(protocol: Protocol, text: str) -> list[str]:
    """Where people have judged by this version here, or installed it, and it said something
    else."""
    try:
        former = fixed_otherwise(protocol, text)
    except DatabaseError:
        return []  # no database yet, or none of this version
    if former is None:
        return []
    fixed = f"people have judged by {protocol.name!r} here"
    if former.installed_at is not None:
        fixed = f"somebody has installed {protocol.name!r} on a page here"
    return [f"{fixed}, and it said something else: give it another version"]


def _question(field: Field) -> str:
    """A question, and when."""
    conditions = [
        f"{word} when {when.field} is {' or '.join(map(str, when.values)) or 'answered'}"
        for word, when in (("shown", field.shown_when), ("required", field.required_when))
        if when is not None
    ]
    required = ["required"] if field.required else []
    return ", ".join([f"{field.name}: {field.kind}", field.label.fr, *required, *conditions])


def _description(file: str, protocol: Protocol) -> list[str]:
    """What whoever wrote the file may compare with what they meant."""
    lines = [f"{file}: {protocol.name}, {protocol.title.fr} / {protocol.title.en}"]
    for number, step in enumerate(protocol.steps, 1):
        lines.append(f"  {number}. {step.question.fr} ({' and '.join(step.sides) or 'no text'})")
        lines += [f"     {_question(field)}" for field in step.fields]
    for scale in protocol.scales:
        bounds = f"{scale.scale[0]} to {scale.scale[-1]}"
        lines.append(
            f"  rated: {scale.name}, {scale.level}, {bounds}, better: {scale.better}"
            f"{'' if scale.required else ', not of every pair'}"
        )
    for kind, expectations in protocol.controls.items():
        expected = [f"{e.dimension} {e.lowest} to {e.highest}" for e in expectations]
        lines.append(f"  {kind} pairs must get: {', '.join(expected)}")
    lines += [f"  left to each study: {ruling.name}" for ruling in protocol.rulings]
    lines.append(f"  a scorer learns: {protocol.predicted or 'nothing'}")
    lines.append(
        f"  It can be used: BAREME_PROTOCOLS={shlex.quote(str(Path(file).absolute()))}, then "
        "`manage.py migrate` or a start of `manage.py serve`."
    )
    return lines
