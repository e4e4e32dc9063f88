"""A protocol as a file of JSON: the same as its code, refused with every place that is wrong, and
kept from being edited once people have judged by it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from io import StringIO
from pathlib import Path
from typing import Any, cast

import jsonschema  # type: ignore[import-untyped]
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import translation

from annotation import apps
from annotation.checks import protocol_files
from annotation.corpus.judging import judging_handed_on, judging_of, judging_options
from annotation.models import Judgment, PublishedProtocol, composed, descriptions, triggers
from annotation.models.descriptions import (
    backup_put_back,
    descriptions_keep,
    files_expect,
    fixed_otherwise,
)
from annotation.protocols import registry
from annotation.protocols.file_schema import protocol_schema
from annotation.protocols.files import (
    LARGEST,
    ProtocolIsCode,
    ProtocolUnreadable,
    file_text,
    first_difference,
    is_code,
    protocol_read,
    protocol_text,
    without_code,
)
from annotation.protocols.kinds import KINDS
from annotation.protocols.protocol import JUDGE, Protocol, no_finding, no_rules
from annotation.protocols.registry import CONTENTS, PROTOCOLS, PUBLISHED, SOURCES
from annotation.protocols.validity import faults
from annotation.services.studies.studies import study_create
from annotation.web.studies.forms import StudyForm
from tests.factories import make_assignment, make_study
from tests.protocols.said import english

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = jsonschema.Draft202012Validator(protocol_schema())
WITHOUT_CODE = [
    replace(protocol, rules=no_rules, finding=no_finding, judge=JUDGE)
    for protocol in PROTOCOLS.values()
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
        protocol_read(file_text(text.encode()))
    return english(refused.value.faults)


# -- the same as its code -------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", WITHOUT_CODE, ids=lambda protocol: protocol.name)
def test_what_is_written_is_read_as_the_same_and_known_to_editors(protocol: Protocol) -> None:
    text = protocol_text(protocol)
    assert protocol_read(text) == protocol
    assert [error.message for error in SCHEMA.iter_errors(json.loads(text))] == []


def test_what_is_code_is_not_written() -> None:
    with pytest.raises(ProtocolIsCode) as refused:
        protocol_text(PROTOCOLS["legal_meaning", "1"])
    assert refused.value.functions == ["rules", "finding", "hints"]


def test_the_shortest_file_is_a_protocol() -> None:
    text = json.dumps(clarity() | {"$schema": "protocol.schema.json"})
    protocol = protocol_read(file_text(b"\xef\xbb\xbf" + text.encode()))
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


def test_where_two_files_differ_is_named() -> None:
    before = json.dumps(clarity())
    other_levels = [*LEVELS[:2], LEVELS[2] | {"key": "high"}]
    for changes, place in (
        ({}, ""),
        ({"$schema": "x"}, ""),
        ({"predicted": "clarity"}, "predicted"),
        ({"field": {"options": other_levels}}, "steps[reading].fields[clarity].options[high].key"),
        ({"field": {"options": LEVELS[:2]}}, "steps[reading].fields[clarity].options"),
    ):
        assert first_difference(before, json.dumps(clarity(**changes))) == place


# -- refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("{", ["line 1, column 2: Expecting property name enclosed in double quotes"]),
        (" ", ["it is empty"]),
        ("[]", ["the file is []: an object {…} is needed"]),
        (
            '{"key": "a", "key": "b", "version": "1", "title": {"fr": "", "en": ""}, "steps": []}',
            ["a says 'key' twice: leave one"],
        ),
        (
            '{"key": "a", "version": NaN, "title": {"fr": "x", "en": "x"}, "steps": []}',
            ["NaN is no number here", "version is null: a text is needed"],
        ),
        ("[" * 100_000, ["it is nested too deeply to be read"]),
        ("1" * 5000, ["it holds a number of thousands of digits"]),
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
            clarity(steps=[{"key": "s", "question": WORDS, "fields": [{"name": "clarity"}]}]),
            ["steps[s].fields[clarity].kind is missing: one of choice, choices"],
        ),
        (
            clarity(field={"label": {"fr": "Clart\u0000", "en": "\ud800"}}),
            [
                "steps[reading].fields[clarity].label.fr holds U+0000, which is no text",
                "steps[reading].fields[clarity].label.en holds U+D800, which is no text",
            ],
        ),
        (
            clarity(field={"kind": "slider", "options": [], "highest": 10**400}),
            [
                "steps[reading].fields[clarity]: “options” is not known.",
                "steps[reading].fields[clarity].highest is 1000000",
            ],
        ),
        (
            clarity(field={"options": LEVELS * 200}),
            ["steps[reading].fields[clarity].options has 600 entries: at most 500 are read"],
        ),
        (
            clarity(controls={"\u001b[31m": 1}),
            ["controls.\ufffd[31m is 1: a list […] is needed"],
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


def test_of_very_much_that_is_wrong_the_first_is_named() -> None:
    named = reasons(clarity(**{f"wrong_{number}": 1 for number in range(502)}))
    assert (len(named), named[-1]) == (501, "and 2 more")


def test_a_part_that_need_not_be_there_may_be_null() -> None:
    protocol = protocol_read(json.dumps(clarity(classified=None, field={"shown_when": None})))
    assert protocol == protocol_read(json.dumps(clarity()))


def test_all_that_is_wrong_is_named_at_once() -> None:
    named = reasons(clarity(key=1, title={"fr": "x"}, field={"label": "x", "kinds": 1}))
    assert [reason.partition(" ")[0] for reason in named] == [
        "key",
        "title.en",
        "steps[reading].fields[clarity]:",
        "steps[reading].fields[clarity].label",
    ]


# -- installed ------------------------------------------------------------------------------------


def uninstalled() -> None:
    for published in (PROTOCOLS, SOURCES, CONTENTS):
        published.pop(("clear", "1"), None)


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Path]:
    """The file of a protocol that this installation has."""
    path = tmp_path / "clear.json"
    path.write_text(json.dumps(clarity()), encoding="utf-8")
    apps.publish([str(path)])
    yield path
    uninstalled()


def edited(path: Path, **changes: Any) -> None:
    """The file says something else, and Barème is started anew."""
    path.write_text(json.dumps(clarity(**changes)), encoding="utf-8")
    apps.publish([str(path)])


def refused_start() -> list[str]:
    return [str(message.msg) for message in protocol_files(databases=["default"])]


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
    otherwise = f"{installed} holds 'clear 1' otherwise than the database knows it"
    assert refused_start() == [f"{otherwise}: run `manage.py migrate`."]
    descriptions_keep()
    assert refused_start() == []

    other = {"label": {"fr": "Limpidité", "en": "Limpidity"}}
    edited(installed, field=other)
    assert "run `manage.py migrate`" in refused_start()[0], "nobody has judged by it"
    descriptions_keep()
    assert refused_start() == []
    before = installed.read_text(encoding="utf-8")

    study = make_study("clear", state="main", protocol_key="clear", protocol_version="1")
    Judgment.objects.create(assignment=make_assignment(study), protocol="clear 1")
    assert refused_start() == []
    edited(installed)
    for refuse in (files_expect, descriptions_keep):
        with pytest.raises(
            ImproperlyConfigured, match="A published version is never edited"
        ) as said:
            refuse()
        assert str(said.value).startswith(
            f"{installed} holds 'clear 1', by which people have judged"
        )
    assert refused_start() == [str(said.value)]
    assert "(first at steps[reading].fields[clarity].label.fr)" in str(said.value)
    # Before any rule of the database is made anew of what is refused.
    lacking = triggers.missing(connection)
    with pytest.raises(ImproperlyConfigured, match="never edited"):
        call_command("migrate", verbosity=0)
    assert triggers.missing(connection) == lacking
    assert PublishedProtocol.objects.get(key="clear").file == before

    said_of_it = StringIO()
    with pytest.raises(CommandError):
        call_command("protocol", "check", str(installed), stderr=said_of_it)
    assert (
        "people have judged by 'clear 1' here, and it said something else" in said_of_it.getvalue()
    )

    # As the refusal says: without the file, the former one is had back of the database.
    uninstalled()
    written, warned = StringIO(), StringIO()
    call_command("protocol", "write", "clear", "1", stdout=written, stderr=warned)
    assert "is not installed: this is its file" in warned.getvalue()
    assert written.getvalue() == before + "\n"
    installed.write_text(written.getvalue(), encoding="utf-8")
    apps.publish([str(installed)])
    descriptions_keep()
    assert refused_start() == []


@pytest.mark.django_db
def test_a_module_that_people_have_judged_by_is_said_unchanged_by_its_file(tmp_path: Path) -> None:
    """No file is kept of a module: what it asks is compared."""
    descriptions_keep()
    assert PublishedProtocol.objects.get(key="jades", version="1").file == ""
    study = make_study("grades", state="main", protocol_key="jades", protocol_version="1")
    Judgment.objects.create(assignment=make_assignment(study), protocol="jades 1")
    text = protocol_text(PROTOCOLS["jades", "1"])
    assert fixed_otherwise(protocol_read(text), text) is None
    other = text.replace("simplicity", "plainness")
    assert fixed_otherwise(protocol_read(other), other) is not None

    path, said = tmp_path / "jades.json", StringIO()
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CommandError):
        call_command("protocol", "check", str(path), stderr=said)
    assert "people have judged" not in said.getvalue()
    assert "has published 'jades 1' already" in said.getvalue()


@pytest.mark.django_db
def test_the_same_laid_out_otherwise_is_no_edit(installed: Path) -> None:
    descriptions_keep()
    study = make_study("clear", state="main", protocol_key="clear", protocol_version="1")
    Judgment.objects.create(assignment=make_assignment(study), protocol="clear 1")
    text = json.dumps(clarity(field={"level": "ordinal"}) | {"$schema": "x"}, indent=4)
    installed.write_text(text, encoding="utf-8")
    apps.publish([str(installed)])
    assert refused_start() == [], "a scale is ordinal without saying so"
    descriptions_keep()
    assert PublishedProtocol.objects.get(key="clear").file == text

    # A version of Barème that knows less than the one which kept it can read neither.
    PublishedProtocol.objects.filter(key="clear").update(
        file=json.dumps(clarity(field={"tone": "x"}))
    )
    assert "never edited" in refused_start()[0]


@pytest.mark.django_db
def test_a_file_does_not_take_the_place_of_a_module_that_says_something_else(
    installed: Path,
) -> None:
    descriptions_keep()
    PublishedProtocol.objects.filter(key="clear").update(file="")
    study = make_study("clear", state="main", protocol_key="clear", protocol_version="1")
    Judgment.objects.create(assignment=make_assignment(study), protocol="clear 1")
    assert refused_start() == [], "what is kept of it is what the file says"
    edited(installed, field={"label": {"fr": "Limpidité", "en": "Limpidity"}})
    assert "which the database has no file of (it was a module)" in refused_start()[0]
    uninstalled()
    with pytest.raises(CommandError, match="clear 1 is not installed, and was a module"):
        call_command("protocol", "write", "clear")


@pytest.mark.django_db
def test_the_database_takes_two_dollars_of_a_condition_for_what_they_are(installed: Path) -> None:
    step = clarity()["steps"][0]
    price = {"kind": "text", "name": "price", "label": WORDS}
    reason = price | {"name": "reason", "required_when": {"field": "price", "values": ["$$"]}}
    edited(installed, steps=[step | {"fields": [*step["fields"], price, reason]}])
    assert faults(PROTOCOLS["clear", "1"]) == []
    triggers.drop()
    triggers.create()
    assert triggers.missing(connection) == set()


@pytest.mark.django_db
def test_a_backup_is_put_back_to_its_end_and_the_next_start_refuses(installed: Path) -> None:
    descriptions_keep()
    before = PublishedProtocol.objects.get(key="clear").file
    study = make_study("clear", state="main", protocol_key="clear", protocol_version="1")
    Judgment.objects.create(assignment=make_assignment(study), protocol="clear 1")
    edited(installed, field={"label": {"fr": "Limpidité", "en": "Limpidity"}})
    with backup_put_back():
        files_expect()
        descriptions_keep()
    assert PublishedProtocol.objects.get(key="clear").file == before
    assert "never edited" in refused_start()[0]


@pytest.mark.django_db
def test_nothing_is_expected_before_there_is_a_place_for_it(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (composed, descriptions):
        monkeypatch.setattr(module, "has_column", lambda *_: False)
    files_expect()
    descriptions_keep()
    assert not PublishedProtocol.objects.filter(key="clear").exists()


@pytest.mark.django_db
def test_files_that_come_are_read_by_what_was_published(installed: Path) -> None:
    """Whatever stands in the protocol's own file meanwhile."""
    options = judging_options(PROTOCOLS["clear", "1"], {}, take=True, name="")
    assert options["module"] == str(installed), "a job keeps no more than its place"
    installed.write_text("{", encoding="utf-8")
    judging = judging_of(judging_handed_on(options))
    assert judging is not None
    assert judging.protocol == protocol_read(json.dumps(clarity()))
    module = {"module": "annotation.protocols.jades.definition", "rulings": {}}
    assert judging_handed_on(module) == module
    assert judging_handed_on(None) is None


