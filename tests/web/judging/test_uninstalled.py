"""The annotator's pages of a study whose protocol is no longer installed: to read, and nothing to
submit."""

from __future__ import annotations

import html
import re
import uuid
from collections.abc import Iterator

import pytest
from django.test import Client

from annotation.errors import RuleError
from annotation.models import Assignment, Draft, GuideVersion, Judgment
from annotation.protocols.registry import PROTOCOLS
from annotation.services.judging.drafts import draft_save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.judging.taking_back import judgment_take_back
from annotation.services.planning.assignments import assignments_fill
from annotation.web.platform.keeping import KEEP_HEADER
from annotation.web.platform.user_ref import user_ref
from tests.factories import answers, make_annotator, make_pair, make_study, save

pytestmark = pytest.mark.django_db


@pytest.fixture
def mine() -> Iterator[list[Assignment]]:
    """Two pairs of one annotator: the first is submitted, the second begun; then the protocol
    goes."""
    study = make_study("gone", state="main")
    for _ in range(2):
        make_pair(study)
    annotator = make_annotator(study)
    assignments_fill(actor=None, study=study)
    rows = list(
        Assignment.objects.filter(annotator=annotator)
        .select_related("annotator__study", "annotator__user", "simplification__item")
        .order_by("position")
    )
    judgment_submit(actor=annotator.user, assignment=rows[0], save=save(comment="Le délai ?"))
    draft_save(actor=annotator.user, assignment=rows[1], save=save(comment="Commencé."))
    before = dict(PROTOCOLS)
    del PROTOCOLS["legal_meaning", "1"]
    yield rows
    PROTOCOLS.clear()
    PROTOCOLS.update(before)


@pytest.fixture
def annotator(mine: list[Assignment]) -> Client:
    client = Client()
    client.force_login(mine[0].annotator.user)
    return client


def page(client: Client, address: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(client.get(address).content.decode()))


@pytest.mark.parametrize(("number", "typed"), [(0, "Le délai ?"), (1, "Commencé.")])
def test_a_pair_is_read_and_promises_nothing(
    annotator: Client, mine: list[Assignment], number: int, typed: str
) -> None:
    text = page(annotator, f"/annotate/gone/{mine[number].position}/")
    assert "Le protocole de cette étude n'est plus installé" in text
    assert "Vous pouvez encore" not in text
    assert typed in text
    assert 'data-editable="0"' in text
    assert re.search(r'<fieldset class="deck__answers" disabled', text)
    assert re.search(r'id="submit" [^>]*hidden', text)
    assert "later-form" not in text


def test_ones_own_list_says_so(annotator: Client) -> None:
    assert "n'est plus installé" in page(annotator, "/annotate/gone/mine/")


def test_programs_are_told_the_same(annotator: Client, mine: list[Assignment]) -> None:
    assignment = annotator.get(f"/api/v1/my/studies/gone/assignments/{mine[0].position}/").json()
    assert assignment["editable"] is False
    assert assignment["answers"]["comment"] == "Le délai ?"


def test_no_page_is_kept_for_later(annotator: Client, mine: list[Assignment]) -> None:
    keep = {KEEP_HEADER: user_ref(mine[0].annotator.user)}
    response = annotator.get(f"/annotate/gone/{mine[0].position}/ahead/", headers=keep)
    assert response.status_code == 409


def test_what_an_open_page_still_holds_is_kept(annotator: Client, mine: list[Assignment]) -> None:
    user, begun = mine[1].annotator.user, mine[1]
    draft_save(actor=user, assignment=begun, save=save(1, comment="Encore un mot."))
    assert Draft.objects.get(assignment=begun).answers["comment"] == "Encore un mot."


def test_nobody_is_sent_to_read_a_guide_by_which_nothing_can_be_judged(
    annotator: Client, mine: list[Assignment]
) -> None:
    GuideVersion.objects.create(study=mine[1].annotator.study, number=1, body_fr="Lisez.")
    body = {"key": str(uuid.uuid4()), "base_revision": 1, "answers": answers()}
    url = f"/annotate/gone/{mine[1].position}/submit/"
    response = annotator.post(url, body, content_type="application/json")
    problems = response.json()["problems"]
    assert [(problem["code"], problem.get("url")) for problem in problems] == [
        ("not_installed", None)
    ]


def test_a_submission_stays_where_it_could_not_be_made_again(mine: list[Assignment]) -> None:
    with pytest.raises(RuleError) as refused:
        judgment_take_back(actor=mine[0].annotator.user, assignment=mine[0], number=1)
    assert [problem.code for problem in refused.value.problems] == ["not_installed"]
    assert Judgment.objects.filter(assignment=mine[0], submitted_at__isnull=False).exists()
