"""Tables of the agreement page as files: the page's numbers, for programs and for papers."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from django.urls import reverse

from annotation.agreement.generalizability import NOT_TOLD_FROM_NONE
from annotation.models import Study
from annotation.selectors.agreement.reliability import study_ratings
from annotation.web.agreement.dashboard.tables import KEYS
from tests.cast import ROLES
from tests.systems_study import fill_systems
from tests.web.agreement.test_systems import planted

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def judged(cast) -> Study:
    """Study «alpha», closed, judged by three on 28 pairs."""
    cast.lead.language = "en"
    cast.lead.save()
    cast.alpha.items.all().delete()
    cast.alpha.annotators.all().delete()
    Study.objects.filter(pk=cast.alpha.pk).update(state="closed")
    fill_systems(cast.alpha, planted())
    cast.alpha.refresh_from_db()
    return cast.alpha


def had(cast, table: str, query: str = "", *, role: str = "lead"):
    address = reverse("study_agreement_table", args=["alpha", table])
    return cast.client(role).get(f"{address}?dimension=legal_meaning{query}")


def rows(cast, table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(had(cast, table).content.decode())))


@pytest.mark.parametrize("table", KEYS)
def test_leads_and_admins_only_and_not_in_a_blind_phase(cast, table):
    for role in ROLES:
        expected = 200 if role in {"lead", "admin"} else 302 if role == "anonymous" else 404
        assert had(cast, table, role=role).status_code == expected, role
    Study.objects.filter(key="alpha").update(state="main", is_blind=True)
    assert had(cast, table).status_code == 403


def test_coefficients_are_the_report_s(cast, judged):
    report = study_ratings(judged).report("legal_meaning")
    lines = rows(cast, "coefficients")
    further = [
        row for row in lines if row["Coefficient"].startswith("Krippendorff's alpha, ordinal: ")
    ]
    assert float(further[0]["Lower bound"]) == report.other_sources.interval.low
    assert further[1]["Lower bound"] == ""
    assert "it would take at least 4" in further[1]["Remark"]
    assert "|interval_over:sources,annotators|" in further[1]["Signature"]
    lines = [row for row in lines if row not in further]
    assert len(lines) == len(report.coefficients())
    for row, coefficient in zip(lines, report.coefficients().values(), strict=True):
        if coefficient.value is None:
            assert row["Value"] == ""
            assert row["Remark"]
        else:
            assert float(row["Value"]) == pytest.approx(coefficient.value, abs=1e-9)
            assert row["Signature"].startswith(str(coefficient.signature))
        if coefficient.interval and coefficient.interval.low is not None:
            assert float(row["Lower bound"]) == pytest.approx(coefficient.interval.low, abs=1e-9)


def test_variance_and_means_are_the_report_s(cast, judged):
    variance = study_ratings(judged).report("legal_meaning").variance
    assert variance is not None
    shares = [float(row["Share"]) for row in rows(cast, "variance")]
    assert shares == pytest.approx([component.share for component in variance.components], abs=1e-9)
    means = rows(cast, "means")
    assert [int(row["Annotators per pair"]) for row in means] == [
        mean.annotators for mean in variance.dependability
    ]
    assert float(means[0]["A mean, ± points"]) == pytest.approx(
        variance.dependability[0].half_width, abs=1e-9
    )


def test_texts_below_zero_are_not_told_from_none(cast, judged):
    """Systems that differ and texts that do not: said in words in the file, on the page and in the
    API, nowhere as an interval from 0 to 0."""
    judged.items.all().delete()
    judged.annotators.all().delete()
    judged.guides.all().delete()
    level = {"a": 8, "b": 3}
    rng = np.random.default_rng(1)
    scores = {name: (mean + rng.integers(0, 3, (14, 3))).tolist() for name, mean in level.items()}
    fill_systems(judged, scores)
    row, *others = rows(cast, "variance")
    assert row["Remark"] == NOT_TOLD_FROM_NONE.en
    assert (row["Lower bound"], row["Upper bound, points squared"]) == ("", "")
    assert not any(other["Remark"] for other in others)
    page = cast.client("lead").get(reverse("study_agreement", args=["alpha"])).content.decode()
    assert '<td colspan="4">Not told apart from none</td>' in page
    assert "Source texts were estimated below zero and left out" in page
    api = cast.client("lead").get("/api/v1/studies/alpha/agreement/").json()
    part = api["dimensions"]["legal_meaning"]["variance"]["components"][0]
    assert part["interval"] is None
    assert part["no_interval"]["en"] == NOT_TOLD_FROM_NONE.en


def test_for_papers(cast):
    tex = had(cast, "coefficients", "&format=tex").content.decode()
    assert r"\toprule" in tex
    assert "Krippendorff's alpha, ordinal" in tex
    assert had(cast, "means", "&format=md").content.decode().count("|") > 20


@pytest.mark.parametrize(
    "address",
    [
        "nothing/?dimension=legal_meaning",
        "coefficients/?dimension=legal_meaning&format=xls",
        "variance/?dimension=characterization",
    ],
)
def test_what_there_is_not(cast, address):
    assert cast.client("lead").get(f"/studies/alpha/agreement/tables/{address}").status_code == 404


def test_the_page_leads_there(cast):
    page = cast.client("lead").get(reverse("study_agreement", args=["alpha"])).content.decode()
    for table in KEYS:
        assert f"/agreement/tables/{table}/?dimension=legal_meaning&amp;format=csv" in page


def test_what_cannot_be_told_is_said_in_the_table(cast):
    cast.alpha.annotators.exclude(pseudonym="A").delete()
    (row,) = rows(cast, "variance")
    assert row["Share"] == ""
    assert row["Remark"]
    assert len(rows(cast, "means")) == 1
