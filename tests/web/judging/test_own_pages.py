"""One's own list, hours and notes as pages; and that nobody else reaches any of it."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Assignment, PrivateNote, Study, WorkedDay
from annotation.services.judging.own_pairs import note_save, pair_set_aside
from annotation.services.people.people import annotator_withdraw
from annotation.services.studies.ending import study_archive
from annotation.services.watching.remarks import remark_answer
from annotation.web.platform.user_ref import user_ref
from tests.cast import Cast
from tests.factories import kept_anew
from tests.planning import seen, submit

pytestmark = pytest.mark.django_db
MINE = "/annotate/alpha/mine/"
NOTE = "zznotezz"


@pytest.fixture
def own(cast: Cast) -> list[Assignment]:
    return [row for row in seen(cast.judge) if row.simplification.item.round == "main"]


def html(client: Client, url: str) -> str:
    return client.get(url).content.decode()


def links_to_pairs(page: str) -> list[int]:
    return [
        int(position)
        for position in re.findall(r'own-opening"><a href="/annotate/alpha/(\d+)/"', page)
    ]


class TestList:
    def test_it_is_searched_in_texts_comments_and_notes_without_accents_or_case(self, cast, own):
        client = cast.client("annotator")
        submit(own[0], comment="Prénom ŒUVRE oublié")
        note_save(assignment=own[1], text="Comparer à la clause DÉGÂTS", base_revision=0)
        assert links_to_pairs(html(client, f"{MINE}?q=prenom+oeuvre")) == [own[0].position]
        assert links_to_pairs(html(client, f"{MINE}?q=degats")) == [own[1].position]
        assert links_to_pairs(html(client, f"{MINE}?q=prenom+degats")) == []
        assert set(links_to_pairs(html(client, f"{MINE}?q=assureur"))) >= {
            pair.position for pair in own
        }
        assert "Aucune de vos paires ne contient" in html(client, f"{MINE}?q=zzz")

    def test_nobody_else_s_words_are_found(self, cast, own):
        theirs = next(
            row for row in seen(peer(cast)) if row.simplification_id == own[0].simplification_id
        )
        submit(theirs, comment="motdelautre")
        note_save(assignment=theirs, text="notedelautre", base_revision=0)
        for word in ("motdelautre", "notedelautre"):
            assert links_to_pairs(html(cast.client("annotator"), f"{MINE}?q={word}")) == []

    def test_filter_and_search_go_together(self, cast, own):
        submit(own[0])
        page = html(cast.client("annotator"), f"{MINE}?q=assureur&state=submitted")
        assert links_to_pairs(page) == [own[0].position]
        assert 'href="?q=assureur&amp;state=doubt"' in page
        assert '<input type="hidden" name="state" value="submitted">' in page
        assert 'href="?state=submitted"' in page

    def test_what_one_does_with_a_pair_is_named_by_what_there_is_to_do(self, cast, own):
        client = cast.client("annotator")
        actions = dict(
            re.findall(
                r'button--small"\s+href="/annotate/alpha/(\d+)/">\s*(\w+)<', html(client, MINE)
            )
        )
        assert {actions[str(pair.position)] for pair in own} == {"Juger"}
        submit(own[0])
        page = html(client, MINE)
        actions = dict(
            re.findall(r'button--small"\s+href="/annotate/alpha/(\d+)/">\s*(\w+)<', page)
        )
        assert (actions[str(own[0].position)], actions[str(own[1].position)]) == (
            "Modifier",
            "Juger",
        )
        assert "Soumise<" in page
        history = f'href="/annotate/alpha/{own[0].position}/history/"'
        assert history not in page
        submit(own[0], comment="corrigé")
        assert history in html(client, MINE)

    def test_the_last_five_are_at_hand(self, cast, own):
        assert "Les dernières" not in html(cast.client("annotator"), MINE)
        submit(own[0])
        submit(own[1])
        recent = re.search(r"Les dernières.*?</p>", html(cast.client("annotator"), MINE), re.DOTALL)
        assert recent
        assert re.findall(r"/alpha/(\d+)/", recent[0]) == [
            str(own[1].position),
            str(own[0].position),
        ]

    def test_whoever_has_judged_everything_is_told_so(self, cast, own):
        client, said = cast.client("annotator"), "Toutes vos paires sont jugées"
        for pair in own:
            assert said not in html(client, MINE)
            submit(pair)
        assert said in html(client, MINE)
        Study.objects.filter(pk=cast.alpha.pk).update(state="closed")
        assert said not in html(client, MINE)

    def test_practice_pairs_are_not_all_there_are(self, cast, own):
        Study.objects.filter(pk=cast.alpha.pk).update(state="practice")
        kept_anew()
        practice = [row for row in seen(cast.judge) if row.simplification.item.round == "practice"]
        assert practice
        for pair in practice:
            submit(pair)
        listed = html(cast.client("annotator"), MINE)
        assert "Toutes vos paires d'essai sont jugées" in listed
        assert "jusqu'à la fermeture de l'étude" not in listed

    def test_home_and_list_say_what_waits(self, cast, own):
        client = cast.client("annotator")
        submit(own[0], comment="Une question?")
        remark_answer(actor=cast.lead, study=cast.alpha, assignment=own[0].pk, text="Oui.")
        pair_set_aside(assignment=own[1])
        home = html(client, "/")
        assert "1 réponse à lire" in home
        assert "1 gardée pour plus tard" in home
        listed = html(client, MINE)
        assert "Nouvelle réponse" in listed
        assert links_to_pairs(html(client, f"{MINE}?state=aside")) == [own[1].position]
        client.get(f"/annotate/alpha/{own[0].position}/")
        assert "réponse à lire" not in html(client, "/")
        assert "Réponse reçue</span>" in html(client, MINE)


class TestLater:
    def test_the_button_leads_to_the_next_pair(self, cast, own):
        client = cast.client("annotator")
        url = f"/annotate/alpha/{own[0].position}/later/"
        assert 'id="later-form"' in html(client, f"/annotate/alpha/{own[0].position}/")
        assert client.post(url)["Location"] == f"/annotate/alpha/{own[1].position}/"
        answer = client.post(url, headers={"accept": "application/json"})
        assert answer.json() == {"next_url": f"/annotate/alpha/{own[1].position}/"}
        assert (
            client.post(url, {"take_up": "1"})["Location"] == f"/annotate/alpha/{own[0].position}/"
        )
        assert Assignment.objects.filter(set_aside_at__isnull=False).count() == 0

    def test_a_page_that_stands_open_is_told_why_it_cannot(self, cast, own):
        """It asks by a script: an HTML page in its place would be told as a server that is away."""
        client, url = cast.client("annotator"), f"/annotate/alpha/{own[0].position}/later/"
        program = {"accept": "application/json"}
        assert Client().post(url, headers=program).status_code == 401
        assert client.post("/annotate/alpha/77/later/", headers=program).json()["title"]
        annotator_withdraw(actor=None, annotator=own[0].annotator, reason="Leaves.")
        answer = client.post(url, headers=program)
        assert answer.status_code == 404
        assert answer.json()["type"] == "withdrawn"

    def test_a_submitted_pair_offers_no_later(self, cast, own):
        submit(own[0])
        assert 'id="later-form"' not in html(
            cast.client("annotator"), f"/annotate/alpha/{own[0].position}/"
        )

    def test_a_closed_round_says_so(self, cast, own):
        Study.objects.filter(pk=cast.alpha.pk).update(state="closed")
        client, url = cast.client("annotator"), f"/annotate/alpha/{own[0].position}/later/"
        assert (
            client.post(url, headers={"accept": "application/json"}).json()["type"]
            == "study_closed"
        )
        assert client.post(url).status_code == 302

    def test_leads_see_no_difference(self, cast, own):
        lead = cast.client("lead")
        pages = ("/studies/alpha/", "/studies/alpha/watch/", "/api/v1/studies/alpha/progress/")
        before = [strip(html(lead, page)) for page in pages]
        pair_set_aside(assignment=own[0])
        assert [strip(html(lead, page)) for page in pages] == before


class TestNote:
    def url(self, pair: Assignment) -> str:
        return f"/annotate/alpha/{pair.position}/note/"

    def read(self, client: Client, pair: Assignment, **whose: str):
        headers = {"X-Bareme-User": user_ref(pair.annotator.user), "accept": "application/json"}
        return client.get(self.url(pair), headers=headers | whose)

    def save(self, client: Client, pair: Assignment, text: str, **changed: object):
        whose = user_ref(pair.annotator.user)
        body = {"text": text, "base_revision": 0, "user": whose} | changed
        return client.post(self.url(pair), json.dumps(body), content_type="application/json")

    def test_it_is_kept_and_read_again(self, cast, own):
        client = cast.client("annotator")
        assert self.read(client, own[0]).json() == {"text": "", "revision": 0}
        assert self.save(client, own[0], NOTE).json() == {"text": NOTE, "revision": 1}
        assert self.read(client, own[0]).json() == {"text": NOTE, "revision": 1}
        assert NOTE in html(client, MINE)
        assert links_to_pairs(html(client, f"{MINE}?state=noted")) == [own[0].position]

    def test_two_windows(self, cast, own):
        client = cast.client("annotator")
        self.save(client, own[0], "ici")
        refused = self.save(client, own[0], "là")
        assert (refused.status_code, refused.json()["current"]) == (
            409,
            {"text": "ici", "revision": 1},
        )

    def test_somebody_else_in_the_same_browser_saves_nothing(self, cast, own):
        answer = self.save(cast.client("annotator"), own[0], NOTE, user=user_ref(cast.peer))
        assert (answer.status_code, answer.json()["type"]) == (403, "other_user")
        assert PrivateNote.objects.count() == 0

    def test_in_an_archived_study_it_is_refused_in_its_script_s_form(self, cast, own):
        client = cast.client("annotator")
        study_archive(actor=cast.lead, study=cast.alpha, reason="Un essai.")
        answer = self.save(client, own[0], NOTE)
        assert (answer.status_code, answer.json()["type"]) == (409, "study_archived")
        assert PrivateNote.objects.count() == 0
        # The pair is read all the same, though that is noted no more.
        assert client.get(f"/annotate/alpha/{own[0].position}/").status_code == 200
        own[0].refresh_from_db()
        assert own[0].opened_at is None

    @pytest.mark.parametrize("says", ["peer", "nobody", ""])
    def test_it_is_read_by_its_owner_s_own_page_only(self, says, cast, own):
        note_save(assignment=own[0], text=NOTE, base_revision=0)
        whose = {"peer": user_ref(cast.peer)}.get(says, says)
        answer = self.read(cast.client("annotator"), own[0], **{"X-Bareme-User": whose})
        assert (answer.status_code, answer.json()["type"]) == (403, "other_user")
        assert NOTE not in answer.content.decode()

    @pytest.mark.parametrize(
        "body", [b"", b"[]", b"\xff", b'{"text": 1}', b'{"text": "a", "base_revision": true, "user": "x"}',  # noqa: E501
                 b'{"text": "a\\u0000", "base_revision": 0, "user": "x"}', b'{"text": "a", "base_revision": 0}']  # noqa: E501
    )  # fmt: skip
    def test_what_is_no_note_is_refused(self, cast, own, body):
        answer = cast.client("annotator").post(
            self.url(own[0]), body, content_type="application/json"
        )
        assert (answer.status_code, answer.json()["type"]) == (400, "malformed")

    def test_too_long(self, cast, own):
        client = cast.client("annotator")
        assert self.save(client, own[0], "x" * 20_001).status_code == 422
        assert self.save(client, own[0], "x" * 300_000).status_code == 400

    def test_nobody_else_reaches_it(self, cast, own):
        note_save(assignment=own[0], text=NOTE, base_revision=0)
        for role in ("outsider", "other_lead", "withdrawn", "lead", "admin"):
            assert cast.client(role).get(self.url(own[0])).status_code == 404
        assert NOTE not in cast.client("peer").get(self.url(own[0])).content.decode()
        assert (
            Client().get(self.url(own[0]), headers={"accept": "application/json"}).status_code
            == 401
        )


class TestHours:
    def test_one_s_own_hours_and_pay(self, cast, own):
        Study.objects.filter(pk=cast.alpha.pk).update(hourly_rate="20.00", hours_budget=1)
        now = timezone.now()
        today = timezone.localdate(now, timezone.get_default_timezone())
        WorkedDay.objects.create(
            annotator=cast.judge,
            day=today,
            is_practice=False,
            seconds=5400,
            first_at=now,
            last_at=now,
        )
        WorkedDay.objects.create(
            annotator=peer(cast),
            day=today,
            is_practice=False,
            seconds=7261,
            first_at=now,
            last_at=now,
        )
        page = html(cast.client("annotator"), "/annotate/alpha/work/")
        assert "1 h 30" in page
        assert "30,00" in page
        Study.objects.filter(pk=cast.alpha.pk).update(hours_budget=0)
        unplanned = html(cast.client("annotator"), "/annotate/alpha/work/")
        assert "prévues" not in unplanned
        assert "<progress" not in unplanned
        assert "1 h 30 en tout" in html(cast.client("annotator"), "/")
        Study.objects.filter(pk=cast.alpha.pk).update(hours_budget=1)
        assert "Les heures prévues sont faites" in page
        assert "2 h 01" not in page
        assert "1 h 30 cette semaine" in html(cast.client("annotator"), "/")
        hours = cast.client("annotator").get("/api/v1/my/studies/alpha/hours/").json()
        assert (hours["today_seconds"], hours["pay"], hours["pay_currency"]) == (
            5400,
            "30.00",
            "CAD",
        )

    def test_without_a_rate_nothing_is_said_of_pay(self, cast):
        assert "Rémunération" not in html(cast.client("annotator"), "/annotate/alpha/work/")

    def test_a_budget_is_a_plan(self, cast):
        page = html(cast.client("annotator"), "/annotate/alpha/work/")
        assert re.search(r"0 min sur (?:les )?30 h (?:prévues|selon le plan)", page)


def test_when_a_break_is_suggested_is_a_preference(cast, own):
    client, url = cast.client("annotator"), f"/annotate/alpha/{own[0].position}/"
    assert 'data-break-minutes="50"' in html(client, url)
    assert client.post("/account/preferences/", {"break_after_minutes": "0"}).status_code == 303
    assert 'data-break-minutes="0"' in html(client, url)
    client.post("/account/preferences/", {"break_after_minutes": "7"})
    assert 'data-break-minutes="0"' in html(client, url)


def test_judging_asks_the_database_no_more_often(cast, own):
    """Whatever was set aside, noted or answered."""
    client, url = cast.client("annotator"), f"/annotate/alpha/{own[0].position}/"
    client.get(url)
    with CaptureQueriesContext(connection) as before:
        client.get(url)
    pair_set_aside(assignment=own[0])
    note_save(assignment=own[0], text="x", base_revision=0)
    with CaptureQueriesContext(connection) as after:
        client.get(url)
    assert len(after) == len(before)


def peer(cast: Cast):
    return cast.alpha.annotators.get(user=cast.peer)


def strip(page: str) -> str:
    """Without what differs from request to request."""
    return re.sub(
        r'value="[A-Za-z0-9]{64}"|data-[a-z-]*(?:csrf|seconds|token)[a-z-]*="[^"]*"|<time.*?</time>',
        "",
        page,
    )


def test_days_ago_are_no_today(cast):
    now = timezone.now()
    long_ago = timezone.localdate(now) - timedelta(days=90)
    WorkedDay.objects.create(
        annotator=cast.judge,
        day=long_ago,
        is_practice=False,
        seconds=3600,
        first_at=now,
        last_at=now,
    )
    work = html(cast.client("annotator"), "/annotate/alpha/work/")
    assert work.count("1 h 00") >= 1
    assert "0 min" in work
