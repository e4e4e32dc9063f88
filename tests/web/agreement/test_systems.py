"""The page on systems: its numbers are the package's, only leads see it, never in a blind phase,
and it says what cannot be concluded."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from itertools import product

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotator, Study
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.systems import SystemsFigures, systems_figures
from annotation.web.agreement.systems.tables import KEYS
from annotation.web.base.numbers import decimal
from tests.cast import ROLES, Cast
from tests.factories import make_study
from tests.systems_study import against_tests, fill_systems
from tests.worlds import world

pytestmark = pytest.mark.django_db

PARTS = {"study_systems_chart": ["shares"], "study_systems_table": ["pairs"]}
NAMES = ("study_systems", "study_systems_figures", "study_systems_chart", "study_systems_table")


def planted(texts: int = 14, gap: int = 2) -> dict[str, list[list[int]]]:
    """Two systems, «b» lower by about ``gap``; three people."""
    rng = np.random.default_rng(1)
    base = rng.integers(5, 9, (texts, 3))
    return {
        "a": np.clip(base + rng.integers(0, 3, (texts, 3)), 1, 10).tolist(),
        "b": np.clip(base + rng.integers(0, 3, (texts, 3)) - gap, 1, 10).tolist(),
    }


@world
def systems_english(cast: Cast) -> None:
    for person in (cast.lead, cast.admin):
        person.language = "en"
        person.save()


@world
def systems_beside(systems_english: None, cast: Cast) -> tuple[Study, SystemsFigures]:
    """Study «alpha», closed, with two systems on 14 texts, and the package's figures of it. The
    page's own are kept, as a first visit leaves them."""
    cast.alpha.items.all().delete()
    cast.alpha.annotators.all().delete()
    Study.objects.filter(pk=cast.alpha.pk).update(state="closed")
    fill_systems(cast.alpha, planted(), cut=[("b", number) for number in range(6)])
    cast.alpha.refresh_from_db()
    assert table(cast, "means", "").status_code == 200
    return cast.alpha, systems_figures(cast.alpha, Filters())


@pytest.fixture(autouse=True)
def english(systems_english):
    return systems_english


@pytest.fixture
def judged(systems_beside):
    return systems_beside[0]


@pytest.fixture
def figures(systems_beside):
    """The package's."""
    return systems_beside[1]


def address(name: str, study: str = "alpha") -> str:
    return reverse(name, args=[study, *PARTS.get(name, [])])


def page(cast, query: str = "", study: str = "alpha") -> str:
    answer = cast.client("admin").get(address("study_systems", study) + query)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def table(cast, key: str, query: str):
    return cast.client("lead").get(reverse("study_systems_table", args=["alpha", key]) + query)


class TestWhoMay:
    @pytest.mark.parametrize("name", NAMES)
    def test_leads_and_admins_only(self, cast, judged, name):
        for role in ROLES:
            expected = 200 if role in {"lead", "admin"} else 302 if role == "anonymous" else 404
            assert cast.client(role).get(address(name)).status_code == expected, role

    @pytest.mark.parametrize("name", NAMES)
    def test_not_while_the_study_hides_its_answers(self, cast, judged, name):
        Study.objects.filter(pk=judged.pk).update(state="main", is_blind=True)
        assert cast.client("lead").get(address(name)).status_code == 403
        Study.objects.filter(pk=judged.pk).update(state="closed")
        assert cast.client("lead").get(address(name)).status_code == 200


