"""A protocol as a file of JSON: the same as its code, refused with every place that is wrong, and
kept from being edited once people have judged by it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from annotation import apps
from annotation.models import Judgment, PublishedProtocol
from annotation.models.protocol import descriptions_keep
from annotation.protocols import registry
from annotation.protocols.description import described
from annotation.protocols.file_schema import protocol_schema
from annotation.protocols.files import (
    LARGEST,
    ProtocolIsCode,
    ProtocolUnreadable,
    as_of_file,
    protocol_read,
    protocol_text,
)
from annotation.protocols.kinds import KINDS
from annotation.protocols.protocol import JUDGE, Protocol, no_finding, no_rules
from annotation.protocols.registry import PROTOCOLS, PUBLISHED, SOURCES
from annotation.protocols.validity import faults
from tests.factories import make_assignment, make_study
from tests.protocols.samples.everything import PROTOCOL as EVERYTHING

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = jsonschema.Draft202012Validator(protocol_schema())
WITHOUT_CODE = [
    replace(protocol, rules=no_rules, finding=no_finding, judge=JUDGE)
    for protocol in (*PROTOCOLS.values(), EVERYTHING)
]
WORDS = {"fr": "Clarté", "en": "Clarity"}
LEVELS = [
    {"value": value, "key": f"level_{value}", "label": {"fr": f"{value}", "en": f"{value}"}}
    for value in (1, 2, 3)
]


def clarity(**changes: Any) -> dict[str, Any]:
    """A whole protocol, as short as one can be, with these changes."""
    field = {
        "kind": "scale",
        "name": "clarity",
        "label": WORDS,
        "options": LEVELS,
        "required": True,
    }
    step = {"key": "reading", "question": WORDS, "fields": [field | changes.pop("field", {})]}
    return {"key": "clear", "version": "1", "title": WORDS, "steps": [step]} | changes


def reasons(given: Any) -> list[str]:
    text = given if isinstance(given, str) else json.dumps(given)
    with pytest.raises(ProtocolUnreadable) as refused:
        protocol_read(text)
    return refused.value.faults


# -- the same as its code -------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", WITHOUT_CODE, ids=lambda protocol: protocol.name)
def test_what_is_written_is_read_as_the_same_and_known_to_editors(protocol: Protocol) -> None:
    text = protocol_text(protocol)
    assert protocol_read(text) == protocol
    assert [error.message for error in SCHEMA.iter_errors(json.loads(text))] == []
    assert as_of_file(json.loads(json.dumps(described(protocol)))) == protocol


def test_what_is_code_is_not_written() -> None:
    with pytest.raises(ProtocolIsCode) as refused:
        protocol_text(PROTOCOLS["legal_meaning", "1"])
    assert refused.value.functions == ["rules", "finding", "hints"]


def test_the_shortest_file_is_a_protocol() -> None:
    protocol = protocol_read("\ufeff" + json.dumps(clarity() | {"$schema": "protocol.schema.json"}))
    assert faults(protocol) == []
    assert [scale.scale for scale in protocol.scales] == [(1, 2, 3)]
    assert SCHEMA.is_valid(clarity())


def test_an_editor_knows_every_kind_with_all_that_may_be_said_of_it() -> None:
    definitions = protocol_schema()["$defs"]
    jsonschema.Draft202012Validator.check_schema(protocol_schema())
    assert {entry["$ref"] for entry in definitions["Field"]["oneOf"]} == {
        f"#/$defs/{kind.__name__}" for kind in KINDS.values()
    }
    for name, kind in KINDS.items():
        known = {field.name for field in fields(kind)} | {"kind"}
        assert set(definitions[kind.__name__]["properties"]) == known, name
    assert not SCHEMA.is_valid(clarity(field={"optoins": []}))
    assert not SCHEMA.is_valid(clarity(field={"kind": "scael"}))


def test_the_schema_beside_the_documents_is_the_one_that_there_is() -> None:
    kept = DOCS / "protocol.schema.json"
    assert json.loads(kept.read_text(encoding="utf-8")) == protocol_schema(), "`make openapi`"


def test_the_example_of_the_documents_can_be_judged_by() -> None:
    text = (DOCS / "protocols.md").read_text(encoding="utf-8")
    example = text.partition("```json\n")[2].partition("```")[0]
    protocol = protocol_read(example)
    assert faults(protocol) == []
    assert SCHEMA.is_valid(json.loads(example))
    assert (protocol.dimensions, protocol.remarks, protocol.doubts) == (
        ("clarity",),
        ("comment",),
        ("doubt",),
    )
    assert all(f"`{kind}`" in text for kind in KINDS)


# -- refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("{", ["line 1, column 2: Expecting property name enclosed in double quotes"]),
        ("[]", ["the file is []: an object {…} is needed"]),
        ('{"key": "a", "key": "b"}', ["a says 'key' twice: leave one"]),
        ("NaN", ["NaN is no number here"]),
        ("[" * 100_000, ["it is nested too deeply to be read"]),
        (" " * (LARGEST + 1), ["it has 1,000,001 characters: at most 1,000,000 are read"]),
        ({}, ["key is missing", "version is missing", "title is missing", "steps is missing"]),
        (clarity(version=1), ["version is 1: a text is needed"]),
        (clarity(title="Clarté"), ['title is "Clarté": an object {…} is needed']),
        (clarity(title={"fr": "Clarté"}), ["title.en is missing"]),
        (clarity(steps={}), ["steps is {}: a list […] is needed"]),
        (clarity(predicts=""), ["the file: “predicts” is not known. Did you mean “predicted”?"]),
        (
            clarity(rules="none"),
            ["the file: rules is code, which a file does not hold: write a module for it"],
        ),
        (
            clarity(is_installed=True),
            ["the file: “is_installed” is not known."],
        ),
        (
            clarity(judge={"prompt": "Tu juges.", "hints": []}),
            ["judge: hints is code, which a file does not hold: write a module for it"],
        ),
        (
            clarity(field={"kind": "scael"}),
            ["steps[reading].fields[clarity].kind: “scael” is not known. Did you mean “scale”?"],
        ),
        (
            clarity(field={"kind": ["scale"]}),
            ["steps[reading].fields[clarity].kind: one of choice, choices, scale, slider,"],
        ),
        (
            clarity(field={"required": 1}),
            ["steps[reading].fields[clarity].required is 1: true or false is needed"],
        ),
        (
            clarity(field={"options": [*LEVELS, LEVELS[0] | {"value": True}]}),
            ["steps[reading].fields[clarity].options[level_1].value is true: a whole number"],
        ),
        (
            clarity(field={"options": ["clear"]}),
            ['steps[reading].fields[clarity].options[1] is "clear": an object {…} is needed'],
        ),
        (
            clarity(field={"level": "order"}),
            [
                'steps[reading].fields[clarity].level is "order": one of nominal, ordinal, '
                "interval is needed"
            ],
        ),
        (
            clarity(field={"shown_when": {"field": "other", "values": [1.5]}}),
            [
                "steps[reading].fields[clarity].shown_when.values[1] is 1.5: a whole number or a "
                "text or true or false is needed"
            ],
        ),
        (
            clarity(controls={"identical": [{"dimension": "clarity", "lowest": 3}]}),
            ["controls.identical[1].highest is missing"],
        ),
        (
            clarity(
                controls={
                    "identical": [
                        {"dimension": "clarity", "lowest": 3, "highest": 3, "strictly": [3]}
                    ]
                }
            ),
            ["controls.identical[1].strictly is [3]: a list of 2 is needed"],
        ),
        (clarity(controls=[]), ["controls is []: an object {…} is needed"]),
    ],
)
def test_what_is_wrong_is_named_with_its_place(given: Any, expected: list[str]) -> None:
    named = reasons(given)
    assert len(named) == len(expected)
    for reason, beginning in zip(named, expected, strict=True):
        assert reason.startswith(beginning)


def test_all_that_is_wrong_is_named_at_once() -> None:
    named = reasons(clarity(key=1, title={"fr": "x"}, field={"label": "x", "kinds": 1}))
    assert [reason.partition(" ")[0] for reason in named] == [
        "key",
        "title.en",
        "steps[reading].fields[clarity]:",
        "steps[reading].fields[clarity].label",
    ]


# -- installed ------------------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Path]:
    """The file of a protocol that this installation has."""
    path = tmp_path / "clear.json"
    path.write_text(json.dumps(clarity()), encoding="utf-8")
    apps.publish([str(path)])
    yield path
    for published in (PROTOCOLS, SOURCES):
        published.pop(("clear", "1"), None)


def edited(path: Path, **changes: Any) -> None:
    """The file says something else, and Barème is started anew."""
    path.write_text(json.dumps(clarity(**changes)), encoding="utf-8")
    apps.publish([str(path)])


def test_a_file_that_is_none_is_refused_at_start_with_all_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "clear.json"
    path.write_text(json.dumps(clarity(key=1, version=1)), encoding="utf-8")
    with pytest.raises(ImproperlyConfigured) as refused:
        apps.publish([str(path)])
    assert "key is 1: a text is needed; version is 1: a text is needed" in str(refused.value)
    assert "files.py" not in str(refused.value), "no line of ours is to blame"
    with pytest.raises(ImproperlyConfigured, match="No such file"):
        apps.publish([str(tmp_path / "other.json")])


def test_two_files_of_one_protocol_are_refused(installed: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(installed.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(ImproperlyConfigured, match=r"clear\.json has published 'clear 1' already"):
        apps.publish([str(other)])


def test_where_it_stands_is_said() -> None:
    assert registry.place("bracketed", "1").endswith("tests/protocols/samples/bracketed.json")
    assert registry.place("jades", "1").endswith("annotation/protocols/jades/definition.py")
    assert not any(
        registry.is_of_file(*identity) for identity in PROTOCOLS if identity[0] == "jades"
    )


@pytest.mark.django_db
def test_what_people_have_judged_by_is_not_edited(installed: Path) -> None:
    descriptions_keep()
    edited(installed, field={"label": {"fr": "Limpidité", "en": "Limpidity"}})
    descriptions_keep()  # nobody has judged by it
    kept = PublishedProtocol.objects.get(key="clear")
    assert "Limpidité" in json.dumps(kept.description, ensure_ascii=False)

    study = make_study("clear", state="main", protocol_key="clear", protocol_version="1")
    Judgment.objects.create(assignment=make_assignment(study), protocol="clear 1")
    descriptions_keep()  # as they judged by it
    edited(installed)
    with pytest.raises(ImproperlyConfigured) as refused:
        descriptions_keep()
    assert str(refused.value).startswith(f"{installed}: people have judged by 'clear 1'")
    kept.refresh_from_db()
    assert "Limpidité" in json.dumps(kept.description, ensure_ascii=False)

    # As the refusal says: without the file, the former one is had back of the database.
    for published in (PROTOCOLS, SOURCES):
        published.pop(("clear", "1"))
    said, warned = StringIO(), StringIO()
    call_command("protocol", "write", "clear", "1", stdout=said, stderr=warned)
    assert "is not installed: this is what the database keeps" in warned.getvalue()
    installed.write_text(said.getvalue(), encoding="utf-8")
    apps.publish([str(installed)])
    descriptions_keep()


# -- the command ----------------------------------------------------------------------------------


def ran(*arguments: str) -> str:
    said = StringIO()
    call_command("protocol", *arguments, stdout=said, stderr=said)
    return said.getvalue()


def test_one_begins_with_an_installed_protocol(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(
        ran("write", "jades").replace('"key": "jades"', '"key": "mine"'), encoding="utf-8"
    )
    said = ran("check", str(path))
    assert "mine 1, " in said
    assert "  rated: simplicity, ordinal, 1 to 4, better: higher\n" in said
    assert f"BAREME_PROTOCOLS={path}" in said
    assert json.loads(ran("schema")) == protocol_schema()


def test_all_that_is_wrong_with_files_is_said(tmp_path: Path) -> None:
    files = {
        "unreadable": "{",
        "sound": json.dumps(clarity()),
        "senseless": json.dumps(clarity(key="Clear", predicted="meaning")),
        "taken": protocol_text(PROTOCOLS["jades", "1"]),
    }
    paths = {name: tmp_path / f"{name}.json" for name in files}
    for name, text in files.items():
        paths[name].write_text(text, encoding="utf-8")
    paths["latin"] = tmp_path / "latin.json"
    paths["latin"].write_bytes(json.dumps(clarity(), ensure_ascii=False).encode("latin-1"))
    said = StringIO()
    with pytest.raises(CommandError, match="4 of 5 cannot be used"):
        call_command("protocol", "check", *map(str, paths.values()), stdout=said, stderr=said)
    lines = said.getvalue().splitlines()
    for name, expected in (
        ("unreadable", "line 1, column 2: Expecting property name"),
        ("senseless", "its key 'Clear' is no name"),
        ("senseless", "it predicts 'meaning'"),
        ("taken", "has published 'jades 1' already: give it another key, or another version."),
        ("latin", "it is not UTF-8"),
        ("sound", "clear 1, Clarté / Clarity"),
    ):
        assert any(line.startswith(f"{paths[name]}: ") and expected in line for line in lines), (
            expected
        )


@pytest.mark.django_db
def test_what_cannot_be_written_is_said() -> None:
    with pytest.raises(CommandError, match="its rules, finding, hints are code"):
        ran("write", "legal_meaning")
    with pytest.raises(CommandError, match=r"no protocol 'jade'. Installed: .*jades 1"):
        ran("write", "jade")
    with pytest.raises(CommandError, match="no protocol 'jades' in version '9'"):
        ran("write", "jades", "9")


def test_what_is_published_here_is_code() -> None:
    assert not any(source.endswith(registry.FILE) for source in PUBLISHED)
