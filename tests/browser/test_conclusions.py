"""What a lead concludes from: systems, models, metrics and studies held side by side. Accessible,
nothing out of sight, also on a phone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from annotation.agreement.modelled import crowd
from annotation.models import Study
from annotation.services.agreement import modelling
from annotation.services.metrics import reports
from annotation.services.metrics.measuring import ReportRequest
from annotation.services.metrics.reports import report_request, report_write
from annotation.services.planning.parts import part_draw
from annotation.services.publishing.snapshots import study_freeze
from tests.browser.test_pages import violations
from tests.factories import make_study, make_user
from tests.scorers.rows import make_scorer
from tests.systems_study import fill_passages, fill_systems, judge_part, score_all, send_back

pytestmark = pytest.mark.django_db(transaction=True)

PAGES = {
    "systems": "/studies/alpha/systems/",
    "metrics": "/studies/alpha/metrics/",
    "beside": "/studies/alpha/beside/?other=beta",
    "with-models": "/studies/gamma/systems/",
    "plan-part": "/studies/delta/plan/",
    "sent-back": "/studies/alpha/beside/?other=~sent-back",
}

if crowd.package_version() is not None:
    PAGES["models"] = "/studies/alpha/agreement/models/"


@pytest.fixture
def study(live_server: Any, log_in: Any, monkeypatch: pytest.MonkeyPatch) -> Study:
    """«alpha», two systems on twenty texts by three people, and «beta» on the same texts; a report
    on metrics is written, the models are computed, and an amended guide has sent half of «alpha»
    back. In «gamma» people judged a random part, and a
    model and a scorer everything; in «delta» one is drawn."""
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
    monkeypatch.setattr(reports.JobHeartbeat, "_run", lambda _self: None)
    user = make_user("responsable")
    rows = [[2 + n % 5, 3 + n % 4, 2 + n % 6] for n in range(20)]
    alpha, beta = (make_study(key, lead=user, state="closed") for key in ("alpha", "beta"))
    fill_systems(alpha, {"phrases courtes": rows, "mots simples": rows[::-1]})
    fill_systems(beta, {"phrases courtes": rows[5:] + rows[:5], "mots simples": rows})
    gamma, delta = (make_study(key, lead=user) for key in ("gamma", "delta"))
    for drawn in (gamma, delta):
        fill_passages(drawn, 50)
        part_draw(actor=user, study=drawn, passages=20)
    rng = np.random.default_rng(3)
    people = rng.integers(2, 9, (50, 2))
    judge_part(gamma, people, np.clip(people + rng.integers(0, 2, (50, 2)), 2, 9))
    score_all(gamma, make_scorer(), people + rng.normal(0, 1, (50, 2)))
    Study.objects.filter(pk=gamma.pk).update(state="closed")
    send_back(alpha, items=10)
    # Which of them, or the study as it is, a report can be ordered of.
    study_freeze(actor=user, study=alpha, recipe={"draws": 100})
    request = ReportRequest("legal_meaning", draws=100)
    report_write(report_request(actor=user, study=alpha, request=request).public_id)
    if crowd.package_version() is not None:
        monkeypatch.setattr(crowd, "MACE_ITERATIONS", 2)
        monkeypatch.setattr(modelling, "RESTARTS", 1)
        modelling.models_compute(modelling.models_request(actor=user, study=alpha).public_id)
    log_in(user)
    return alpha


def opened(page: Page) -> None:
    """All that folds away stands open."""
    page.evaluate("document.querySelectorAll('main details').forEach(one => { one.open = true })")


def test_they_are_accessible_and_whole_on_a_phone(
    page: Page, live_server: Any, study: Study, screenshot: Any
) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    for name, path in PAGES.items():
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(f"{live_server.url}{path}")
        expect(page.locator("main .card:visible").first).to_be_visible()
        screenshot(name, full_page=True)
        for width in (1280, 360):
            if width == 360:
                page.set_viewport_size({"width": width, "height": 740})
                page.goto(f"{live_server.url}{path}")
                expect(page.locator("main .card:visible").first).to_be_visible()
            opened(page)
            assert violations(page) == [], (name, width)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
    assert said == []