class TestNumbers:
    def test_the_page_shows_the_package_s(self, cast, judged, figures):
        dimension = figures.dimensions["legal_meaning"]
        (pair,) = dimension.comparisons
        shown = page(cast)
        assert f"{pair.difference.signature}|round:main" in shown
        assert f"{pair.signature}|round:main" in shown
        assert f"“a” is judged higher than “b” by {decimal(pair.difference.value)}" in shown
        for profile in dimension.profiles:
            low, high = profile.mean.interval.low, profile.mean.interval.high
            words = f"{decimal(profile.mean.value)} [{decimal(low)};\u00a0{decimal(high)}]"
            assert words in shown

    def test_no_place_is_given_against_the_tests(self, cast):
        fill_systems(make_study("contre", lead=cast.lead, state="closed"), against_tests())
        shown = page(cast, study="contre")
        assert "“vif” is judged higher than “lent” by 1.00" in shown
        assert shown.count("No ranks: the means would order the systems otherwise") == 1
        url = reverse("study_systems_table", args=["contre", "ranks"])
        written = cast.client("lead").get(url + "?format=csv").content.decode()
        (row,) = (line for line in written.splitlines() if line.startswith("vif,"))
        assert row.startswith("vif,,1,")
        written = cast.client("lead").get(url + "?format=md").content.decode()
        assert "the means would order the systems otherwise" in written

    def test_both_intervals_are_named(self, cast, judged, figures):
        (pair,) = figures.dimensions["legal_meaning"].comparisons
        here, others = pair.difference.interval, pair.elsewhere.interval
        shown = page(cast)
        words = (
            f"(95% interval: {decimal(here.low)} to {decimal(here.high)} with these annotators, "
            f"{decimal(others.low)} to {decimal(others.high)} with others like them)"
        )
        assert words in shown
        assert (others.low, others.high) != (here.low, here.high)

    def test_the_texts_that_differ_most_open(self, cast, judged, figures):
        gap = figures.dimensions["legal_meaning"].comparisons[0].largest[0]
        url = reverse("study_agreement_item", args=["alpha", figures.item_of[str(gap.source)]])
        assert f'href="{url}"' in page(cast)
        assert cast.client("lead").get(url).status_code == 200

    def test_filters_are_in_the_signatures(self, cast, judged):
        assert "|round:main|length:short" in page(cast, "?length=short")
        assert "Nothing to compare yet" in page(cast, "?length=long")

    def test_who_has_withdrawn_is_counted_and_said_or_left_out(self, cast, judged):
        annotator = judged.annotators.first()
        Annotator.objects.filter(pk=annotator.pk).update(withdrawn_at=timezone.now())
        assert "those of 1 person who has withdrawn: 28." in page(cast)
        without = page(cast, "?withdrawn=left_out")
        assert "those of 1 person" not in without
        assert "|round:main|withdrawn:left_out" in without
        left_out = systems_figures(judged, Filters(withdrawn="left_out"))
        assert left_out.as_dict() == systems_figures(judged, Filters(), withdrawn=False).as_dict()

    def test_the_french_page_has_one_word_for_brackets(self, cast, judged):
        cast.admin.language = "fr"
        cast.admin.save()
        shown = page(cast)
        assert "Fourchettes et erreurs" in shown
        assert "Fourchettes par système" in shown
        assert "palier" not in shown.lower()
        assert "combien souvent" not in shown

    def test_brackets_and_errors_stand_by_system(self, cast, judged, figures):
        for system, rates in zip("ab", figures.brackets, strict=True):
            scores = np.array(planted()[system])
            assert rates.figures["3"].value == pytest.approx((scores >= 7).mean())
        errors = figures.errors[0].figures["any"].value
        scores = np.array(planted()["a"])
        tops = np.where(scores >= 7, 10, np.where(scores >= 2, 6, 1))
        assert errors == pytest.approx((tops - scores).mean())
        assert "Errors in a judgment, by type and system" in page(cast)

    def test_a_large_study_shows_its_frame_first(self, cast, judged, monkeypatch):
        monkeypatch.setattr("annotation.web.agreement.views.systems.AT_ONCE", 1)
        assert "The figures are being computed" in page(cast, "?length=short")
        assert "|round:main|length:short" in page(cast, "?length=short&now=1")


