"""Every address as every role, against the declared table; and what nobody outside may learn from
an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotation.models import Item
from tests.cast import ROLES, SYSTEM, Cast
from tests.web.access_table import LOGIN, TABLE, Outcome

pytestmark = pytest.mark.walk

OUTSIDERS = ("outsider", "other_lead", "withdrawn")


def patterns(resolver: URLResolver) -> Iterator[URLPattern]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            if entry.namespace == "api":
                continue  # walked by tests/api
            yield from patterns(entry)
        else:
            yield entry


URLS = {pattern.name or str(pattern.pattern): pattern for pattern in patterns(get_resolver())}


@pytest.fixture(autouse=True)
def _redis_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it is decides what `/readyz` says, to everybody alike."""
    monkeypatch.setattr("annotation.selectors.platform.parts.broker_answers", lambda: True)


def address(name: str, values: dict[str, object], **changed: object) -> str:
    wanted = URLS[name].pattern.converters
    unknown = set(wanted) - set(values)
    assert not unknown, f"{name}: give the test a value for {', '.join(unknown)}"
    return reverse(name, kwargs={part: (values | changed)[part] for part in wanted})


def outcome(response) -> Outcome:
    whole(response)
    if response.status_code == 302 and response["Location"].startswith(reverse("login")):
        return LOGIN
    return response.status_code


def test_every_address_is_in_the_table():
    assert set(URLS) == set(TABLE), (
        "declare the new address (or drop the old one) in tests/web/access_table.py"
    )


@pytest.mark.parametrize("name", URLS)
def test_each_role_gets_what_is_declared(name: str, cast: Cast, values):
    rule, url = TABLE[name], address(name, values)
    clients = {role: cast.client(role) for role in ROLES}
    got = {role: outcome(client.get(url)) for role, client in clients.items()}
    assert got == rule.get, f"GET {url}"
    posted = {role: outcome(client.post(url, rule.form)) for role, client in clients.items()}
    assert posted == rule.post, f"POST {url}"


@pytest.mark.parametrize(
    "name", [name for name, url in URLS.items() if "study" in url.pattern.converters]
)
def test_what_is_not_theirs_looks_like_what_is_not_there(name: str, cast: Cast, values):
    """An outsider cannot even learn which studies exist. Who has withdrawn knows of theirs, and is
    told that they have, whatever there is or is not in it."""
    real, made_up = address(name, values), address(name, values, study="no-such-study")
    of_nothing = address(name, values, position=77)
    for role in OUTSIDERS:
        client = cast.client(role)
        for method in ("get", "post"):
            answers = [getattr(client, method)(url) for url in (real, made_up)]
            assert answers[0].status_code == answers[1].status_code
            assert answers[0].status_code in (404, 405), role
            if role == "withdrawn" and reverse("own_data") in answers[0].content.decode():
                assert name.startswith("annotate"), "a page of their own work"
                beside = getattr(client, method)(of_nothing)
                assert blank(answers[0], real) == blank(beside, of_nothing)
                assert cast.alpha.title not in answers[0].content.decode()
                continue
            assert blank(answers[0], real) == blank(answers[1], made_up)


def test_nothing_that_an_annotator_can_open_names_a_system_or_a_peer(cast: Cast, values):
    hidden = (SYSTEM, cast.peer.email, cast.withdrawn.email, cast.lead.email, cast.admin.email)
    client, seen = cast.client("annotator"), []
    for name in URLS:
        for url in dict.fromkeys(address(name, values, position=n) for n in (1, 2, 3)):
            answer = client.get(url, follow=True)
            everything = whole(answer).decode() + str(answer.headers)
            assert not [secret for secret in hidden if secret in everything], name
            seen.append(answer.status_code)
    assert seen.count(200) > 20


def test_a_lead_does_see_the_system(cast: Cast, values):
    """So that the test above looks for something that is there."""
    assert SYSTEM in cast.client("lead").get(address("study_items", values)).content.decode()