@pytest.mark.django_db
@pytest.mark.parametrize("order", [("9", "10", "10rc1", "1.5"), ("10rc1", "10", "1.5", "9")])
def test_a_new_study_gets_the_highest_version(order: tuple[str, ...], tmp_path: Path) -> None:
    for version in order:
        path = tmp_path / f"clear{version}.json"
        path.write_text(json.dumps(clarity(version=version)), encoding="utf-8")
        apps.publish([str(path)])
    try:
        assert registry.latest("clear").version == "10"
        study = study_create(actor=None, key="fresh", title="Fresh", protocol_key="clear")
        assert study.protocol_version == "10"
        with translation.override("fr"):
            offered = list(cast(Any, StudyForm().fields["protocol"]).choices)
        assert ("clear", "Clarté (clear 10)") in offered
        assert ("jades", "Fluidité, sens, simplicité de 1 à 4 (JADES)") in offered
    finally:
        for version in order:
            for published in (PROTOCOLS, SOURCES, CONTENTS):
                published.pop(("clear", version), None)
    with pytest.raises(KeyError):
        registry.latest("clear")


# -- the command ----------------------------------------------------------------------------------


def ran(*arguments: str) -> str:
    said = StringIO()
    call_command("protocol", *arguments, stdout=said, stderr=said)
    return said.getvalue()


