"""The watching pages of a lead, and what an annotator reads of an answer."""

from __future__ import annotations

import csv
import io
import re

import pytest
from django.utils import timezone

from annotation.models import (
    Annotator,
    Assignment,
    Event,
    RemarkAnswer,
    Reminder,
    Study,
    User,
    WorkedDay,
)
from annotation.services.guides.rejudging import rejudge_request
from annotation.services.judging.judgments import judgment_submit
from tests.cast import Cast
from tests.factories import make_annotator, make_pair, save

pytestmark = pytest.mark.django_db
WATCH, REMARKS, PAY = "/studies/alpha/watch/", "/studies/alpha/remarks/", "/studies/alpha/pay/"


@pytest.fixture
def remarked(cast: Cast) -> Assignment:
    """The annotator judged a main pair and wrote a comment that starts like a formula."""
    assignments = Assignment.objects.select_related(
        "annotator__study", "annotator__user", "simplification__item"
    )
    assignment = assignments.filter(annotator=cast.judge, simplification__item__round="main")[0]
    answers = save(active_seconds=120, comment="=1+1 quelle fourchette?", doubt=True)
    judgment_submit(actor=cast.annotator, assignment=assignment, save=answers)
    return assignment


@pytest.fixture
def also_remarked(cast: Cast) -> Assignment:
    """The peer doubted on the same pair."""
    queryset = Assignment.objects.select_related(
        "annotator__study", "annotator__user", "simplification__item"
    )
    assignment = queryset.filter(annotator__user=cast.peer, simplification__item__round="main")[0]
    judgment_submit(
        actor=cast.peer, assignment=assignment, save=save(active_seconds=60, doubt=True)
    )
    return assignment


def table(answer) -> list[dict[str, str]]:
    text = answer.content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text), delimiter=";"))


class TestWatch:
    def test_people_items_and_what_figures_were_computed_from(self, cast, remarked):
        cast.lead.language = "en"
        cast.lead.save()
        page = cast.client("lead").get(WATCH).content.decode()
        assert "median of the last pair" in page
        # No "a.m.." where a time ends the sentence.
        assert re.search(r"As of [^<]*\d [AP]M\. Active time", " ".join(page.split()))
        assert "1 judgment in 1.0 days" in page
        assert "Cannot be said" in page
        assert 'href="/studies/alpha/remarks/?state=open"' in page

    def test_what_was_sent_back_is_no_more_done_among_items_than_among_people(
        self, cast, remarked, also_remarked
    ):
        User.objects.update(language="en")
        key = remarked.simplification.item.key
        rejudge_request(actor=cast.lead, study=cast.alpha, keys=[key], reason="guide")
        shown = cast.client("lead").get(WATCH)
        (row,) = [row for row in shown.context["rows"] if row["item"].key == key]
        number = row["sent_back"]
        assert (row["done"], number) == (row["item"].answers - number, row["item"].answers)
        page = " ".join(shown.content.decode().split())
        assert f"+ {number} sent back" in page
        assert "the order and the filter count it as an answer" in page

    def test_filters_come_from_the_address_and_nonsense_is_no_filter(self, cast, remarked):
        client = cast.client("lead")
        key = remarked.simplification.item.key
        assert key not in [item.key for item in client.get(f"{WATCH}?short_of=1").context["page"]]
        assert [item.round for item in client.get(f"{WATCH}?round=practice").context["page"]] == [
            "practice"
        ]
        assert client.get(f"{WATCH}?q=zzz").context["page"].paginator.count == 0
        everything = client.get(f"{WATCH}?round=x&short_of=²&order=x").context["page"]
        assert [item.key for item in everything][-1] == key, "fewest answers first"

    def test_hours_stand_alone_where_none_are_planned(self, cast, remarked):
        Study.objects.filter(pk=cast.alpha.pk).update(hours_budget=0)
        for path in (WATCH, "/studies/alpha/"):
            page = cast.client("lead").get(path).content.decode()
            assert "Heures actives</th>" in " ".join(page.split()).replace(" </th>", "</th>")
            assert not re.search(r"(sur|de) 0\b", page)
            assert "au-delà" not in page

    def test_hours_of_who_has_withdrawn_are_not_beside_what_is_planned_for_others(
        self, cast, remarked
    ):
        before = cast.client("lead").get(WATCH).context
        worked = Annotator.objects.get(study=cast.alpha, user=cast.annotator)
        assert before["hours"] > 0
        Annotator.objects.filter(pk=worked.pk).update(withdrawn_at=timezone.now())
        shown = cast.client("lead").get(WATCH).context
        assert shown["hours_budget"] == before["hours_budget"] - cast.alpha.hours_budget
        assert (shown["hours"], shown["hours_share"]) == (0, 0)
        assert shown["watch"].active_hours == before["watch"].active_hours

    def test_an_empty_study(self, cast):
        page = cast.client("lead").get("/studies/beta/watch/")
        assert page.status_code == 404
        Assignment.objects.all().delete()
        Annotator.objects.filter(study=cast.alpha).delete()
        cast.alpha.items.all().delete()
        assert cast.client("lead").get(WATCH).status_code == 200

    def test_a_constant_number_of_queries(self, cast, django_assert_max_num_queries):
        client = cast.client("lead")
        for number in range(12):
            make_pair(cast.alpha, key=f"more-{number}")
            make_annotator(cast.alpha)
        with django_assert_max_num_queries(25):
            client.get(WATCH)


