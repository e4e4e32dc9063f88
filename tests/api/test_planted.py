"""An annotator's program never receives a system's name, a peer's answer, a score, or an item's
kind: not in a body, not in a header, not in a refusal, and not by an entity tag that changes when
one of them does."""

from __future__ import annotations

import pytest
from django.test import Client

from annotation.models import Item, Simplification
from annotation.services.accounts.tokens import token_create
from tests.api.access_table import TABLE
from tests.api.test_access import OPERATIONS, address, asked
from tests.cast import Cast
from tests.planted import KIND, PEER, PRIVATE, RULING, SECRETS, SEED, found_in, plant

pytestmark = pytest.mark.walk

OWN = [
    (name, method)
    for name, method in OPERATIONS
    if name.startswith("my_") or name in ("me", "studies", "protocols")
]


def program(cast: Cast, role: str, **headers: str) -> Client:
    _token, secret = token_create(
        actor=getattr(cast, role), name="t", scopes=["read", "judge", "lead", "admin"], days=1
    )
    return Client(headers={"authorization": f"Bearer {secret}", **headers})


@pytest.mark.parametrize(
    ("role", "encoding"),
    [("annotator", "gzip"), ("annotator", "identity"), ("withdrawn", "gzip"), ("outsider", "gzip")],
)
def test_no_operation_answers_with_a_planted_byte(
    role: str, encoding: str, cast: Cast, planted, settings
):
    settings.API_REQUESTS_PER_MINUTE = 100_000
    client, statuses = program(cast, role, **{"accept-encoding": encoding}), set()
    for name, method in OPERATIONS:
        rule = TABLE[name, method]
        for url in dict.fromkeys(
            address(name, planted, position=position) for position in (1, 2, 3, 99)
        ):
            for body in (rule.body, *([] if method == "get" else [{"answers": []}, None])):
                answer = asked(client, method, url + rule.query, body)
                assert found_in(answer) == [], f"{method} {url} {answer.status_code}"
                statuses.add(answer.status_code)
            answer = client.options(url)
            assert found_in(answer) == [], f"options {url}"
    assert 404 in statuses
    assert role != "annotator" or {200, 400, 404, 422} <= statuses


def test_the_description_of_the_api_holds_nothing_of_it_either(cast: Cast, planted):
    for url in ("/api/v1/schema/", "/api/v1/docs/", "/api/v1/nowhere/"):
        assert (
            found_in(program(cast, "annotator").get(url, headers={"accept-encoding": "gzip"})) == []
        )


def test_a_lead_s_program_does_receive_them(cast: Cast, planted, settings):
    """So that the tests above look for something that is there."""
    client = program(cast, "lead")
    answers = [
        asked(client, m, address(n, planted) + TABLE[n, m].query)
        for n, m in OPERATIONS
        if m == "get"
    ]
    assert {secret for answer in answers for secret in found_in(answer)} >= {
        SECRETS[0],
        KIND,
        RULING,
        SEED,
    }
    assert PEER in SECRETS
    assert not [url for answer in answers for url in found_in(answer, (PRIVATE,))]


def _own(client: Client, values: dict[str, object]) -> dict[str, tuple[int, str, bytes]]:
    read = [(name, position) for name, method in OWN if method == "get" for position in (1, 2, 3)]
    answers = {
        url: client.get(url)
        for url in (address(name, values, position=position) for name, position in read)
    }
    return {
        url: (answer.status_code, answer.headers.get("ETag", ""), answer.content)
        for url, answer in answers.items()
    }


def test_hidden_facts_change_neither_bodies_nor_entity_tags(cast: Cast, values):
    client = program(cast, "annotator")
    _own(client, values)  # opens the pairs, which their own answers tell
    before = _own(client, values)
    assert sum(bool(tag) for _status, tag, _body in before.values()) > 10
    plant(cast)
    Simplification.objects.filter(item__study=cast.alpha).update(
        system="another-system", finish_reason="length"
    )
    assert _own(client, values) == before


@pytest.mark.parametrize(
    ("round_", "control"), [("control", "identical"), ("control", "unrelated"), ("repeat", "")]
)
def test_a_pair_reads_the_same_whatever_it_is_for(cast: Cast, values, round_: str, control: str):
    client = program(cast, "annotator")
    _own(client, values)
    before = _own(client, values)
    Item.objects.filter(study=cast.alpha, round="main").update(round=round_, control=control)
    assert _own(client, values) == before
