"""The page on agreement: its numbers are the package's, only leads see it, and it says what it
cannot compute."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html import unescape
from itertools import pairwise

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from annotation.agreement.divisive import divisive_units
from annotation.agreement.raters import leave_one_out
from annotation.agreement.sources import WIDENED
from annotation.agreement.systems.resampling import BOOTSTRAP
from annotation.corpus.frjudge import read_frjudge
from annotation.models import (
    Annotator,
    Assignment,
    ErrorDeduction,
    GuideVersion,
    Item,
    Judgment,
    RejudgeRequest,
    Study,
)
from annotation.selectors.agreement.facts import completeness, study_digest
from annotation.selectors.agreement.figures import study_figures
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.reliability import study_ratings
from annotation.services.items.frjudge import frjudge_import
from annotation.web.agreement.dashboard.chart_set import BUILDERS
from annotation.web.agreement.dashboard.words import further_intervals
from annotation.web.agreement.overlay import Span, overlay
from annotation.web.agreement.views import agreement as views
from annotation.web.base.numbers import decimal, percent
from tests.bulk import fill_study
from tests.cast import ROLES, Cast
from tests.factories import make_pair, make_study, withdraw
from tests.systems_study import fill_systems
from tests.web.agreement.kept import forget_figures
from tests.worlds import world

pytestmark = pytest.mark.django_db

LETS_IN = {"lead", "admin"}
NAMES = (
    "study_agreement",
    "study_agreement_figures",
    "study_agreement_chart",
    "study_agreement_item",
)
SVG = "{http://www.w3.org/2000/svg}"


@world
def agreement_english(cast: Cast) -> None:
    for person in (cast.lead, cast.admin):
        person.language = "en"
        person.save()


@world
def agreement_judged(agreement_english: None, cast: Cast) -> Study:
    """Study «alpha» with 24 pairs that three annotators judged, unlike one another. Its figures are
    kept, as a first visit leaves them: what changes them must be seen to."""
    cast.alpha.items.all().delete()
    cast.alpha.annotators.all().delete()
    fill_study(cast.alpha, pairs=24, annotators=3)
    assert chart(cast, "overview", "").status_code == 200
    return cast.alpha


@pytest.fixture(autouse=True)
def english(agreement_english):
    return agreement_english


@pytest.fixture
def judged(agreement_judged):
    return agreement_judged


def address(name: str, study: str = "alpha", **more: str) -> str:
    parts = {"study_agreement_chart": ["overview"], "study_agreement_item": ["item-0002"]}.get(
        name, []
    )
    return reverse(name, args=[study, *parts])


def page(cast, query: str = "") -> str:
    answer = cast.client("lead").get(address("study_agreement") + query)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def chart(cast, key: str, query: str):
    return cast.client("lead").get(reverse("study_agreement_chart", args=["alpha", key]) + query)


class TestWhoMay:
    @pytest.mark.parametrize("name", NAMES)
    def test_leads_and_admins_only(self, cast, name):
        for role in ROLES:
            expected = 200 if role in LETS_IN else 302 if role == "anonymous" else 404
            assert cast.client(role).get(address(name)).status_code == expected, role

    @pytest.mark.parametrize("name", NAMES)
    def test_nothing_is_reached_through_another_study(self, cast, name):
        answer = cast.client("other_lead").get(
            address(name, "beta").replace("item-0002", "no-such-item")
        )
        assert answer.status_code == (404 if name == "study_agreement_item" else 200)


def strangers(study: Study) -> Study:
    """16 pairs, each judged by one of four people."""
    rows = [[1 + pair % 9 if who == pair % 4 else None for who in range(4)] for pair in range(16)]
    fill_systems(study, {"vif": rows})
    return study


class TestOtherStudies:
    def test_no_judgment(self, cast):
        shown = page(cast)
        assert "There is no rating yet." in shown
        # As a word: a form's token may hold these letters.
        assert re.search(r"\bnan\b", shown, re.IGNORECASE) is None

    def test_nobody_judged_the_same_pair_as_anybody(self, cast):
        """So it is while the first pairs of a plan come in."""
        study = strangers(make_study("erste", lead=cast.lead, state="main"))
        for dimension in study.protocol.dimensions:
            answer = cast.client("lead").get(
                address("study_agreement", "erste") + f"?dimension={dimension}"
            )
            assert answer.status_code == 200
            shown = unescape(answer.content.decode())
            assert "No item was judged by two people or more" in shown
            assert "nothing tells who judges like whom" in shown
            assert "Everybody answers the same" not in shown
        api = cast.client("lead").get("/api/v1/studies/erste/agreement/")
        assert api.status_code == 200
        assert api.json()["dimensions"]["legal_meaning"]["alpha"]["ordinal"] is None
        url = reverse("study_agreement_chart", args=["erste", "camps"])
        assert cast.client("lead").get(url).status_code == 404

    def test_imported_judgments_have_no_brackets(self, cast):
        cast.alpha.items.all().delete()
        frjudge_import(actor=None, study=cast.alpha, released=read_frjudge(released()))
        shown = page(cast)
        assert "neither bracket nor errors" in shown
        assert "neither when they were made nor under which guide" in shown
        assert "Two camps" not in shown
        assert chart(cast, "sources", "").status_code == 404
        assert chart(cast, "time", "").status_code == 404
        item = cast.alpha.items.first().key
        url = reverse("study_agreement_item", args=["alpha", item])
        assert "not published" in cast.client("lead").get(url).content.decode()

    def test_queries_do_not_grow(self, cast, django_assert_max_num_queries):
        for key, pairs in (("few", 6), ("many", 60)):
            study = make_study(key, lead=cast.lead, state="main")
            fill_study(study, pairs=pairs, annotators=3)
            client = cast.client("lead")
            url = reverse("study_agreement", args=[key])
            with django_assert_max_num_queries(24):
                client.get(url)
            with django_assert_max_num_queries(14):
                client.get(url)
            with django_assert_max_num_queries(24):
                client.get(url + "?length=medium&dimension=simplicity")


def test_overlapping_marks_lose_no_letter():
    content = "abcdefghij"
    spans = [
        Span(0, 5, "omission", "A1"),
        Span(3, 8, "confusion", "B1"),
        Span(3, 99, "omission", "C1"),
    ]
    pieces = overlay(content, spans)
    assert "".join(piece.text for piece in pieces) == content
    assert [piece.text for piece in pieces] == ["abc", "de", "fgh", "ij"]
    assert [piece.kind for piece in pieces] == ["omission", "several", "several", "omission"]
    assert [len(piece.opening) for piece in pieces] == [1, 2, 0, 0]
    assert all(first.text for first, _second in pairwise(pieces))


class TestNumbers:
    def test_annotators_appear_by_pseudonym_only(self, cast, judged):
        annotator = judged.annotators.first()
        annotator.user = cast.peer
        annotator.save()
        item = judged.items.first().key
        pages = (
            page(cast)
            + cast.client("lead")
            .get(reverse("study_agreement_item", args=["alpha", item]))
            .content.decode()
        )
        assert annotator.pseudonym in pages
        assert cast.peer.email not in pages
        assert str(cast.peer) not in pages

    def test_the_report_is_the_package_s(self, cast, judged):
        shown = page(cast)
        for name, report in study_ratings(judged).reports().items():
            for key, coefficient in report.coefficients().items():
                if coefficient.signature is not None:
                    assert f"{coefficient.signature}|round:main" in shown, (name, key)
            assert decimal(report.fitting_alpha.value, 4) in shown
            assert decimal(report.fitting_alpha.interval.low, 3) in shown

    def test_an_interval_says_for_whom_it_holds(self, cast, judged):
        """Three annotators are too few to tell of others; with five the second interval is the
        package's."""
        shown = page(cast)
        here = study_ratings(judged).report("legal_meaning").other_sources.interval
        assert (
            "For these annotators on other items of the same kind, its 95% interval is "
            f"{decimal(here.low)} to {decimal(here.high)}." in shown
        )
        assert "it would take at least 4 without whom alpha can be computed" in shown
        five = make_study("five", state="closed")
        fill_study(five, pairs=24, annotators=5)
        interval = study_ratings(five).report("legal_meaning").other_annotators
        words = unescape(
            cast.client("admin").get(address("study_agreement", "five")).content.decode()
        )
        assert (
            "For other annotators of the same kind on other texts, its 95% interval is "
            f"{decimal(interval.low)} to {decimal(interval.high)}: this is the one to quote."
            in words
        )
        ends = f"{decimal(interval.low, 3)} to {decimal(interval.high, 3)}"
        _, *lines = words.split("other annotators and other texts")
        assert any(ends in line[:300] for line in lines)

    @pytest.mark.parametrize(
        ("method", "words"),
        [(WIDENED, "other pairs, by Student's t too"), (BOOTSTRAP, "other source texts")],
    )
    def test_students_t_is_named_where_it_was_asked(self, judged, method, words):
        """Of more than 500 texts, each with one pair, draws alone make the interval."""
        report = study_ratings(judged).report("legal_meaning")
        assert (report.other_sources.shared, report.other_sources.interval.method) == (
            False,
            WIDENED,
        )
        interval = replace(report.other_sources.interval, method=method)
        report = replace(report, other_sources=replace(report.other_sources, interval=interval))
        with override("en"):
            (_key, label, _interval), *_others = further_intervals(report)
        assert label == f"the same annotators, {words}"

    def test_where_the_differences_come_from_and_what_means_are_worth(self, cast, judged):
        """Of scales only, as the package has it; in the API as on the page."""
        shown = page(cast)
        reports = study_ratings(judged).reports()
        variances = {name: report.variance for name, report in reports.items()}
        assert [name for name, variance in variances.items() if variance] == ["legal_meaning"]
        variance = variances["legal_meaning"]
        for part in variance.components:
            assert percent(part.share) in shown
            low, high = part.interval.low, part.interval.high
            if low is None:
                assert "Not told apart from none" in shown
            else:
                assert f"{percent(low)} to {percent(high)}" in shown
        here = next(mean for mean in variance.dependability if mean.annotators == variance.typical)
        assert f"± {decimal(here.half_width, 1)} points" in shown
        assert f"{variance.signature}|round:main" in shown
        answer = cast.client("lead").get("/api/v1/studies/alpha/agreement/").json()
        assert {
            name: dimension["variance"] for name, dimension in answer["dimensions"].items()
        } == {name: variance and variance.as_dict() for name, variance in variances.items()}

    def test_the_charts_hold_the_package_s_numbers(self, cast, judged):
        table = study_ratings(judged).tables["legal_meaning"]
        rows = list(csv.reader(io.StringIO(chart(cast, "without", "?format=csv").content.decode())))
        without = leave_one_out(table, "ordinal")
        assert {row[0]: float(row[1]) for row in rows[1:]} == {
            f"without {name}": alpha.value for name, alpha in without.items()
        }
        shares = {row[0]: float(row[1]) for row in csv_of(cast, "sources")}
        types = sum(share for label, share in shares.items() if label.startswith("– "))
        assert types == pytest.approx(shares["Number of errors"])
        assert shares["Choice of the bracket"] + types + shares[
            "Floor and crossing"
        ] == pytest.approx(1)

    def test_mean_and_deviation_of_each_annotator(self, cast, judged):
        table = study_ratings(judged).tables["legal_meaning"]
        for place, row in enumerate(csv_of(cast, "distributions")):
            own = table.values[table.rater_index == place]
            assert float(row[11]) == pytest.approx(own.mean())
            assert float(row[12]) == pytest.approx(own.std(ddof=1))
            assert [int(count) for count in row[1:11]] == [
                (own == value).sum() for value in range(1, 11)
            ]

    def test_the_most_divisive_items_are_linked(self, cast, judged):
        first = divisive_units(
            study_ratings(judged).tables["legal_meaning"], level="ordinal", limit=1
        )[0]
        shown = page(cast)
        assert (
            reverse("study_agreement_item", args=["alpha", str(first.unit).split("/")[0]]) in shown
        )

    def test_tenths_compare_with_everybody(self, judged):
        detail = study_figures(judged, Filters()).details["simplicity"]
        assert [tenth.number for tenth in detail.tenths] == list(range(1, 11))
        assert sum(tenth.judgments for tenth in detail.tenths) == 72
        overall = study_ratings(judged).report("simplicity").percent_agreement.value
        weighted = sum((tenth.same or 0) * tenth.judgments for tenth in detail.tenths) / 72
        assert weighted == pytest.approx(overall)
        (guide,) = detail.guides
        assert (guide.number, guide.judgments) == (1, 72)
        assert guide.same == pytest.approx(overall)

    def test_before_and_after_a_version_of_the_guide(self, cast, judged):
        later = GuideVersion.objects.create(study=judged, number=2, body_fr="Guide modifié")
        early = [unit.pk for unit in study_ratings(judged).items[:10]]
        Judgment.objects.exclude(assignment__simplification__in=early).update(guide=later)
        first, second = study_figures(judged, Filters()).details["legal_meaning"].guides
        assert (first.number, first.judgments, second.number, second.judgments) == (1, 30, 2, 42)
        before = (
            study_ratings(judged, simplifications=early)
            .report("legal_meaning", draws=0)
            .fitting_alpha
        )
        assert first.within is not None
        assert first.within.value == pytest.approx(before.value)
        assert "version 2" in page(cast)

    def test_machines_are_no_people(self, cast, judged):
        before = study_ratings(judged).report("legal_meaning").as_dict()
        Annotator.objects.filter(study=judged, pseudonym="R3").update(kind="machine")
        after = study_figures(judged, Filters()).reports["legal_meaning"]
        assert after.annotators == 2
        assert before["n"]["annotators"] == 3
        assert completeness(judged, "main").done == 48
        forget_figures()
        assert "2 annotators" in page(cast)


