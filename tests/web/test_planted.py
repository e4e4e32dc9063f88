"""An annotator's browser never receives a system's name, a peer's answer, a score, or an item's
kind.

Tried twice: no planted byte is in anything that it can fetch, by any address and by following every
link; and nothing that it fetches changes when the hidden facts do, so that not even a count or an
order tells of them.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from annotation.models import Item, Simplification, User
from annotation.web.platform.keeping import KEEP_HEADER
from annotation.web.platform.user_ref import USER_HEADER, user_ref
from tests.cast import Cast
from tests.planted import (
    KIND,
    PEER,
    PRIVATE,
    RULING,
    SCORE,
    SECRETS,
    SEED,
    crawl,
    found_in,
    plant,
    whole,
)
from tests.web.access_table import TABLE
from tests.web.test_access_matrix import URLS, address

pytestmark = pytest.mark.walk

OWN = (
    *(
        "annotate_mine",
        "annotate_guide",
        "annotate",
        "annotate_history",
        "annotate_feedback",
        "home",
        "own_data",
    ),
    *("annotate_work", "annotate_note"),
)


def says_who(client: Client) -> dict[str, str]:
    """As a page says whose it is."""
    person = User.objects.filter(pk=client.session.get("_auth_user_id")).first()
    return {USER_HEADER: user_ref(person)} if person else {}


def keeps(client: Client) -> dict[str, str]:
    """As a page asks for what it keeps."""
    said = says_who(client)
    return {KEEP_HEADER: said[USER_HEADER]} if said else {}


def requests(client: Client, values: dict[str, object], encoding: str) -> Iterator[tuple[str, Any]]:
    """Every address by every harmless method, with own and wrong ids, as page and as JSON."""
    ways: tuple[dict[str, str], ...] = ({}, says_who(client), keeps(client))
    for name, rule in TABLE.items():
        of_position = "position" in URLS[name].pattern.converters
        for position in (1, 2, 3, 99) if of_position else (1,):
            url = address(name, values, position=position)
            for accept in ("text/html", "application/json"):
                headers = {"accept-encoding": encoding, "accept": accept}
                for says in ways if name.startswith("annotate") else ({},):
                    yield name, client.get(url, headers=headers | says)
            yield name, client.head(url, headers={"accept-encoding": encoding})
            yield name, client.options(url)
            # Logging out would end the walk.
            if name != "logout":
                yield name, client.post(url, rule.form, headers={"accept-encoding": encoding})


@pytest.mark.parametrize(
    ("role", "encoding"),
    [
        ("annotator", "gzip"),
        ("annotator", "identity"),
        ("withdrawn", "gzip"),
        ("outsider", "gzip"),
        ("anonymous", "gzip"),
    ],
)
def test_no_address_answers_with_a_planted_byte(role: str, encoding: str, cast: Cast, planted):
    statuses = set()
    for name, answer in requests(cast.client(role), planted, encoding):
        assert found_in(answer) == [], (
            f"{name} {answer.request['REQUEST_METHOD']} {answer.status_code}"
        )
        statuses.add(answer.status_code)
    assert 405 in statuses
    assert role == "anonymous" or 404 in statuses


def test_no_link_leads_to_a_planted_byte(cast: Cast, planted):
    answers = crawl(
        cast.client("annotator"), "/", "/annotate/alpha/", "/account/preferences/", "/nowhere/"
    )
    assert len(answers) > 15
    assert any(answer.headers.get("Content-Encoding") == "gzip" for answer in answers.values())
    for url, answer in answers.items():
        assert found_in(answer) == [], url


def test_not_what_is_downloaded_of_oneself(cast: Cast, planted):
    form = {"action": "download", "download-password": "a-long-password"}
    answer = cast.client("annotator").post("/account/data/", form)
    assert answer["Content-Type"] == "application/zip"
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    text = "".join(archive.read(name).decode() for name in archive.namelist())
    assert "alpha" in text
    assert not [secret for secret in SECRETS if secret in text]


def test_not_when_the_page_breaks(cast: Cast, planted, monkeypatch):
    """A 500 page says nothing about what the server was doing."""

    def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"{PEER} {RULING} {SCORE}")

    monkeypatch.setattr("annotation.web.judging.views.annotate.blinded_pair", broken)
    client = cast.client("annotator")
    client.raise_request_exception = False
    answer = client.get("/annotate/alpha/2/")
    assert answer.status_code == 500
    assert found_in(answer) == []


@pytest.mark.parametrize("role", ["lead", "admin"])
def test_who_runs_the_study_reads_them_but_nobody_s_private_note(role: str, cast: Cast, planted):
    """That they do is how the tests above are known to look for something that is there."""
    client = cast.client(role)
    answers = crawl(
        client,
        "/",
        "/studies/alpha/",
        "/studies/alpha/remarks/",
        "/studies/alpha/watch/",
        "/people/",
    )
    assert len(answers) > 40
    seen = {secret for answer in answers.values() for secret in found_in(answer)}
    assert seen >= {SECRETS[0], PEER, KIND, RULING, SEED}
    assert [url for url, answer in answers.items() if found_in(answer, (PRIVATE,))] == []
    for name, answer in requests(client, planted, "identity"):
        assert found_in(answer, (PRIVATE,)) == [], name


def own_bodies(client: Client, values: dict[str, object]) -> dict[str, str]:
    """What the annotator's own pages say, without what differs from request to request."""
    bodies = {}
    for name in OWN:
        for position in (1, 2, 3):
            url = address(name, values, position=position)
            body = whole(client.get(url, headers=says_who(client))).decode()
            body = re.sub(r'name="(?:csrfmiddlewaretoken|key)" value="[\w-]+"', "", body)
            bodies[url] = re.sub(
                r'data-[a-z-]*(?:csrf|seconds|expires|token)[a-z-]*="[^"]*"', "", body
            )
    return bodies


def test_hidden_facts_change_nothing_that_an_annotator_reads(cast: Cast, values):
    client = cast.client("annotator")
    own_bodies(client, values)  # opens the pairs, which their own pages tell
    before = own_bodies(client, values)
    plant(cast)
    Simplification.objects.filter(item__study=cast.alpha).update(
        system="another-system", finish_reason="length"
    )
    assert own_bodies(client, values) == before


@pytest.mark.parametrize(
    ("round_", "control"), [("control", "identical"), ("control", "unrelated"), ("repeat", "")]
)
def test_a_pair_looks_the_same_whatever_it_is_for(cast: Cast, values, round_: str, control: str):
    client = cast.client("annotator")
    own_bodies(client, values)
    before = own_bodies(client, values)
    Item.objects.filter(study=cast.alpha, round="main").update(round=round_, control=control)
    assert own_bodies(client, values) == before