class TestFiles:
    @pytest.mark.parametrize("key", KEYS)
    def test_every_table_is_a_file(self, cast, judged, key):
        lead, address = cast.client("lead"), reverse("study_systems_table", args=["alpha", key])
        for dimension, form in product(judged.protocol.dimensions, ("csv", "tex", "md")):
            answer = lead.get(address, {"format": form, "dimension": dimension})
            assert answer.status_code == 200, (dimension, form)
            assert f".{form}" in answer["Content-Disposition"]
            assert "nan" not in answer.content.decode().lower()

    def test_csv_has_all_digits_and_signatures(self, cast, judged, figures):
        content = table(cast, "pairs", "?format=csv&dimension=legal_meaning").content.decode()
        (row,) = csv.DictReader(io.StringIO(content))
        (pair,) = figures.dimensions["legal_meaning"].comparisons
        assert float(row["Difference"]) == pair.difference.value
        assert float(row["Difference, lower bound"]) == pair.difference.interval.low
        assert float(row["p (Holm)"]) == pair.adjusted
        assert row["Signature of the test"] == f"{pair.signature}|round:main"

    def test_signatures_in_files_say_what_they_are_of(self, cast, judged):
        """As those to copy do: the same systems judged by the same number of people may be another
        part of the study."""
        for key in ("means", "pairs", "effects", "shares", "share-differences", "errors"):
            query = "?format=csv&dimension=legal_meaning&length=short"
            rows = list(csv.DictReader(io.StringIO(table(cast, key, query).content.decode())))
            signed = [
                signature
                for row in rows
                for column, cell in row.items()
                if column.startswith("Signature") and cell
                for signature in cell.split(" ; ")
            ]
            assert signed, key
            assert all(of.endswith("|round:main|length:short") for of in signed), key

    def test_a_chart_stands_alone(self, cast, judged):
        for chart in ("shares", "differences"):
            url = reverse("study_systems_chart", args=["alpha", chart])
            drawn = cast.client("lead").get(url + "?format=svg&dimension=legal_meaning")
            assert drawn.content.decode().startswith("<?xml")
            assert cast.client("lead").get(url + "?format=csv").status_code == 200
        nothing = url + "?dimension=simplicity"
        assert cast.client("lead").get(nothing).status_code == 404

    def test_what_is_not_there_is_not_found(self, cast, judged):
        assert table(cast, "none", "").status_code == 404
        assert table(cast, "means", "?format=pdf").status_code == 404


def test_sentences_for_a_paper_in_both_languages_of_the_whole_study_alone(cast, judged):
    shown = page(cast)
    assert "2 systèmes ont été comparés sur les textes où les deux ont été jugés" in shown
    assert (
        "2 systems were compared over the texts on which both were judged, by the difference"
        in shown
    )
    assert "after Holm's correction over 3 tests." in shown
    assert "2 systems were compared over" not in page(cast, "?length=short")
    assert systems_figures(judged, Filters(system="a")).methods is None


class TestOtherStudies:
    def test_that_others_might_see_it_otherwise_is_said(self, cast):
        """One of three people alone sees the difference, on every text."""
        rng = np.random.default_rng(5)
        base = rng.integers(4, 7, (30, 3))
        scores = {"a": (base + np.array([3, 0, 0])).tolist(), "b": base.tolist()}
        fill_systems(make_study("one", state="closed"), scores)
        shown = page(cast, study="one")
        assert "“a” is judged higher than “b” by" in shown
        assert "Other annotators of the same kind might see no difference" in shown
        two = {name: [row[:2] for row in rows] for name, rows in scores.items()}
        fill_systems(make_study("two", state="closed"), two)
        assert "No interval for other people: it would take at least 3" in page(cast, study="two")

    def test_a_flag_that_explains_much_says_so_by_itself(self, cast):
        scores = planted(gap=0)
        cut = [("b", number) for number in range(6)]
        for _system, number in cut:
            scores["b"][number] = [1, 2, 1]
        study = make_study("cut", state="closed")
        fill_systems(study, scores, cut=cut)
        shown = page(cast, study="cut")
        assert "of the variance of the outputs' means" in shown
        assert "without flagged outputs" in shown
        assert "they were decided after the fact" in shown
        assert "Holm's correction for them is over them alone" in shown
        query = "?dimension=legal_meaning&format="
        for form in ("md", "tex"):
            url = reverse("study_systems_table", args=["cut", "without-flagged"])
            content = cast.client("admin").get(url + query + form).content.decode()
            assert "and are exploratory" in content, form
        assert (
            "exploratory"
            not in cast.client("admin")
            .get(reverse("study_systems_table", args=["cut", "pairs"]) + query + "md")
            .content.decode()
        )

    def test_names_of_systems_break_neither_latex_nor_markdown_nor_sheets(self, cast):
        study = make_study("odd", state="closed")
        odd = {"=a_1 & 50 %|*": planted()["a"], "b{}": planted()["b"]}
        fill_systems(study, odd)
        lead = cast.client("admin")
        url = reverse("study_systems_table", args=["odd", "means"]) + "?format="
        assert r"=a\_1 \& 50 \%|*" in lead.get(url + "tex").content.decode()
        assert r"=a_1 & 50 %\|\*".replace("_", r"\_") in lead.get(url + "md").content.decode()
        assert "\r\n'=a_1" in lead.get(url + "csv").content.decode()