class TestReminders:
    def test_texts_to_hand_over_are_shown_at_once(self, cast, settings):
        settings.EMAIL_HOST = ""
        answer = cast.client("lead").post(WATCH, {"annotator": [cast.judge.pk, "x"]})
        assert answer.status_code == 200
        assert "http://testserver/annotate/alpha/" in answer.content.decode()
        assert Reminder.objects.get().annotator == cast.judge

    def test_nobody_chosen_is_said(self, cast):
        assert cast.client("lead").post(WATCH, {}).status_code == 422

    def test_somebody_of_another_study_is_not_reminded(self, cast):
        other = Annotator.objects.get(study=cast.beta)
        assert cast.client("lead").post(WATCH, {"annotator": other.pk}).status_code == 200
        assert not Reminder.objects.exists()


class TestPay:
    def test_names_for_the_lead_and_formulas_stay_text(self, cast, remarked):
        User.objects.filter(pk=cast.annotator.pk).update(name="=HYPERLINK(1)")
        answer = cast.client("lead").get("/studies/alpha/pay.csv?first=2020-01-01")
        row = next(row for row in table(answer) if "annotator@example.org" in row.values())
        values = list(row.values())
        assert values[:6] == [
            "alpha",
            "A",
            "'=HYPERLINK(1)",
            "annotator@example.org",
            "2020-01-01",
            "",
        ]
        assert values[6:11] == ["0,03", "0,00", "120", "1", "0"]
        event = Event.objects.get(verb="pay_sheet_downloaded")
        assert (event.actor, event.details) == (cast.lead, {"people": 3})
        assert 'filename="alpha-pay.csv"' in answer["Content-Disposition"]

    def test_the_page_and_a_period_the_wrong_way_round(self, cast, remarked):
        client = cast.client("lead")
        assert "Annotator" in client.get(PAY).content.decode()
        for address in (PAY, "/studies/alpha/pay.csv"):
            answer = client.get(address, {"first": "2026-03-02", "last": "2026-03-01"})
            assert (answer.status_code, answer["Content-Type"].split(";")[0]) == (422, "text/html")
        assert not Event.objects.filter(verb="pay_sheet_downloaded").exists()

    def test_a_day_with_more_active_time_than_the_clock_is_marked(self, cast, remarked):
        client = cast.client("lead")
        day = WorkedDay.objects.get()
        assert "full-days" not in client.get(PAY).content.decode()
        WorkedDay.objects.filter(pk=day.pk).update(seconds=9_000)
        page = client.get(PAY).content.decode()
        assert "dirigent l'étude le lisent" in page.replace("&#x27;", "'")
        assert "1 journée débordante" in page
        assert "2,50 heures actives, 0,00 heures entre" in page
        assert "de plus de 30 minutes" in page
        rows = client.get("/studies/alpha/pay.csv").content.decode("utf-8-sig").splitlines()
        assert rows[0].endswith("jours à plus de temps actif qu'entre leurs enregistrements")
        assert [row for row in rows if row.endswith(day.day.isoformat())]


