"""What a browser keeps of the next pairs: to fetch a page for keeping is not to look at it."""

from __future__ import annotations

import html
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    Event,
    GuideVersion,
    Judgment,
    RejudgeRequest,
    Simplification,
    Study,
    User,
)
from annotation.selectors.judging.queue import ahead
from annotation.services.base.standings import positions_check
from annotation.services.judging.own_pairs import pair_set_aside
from annotation.services.planning.assignments import assignments_fill
from annotation.web.judging.keeping import KEPT, pair_mark
from annotation.web.platform.user_ref import copy_key, user_ref
from tests.cast import ROLES, SYSTEM, Cast
from tests.factories import kept_anew, make_pair
from tests.planning import seen, submit
from tests.web.judging.test_judging import body, post

pytestmark = pytest.mark.django_db


@pytest.fixture
def own(cast: Cast) -> list[Assignment]:
    """The annotator's main pairs: more than are kept."""
    for _ in range(KEPT + 2):
        make_pair(cast.alpha, system=SYSTEM)
    assignments_fill(actor=None, study=cast.alpha)
    return sorted(
        (row for row in seen(cast.judge) if row.simplification.item.round == "main"),
        key=lambda r: r.position,
    )


def url(assignment: Assignment, verb: str = "") -> str:
    return f"/annotate/alpha/{assignment.position}/{verb}"


def asks_as(person: User) -> dict[str, str]:
    """As a page of that person asks."""
    return {"X-Bareme-Keep": user_ref(person)}


def own_header(client: Client) -> dict[str, str]:
    person = User.objects.filter(pk=client.session.get("_auth_user_id")).first()
    return asks_as(person) if person else {"X-Bareme-Keep": "1"}


def keep(client: Client, assignment: Assignment) -> Any:
    return client.get(url(assignment), headers=own_header(client))


def what_comes(client: Client, assignment: Assignment) -> Any:
    return client.get(url(assignment, "ahead/"), headers=own_header(client))


def opened(client: Client, cast: Cast, assignment: Assignment, mark: str, **changed: Any) -> Any:
    posted = {"user": user_ref(cast.annotator), "mark": mark, "opened": 5} | changed
    return post(client, url(assignment, "ahead/"), posted)


class TestReleasedMeanwhile:
    """The browser had the page, nobody was told of it, and the pair went to others."""

    @pytest.fixture
    def gone(self, own) -> Assignment:
        Assignment.objects.filter(pk=own[1].pk).update(released_at=timezone.now())
        kept_anew()
        own[1].refresh_from_db()
        return own[1]

    @pytest.mark.parametrize("verb", ["draft/", "submit/"])
    def test_what_was_answered_is_taken(self, cast, own, gone, verb):
        client = cast.client("annotator")
        assert client.get(url(gone)).status_code == 404
        answer = post(client, url(gone, verb), body() | {"opened": 300})
        assert answer.status_code == 200, answer.content
        assert Draft.objects.filter(assignment=gone).exists()
        assert Judgment.objects.filter(assignment=gone).exists() == (verb == "submit/")
        assert list(positions_check()) == []
        assert client.get(url(gone)).status_code == 200, "it is begun, and theirs"

    def test_a_refused_submission_is_kept_as_a_draft(self, cast, own, gone):
        wrong = body(characterization=None) | {"opened": 300}
        answer = post(cast.client("annotator"), url(gone, "submit/"), wrong)
        assert answer.status_code == 422
        assert Draft.objects.filter(assignment=gone).exists()
        assert list(positions_check()) == []

    def test_nothing_else_reaches_it(self, cast, own, gone):
        assert post(cast.client("annotator"), url(gone, "draft/"), body()).status_code == 404
        posted = body() | {"opened": 300}
        for role in ("outsider", "other_lead", "withdrawn", "lead"):
            answer = post(cast.client(role), url(gone, "draft/"), posted)
            assert answer.status_code == 404
        assert not Draft.objects.filter(assignment=gone).exists()