class TestWhatCannotBeConcluded:
    @pytest.mark.parametrize(
        "case",
        [
            ({"": [[5, 6]] * 9}, "No judged output bears the name of a system"),
            ({"a": [[5, 6]] * 9}, "Only one system (“a”) was judged"),
            (
                {"a": [[5, 6]] * 3, "b": [[7, 7]] * 3},
                "it takes at least 8 original texts",
                "only 3 texts tell these systems apart",
            ),
            ({"a": [[8]] * 9, "b": [[7]] * 9}, "Only one person judged"),
            ({"a": [[8, 8]] * 9, "b": [[8, 8]] * 9}, "All answers are the same"),
            ({"a": [[8, None]] * 9, "b": [[None, 7]] * 9}, "Nobody judged both systems"),
            (
                {"a": [[8, 7]] * 4 + [None] * 5, "b": [None] * 4 + [[5, 6]] * 5},
                "No original text has a judged output of both these systems",
            ),
            ({"a": [[8, 7]] * 9, "": [[5, 6]] * 9}, "9 judged outputs bear the name of no system"),
            ({"a": [[8, 7]] * 9, "": [[5, 6]]}, "One judged output bears the name of no system"),
            (
                {"a": [[8, 7]] * 9, "b": [[8, 7]] * 9},
                "“a” and “b” have the same mean, on the scale from 1 to 10, over 9 original texts.",
                "both systems got the same answers on every text",
            ),
            (
                {"a": [[8, 7]] * 9, "b": [[8, 7]] * 7 + [[9, 8], [7, 6]]},
                "“a” and “b” have the same mean (95% interval",
                "only 2 texts tell these systems apart",
            ),
            (
                {"a": [[8, 7]] * 9, "b": [[8, 7]] * 8 + [[5, 6]]},
                "only one text tells these systems apart. p could be nothing but 1;",
            ),
        ],
    )
    def test_it_is_said(self, cast, case):
        scores, *said = case
        fill_systems(make_study("bad", state="closed"), scores)
        shown = page(cast, study="bad")
        assert [words for words in said if words not in shown] == []
        assert "nan" not in shown.lower().split()

    def test_a_shared_rank_is_read_in_one_s_language(self, cast):
        fill_systems(make_study("even", state="closed"), {"a": [[8, 7]] * 9, "b": [[8, 7]] * 9})
        assert re.search(r"<td[^>]*>1\.5</td>", page(cast, study="even"))
        cast.admin.language = "fr"
        cast.admin.save()
        assert re.search(r"<td[^>]*>1,5</td>", page(cast, study="even"))
        url = reverse("study_systems_table", args=["even", "ranks"])
        rows = list(csv.reader(io.StringIO(cast.client("admin").get(url).content.decode())))
        assert [row[1] for row in rows[1:]] == ["1.5", "1.5"]

    def test_a_study_that_nobody_judged(self, cast):
        make_study("empty", state="main")
        shown = page(cast, study="empty")
        assert "Nothing to compare yet" in shown
        assert "The study is under way" in shown