@pytest.mark.parametrize("name", ["study_agreement", "study_systems"])
def test_what_waits_to_be_made_again_is_said_to_count_as_it_stood(cast, judged, name):
    def says() -> str:
        forget_figures()
        return " ".join(cast.client("lead").get(address(name)).content.decode().split())

    assert "made again" not in says()
    for number, assignment in enumerate(Assignment.objects.filter(judgment__isnull=False)[:2], 1):
        RejudgeRequest.objects.create(assignment=assignment, reason="Guide")
        was = "was sent back and waits" if number == 1 else "were sent back and wait"
        assert f"{number} of them {was} to be made again; until then" in says()


class TestFilters:
    def test_they_are_in_force_and_in_the_signature(self, cast, judged):
        Item.objects.filter(study=judged, position__lte=10).update(original="Une clause brève.")
        judged.items.get(position=11).simplifications.update(system="autre")
        assert "10 pairs" in page(cast, "?length=short")
        assert "|round:main|length:short" in page(cast, "?length=short")
        assert "1 pair," in page(cast, "?system=autre")
        assert "|system:autre" in page(cast, "?system=autre")
        assert "Nothing to compare yet" in page(cast, "?kind=imported")

    def test_classes_divide_the_pairs(self, judged):
        whole = study_figures(judged, Filters()).details["simplicity"].classes
        assert sum(class_.pairs for class_ in whole) == 24
        for class_ in whole:
            figures = study_figures(judged, Filters(majority=str(class_.value)))
            assert figures.reports["simplicity"].items == class_.pairs

    def test_readability_divides_the_pairs(self, judged):
        counts = [
            study_figures(judged, Filters(ease=ease)).judgments
            for ease in ("very_hard", "hard", "fair", "easy")
        ]
        assert sum(counts) == 72

    def test_practice_stands_on_its_own(self, cast, judged):
        Item.objects.filter(study=judged, position__lte=4).update(round="practice")
        assert "20 pairs" in page(cast)
        assert "4 pairs" in page(cast, "?round=practice")

    def test_who_has_withdrawn_is_counted_and_said_or_left_out(self, cast, judged):
        """A snapshot holds nothing of theirs: figures that do say so."""
        assert "withdrawn" not in page(cast)
        withdraw(judged, "R2")
        shown = page(cast)
        assert "those of 1 person who has withdrawn: 24." in shown
        assert "?withdrawn=left_out&dimension=legal_meaning" in shown
        assert "3 annotators" in shown
        without = page(cast, "?withdrawn=left_out")
        assert "those of 1 person" not in without
        assert "2 annotators" in without
        assert "|round:main|withdrawn:left_out" in without
        assert "in force" in without
        figures = study_figures(judged, Filters(withdrawn="left_out"))
        assert (figures.judgments, figures.of_withdrawn) == (48, (0, 0))
        frozen = study_ratings(judged, withdrawn=False).report("legal_meaning")
        assert figures.reports["legal_meaning"].as_dict() == frozen.as_dict()
        assert study_figures(judged, Filters(withdrawn="left_out", ease="hard")).judgments <= 48

    def test_practice_is_in_no_snapshot_anyway(self, cast, judged):
        withdraw(judged, "R2")
        Item.objects.filter(study=judged, position__lte=4).update(round="practice")
        assert "who has withdrawn:" not in page(cast, "?round=practice")

    def test_a_program_is_told_how_much_is_of_who_has_withdrawn(self, cast, judged):
        withdraw(judged, "R2")
        for name in ("agreement", "systems"):
            url = f"/api/v1/studies/alpha/{name}/?draws=100"
            answer = cast.client("lead").get(url).json()
            assert answer["judgments"] == 72
            assert answer["of_withdrawn"] == {"people": 1, "judgments": 24}
            answer = cast.client("lead").get(f"{url}&withdrawn=false").json()
            assert answer["judgments"] == 48
            assert answer["of_withdrawn"] == {"people": 0, "judgments": 0}

    def test_what_nobody_offered_is_no_filter(self, cast, judged):
        shown = page(cast, "?length=endless&majority=99&system=none&round=all&dimension=beauty")
        assert "24 pairs" in shown
        assert "in force" not in shown