class TestFetching:
    def test_it_is_the_page_that_would_be_shown(self, cast, own):
        client = cast.client("annotator")
        kept, shown = (
            keep(client, own[0]).content.decode(),
            client.get(url(own[0])).content.decode(),
        )
        assert own[0].simplification.text in html.unescape(kept)
        assert copy_key(cast.annotator) in kept
        # Beside what is new in each page: who may send from it, for how long, and where it comes
        # from.
        apart = ("csrfmiddlewaretoken", 'name="key"', "data-session-seconds", "data-kept")
        lines = [
            [line for line in page.splitlines() if not any(word in line for word in apart)]
            for page in (kept, shown)
        ]
        assert lines[0] == lines[1]

    def test_nobody_has_looked_at_it_then(self, cast, own):
        client = cast.client("annotator")
        before = Event.objects.count()
        answer = keep(client, own[0])
        assert answer.status_code == 200
        assert "no-store" in answer["Cache-Control"]
        own[0].refresh_from_db()
        assert own[0].opened_at is None
        assert (Draft.objects.count(), Judgment.objects.count(), Event.objects.count()) == (
            0,
            0,
            before,
        )
        assert Assignment.objects.filter(opened_at__isnull=False).count() == 0
        client.get(url(own[0]))
        own[0].refresh_from_db()
        assert own[0].opened_at is not None

    @pytest.mark.parametrize("headers", [{}, {"X-Bareme-Keep": ""}])
    def test_only_the_header_does_it(self, cast, own, headers):
        cast.client("annotator").get(f"{url(own[0])}?keep=1&X-Bareme-Keep=1", headers=headers)
        own[0].refresh_from_db()
        assert own[0].opened_at is not None

    def test_what_is_told_once_is_told_to_who_looks(self, cast, own):
        client = cast.client("annotator")
        client.post("/account/preferences/", {"theme": "dark"})
        assert 'class="messages"' not in keep(client, own[0]).content.decode()
        assert 'class="messages"' in client.get(url(own[0])).content.decode()

    def test_it_does_not_prolong_the_log_in(self, cast, own):
        client = cast.client("annotator")
        session = client.session
        session["renewed_at"] = 0
        session.save()
        keep(client, own[0])
        assert client.session["renewed_at"] == 0
        client.get(url(own[0]))
        assert client.session["renewed_at"] > 0

    @pytest.mark.parametrize(
        "role", [role for role in ROLES if role not in ("annotator", "anonymous")]
    )
    def test_it_is_nobody_else_s(self, role, cast, own):
        assert keep(cast.client(role), own[0]).status_code == 404

    @pytest.mark.parametrize("verb", ["", "ahead/"])
    def test_a_page_of_somebody_else_in_the_same_browser_gets_nothing(self, verb, cast, own):
        """Both annotate the study: what the log-in of the second may read is not kept as the
        first's."""
        mine, theirs = cast.client("annotator"), asks_as(cast.peer)
        for address in (url(own[0], verb), f"/annotate/no-such-study/1/{verb}"):
            answer = mine.get(address, headers=theirs)
            assert (answer.status_code, answer.json()["type"]) == (403, "other_user")
            assert copy_key(cast.annotator) not in answer.content.decode()
        own[0].refresh_from_db()
        assert own[0].opened_at is None

    @pytest.mark.parametrize("says", [{}, {"X-Bareme-Keep": ""}, {"X-Bareme-Keep": "1"}])
    def test_whose_page_asks_what_comes_is_said(self, says, cast, own):
        answer = cast.client("annotator").get(url(own[0], "ahead/"), headers=says)
        assert (answer.status_code, answer.json()["type"]) == (403, "other_user")

    def test_without_a_log_in_there_is_none(self, cast, own):
        assert keep(Client(), own[0]).status_code == 302

    def test_what_is_judged_is_not_kept_until_it_is_sent_back(self, cast, own):
        client = cast.client("annotator")
        submit(own[0])
        assert keep(client, own[0]).status_code == 404
        RejudgeRequest.objects.create(assignment=own[0], reason="Relire")
        answer = keep(client, own[0])
        assert answer.status_code == 200
        assert "Relire" in answer.content.decode()

    @pytest.mark.parametrize("state", ["closed", "practice"])
    def test_none_of_a_round_that_takes_no_answers(self, state, cast, own):
        client = cast.client("annotator")
        Study.objects.filter(pk=cast.alpha.pk).update(state=state)
        expected = 409 if state == "closed" else 404
        assert keep(client, own[0]).status_code == expected
        assert what_comes(client, own[0]).status_code == expected

    def test_none_before_the_guide_is_read(self, cast, own):
        GuideVersion.objects.create(study=cast.alpha, number=1, body_fr="Guide")
        assert keep(cast.client("annotator"), own[0]).status_code == 409

    def test_none_to_who_has_left(self, cast, own):
        client = cast.client("annotator")
        Annotator.objects.filter(pk=cast.judge.pk).update(withdrawn_at=timezone.now())
        assert keep(client, own[0]).status_code == 404
        assert what_comes(client, own[0]).status_code == 404