@pytest.mark.django_db
def test_one_begins_with_an_installed_protocol(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(
        ran("write", "jades").replace('"key": "jades"', '"key": "mine"'), encoding="utf-8"
    )
    said = ran("check", str(path))
    assert "mine 1, " in said
    assert "  rated: simplicity, ordinal, 1 to 4, better: higher\n" in said
    assert "  a scorer learns: meaning\n" in said
    assert "  unrelated pairs must get: meaning 1 to 1\n" in said
    assert f"BAREME_PROTOCOLS={path}" in said
    assert json.loads(ran("schema")) == protocol_schema()


@pytest.mark.django_db
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
    paths["again"], paths["named"] = tmp_path / "again.json", tmp_path / "a,b.txt"
    for name in ("again", "named"):
        paths[name].write_text(json.dumps(clarity()), encoding="utf-8")
    paths["folder"] = tmp_path / "folder.json"
    paths["folder"].mkdir()
    said = StringIO()
    with pytest.raises(CommandError, match="7 of 8 cannot be used"):
        call_command("protocol", "check", *map(str, paths.values()), stdout=said, stderr=said)
    lines = said.getvalue().splitlines()
    for name, expected in (
        ("unreadable", "line 1, column 2: Expecting property name"),
        ("senseless", "its key 'Clear' is no name"),
        ("senseless", "it predicts 'meaning'"),
        ("taken", "has published 'jades 1' already: give it another key, or another version."),
        ("latin", "it is not UTF-8"),
        ("again", "sound.json has published 'clear 1' already"),
        ("named", "BAREME_PROTOCOLS takes a path that ends in .json and has no comma"),
        ("folder", "cannot be read"),
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


def test_what_a_file_can_hold_of_one_whose_rules_are_code() -> None:
    legal = PROTOCOLS["legal_meaning", "1"]
    assert is_code(legal)
    copy = without_code(legal)
    assert not is_code(copy)
    assert protocol_read(protocol_text(copy)) == copy
    assert faults(copy) == []
    assert {field.name for field in legal.fields} - {field.name for field in copy.fields} == {
        "simplicity_confirmed"
    }
    assert without_code(PROTOCOLS["jades", "1"]).steps == PROTOCOLS["jades", "1"].steps