class TestUndefined:
    def test_one_annotator(self, cast, judged):
        judged.annotators.exclude(pseudonym="R1").delete()
        for dimension in ("simplicity", "characterization", "legal_meaning"):
            shown = page(cast, f"?dimension={dimension}")
            assert "Only one person judged, or a file gives a mean alone: agreement takes" in shown
            assert "Grouping takes at least two people who judged." in shown
        assert chart(cast, "pairs", "").status_code == 404

    def test_an_unsealed_judgment_does_not_count(self, cast, judged):
        Judgment.objects.filter(assignment__annotator__pseudonym="R1").update(submitted_at=None)
        assert "2 annotators" in page(cast)
        assert "48 of 72;" in page(cast)


class TestDownloads:
    @pytest.mark.parametrize("key", BUILDERS)
    def test_drawing_and_numbers(self, cast, judged, key):
        for dimension in ("simplicity", "legal_meaning"):
            answer = chart(cast, key, f"?format=svg&dimension={dimension}")
            assert answer.headers["content-type"] == "image/svg+xml"
            root = ET.fromstring(answer.content)
            assert root.tag == f"{SVG}svg"
            assert root.find(f"{SVG}title").text
            assert root.find(f"{SVG}desc").text
            layers = root.findall(f"{SVG}g/{SVG}g")
            assert layers
            assert all(group.get("fill") or group.get("stroke") for group in layers)
            # Title and caption stand in the drawing: a pasted figure is not anonymous.
            said = " ".join(line.text or "" for line in root.findall(f"{SVG}text"))
            assert said.startswith(root.findtext(f"{SVG}title") or "-")
            assert (root.findtext(f"{SVG}desc") or "-")[:20] in said
            assert b"style=" not in answer.content
            rows = csv_of(cast, key, dimension)
            assert rows
            assert len({len(row) for row in rows}) == 1

    def test_no_such_chart_or_format(self, cast, judged):
        assert chart(cast, "pie", "").status_code == 404
        assert chart(cast, "overview", "?format=exe").status_code == 404


