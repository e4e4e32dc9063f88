"""While people judge, by program: progress, items, hours, remarks, reminders, and what a blind
phase hides of them."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from django.core import mail
from django.db import transaction
from django.test import Client

from annotation.models import Assignment, Event, Item, RemarkAnswer, Reminder, Study, WorkedDay
from annotation.services.judging.judgments import judgment_submit
from annotation.services.studies.studies import study_change_state
from tests.api.conftest import bearer
from tests.api.studies.test_steering import send
from tests.cast import Cast
from tests.factories import make_pair, save
from tests.practising import pairs, people, practice_study
from tests.practising import submit as practise

pytestmark = pytest.mark.django_db
COMMENT = "Quelle fourchette ?"


@pytest.fixture
def lead(cast: Cast) -> Client:
    return bearer(cast.lead)


@pytest.fixture
def remarked(cast: Cast) -> Assignment:
    """The annotator judged a main pair in two minutes, with a comment and a doubt."""
    assignments = Assignment.objects.select_related(
        "annotator__study", "annotator__user", "simplification__item"
    )
    assignment = assignments.filter(annotator=cast.judge, simplification__item__round="main")[0]
    answers = save(active_seconds=120, comment=COMMENT, doubt=True)
    judgment_submit(actor=cast.annotator, assignment=assignment, save=answers)
    return assignment


def blind(study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(is_blind=True)


def every(client: Client, url: str) -> list[Any]:
    """All rows, page by page; a list that goes in a circle never comes to its end."""
    rows: list[Any] = []
    for _ in range(50):
        page = send(client, "get", url)
        rows += page["results"]
        if page["next"] is None:
            return rows
        url = page["next"].split("/api/v1/")[1]
    raise AssertionError("no end")


class TestWatch:
    def test_people_and_the_whole(self, cast: Cast, lead, remarked):
        watch = send(lead, "get", "studies/alpha/watch/")
        assert (watch["done"], watch["total"], watch["recent"]) == (1, 4, 1)
        assert (watch["seconds"], watch["timed"], watch["open_remarks"]) == (120.0, 1, 1)
        assert (watch["outlook"], watch["stuck"], watch["end_at"]) == ("still", 1, None)
        assert watch["hours_budget"] == 2 * cast.alpha.hours_budget
        mine, peer, gone = watch["people"]
        assert (mine["pseudonym"], mine["done"], mine["total"], mine["pace"], mine["outlook"]) == (
            "A",
            1,
            2,
            1.0,
            "",
        )
        assert mine["end_at"]
        assert (peer["outlook"], gone["outlook"]) == ("still", "left")
        assert gone["withdrawn_at"]

    def test_a_blind_phase_hides_none_of_it(self, cast: Cast, lead, remarked):
        before = (
            send(lead, "get", "studies/alpha/watch/"),
            send(lead, "get", "studies/alpha/watch/items/"),
        )
        blind(cast.alpha)
        after = (
            send(lead, "get", "studies/alpha/watch/"),
            send(lead, "get", "studies/alpha/watch/items/"),
        )
        assert after[0]["done"] == before[0]["done"]
        assert after[1] == before[1]
        assert COMMENT not in str(after)

    def test_items_by_what_is_asked_for(self, lead, remarked):
        url, key = "studies/alpha/watch/items/", remarked.simplification.item.key
        rows = send(lead, "get", url)["results"]
        assert [(row["key"] == key, row["answers"], row["expected"]) for row in rows] == [
            (False, 0, 2),
            (True, 1, 2),
        ]
        assert [
            row["key"] == key for row in send(lead, "get", f"{url}?order=oldest")["results"]
        ] == [False, True]
        assert [
            row["key"] == key for row in send(lead, "get", f"{url}?order=position")["results"]
        ] == [True, False]
        assert key not in str(send(lead, "get", f"{url}?short_of=1"))
        assert [row["round"] for row in send(lead, "get", f"{url}?round=practice")["results"]] == [
            "practice"
        ]
        assert send(lead, "get", f"{url}?q=zzz")["results"] == []
        assert send(lead, "get", f"{url}?round=x", status=400)["problems"]

    @pytest.mark.parametrize("order", ["fewest", "position", "oldest"])
    def test_each_order_is_read_to_its_end(self, cast: Cast, lead, remarked, order):
        for number in range(5):
            make_pair(cast.alpha, key=f"more-{number}")
        wanted = list(
            Item.objects.filter(study=cast.alpha, round="main").values_list("key", flat=True)
        )
        rows = every(lead, f"studies/alpha/watch/items/?order={order}&page_size=2")
        assert sorted(row["key"] for row in rows) == sorted(wanted)

    def test_more_items_without_an_answer_than_a_cursor_counts_by_itself(self, cast: Cast, lead):
        rows = [
            Item(
                study=cast.alpha,
                key=f"many-{number}",
                position=10_000 + number,
                original="Une clause.",
                round="main",
            )
            for number in range(1200)
        ]
        Item.objects.bulk_create(rows)
        keys = [row["key"] for row in every(lead, "studies/alpha/watch/items/?page_size=500")]
        assert len(keys) == len(set(keys)) == 1202

    @pytest.mark.parametrize(
        ("place", "status"), [("p=x", 400), (f"o={10**30}", 200), (f"p={10**30}", 200)]
    )
    def test_a_cursor_that_is_no_place_in_the_list(self, lead, place, status):
        cursor = base64.b64encode(place.encode()).decode()
        response = lead.get("/api/v1/studies/alpha/watch/items/", {"cursor": cursor})
        assert response.status_code == status

    def test_what_is_no_cursor_is_named(self, lead):
        refused = send(lead, "get", "studies/alpha/watch/items/?cursor=zzz", status=400)
        assert [problem["field"] for problem in refused["problems"]] == ["cursor"]


class TestPay:
    def test_the_sheet_of_a_period(self, cast: Cast, lead, remarked):
        sheet = send(lead, "get", "studies/alpha/pay/?first=2020-01-01")
        assert (sheet["first"], sheet["last"], sheet["judgments"]) == ("2020-01-01", None, 1)
        assert sheet["hours"] == pytest.approx(120 / 3600)
        mine = sheet["people"][0]
        assert (mine["pseudonym"], mine["email"], mine["seconds"]) == (
            "A",
            cast.annotator.email,
            120,
        )
        assert [person["pseudonym"] for person in sheet["people"] if person["withdrawn_at"]] == [
            "C"
        ]
        assert send(lead, "get", "studies/alpha/pay/?last=2020-01-01")["hours"] == 0

    def test_a_day_with_more_active_time_than_the_clock_is_marked(self, lead, remarked):
        assert send(lead, "get", "studies/alpha/pay/")["people"][0]["full_days"] == []
        WorkedDay.objects.update(seconds=9_000)
        mine = send(lead, "get", "studies/alpha/pay/")["people"][0]
        day = WorkedDay.objects.get().day.isoformat()
        assert mine["full_days"] == [{"day": day, "seconds": 9_000, "between_seconds": 0}]
        assert mine["seconds"] == 9_000

    def test_who_read_it_is_recorded(self, cast: Cast, lead):
        send(lead, "get", "studies/alpha/pay/")
        event = Event.objects.get(verb="pay_sheet_downloaded")
        assert (event.actor, event.details) == (cast.lead, {"people": 3})

    def test_a_period_that_is_none(self, lead):
        [problem] = send(
            lead, "get", "studies/alpha/pay/?first=2026-03-02&last=2026-03-01", status=400
        )["problems"]
        assert problem["field"] == "last"
        send(lead, "get", "studies/alpha/pay/?first=March", status=400)
        assert not Event.objects.filter(verb="pay_sheet_downloaded").exists()

    def test_the_calendar_s_ends(self, lead, remarked):
        assert (
            send(lead, "get", "studies/alpha/pay/?first=0001-01-01&last=9999-12-31")["judgments"]
            == 1
        )


class TestRemarks:
    def test_answered_settled_and_opened_again(self, cast: Cast, lead, remarked):
        url = "studies/alpha/remarks/"
        [remark] = send(lead, "get", url)["results"]
        assert (remark["assignment"], remark["pseudonym"], remark["comment"]) == (
            remarked.pk,
            "A",
            COMMENT,
        )
        assert (remark["doubt"], remark["settled"], remark["answers"]) == (True, False, [])
        for _ in range(2):
            wanted, key = {"text": " La deuxième. "}, {"idempotency-key": "k"}
            answer = send(lead, "post", f"{url}{remarked.pk}/answers/", wanted, 201, **key)
            assert answer["text"] == "La deuxième."
        assert RemarkAnswer.objects.get().answered_by == cast.lead
        settled = send(lead, "put", f"{url}{remarked.pk}/settlement/")
        assert (settled["settled"], [answer["text"] for answer in settled["answers"]]) == (
            True,
            ["La deuxième."],
        )
        assert send(lead, "get", f"{url}?state=open")["results"] == []
        assert send(lead, "get", f"{url}?state=settled&kind=doubt&annotator=A&q=fourchette")[
            "results"
        ] == [settled]
        assert not send(lead, "delete", f"{url}{remarked.pk}/settlement/")["settled"]

    def test_refusals(self, cast: Cast, lead, remarked):
        url = "studies/alpha/remarks/"
        for text, code in ((" ", "required"), ("x" * 4001, "too_long")):
            [problem] = send(lead, "post", f"{url}{remarked.pk}/answers/", {"text": text}, 422)[
                "problems"
            ]
            assert (problem["field"], problem["code"]) == ("text", code)
        send(lead, "get", f"{url}?state=x", status=400)
        silent = Assignment.objects.filter(annotator=cast.judge).exclude(pk=remarked.pk)[0]
        for nothing in (silent.pk, 0, 10**30):
            send(lead, "post", f"{url}{nothing}/answers/", {"text": "Oui."}, 404)
            send(lead, "put", f"{url}{nothing}/settlement/", status=404)

    def test_a_blind_phase_hides_the_words_and_not_that_there_are_some(
        self, cast: Cast, lead, remarked
    ):
        blind(cast.alpha)
        whole = lead.get("/api/v1/studies/alpha/remarks/")
        assert COMMENT.encode() not in whole.content
        [remark] = whole.json()["results"]
        assert (remark["comment"], remark["comment_hidden"], remark["doubt"]) == ("", True, True)
        assert send(lead, "get", "studies/alpha/remarks/?q=fourchette")["results"] == [], (
            "nor by searching"
        )
        send(lead, "post", f"studies/alpha/remarks/{remarked.pk}/answers/", {"text": "Oui."}, 201)
        assert (
            send(lead, "put", f"studies/alpha/remarks/{remarked.pk}/settlement/")["comment"] == ""
        )
        study_change_state(
            actor=None, study=Study.objects.get(pk=cast.alpha.pk), to="closed", reason="fin"
        )
        assert send(lead, "get", "studies/alpha/remarks/")["results"][0]["comment"] == COMMENT

    def test_practice_hides_them_until_its_answers_may_be_read(self, cast: Cast, lead):
        study = practice_study(cast.lead)
        practise(people(study)[0], pairs(study)[0], comment=COMMENT)
        [remark] = send(lead, "get", "studies/pratique/remarks/")["results"]
        assert (remark["comment"], remark["comment_hidden"]) == ("", True)

    def test_page_by_page(self, cast: Cast, lead, remarked):
        for assignment in Assignment.objects.select_related(
            "annotator__study", "annotator__user", "simplification__item"
        ).filter(annotator__user=cast.peer, simplification__item__round="main"):
            judgment_submit(
                actor=cast.peer, assignment=assignment, save=save(doubt=True, comment="")
            )
        remarks = every(lead, "studies/alpha/remarks/?page_size=1")
        assert [remark["pseudonym"] for remark in remarks] == ["B", "B", "A"]


class TestReminders:
    @pytest.fixture(autouse=True)
    def _mail(self, settings) -> None:
        settings.EMAIL_HOST = "mail.example"

    def test_who_can_be_and_by_which_rule(self, cast: Cast, lead):
        send(lead, "patch", "studies/alpha/", {"reminder_after_days": 5, "reminder_gap_days": 3})
        reminders = send(lead, "get", "studies/alpha/reminders/")
        assert (reminders["after_days"], reminders["gap_days"], reminders["mail"]) == (5, 3, True)
        assert [
            (person["pseudonym"], person["open"], person["again_at"])
            for person in reminders["people"]
        ] == [
            ("A", 2, None),
            ("B", 2, None),
        ]

    def test_sent_once_and_not_again_too_soon(self, cast: Cast, lead):
        url, wanted = "studies/alpha/reminders/", {"annotators": ["B", "C"]}
        outcome = send(lead, "post", url, wanted)
        assert outcome == {"sent": ["B"], "failed": [], "handed": [], "too_soon": []}
        assert [letter.to for letter in mail.outbox] == [[cast.peer.email]]
        assert "http://testserver/annotate/alpha/" in mail.outbox[0].body
        [again] = send(lead, "post", url, wanted)["too_soon"]
        assert (again["pseudonym"], len(mail.outbox)) == ("B", 1)
        assert send(lead, "get", url)["people"][1]["again_at"] == again["again_at"]
        assert Event.objects.get(verb="annotator_reminded").actor == cast.lead

    @pytest.mark.django_db(transaction=True)
    def test_nothing_waits_for_the_mail_server(self, lead, monkeypatch):
        """A key's record is one transaction with its write, and on SQLite a transaction stops
        everybody's answers."""
        held = []

        def asked(letter: object) -> bool:
            held.append(transaction.get_connection().in_atomic_block)
            return True

        monkeypatch.setattr("annotation.services.watching.reminders.letter_send", asked)
        url, wanted, key = (
            "studies/alpha/reminders/",
            {"annotators": ["A"]},
            {"idempotency-key": "k"},
        )
        assert send(lead, "post", url, wanted, **key)["sent"] == ["A"]
        assert [
            person["pseudonym"] for person in send(lead, "post", url, wanted, **key)["too_soon"]
        ] == ["A"]
        assert held == [False]

    def test_without_mail_the_texts_are_handed_over(self, lead, settings):
        settings.EMAIL_HOST = ""
        for _ in range(2):
            answer = send(
                lead,
                "post",
                "studies/alpha/reminders/",
                {"annotators": ["A"]},
                **{"idempotency-key": "k"},
            )
            [letter] = answer["handed"]
        assert letter["pseudonym"] == "A"
        assert "http://testserver/annotate/alpha/" in letter["body"]
        assert Reminder.objects.get().outcome == "handed"

    def test_a_letter_that_was_refused_is_said(self, lead, monkeypatch):
        monkeypatch.setattr(
            "annotation.services.watching.reminders.letter_send", lambda letter: False
        )
        assert send(lead, "post", "studies/alpha/reminders/", {"annotators": ["A"]})["failed"] == [
            "A"
        ]
        assert send(lead, "get", "studies/alpha/reminders/")["people"][0]["failed_at"]

    def test_a_pseudonym_that_is_nobody_s_reminds_nobody(self, lead):
        """Whoever misspelt it would believe them reminded."""
        url, wanted = "studies/alpha/reminders/", {"annotators": ["B", "ZZ", "Z", "ZZ"]}
        refused = send(lead, "post", url, wanted, 422)
        (problem,) = refused["problems"]
        assert (refused["type"], problem["field"], problem["code"]) == (
            "refused",
            "annotators",
            "missing",
        )
        assert "ZZ, Z." in problem["message"]
        assert not mail.outbox
        assert not Reminder.objects.exists()

    def test_nobody_is_nobody_to_remind(self, lead):
        assert send(lead, "post", "studies/alpha/reminders/", {"annotators": []}, 400)["problems"]

    def test_where_no_round_is_open_there_is_nobody(self, cast: Cast, lead):
        Study.objects.filter(pk=cast.alpha.pk).update(state="closed")
        assert send(lead, "get", "studies/alpha/reminders/")["people"] == []


@pytest.mark.parametrize(
    ("method", "url"),
    [("post", "remarks/1/answers/"), ("put", "remarks/1/settlement/"), ("post", "reminders/")],
)
def test_a_key_that_may_only_read_changes_nothing(cast: Cast, method, url):
    assert (
        send(bearer(cast.lead, "read"), method, f"studies/alpha/{url}", {}, 403)["type"]
        == "missing_scope"
    )
