"""``manage.py protocol``: a protocol of one's own as a file of JSON, without Python."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.management.files import named, read_file
from annotation.models import PublishedProtocol
from annotation.protocols.file_schema import protocol_schema
from annotation.protocols.files import (
    ProtocolIsCode,
    ProtocolUnreadable,
    as_of_file,
    protocol_read,
    protocol_text,
)
from annotation.protocols.kinds import Former
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import PROTOCOLS, SOURCES, place
from annotation.protocols.validity import faults


class Command(BaseCommand):
    help = (
        "A protocol of your own as a file of JSON: begin with an installed one (write), look "
        "through yours (check), have your editor know what may stand in it (schema)."
    )
    # What is to be mended may be the very file that keeps everything from starting.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        chores = parser.add_subparsers(dest="chore", required=True, metavar="CHORE")
        check = chores.add_parser("check", help="everything that is wrong with these files")
        check.add_argument("files", nargs="+", type=named, metavar="FILE")
        write = chores.add_parser(
            "write", help="an installed protocol as such a file, to begin with"
        )
        write.add_argument("key", help=f"one of {', '.join(sorted({key for key, _ in PROTOCOLS}))}")
        write.add_argument("version", nargs="?", default="", help="(default: the last published)")
        chores.add_parser("schema", help="the JSON Schema of such a file")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["chore"] == "check":
            self._check(options["files"])
        elif options["chore"] == "write":
            self._write(options["key"], options["version"])
        else:
            self.stdout.write(json.dumps(protocol_schema(), ensure_ascii=False, indent=2))

    def _check(self, files: list[str]) -> None:
        wrong = 0
        for file in files:
            protocol, reasons = _looked_through(file)
            wrong += bool(reasons)
            for reason in reasons:
                self.stderr.write(f"{file}: {reason}.")
            if protocol is not None and not reasons:
                self.stdout.write("\n".join(_description(file, protocol)))
        if wrong:
            raise CommandError(
                f"{wrong} of {len(files)} cannot be used. What may stand there: docs/protocols.md, "
                "`manage.py protocol schema`."
            )

    def _write(self, key: str, version: str) -> None:
        protocol = _installed(key, version) or self._kept(key, version)
        if protocol is None:
            raise CommandError(
                f"There is no protocol {key!r}{f' in version {version!r}' if version else ''}. "
                f"Installed: {', '.join(protocol.name for protocol in PROTOCOLS.values())}."
            )
        try:
            self.stdout.write(protocol_text(protocol), ending="")
        except ProtocolIsCode as error:
            raise CommandError(
                f"{protocol.name} is more than a file holds: its {', '.join(error.functions)} "
                "are code. Begin with another one, or write a module (docs/architecture.md, "
                '"Adding a protocol").'
            ) from error

    def _kept(self, key: str, version: str) -> Protocol | None:
        """One that was installed here before, as the database has it."""
        kept = PublishedProtocol.objects.filter(
            key=key, **({"version": version} if version else {})
        )
        if not (last := kept.order_by("-pk").first()):
            return None
        protocol = as_of_file(last.description)
        if former := [field for field in protocol.fields if isinstance(field, Former)]:
            kinds = ", ".join(sorted({field.was for field in former}))
            raise CommandError(
                f"{protocol.name} asks by kinds that are not there any more: {kinds}."
            )
        self.stderr.write(
            f"{protocol.name} is not installed: this is what the database keeps of it. If it was a "
            "module, its rules were code, and are not in it."
        )
        return protocol


def _installed(key: str, version: str) -> Protocol | None:
    """The last that was published of them."""
    versions = [p for p in PROTOCOLS.values() if p.key == key and version in ("", p.version)]
    return versions[-1] if versions else None


def _looked_through(file: str) -> tuple[Protocol | None, list[str]]:
    """What the file holds, and all that is wrong with it."""
    try:
        protocol = protocol_read(read_file(file).decode("utf-8"))
    except UnicodeDecodeError as error:
        return None, [f"it is not UTF-8 (byte {error.start}): save it as UTF-8"]
    except ProtocolUnreadable as error:
        return None, error.faults
    reasons = faults(protocol)
    identity = (protocol.key, protocol.version)
    if SOURCES.get(identity, own := str(Path(file).resolve())) != own:
        reasons.append(
            f"{place(*identity)} has published {protocol.name!r} already: give it another key, or "
            "another version"
        )
    return protocol, reasons


def _description(file: str, protocol: Protocol) -> list[str]:
    """What whoever wrote the file may compare with what they meant."""
    lines = [f"{file}: {protocol.name}, {protocol.title.fr} / {protocol.title.en}"]
    for number, step in enumerate(protocol.steps, 1):
        lines.append(f"  {number}. {step.question.fr} ({' and '.join(step.sides) or 'no text'})")
        lines += [f"     {field.name}: {field.kind}, {field.label.fr}" for field in step.fields]
    for scale in protocol.scales:
        bounds = f"{scale.scale[0]} to {scale.scale[-1]}"
        lines.append(
            f"  rated: {scale.name}, {scale.level}, {bounds}, better: {scale.better}"
            f"{'' if scale.required else ', not of every pair'}"
        )
    lines.append(
        f"  It can be used: BAREME_PROTOCOLS={Path(file).resolve()}, then `manage.py migrate` or "
        "a start of `manage.py serve`."
    )
    return lines