class TestItem:
    def test_everybody_s_errors_on_the_text(self, cast, judged):
        error = ErrorDeduction.objects.select_related("judgment__assignment__annotator").first()
        assignment = error.judgment.assignment
        url = reverse("study_agreement_item", args=["alpha", assignment.simplification.item.key])
        shown = cast.client("lead").get(url).content.decode()
        # A dot between them: R1's eleventh error is not R11's first.
        label = f"{assignment.annotator.pseudonym}.{error.ordinal}"
        assert f'data-type="{error.type}">{label}</span>' in shown
        assert "<mark" in shown


class TestSpeed:
    def test_figures_are_kept_until_something_changes(self, cast, judged, monkeypatch):
        page(cast)
        digest = study_digest(judged)
        monkeypatch.setattr("annotation.web.agreement.dashboard.store.study_figures", None)
        page(cast, "?dimension=simplicity")
        Judgment.objects.filter(assignment__annotator__pseudonym="R2").update(
            submitted_at=timezone.now()
        )
        assert study_digest(judged) != digest
        with pytest.raises(TypeError):
            cast.client("lead").get(address("study_agreement"))

    def test_as_many_answers_that_are_others_now_is_a_change(self, judged):
        """Whoever is brought back finds that others have taken their place."""
        first, last = (judged.annotators.order_by("pk")[place].pk for place in (0, 1))
        keys = []
        for surplus in (first, last):
            judgments = Judgment.objects.filter(assignment__annotator__study=judged)
            judgments.update(surplus=False)
            judgments.filter(assignment__annotator=surplus).update(surplus=True)
            keys.append((judgments.filter(surplus=True).count(), study_digest(judged)))
        (number, before), (as_many, after) = keys
        assert number == as_many > 0
        assert before != after

    def test_an_item_that_changes_rounds_is_a_change_wherever_it_goes(self, judged):
        practice, machine = (make_pair(judged, round=name).item for name in ("practice", "machine"))
        digest = study_digest(judged)
        for item, now in ((practice, "machine"), (machine, "practice")):
            Item.objects.filter(pk=item.pk).update(round=now)
        assert study_digest(judged) != digest

    def test_a_program_gets_the_same_figures_until_something_changes(
        self, cast, judged, monkeypatch
    ):
        client, url = cast.client("lead"), "/api/v1/studies/alpha/agreement/?draws=100"
        first = client.get(url).json()
        other = client.get(f"{url}&confidence=0.9").json()
        assert first["dimensions"] != other["dimensions"]
        monkeypatch.setattr("api.agreement.views.agreement.study_ratings", None)
        assert client.get(url).json() == first
        Judgment.objects.filter(assignment__annotator__pseudonym="R2").update(
            submitted_at=timezone.now()
        )
        with pytest.raises(TypeError):
            client.get(url)

    def test_a_large_study_comes_in_two_steps(self, cast, judged, monkeypatch):
        monkeypatch.setattr(views, "AT_ONCE", 10)
        shown = page(cast, "?length=medium")
        assert "Percent agreement" not in shown
        assert (
            'hx-get="/studies/alpha/agreement/figures/?length=medium&dimension=legal_meaning"'
            in shown
        )
        assert "now=1" in shown
        part = (
            cast.client("lead")
            .get(address("study_agreement_figures") + "?length=medium")
            .content.decode()
        )
        assert "Percent agreement" in part
        assert "<html" not in part
        assert "Percent agreement" in page(cast, "?length=medium")


def csv_of(cast, key: str, dimension: str = "legal_meaning") -> list[list[str]]:
    answer = chart(cast, key, f"?format=csv&dimension={dimension}")
    assert answer.status_code == 200
    return list(csv.reader(io.StringIO(answer.content.decode())))[1:]


def released() -> bytes:
    """Three pairs with two judges each, in the layout of FrJUDGE."""
    rows = [
        {
            "original": f"L'assureur rembourse les frais de l'article {pair}.",
            "simplification": f"L'assureur paie les frais ({pair}).",
            "simplicity": "Plus difficile à lire",
            "qualification": str(3 + judge),
            "legal_meaning": str(6 + pair + judge),
            "justifications": "",
        }
        for pair in range(3)
        for judge in range(2)
    ]
    return "\n".join(json.dumps(row) for row in rows).encode()