def whole(response) -> bytes:
    """The body. A download must be read to its end, which closes its file."""
    return b"".join(response.streaming_content) if response.streaming else response.content


def blank(response, url: str) -> str:
    """A page without what differs from request to request: its own address, that of the way on in
    the study that was asked for, the token of its forms, how long its session lasts yet."""
    page = response.content.decode().replace(url, "")
    if study := re.match(r"/annotate/([\w-]+)/", url):
        page = page.replace(f'"url": "{reverse("annotate_resume", args=[study[1]])}"', "")
    page = re.sub(r'(data-[a-z-]*seconds)="\d+"', r"\1", page)
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)


def test_a_browser_that_is_not_logged_in_learns_nothing_either(cast: Cast, values):
    for name, url in URLS.items():
        if "study" in url.pattern.converters:
            answers = [
                Client().get(address(name, values, study=key)) for key in ("alpha", "no-such-study")
            ]
            # 401 is for scripts, which a log-in page would tell nothing.
            assert {outcome(answer) for answer in answers} in ({LOGIN}, {405}, {401})


@pytest.mark.parametrize(
    "name", [name for name, rule in TABLE.items() if rule.post["anonymous"] == LOGIN]
)
def test_who_logs_in_again_after_pressing_a_button_comes_to_a_page(name: str, cast: Cast, values):
    """Their session had ended: what they pressed is not done, and where it would have been done
    need not be a page."""
    answer = Client().post(address(name, values), TABLE[name].form)
    wanted = parse_qs(urlsplit(answer["Location"]).query).get("next", ["/"])[0]
    assert outcome(cast.client("lead").get(wanted)) != 405


ROWS = {
    "upload",
    "document",
    "job",
    "reading",
    "number",
    "asking",
    "answering",
    "question",
    "simplification",
    "pair",
    "item",
    "brought",
}
"""Parts of an address that name a row of a study."""


@pytest.mark.parametrize(
    "name", [name for name, url in URLS.items() if ROWS & set(url.pattern.converters)]
)
def test_a_row_of_another_study_is_not_reached_through_one_s_own(name: str, cast: Cast, values):
    """The lead of «beta» asks, under their own study's address, for every kind of row of
    «alpha»."""
    assert "study" in URLS[name].pattern.converters, "a row of a study is named under its study"
    # Items are named by keys, which studies may share: one that only «alpha» has.
    Item.objects.filter(study=cast.alpha, key=values["item"]).update(key="of-alpha")
    own = address(name, values, study="beta", item="of-alpha")
    client = cast.client("other_lead")
    assert client.get(own).status_code in (404, 405)
    assert client.post(own, TABLE[name].form).status_code in (404, 405)


def test_every_part_of_an_address_is_known():
    """A new kind of id must be said to name a row of a study or not, so that the walk above stays
    complete."""
    of_no_study = {
        "study",
        "position",
        "chart",
        "drawing",
        "picture",
        "table",
        "sheet",
        "dimension",
        "field",
        "token",
        "uidb64",
        "training",
        "version",
        "filename",
    }
    of_no_study |= {"scoring", "scored", "asked", "deleted", "columns", "digest", "draft", "tried"}
    of_no_study |= {"installed"}
    assert {part for url in URLS.values() for part in url.pattern.converters} == ROWS | of_no_study


def test_the_headers_of_every_page_are_strict(cast: Cast, values):
    clients = [cast.client(role) for role in ("anonymous", "annotator", "lead")]
    for name in URLS:
        for client in clients:
            answer = client.get(address(name, values))
            whole(answer)
            headers = answer.headers
            assert "default-src 'none'" in headers["content-security-policy"], name
            assert "unsafe" not in headers["content-security-policy"], name
            assert headers["x-frame-options"] == "DENY", name
            assert headers["x-content-type-options"] == "nosniff", name