class TestAhead:
    def positions(self, client: Client, assignment: Assignment) -> list[int]:
        return [position for position, _, _ in what_comes(client, assignment).json()["pairs"]]

    def test_the_next_ten_in_the_order_in_which_one_is_led(self, cast, own):
        client, places = cast.client("annotator"), [assignment.position for assignment in own]
        assert self.positions(client, own[0]) == places[1 : 1 + KEPT]
        # After the last one, from the beginning.
        assert self.positions(client, own[-2]) == [places[-1], *places[: KEPT - 1]]

    def test_without_what_is_judged_and_with_what_is_put_off_last(self, cast, own):
        client, places = cast.client("annotator"), [assignment.position for assignment in own]
        for assignment in own[3:]:
            submit(assignment)
        pair_set_aside(assignment=own[1])
        assert self.positions(client, own[0]) == [places[2], places[1]]
        first = what_comes(client, own[0]).json()["pairs"][0][0]
        next_url = post(client, url(own[0], "submit/"), body()).json()["next_url"]
        assert next_url.endswith(f"/{first}/")

    def test_marks_are_those_of_the_pages_and_change_with_what_they_show(self, cast, own):
        client = cast.client("annotator")

        def marks() -> list[str]:
            pairs = what_comes(client, own[0]).json()["pairs"]
            assert keep(client, own[1])["X-Bareme-Mark"] == f"{pairs[0][1]} {pairs[0][2]}"
            return [f"{mark} {revision}" for _, mark, revision in pairs]

        first = marks()
        assert len(set(first)) == KEPT
        post(client, url(own[1], "draft/"), body())
        second = marks()
        assert (second[0] == first[0], second[1:] == first[1:]) == (False, True)
        client.post("/account/preferences/", {"language": "en"})
        assert not set(marks()) & set(second)
        third = marks()
        Study.objects.filter(pk=cast.alpha.pk).update(
            rulings={"crossing_policy": "clamp", "span_required": False}
        )
        assert not set(marks()) & set(third)

    def test_it_asks_for_no_more_rows_than_it_tells(self, cast, own):
        assignment = Assignment.objects.select_related("simplification__item", "annotator").get(
            pk=own[0].pk
        )
        with CaptureQueriesContext(connection) as queries:
            assert len(ahead(assignment, KEPT)) == KEPT
        statements = [query["sql"] for query in queries]
        assert len(statements) <= 2, "what waits, and repeats; no more while these are enough"
        assert all("LIMIT 10" in sql for sql in statements)

    def test_nobody_reads_from_a_mark_which_row_a_pair_is(self, cast, own, settings):
        """Rows are numbered as systems wrote them: with all else that a mark is made of in hand,
        its numbers could be tried one by one."""
        client = cast.client("annotator")
        study, total = cast.alpha, len(own)
        pairs = what_comes(client, own[0]).json()["pairs"]
        sent = {mark for _position, mark, _revision in pairs}
        assignments = [assignment for assignment in own if assignment.position != own[0].position]

        def computed() -> set[str]:
            return {pair_mark(cast.annotator, study, pair, total) for pair in assignments}

        study.refresh_from_db()
        assert sent <= computed()
        settings.SECRET_KEY = "another installation's, which is all that is not known"
        assert not sent & computed()

    def test_it_tells_nothing_of_systems_or_peers(self, cast, own):
        assert SYSTEM not in what_comes(cast.client("annotator"), own[0]).content.decode()


