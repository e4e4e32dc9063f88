"""Every operation as every role in two studies; and what an annotator's program may never learn."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from django.urls import URLPattern, reverse

from annotation.generation.presets import PAPER
from api.urls import urlpatterns
from tests.api.access_table import TABLE
from tests.cast import ROLES, SYSTEM, Cast

pytestmark = pytest.mark.walk

# Without a token: the description of the API, and the answer to addresses that there are not.
PUBLIC = {"schema", "docs", "nothing_here"}
PATTERNS: dict[str, URLPattern] = {str(pattern.name): pattern for pattern in urlpatterns}
OUTSIDERS = ("outsider", "other_lead", "withdrawn")
OPERATIONS = [
    (name, method)
    for name, pattern in PATTERNS.items()
    if name not in PUBLIC
    for method in ("get", "post", "put", "patch", "delete")
    if hasattr(pattern.callback.view_class, method)  # type: ignore[attr-defined]
]


def address(name: str, values: dict[str, object], **changed: object) -> str:
    wanted = PATTERNS[name].pattern.converters
    unknown = set(wanted) - set(values)
    assert not unknown, f"{name}: give the test a value for {', '.join(unknown)}"
    own = {"job": values["publication"]} if name == "publication" else {}
    return reverse(f"api:{name}", kwargs={part: (values | own | changed)[part] for part in wanted})


def asked(client: Client, method: str, url: str, body: object = None):
    options = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
    answer = getattr(client, method)(url, **options)
    answer.whole = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer


def test_every_operation_is_in_the_table():
    assert set(OPERATIONS) == set(TABLE), (
        "declare the new operation (or drop the old one) in tests/api/access_table.py"
    )


@pytest.mark.parametrize(("name", "method"), OPERATIONS)
def test_each_role_gets_what_is_declared(name: str, method: str, cast: Cast, values, program):
    rule, url = TABLE[name, method], address(name, values)
    got = {}
    for role in ROLES:
        answer = asked(program(role), method, url + rule.query, rule.body)
        got[role] = answer.status_code
        if answer.status_code >= 400:
            assert answer["Content-Type"] == "application/problem+json"
            assert answer.json()["status"] == answer.status_code
    assert got == rule.outcomes, f"{method.upper()} {url}"


@pytest.mark.parametrize(
    ("name", "method"),
    [operation for operation in OPERATIONS if "study" in PATTERNS[operation[0]].pattern.converters],
)
def test_what_is_not_theirs_looks_like_what_is_not_there(
    name: str, method: str, cast: Cast, values, program
):
    """An outsider cannot even learn which studies exist."""
    body = TABLE[name, method].body
    for role in ("anonymous", *OUTSIDERS):
        client = program(role)
        real, made_up = (
            asked(client, method, address(name, values, study=key), body)
            for key in ("alpha", "no-such-study")
        )
        assert real.status_code in (401, 404), role
        assert (real.status_code, real.whole) == (made_up.status_code, made_up.whole)


def test_nothing_that_an_annotator_s_program_can_fetch_names_a_system_or_a_peer(
    cast: Cast, values, program
):
    hidden = (
        SYSTEM,
        cast.peer.email,
        cast.withdrawn.email,
        cast.lead.email,
        cast.admin.email,
        PAPER.model,
    )
    client, seen = program("annotator"), []
    for name, method in OPERATIONS:
        for position in (1, 2, 3):
            answer = asked(
                client, method, address(name, values, position=position), TABLE[name, method].body
            )
            everything = answer.whole.decode() + str(answer.headers)
            assert not [secret for secret in hidden if secret in everything], name
            seen.append(answer.status_code)
    assert seen.count(200) > 20


def test_a_lead_s_program_does_see_the_system(cast: Cast, values, program):
    """So that the test above looks for something that is there."""
    assert SYSTEM in program("lead").get(address("items", values)).content.decode()


def test_a_row_of_another_study_is_not_reached_through_one_s_own(cast: Cast, values, program):
    client = program("other_lead")
    rows = {
        "job",
        "reading",
        "number",
        "pseudonym",
        "lead",
        "invitation",
        "document",
        "pair",
        "simplification",
    }
    rows |= {"assignment"}
    values = values | {"pseudonym": "B", "item": "none"}
    tried = 0
    for name, method in OPERATIONS:
        converters = set(PATTERNS[name].pattern.converters)
        if "study" in converters and converters & rows:
            assert asked(client, method, address(name, values, study="beta")).status_code == 404, (
                name
            )
            tried += 1
    assert tried > 30


def test_an_address_that_there_is_not_is_said_in_the_same_form(db):
    answer = Client().get("/api/v1/nowhere/")
    assert answer.status_code == 404
    assert answer.json()["type"] == "not_found"
