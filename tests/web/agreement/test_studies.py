"""A study beside another: only for who leads both, never in a blind phase of either, and what it
says is what the judgments hold."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from html import unescape
from typing import Any

import pandas as pd
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from krippendorff import alpha as public_alpha

from annotation.corpus.released import ReleasedFile, ReleasedPair
from annotation.models import (
    Annotator,
    Assignment,
    GuideVersion,
    Judgment,
    Lead,
    RejudgeRequest,
    Study,
)
from annotation.selectors.agreement.studies import Part, studies_figures
from annotation.services.items.released import released_import
from annotation.services.studies.studies import study_create
from annotation.web.agreement.studies.form import SENT_BACK
from annotation.web.agreement.studies.tables import OF_STUDIES
from annotation.web.agreement.studies.words import change_words
from annotation.web.base.numbers import decimal
from tests.cast import Cast
from tests.factories import make_study, make_user, withdraw
from tests.systems_study import fill_points, fill_systems, send_back
from tests.web.agreement.kept import forget_figures
from tests.web.agreement.test_systems import planted
from tests.worlds import world

pytestmark = pytest.mark.django_db

FILES = ("study_beside_chart", "study_beside_table")
PARTS = {"study_beside_chart": ["changes"], "study_beside_table": ["changes"]}


def shifted(points: int) -> dict[str, list[list[int]]]:
    return {
        system: [[min(10, max(1, value + points)) for value in row] for row in rows]
        for system, rows in planted().items()
    }


@world
def beside(cast: Cast) -> list[Study]:
    """«first» and «second», both led by the cast's lead; the second is judged two points lower, by
    other people. Their figures are kept, as a first visit leaves them: what changes them must be
    seen to."""
    for person in (cast.lead, cast.admin, cast.other_lead):
        person.language = "en"
        person.save()
    studies = []
    for key, points in (("first", 0), ("second", -2)):
        study = make_study(key, state="closed", lead=cast.lead)
        fill_systems(study, shifted(points))
        studies.append(study)
    assert file_of(cast, "study_beside_table", "changes").status_code == 200
    return studies


@world
def beside_itself(beside: list[Study], cast: Cast) -> pd.DataFrame:
    """What each of them answered before and after «first» was sent back in part, by output, person
    and dimension."""
    again = pd.DataFrame(send_back(beside[0], items=12))
    sent_back = file_of(cast, "study_beside_table", "changes", other=SENT_BACK)
    assert sent_back.status_code == 200
    return again


@pytest.fixture
def two(beside):
    return beside


def page(cast, role: str = "lead", study: str = "first", **query: str) -> str:
    parameters = {"other": "second"} | query
    response = cast.client(role).get(reverse("study_beside", args=[study]), parameters)
    assert response.status_code == 200, response.status_code
    return " ".join(unescape(response.content.decode()).split())


def file_of(cast, name: str, part: str, **query: str):
    parameters = {"other": "second"} | query
    return cast.client("lead").get(reverse(name, args=["first", part]), parameters)


class TestWho:
    def test_who_leads_one_of_both_gets_nothing(self, cast, two):
        first, _second = two
        Lead.objects.create(study=first, user=cast.other_lead)
        client = cast.client("other_lead")
        assert client.get(reverse("study_beside", args=["first"])).status_code == 200
        for name in ("study_beside", "study_beside_figures", *FILES):
            url = reverse(name, args=["first", *PARTS.get(name, [])])
            assert client.get(url, {"other": "second"}).status_code == 404
            other = reverse(name, args=["second", *PARTS.get(name, [])])
            assert client.get(other, {"other": "first"}).status_code == 404
        shown = client.get(reverse("study_beside", args=["first"])).content.decode()
        assert 'value="second"' not in shown

    # No parameter of any page may hold a null character: that is refused before any page is asked.
    @pytest.mark.parametrize(("other", "status"), [("none", 404), ("\x00", 400), ("é" * 500, 404)])
    def test_a_study_that_is_not_there(self, cast, two, other, status):
        url = reverse("study_beside", args=["first"])
        assert cast.client("lead").get(url, {"other": other}).status_code == status

    @pytest.mark.parametrize("keys", [("first", "second"), ("second", "first")])
    def test_a_blind_phase_of_either_hides_it(self, cast, two, keys):
        Study.objects.filter(key="second").update(state="main", is_blind=True)
        study, other = keys
        for name in ("study_beside", "study_beside_figures", *FILES):
            url = reverse(name, args=[study, *PARTS.get(name, [])])
            assert cast.client("lead").get(url, {"other": other}).status_code == 403
        api = f"/api/v1/studies/{study}/beside/?other={other}"
        assert cast.client("lead").get(api).status_code == 403

    def test_a_blind_study_is_not_offered(self, cast, two):
        Study.objects.filter(key="second").update(state="main", is_blind=True)
        shown = cast.client("lead").get(reverse("study_beside", args=["first"])).content.decode()
        assert 'value="second"' not in shown

    def test_queries_do_not_grow_with_studies(self, cast, two, django_assert_max_num_queries):
        client = cast.client("lead")
        for number in range(12):
            make_study(f"more-{number}", state="closed", lead=cast.lead)
        with django_assert_max_num_queries(25):
            assert client.get(reverse("study_beside", args=["first"])).status_code == 200


class TestWhatItSays:
    def test_the_change_and_its_tests(self, cast, two):
        shown = page(cast)
        # The change from the first to the second, as the table has it: the second is lower.
        assert "In “second” answers are lower than in “first”: −" in shown
        assert "95% interval with other annotators: " in shown
        assert "28 outputs were matched" in shown
        assert "Whether the two teams have anybody in common cannot be known" in shown
        assert "The two teams have nobody in common" not in shown
        assert "with these annotators, after Holm's correction for" in shown

    @pytest.mark.parametrize(
        ("study", "other", "words"), [("first", "second", "lower"), ("second", "first", "higher")]
    )
    def test_the_sentence_has_the_sign_of_the_table(self, cast, two, study, other, words):
        """The second's mean less the first's, whichever way round, with its interval."""
        sides = [next(each for each in two if each.key == key) for key in (study, other)]
        figures = studies_figures((sides[0], Part()), (sides[1], Part()), "content")
        change = figures.dimensions["legal_meaning"].change
        interval = change.elsewhere.interval
        shown = page(cast, study=study, other=other)
        assert (
            f"In “{other}” answers are {words} than in “{study}”: "
            f"{decimal(change.difference.value)} on average (95% interval with other annotators: "
            f"{decimal(interval.low)} to {decimal(interval.high)})" in shown
        )

    def test_a_change_that_is_not_established_has_its_sign_too(self, cast, two):
        figures = studies_figures((two[0], Part()), (two[1], Part()), "content")
        dimension = figures.dimensions["legal_meaning"]
        change = dimension.change
        assert change is not None
        value = change.difference.value
        for adjusted, words in ((1.0, "no change is established: "), (None, "answers change by ")):
            said = change_words(
                replace(dimension, change=replace(change, adjusted=adjusted)), figures
            )
            assert f"From “first” to “second” {words}{decimal(value)} on average" in said

    def test_in_french_a_change_is_no_button(self, cast, two):
        cast.lead.language = "fr"
        cast.lead.save()
        for name in FILES:
            for part in ("changes", "shares", "largest"):
                response = file_of(cast, name, part, format="csv")
                if response.status_code == 200:
                    head = response.content.decode().splitlines()[0]
                    assert "Changement" in head, (name, part)
                    assert "Modifier" not in head, (name, part)
        assert ">Modifier<" not in page(cast)

    def test_numbers_are_the_selectors(self, cast, two):
        figures = studies_figures((two[0], Part()), (two[1], Part()), "content")
        written = file_of(cast, "study_beside_table", "changes").content.decode()
        rows = list(csv.reader(io.StringIO(written)))
        change = figures.dimensions["legal_meaning"].change
        assert change is not None
        own = next(row for row in rows if row[1] == "all systems" and row[0].startswith("Legal"))
        assert float(own[9]) == change.difference.value
        assert change.signature in own
        assert {row[1] for row in rows[1:]} == {"all systems", "a", "b"}

    @pytest.mark.parametrize("table", sorted(OF_STUDIES))
    def test_every_table_is_a_file(self, cast, two, table):
        for form in ("csv", "tex", "md"):
            response = file_of(cast, "study_beside_table", table, format=form)
            assert response.status_code == 200, form
            assert f"first-beside-second-{table}.{form}" in response.headers["Content-Disposition"]

    def test_the_chart_is_a_file(self, cast, two):
        drawn = file_of(cast, "study_beside_chart", "changes")
        assert drawn.content.decode().startswith("<?xml")
        assert "by:content" in drawn.content.decode()
        assert file_of(cast, "study_beside_chart", "changes", format="csv").status_code == 200
        assert file_of(cast, "study_beside_chart", "none").status_code == 404
        assert file_of(cast, "study_beside_table", "none").status_code == 404
        assert file_of(cast, "study_beside_table", "changes", format="pdf").status_code == 404

    def test_figures_are_fetched_apart(self, cast, two):
        url = reverse("study_beside_figures", args=["first"])
        response = cast.client("lead").get(url, {"other": "second"})
        assert "28 outputs were matched" in response.content.decode()
        assert cast.client("lead").get(url).status_code == 404

    def test_long_computations_come_after_the_page(self, cast, two, monkeypatch):
        forget_figures()
        monkeypatch.setattr("annotation.web.agreement.views.studies.AT_ONCE", 1)
        assert "The figures are being computed" in page(cast)
        assert "28 outputs were matched" in page(cast, now="1")

    def test_other_words_are_not_the_same_output(self, cast, two):
        forget_figures()
        pair = two[1].items.get(key="item-0001").simplifications.get(system="a")
        pair.text = "Autre chose."
        pair.save()
        shown = page(cast)
        assert "27 outputs were matched: their originals" in shown
        assert "although the other has their key and system, with other words: 1." in shown
        by_key = page(cast, rule="key")
        assert "28 outputs were matched by key and system" in by_key
        assert "Matched, although the texts are not the same in both: 1." in by_key

    def test_names_that_differ_are_told(self, cast, two):
        forget_figures()
        pair = two[1].items.get(key="item-0001").simplifications.get(system="a")
        pair.system = "c"
        pair.save()
        assert "although their systems' names differ: 1." in page(cast)

    def test_nothing_in_common(self, cast, two):
        forget_figures()
        two[1].items.update(original="Autre texte.")
        shown = page(cast)
        assert "Nothing was judged in both" in shown
        chart = file_of(cast, "study_beside_chart", "changes")
        assert chart.status_code == 404

    def test_another_protocol_has_nothing_in_common(self, cast, two):
        other = make_study(
            "jades", state="closed", lead=cast.lead, protocol_key="jades", protocol_version="1"
        )
        figures = studies_figures((two[0], Part()), (other, Part()), "content")
        assert all(dimension.undefined is not None for dimension in figures.dimensions.values())
        assert "Nothing was judged in both" in page(cast, other="jades")

    def test_another_scale_is_held_against_by_order(self, cast, two):
        points = make_study(
            "points",
            state="closed",
            lead=cast.lead,
            protocol_key="direct_assessment",
            protocol_version="1",
        )
        fill_points(points, two[0])
        shown = page(cast, other="points")
        assert "The two measure nothing on one scale: no change in points" in shown
        assert "Do both put the outputs in the same order?" in shown
        figures = studies_figures((two[0], Part()), (points, Part()), "content")
        written = file_of(cast, "study_beside_table", "orders", other="points").content.decode()
        rows = list(csv.reader(io.StringIO(written)))[1:]
        assert [float(row[4]) for row in rows] == [order.spearman.value for order in figures.orders]
        assert all(
            order.spearman.signature in row for order, row in zip(figures.orders, rows, strict=True)
        )

    def test_the_same_accounts_are_the_same_people(self, cast, two):
        forget_figures()
        for number in range(3):
            user = make_user(f"both-{number}")
            Annotator.objects.filter(study__in=two, pseudonym=chr(ord("A") + number)).update(
                user=user
            )
        shown = page(cast)
        assert "Whoever judged an output in both moved by" in shown
        assert "The two teams have nobody in common" not in shown

    def test_other_accounts_are_other_people(self, cast, two):
        forget_figures()
        for number, annotator in enumerate(Annotator.objects.filter(study__in=two)):
            annotator.user = make_user(f"one-{number}")
            annotator.save()
        shown = page(cast)
        assert "The two teams have nobody in common" in shown
        assert "cannot be known" not in shown

    def test_of_two_imported_studies_it_is_not_known_who_is_in_both(self, cast):
        for key, points in (("einst", 0), ("jetzt", 9)):
            pairs = [
                ReleasedPair(
                    row=text,
                    key=f"text-{text:02}",
                    original=f"La clause {text} du contrat.",
                    simplification=f"La clause {text}.",
                    system="vif",
                    scores={judge: {"meaning": 10 * (text % 5) + points} for judge in "AB"},
                )
                for text in range(1, 11)
            ]
            made = study_create(
                actor=cast.admin,
                lead=cast.lead,
                key=key,
                title=key,
                protocol_key="direct_assessment",
            )
            released = ReleasedFile("direct_assessment", pairs)
            released_import(actor=None, study=made, released=released)
        shown = page(cast, study="einst", other="jetzt")
        assert "On ne peut pas savoir si les deux équipes ont quelqu'un en commun" in shown
        assert "n'ont personne en commun" not in shown
        answer = cast.client("lead").get("/api/v1/studies/einst/beside/?other=jetzt").json()
        score = answer["dimensions"]["meaning"]
        own = json.dumps(score["change"]["same_annotators"])
        assert "Nobody is known to have judged the same output in both" in own
        (note,) = score["notes"]
        assert note["fr"].startswith("On ne peut pas savoir si les deux équipes")

    def test_a_study_under_way_is_said(self, cast, two):
        Study.objects.filter(key="second").update(state="main")
        assert "One of the two is under way" in page(cast)


class TestWhoHasWithdrawn:
    def test_is_counted_and_said_of_the_side(self, cast, two):
        _first, second = two
        assert "who has withdrawn" not in page(cast)
        person = second.annotators.first()
        withdraw(second, person.pseudonym)
        judged = Judgment.objects.filter(assignment__annotator=person).count()
        shown = page(cast)
        assert f"those of 1 person who has withdrawn: {judged}." in shown
        assert shown.count("who has withdrawn:") == 1
        url = "/api/v1/studies/first/beside/?other=second"
        sides = {
            wanted: cast.client("lead").get(f"{url}&draws=0&withdrawn={wanted}").json()
            for wanted in ("true", "false")
        }
        nobody = {"people": 0, "judgments": 0}
        assert sides["true"]["first"]["of_withdrawn"] == nobody
        assert sides["true"]["second"]["of_withdrawn"] == {"people": 1, "judgments": judged}
        assert sides["false"]["second"]["of_withdrawn"] == nobody


class TestPartsOfOneStudy:
    def test_the_same_judgments_are_refused(self, cast, two):
        assert "These are the same judgments on both sides" in page(cast, other="first")
        url = reverse("study_beside_table", args=["first", "changes"])
        assert cast.client("lead").get(url, {"other": "first"}).status_code == 404

    def test_with_and_without_context(self, cast, two):
        Study.objects.filter(key="first").update(context_arm="half")
        mine = Assignment.objects.filter(annotator__study=two[0])
        mine.filter(annotator__pseudonym="A").update(context_shown=True)
        mine.exclude(annotator__pseudonym="A").update(context_shown=False)
        shown = page(cast, other="first", context="shown", other_context="not_shown")
        assert "first (neighbouring text shown)" in shown
        assert "28 outputs were matched" in shown

    def test_before_and_after_an_amended_guide(self, cast, two):
        second = GuideVersion.objects.create(study=two[0], number=2, body_fr="Guide")
        later = Judgment.objects.filter(assignment__annotator__study=two[0])
        later.filter(assignment__annotator__pseudonym="C").update(guide=second)
        shown = page(cast, other="first", guide="1", other_guide="2")
        assert "first (guide 1)" in shown
        assert "first (guide 2)" in shown

    def test_a_part_that_nobody_offers_is_no_choice(self, cast, two):
        shown = page(cast, guide="99", context="odd", round="none", rule="length")
        assert "28 outputs were matched: their originals" in shown


class TestWhatWasSentBack:
    """«first», of whose 28 outputs version 2 sent back those of the first twelve items: three
    people made all of them again but the last one's."""

    AGAIN = SENT_BACK

    @pytest.fixture
    def again(self, beside_itself) -> pd.DataFrame:
        return beside_itself

    def figures(self, cast, **query: str) -> dict[str, Any]:
        parameters = {"other": "first", "sent_back": "true"} | query
        response = cast.client("lead").get("/api/v1/studies/first/beside/", parameters)
        assert response.status_code == 200
        return response.json()

    def test_the_page_says_what_changed(self, cast, again):
        shown = page(cast, other=self.AGAIN)
        assert f"{len(again)} of {len(again) + 2} judgments sent back were made again" in shown
        assert "on 24 outputs, by 3 people" in shown
        changed = (again["before"] != again["after"]) | (
            again["ease_before"] != again["ease_after"]
        )
        assert f"In {changed.sum()} of them ({100 * changed.mean():.1f}%)" in shown
        assert "“first (made again)”" in shown
        same = 100 * (again["before"] == again["after"]).mean()
        assert f"Unchanged: {same:.1f}% of {len(again)} judgments (95% interval" in shown
        assert "Agreement of before and after: alpha" in shown
        assert "Sent back and not made again: 2." in shown
        assert "What was sent back was chosen" in shown
        assert f'<option value="{self.AGAIN}" selected>' in shown
        assert 'name="guide"' not in shown

    def test_figures_are_those_of_a_long_table(self, cast, again):
        figures = self.figures(cast)
        score = figures["dimensions"]["legal_meaning"]
        own = score["change"]["same_annotators"]
        moved = again["after"] - again["before"]
        means = again.groupby("pair")[["before", "after"]].mean()
        change = score["change"]["difference"]
        assert change["value"] == pytest.approx((means["after"] - means["before"]).mean())
        assert own["difference"]["value"] == pytest.approx(moved.mean())
        assert own["same_answer"]["value"] == pytest.approx((moved == 0).mean())
        both = again[["before", "after"]].to_numpy(float).T
        expected = public_alpha(both, level_of_measurement=score["level"])
        assert own["alpha"]["value"] == pytest.approx(expected)
        low, high = own["difference"]["interval"]
        assert low < moved.mean() < high
        assert (change["n"]["outputs"], change["n"]["sources"]) == (24, 12)
        assert score["change"]["test"]["sources"] == 12
        gaps = (means["after"] - means["before"]).abs()
        assert abs(score["largest_changes"][0]["change"]) == pytest.approx(gaps.max())
        assert figures["sent_back"]["again"] == len(again)
        assert (figures["first"]["stood"], figures["second"]["stood"]) == ("before", "after")
        simplicity = figures["dimensions"]["simplicity"]["change"]["same_annotators"]
        unchanged = (again["ease_before"] == again["ease_after"]).mean()
        assert simplicity["same_answer"]["value"] == pytest.approx(unchanged)

    def test_a_version_alone(self, cast, again):
        assert self.figures(cast, guide="2")["sent_back"]["sent"] == len(again) + 2
        none = self.figures(cast, guide="1")
        assert none["sent_back"]["sent"] == 0
        assert "No judgment was sent back" in none["undefined"]["en"]
        GuideVersion.objects.create(study=Study.objects.get(key="first"), number=3, body_fr="3")
        third = GuideVersion.objects.get(study__key="first", number=3)
        RejudgeRequest.objects.filter(resolved_at=None).update(guide=third)
        shown = page(cast, other=f"{self.AGAIN}-2")
        assert "“first (made again under guide 2)”" in shown
        assert f"{len(again)} of {len(again)} judgments sent back were made again" in shown
        assert "none has been made again yet" in page(cast, other=f"{self.AGAIN}-3")

    @pytest.mark.parametrize("version", ["~sent-back-9", "~sent-back-", "~sent-back2", "~sent"])
    def test_a_version_that_sent_nothing_back_is_no_address(self, cast, again, version):
        url = reverse("study_beside", args=["first"])
        assert cast.client("lead").get(url, {"other": version}).status_code == 404

    def test_where_nothing_was_sent_back(self, cast, two):
        shown = page(cast, other=self.AGAIN)
        assert "No judgment was sent back" in shown
        assert "What was sent back was chosen" not in shown

    def test_few_are_said_to_be_few(self, cast, again):
        few = RejudgeRequest.objects.filter(assignment__simplification__item__position__gt=3)
        few.delete()
        change = self.figures(cast)["dimensions"]["legal_meaning"]["change"]
        assert "too few texts change" in change["no_test"]["en"]
        assert change["difference"]["interval"] is None
        assert "at least 8" in change["difference"]["undefined"]["en"]

    @pytest.mark.parametrize("table", sorted(set(OF_STUDIES) - {"orders"}))
    def test_every_table_is_a_file(self, cast, again, table):
        for form in ("csv", "tex", "md"):
            response = file_of(cast, "study_beside_table", table, other=self.AGAIN, format=form)
            assert response.status_code == 200
            assert f"first-sent-back-{table}.{form}" in response.headers["Content-Disposition"]
            assert "Legal" in response.content.decode()

    def test_tables_hold_what_became_what_and_what_changed_most(self, cast, again):
        def rows(table: str) -> list[dict[str, str]]:
            written = file_of(cast, "study_beside_table", table, other=self.AGAIN)
            return list(csv.DictReader(io.StringIO(written.content.decode())))

        crossed = again[again["before"] != again["after"]].groupby(["before", "after"]).size()
        said = {
            (int(float(row["Value: first (before being sent back)"])),
             int(float(row["Value: first (made again)"]))): int(row["Judgments"])
            for row in rows("moves") if row["Dimension"].startswith("Legal")
        }  # fmt: skip
        assert said == crossed.to_dict()
        first = next(row for row in rows("largest") if row["Dimension"].startswith("Legal"))
        means = again.groupby("pair")[["before", "after"]].mean()
        gap = means["after"] - means["before"]
        assert float(first["Change"]) == pytest.approx(gap[first["Output"]])
        assert first["Item"] == first["Output"].split("/")[0]

    def test_the_chart_is_a_file(self, cast, again):
        drawn = file_of(cast, "study_beside_chart", "changes", other=self.AGAIN)
        assert "stood:before" in drawn.content.decode()

    def test_outputs_that_changed_most_open_their_item(self, cast, again):
        shown = page(cast, other=self.AGAIN)
        address = reverse("study_agreement_item", args=["first", "item-0001"])
        assert f'<a href="{address}">item-0001</a>' in shown
        assert cast.client("lead").get(address).status_code == 200

    def test_what_is_made_again_renews_the_page(self, cast, again):
        assert "Sent back and not made again: 2." in page(cast, other=self.AGAIN)
        RejudgeRequest.objects.filter(resolved_at=None).delete()
        assert "Sent back and not made again" not in page(cast, other=self.AGAIN)

    def test_a_blind_phase_hides_it(self, cast, again):
        Study.objects.filter(key="first").update(state="main", is_blind=True)
        for name in ("study_beside", "study_beside_figures", *FILES):
            url = reverse(name, args=["first", *PARTS.get(name, [])])
            assert cast.client("lead").get(url, {"other": self.AGAIN}).status_code == 403
            assert cast.client("other_lead").get(url, {"other": self.AGAIN}).status_code == 404
        api = "/api/v1/studies/first/beside/?other=first&sent_back=true"
        assert cast.client("lead").get(api).status_code == 403
        assert cast.client("other_lead").get(api).status_code == 404

    def test_of_another_study_it_is_refused(self, cast, again):
        api = "/api/v1/studies/first/beside/?other=second&sent_back=true"
        response = cast.client("lead").get(api)
        assert response.status_code == 400
        assert "give the key of the study itself" in response.content.decode()

    def test_queries_do_not_grow_with_judgments(self, cast, again):
        def asked() -> int:
            with CaptureQueriesContext(connection) as queries:
                page(cast, other=self.AGAIN)
            return len(queries)

        page(cast)
        forget_figures()
        whole = asked()
        RejudgeRequest.objects.filter(assignment__simplification__item__position__gt=2).delete()
        assert asked() == whole


