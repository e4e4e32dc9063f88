"""The pictures of a report on metrics, and the pairs to click on."""

from __future__ import annotations

import csv
import io
import re
from copy import deepcopy

import pytest
from django.urls import reverse
from django.utils.html import escape

from annotation.metrics.report import points
from annotation.models import Job, Study
from annotation.services.metrics.reports import report_write
from annotation.web.metrics import charts
from tests.bulk import fill_study
from tests.cast import Cast
from tests.factories import make_study
from tests.metrics.reports import finished_report, small_report
from tests.web.metrics.test_metrics import ORDER, URL, page, reads

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(cast: Cast) -> Study:
    study = make_study("judged", lead=cast.lead, state="closed")
    fill_study(study, pairs=12, annotators=3)
    reads(cast, "en")
    return study


@pytest.fixture
def written(cast: Cast, study, monkeypatch) -> Job:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
    cast.client("lead").post(URL, ORDER)
    job = Job.objects.get(kind="metrics")
    assert report_write(job.public_id)
    job.refresh_from_db()
    return job


def fetched(cast, name, part, query=""):
    answer = cast.client("lead").get(reverse(name, args=["judged", part]) + query)
    assert answer.status_code == 200
    return answer.content.decode()


def chart(cast, picture, query=""):
    return fetched(cast, "study_metrics_chart", picture, query)


def numbers(text):
    return list(csv.reader(io.StringIO(text)))


def line(job, name):
    return next(row for row in job.result["lines"] if row["name"] == name)


def test_the_best_is_drawn_with_its_disagreements(cast: Cast, written):
    shown = page(cast)
    best = line(written, written.result["best"])
    assert f"{best['label']['en']} against people" in shown
    assert f'<option value="{escape(best["name"])}"\n    selected' in shown
    first = best["apart"][0]["unit"]
    item = reverse("study_agreement_item", args=["judged", first.rpartition("/")[0]])
    assert f'<a href="{item}">{first}</a>' in shown
    assert cast.client("lead").get(item).status_code == 200
    assert "Where" in shown
    assert "Metrics against metrics" in shown
    assert "contre" not in shown
    assert "Là où" in page(cast, "fr")


def test_another_metric_is_chosen(cast: Cast, written):
    reads(cast, "en")
    shown = cast.client("lead").get(URL + "?metric=chrf%2B%2B").content.decode()
    assert '<option value="chrf++"\n    selected' in shown
    for address in re.findall(
        r'href="([^"]*/metrics/(?:charts/scatter|tables/apart)/[^"]*)"', shown
    ):
        assert "metric=chrf%2B%2B&amp;format=" in address
        answer = cast.client("lead").get(address.replace("&amp;", "&"))
        assert answer.status_code == 200
        assert "chrF++" in answer.content.decode()


def test_one_that_there_is_not_is_the_best(cast: Cast, written):
    best = line(written, written.result["best"])
    assert best["label"]["en"] in chart(cast, "scatter", "?metric=none")


def test_a_picture_is_a_file_with_title_and_caption(cast: Cast, written):
    drawn = chart(cast, "scatter", "?metric=chrf2&format=svg")
    assert drawn.startswith("<?xml")
    for words in ("chrF2 against people", "Pearson", "n = 12", "seed:42", "judged|legal_meaning"):
        assert words in drawn
    # Marks for all, the largest disagreements with their number.
    assert drawn.count(" Z") >= 12 + 10
    assert ">10</text>" in drawn
    rows = numbers(chart(cast, "scatter", "?metric=chrf2&format=csv"))
    assert len(rows) == 13
    values = dict(
        zip(
            written.result["points"]["units"],
            line(written, "chrf2")["points"]["values"],
            strict=True,
        )
    )
    assert {unit: float(value) for unit, value, _human in rows[1:]} == values


def test_lower_is_better_is_said(cast: Cast, written):
    turned = "the sign of the correlations is turned"
    assert turned in chart(cast, "scatter", "?metric=added_share")
    assert turned not in chart(cast, "scatter", "?metric=chrf2")
    # Of both, nothing is left turned.
    lower = written.result | {"better": "lower"}
    assert turned not in charts._correlation(lower, line(written, "added_share"))
    assert turned in charts._correlation(lower, line(written, "chrf2"))


def test_metrics_against_metrics(cast: Cast, written):
    rows = numbers(chart(cast, "between", "?format=csv"))
    between = written.result["between"]
    assert len(rows) == len(between["names"]) + 2
    assert rows[1][0] == "0 People"
    pair = between["pairs"][0]
    cells = {row[0].partition(" ")[0]: row[1:] for row in rows[1:]}
    first, second = (between["names"].index(pair[name]) + 1 for name in ("first", "second"))
    assert float(cells[str(first)][second]) == pair["spearman"]["value"]
    assert float(cells[str(second)][first]) == pair["spearman"]["value"]
    assert cells[str(first)][first] == ""
    human = line(written, between["names"][0])["figures"]["spearman"]["value"]
    assert float(cells["0"][1]) == human
    listed = numbers(fetched(cast, "study_metrics_table", "between"))
    assert len(listed) == len(between["pairs"]) + 1
    drawn = chart(cast, "between", "?format=svg")
    assert ">0 People</text>" in drawn
    assert ">1</text>" in drawn


def test_disagreements_are_a_table(cast: Cast, written):
    rows = numbers(fetched(cast, "study_metrics_table", "apart", "?metric=chrf2"))
    apart = line(written, "chrf2")["apart"]
    assert [row[0] for row in rows[1:]] == [disagreement["unit"] for disagreement in apart]
    assert float(rows[1][-1]) == apart[0]["difference"]
    assert "booktabs" in fetched(cast, "study_metrics_table", "apart", "?format=tex")


def test_many_outputs_are_cells(cast: Cast, study, monkeypatch):
    monkeypatch.setattr(points, "MOST_POINTS", 5)
    monkeypatch.setattr("tests.metrics.reports.small_report", small_report.__wrapped__)
    finished_report(study, cast.lead)
    drawn = chart(cast, "scatter")
    assert "The darker a cell" in drawn
    assert "<rect" in drawn
    rows = numbers(chart(cast, "scatter", "?format=csv"))
    assert sum(int(row[2]) for row in rows[1:]) == 10


@pytest.mark.parametrize("path", ["none/", "scatter/?format=exe"])
def test_no_such_picture(cast: Cast, study, path):
    finished_report(study, cast.lead)
    assert cast.client("lead").get(f"{URL}charts/{path}").status_code == 404


def test_none_before_there_is_a_report(cast: Cast, study):
    assert cast.client("lead").get(f"{URL}charts/scatter/").status_code == 404


def test_a_report_from_before_there_were_pictures(cast: Cast, study):
    job = finished_report(study, cast.lead)
    job.result = deepcopy(job.result)
    for row in job.result["lines"]:
        del row["points"], row["apart"]
    del job.result["points"], job.result["between"]
    job.save()
    shown = page(cast)
    assert "Agreement with people" in shown
    assert "Look at one metric" not in shown
    for picture in ("scatter", "between"):
        assert cast.client("lead").get(f"{URL}charts/{picture}/").status_code == 404
    for key in ("apart", "between"):
        assert cast.client("lead").get(f"{URL}tables/{key}/").status_code == 404


def test_a_blind_phase_shows_no_picture(cast: Cast, study):
    finished_report(study, cast.lead)
    Study.objects.filter(pk=study.pk).update(state="main", is_blind=True)
    assert cast.client("lead").get(f"{URL}charts/scatter/").status_code == 403