class TestShown:
    """A kept page was shown: the browser tells as soon as it can."""

    @pytest.fixture(autouse=True)
    def long_ago(self, own: list[Assignment]) -> datetime:
        """When the people came and their pairs."""
        moment = timezone.now() - timedelta(days=200)
        Annotator.objects.update(created_at=moment)
        Simplification.objects.update(created_at=moment)
        return moment

    def mark(self, client: Client, assignment: Assignment) -> str:
        return str(keep(client, assignment)["X-Bareme-Mark"].split()[0])

    def test_it_is_noted_as_it_was(self, cast, own):
        client = cast.client("annotator")
        answer = opened(client, cast, own[0], self.mark(client, own[0]), opened=120)
        assert answer.status_code == 200
        assert answer.json()["is_same"] is True
        assert (answer.json()["revision"], answer.json()["done"], answer.json()["total"]) == (
            0,
            0,
            len(own),
        )
        assert answer.json()["seconds_left"] > 0
        assert len(answer.json()["pairs"]) == KEPT
        own[0].refresh_from_db()
        assert own[0].opened_at is not None
        assert timedelta(seconds=110) < timezone.now() - own[0].opened_at < timedelta(seconds=180)

    def test_not_where_it_shows_something_else_by_now(self, cast, own):
        client = cast.client("annotator")
        mark = self.mark(client, own[0])
        Study.objects.filter(pk=cast.alpha.pk).update(
            rulings={"crossing_policy": "ask", "span_required": True}
        )
        assert opened(client, cast, own[0], mark).json()["is_same"] is False
        own[0].refresh_from_db()
        assert own[0].opened_at is None

    def test_the_revision_tells_of_answers_given_elsewhere(self, cast, own):
        client = cast.client("annotator")
        mark = self.mark(client, own[0])
        post(client, url(own[0], "draft/"), body())
        answer = opened(client, cast, own[0], mark).json()
        assert (answer["is_same"], answer["revision"]) == (True, 1)

    def test_a_save_tells_it_too(self, cast, own):
        client = cast.client("annotator")
        assert (
            post(
                client, url(own[0], "draft/"), body(active_seconds=200) | {"opened": 300}
            ).status_code
            == 200
        )
        own[0].refresh_from_db()
        assert timezone.now() - own[0].opened_at > timedelta(seconds=290)
        first = own[0].opened_at
        post(client, url(own[0], "draft/"), body(base_revision=1, comment="x") | {"opened": 900})
        own[0].refresh_from_db()
        assert own[0].opened_at == first

    def test_nobody_opened_a_pair_before_browsers_kept_any(self, cast, own):
        client = cast.client("annotator")
        opened(client, cast, own[0], self.mark(client, own[0]), opened=2**31 - 1)
        own[0].refresh_from_db()
        assert timezone.now() - own[0].opened_at < timedelta(days=91)

    @pytest.mark.parametrize("later", ["people", "texts", "round"])
    def test_nor_before_there_was_anything_to_look_at(self, cast, own, later):
        """A browser's clock was set forward by a year while it showed the page."""
        moment = timezone.now() - timedelta(days=3)
        if later == "people":
            Annotator.objects.update(created_at=moment)
        elif later == "texts":
            Simplification.objects.update(created_at=moment)
        else:
            change = {"verb": "study_state_changed", "details": {"after": "main"}}
            Event.objects.create(study=cast.alpha, created_at=moment, **change)
        client = cast.client("annotator")
        opened(client, cast, own[0], self.mark(client, own[0]), opened=365 * 24 * 3600)
        own[0].refresh_from_db()
        assert own[0].opened_at is not None
        assert timedelta(0) <= own[0].opened_at - moment < timedelta(minutes=1)
        # And time on it has its bound again.
        post(client, url(own[0], "draft/"), body(active_seconds=30 * 24 * 3600))
        own[0].draft.refresh_from_db()
        assert own[0].draft.active_seconds < 4 * 24 * 3600

    @pytest.mark.parametrize("seconds", [-1, 1.5, "1", True, None, 2**31])
    def test_seconds_are_seconds(self, seconds, cast, own):
        client = cast.client("annotator")
        assert opened(client, cast, own[0], "", opened=seconds).status_code == 400
        assert post(client, url(own[0], "draft/"), body() | {"opened": seconds}).status_code == 400

    @pytest.mark.parametrize("posted", ["[]", "{", '{"user": 1}', "1"])
    def test_a_body_that_says_nothing(self, posted, cast, own):
        client = cast.client("annotator")
        assert (
            client.post(url(own[0], "ahead/"), posted, content_type="application/json").status_code
            == 400
        )

    def test_a_page_of_somebody_else_is_refused(self, cast, own):
        answer = opened(cast.client("annotator"), cast, own[0], "", user=user_ref(cast.peer))
        assert (answer.status_code, answer.json()["type"]) == (403, "other_user")

    def test_an_ended_log_in_is_told(self, cast, own):
        client = cast.client("annotator")
        Session.objects.all().delete()
        assert opened(client, cast, own[0], "").status_code == 401
        assert what_comes(client, own[0]).status_code == 401


class TestWorker:
    def test_it_sees_pages_of_pairs_only_and_is_asked_for_in_a_line(self, client):
        answer = client.get("/annotate/keeping.js")
        assert answer["Content-Type"].startswith("text/javascript")
        assert "Service-Worker-Allowed" not in answer
        assert answer["Cache-Control"] == "no-cache"
        assert b"addEventListener" in answer.content
        again = client.get("/annotate/keeping.js", headers={"If-None-Match": answer["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