class TestTheApi:
    def test_it_is_the_selectors(self, cast, two):
        response = cast.client("lead").get(
            "/api/v1/studies/first/beside/?other=second&draws=200&seed=3"
        )
        figures = response.json()
        assert response.status_code == 200
        assert figures["matching"]["matched"] == 28
        assert figures["settings"]["draws"] == 200
        assert figures["dimensions"]["legal_meaning"]["change"]["difference"]["value"] < 0

    @pytest.mark.parametrize(
        ("query", "status"),
        [
            ("", 400),
            ("?other=beta", 400),
            ("?other=first", 400),
            ("?other=second&match=odd", 400),
            ("?other=second&guide=0", 400),
        ],
    )
    def test_what_it_refuses(self, cast, two, query, status):
        assert (
            cast.client("lead").get(f"/api/v1/studies/first/beside/{query}").status_code == status
        )


def test_a_published_file_s_judgments_stand_beside_before_any_round_opens(cast, two):
    """A study into which FrJUDGE came is a draft as long as nobody is invited: its answers are
    there, and a replication is held against them. A draft that holds none is not offered."""
    Study.objects.filter(pk=two[1].pk).update(state="draft")
    make_study("empty", lead=cast.lead)
    response = cast.client("lead").get(reverse("study_beside", args=["first"]))
    offered = [key for key, _title in response.context["form"].fields["other"].choices]
    assert "second" in offered
    assert "empty" not in offered
    assert "original texts" in page(cast)