class TestRemarks:
    def test_many_are_settled_at_once(self, cast, remarked):
        client = cast.client("lead")
        page = client.get(REMARKS)
        assert page.content.count(b'name="chosen"') == 1
        refused = client.post(REMARKS, {"settle_chosen": "1", "chosen": ["x", ""]})
        assert refused.status_code == 422
        form = {"settle_chosen": "1", "chosen": [remarked.pk]}
        assert client.post(REMARKS, form, follow=True).status_code == 200
        page = client.get(REMARKS)
        assert page.context["rows"][0].remark.settled
        assert b'name="chosen"' not in page.content
        assert b"settle_chosen" not in page.content

    def test_answered_and_settled(self, cast, remarked):
        client = cast.client("lead")
        assert "=1+1 quelle fourchette?" in client.get(REMARKS).content.decode()
        form = {"answer": remarked.pk, f"text-{remarked.pk}": "La deuxième."}
        assert client.post(f"{REMARKS}?state=open", form)["Location"] == f"{REMARKS}?state=open"
        client.post(REMARKS, {"settle": remarked.pk})
        (row,) = client.get(REMARKS).context["rows"]
        texts = [answer.text for answer in row.remark.answers]
        assert (row.remark.settled, texts) == (True, ["La deuxième."])
        client.post(REMARKS, {"reopen": remarked.pk})
        assert not client.get(REMARKS).context["rows"][0].remark.settled

    def test_what_was_typed_is_not_lost(self, cast, remarked):
        form = {"answer": remarked.pk, f"text-{remarked.pk}": "x" * 5000}
        answer = cast.client("lead").post(REMARKS, form)
        assert answer.status_code == 422
        assert "x" * 5000 in answer.content.decode()

    @pytest.mark.parametrize("action", ["answer", "settle", "reopen"])
    @pytest.mark.parametrize("state", ["", "open"])
    def test_what_is_typed_under_another_remark_stays(
        self, cast, remarked, also_remarked, action, state
    ):
        form = {
            action: remarked.pk,
            f"text-{remarked.pk}": "Envoyée.",
            f"text-{also_remarked.pk}": "Pas encore envoyée.",
            "chosen": [also_remarked.pk],
        }
        answer = cast.client("lead").post(f"{REMARKS}?state={state}", form)
        assert answer.status_code == 200
        rows = {row.remark.assignment: row for row in answer.context["rows"]}
        assert rows[also_remarked.pk].typed == "Pas encore envoyée."
        assert rows[also_remarked.pk].is_chosen
        assert "Pas encore envoyée.</textarea>" in answer.content.decode()
        # Sent is sent; what settling did not send stays, though the list has let its remark go.
        assert rows[remarked.pk].typed == ("" if action == "answer" else "Envoyée.")
        texts = RemarkAnswer.objects.values_list("text", flat=True)
        assert list(texts) == (["Envoyée."] if action == "answer" else [])

    def test_what_is_typed_stays_where_many_are_settled(self, cast, remarked, also_remarked):
        form = {
            "settle_chosen": "1",
            "chosen": [remarked.pk],
            f"text-{also_remarked.pk}": "Pas encore envoyée.",
            "text-x": "?",
        }
        answer = cast.client("lead").post(f"{REMARKS}?state=open", form)
        (row,) = answer.context["rows"]
        assert (row.remark.assignment, row.typed) == (also_remarked.pk, "Pas encore envoyée.")

    def test_the_page_stays_where_one_was(self, cast, remarked, also_remarked):
        client = cast.client("lead")
        for state, after in [("", 0), ("open", 1)]:
            first, second = client.get(f"{REMARKS}?state={state}").context["rows"]
            ids = [first.remark.assignment, second.remark.assignment]
            assert (first.after_settling, first.after_reopening) == (ids[after], ids[0])
            assert second.after_settling == ids[1]

    @pytest.mark.parametrize("order", ["", "oldest", "pair", "person", "nonsense"])
    def test_any_order_shows_every_remark(self, cast, remarked, order):
        answer = cast.client("lead").get(f"/studies/alpha/remarks/?order={order}")
        assert answer.status_code == 200
        assert [row.remark.assignment for row in answer.context["rows"]] == [remarked.pk]

    def test_the_file(self, cast, remarked):
        (row,) = table(cast.client("lead").get("/studies/alpha/remarks.csv?kind=comment"))
        assert "'=1+1 quelle fourchette?" in row.values()
        assert Event.objects.get(verb="remarks_downloaded").details == {"remarks": 1}

    def test_filters_that_nobody_offered_filter_nothing(self, cast, remarked):
        assert len(cast.client("lead").get(f"{REMARKS}?state=x&kind=y").context["rows"]) == 1
        assert len(cast.client("lead").get(f"{REMARKS}?state=settled").context["rows"]) == 0


class TestTheAnnotatorReadsIt:
    def test_beside_their_own_judgment_and_in_their_list_and_nobody_else_does(self, cast, remarked):
        RemarkAnswer.objects.create(assignment=remarked, text="La deuxième.", answered_by=cast.lead)
        client = cast.client("annotator")
        page = client.get(f"/annotate/alpha/{remarked.position}/").content.decode()
        assert "La deuxième." in page
        assert cast.lead.email not in page
        rows = client.get("/annotate/alpha/mine/?state=answered").context["rows"]
        assert [row["url"] for row in rows] == [f"/annotate/alpha/{remarked.position}/"]
        peer = cast.client("peer")
        for position in (1, 2, 3):
            assert "La deuxième." not in peer.get(f"/annotate/alpha/{position}/").content.decode()
        assert peer.get("/annotate/alpha/mine/?state=answered").context["rows"] == []
