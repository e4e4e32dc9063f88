"""Systems with the help of models: the right judgments of the right side come together."""

from __future__ import annotations

import json

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotation.agreement.systems.figure import Drawn
from annotation.agreement.systems.powered import powered_mean
from annotation.models import (
    BroughtMetric,
    BroughtScore,
    Lead,
    Scorer,
    ScoringJob,
    Simplification,
)
from annotation.scoring.splits import source_key
from annotation.selectors.agreement.filters import Filters
from annotation.selectors.agreement.systems import systems_figures
from annotation.selectors.agreement.with_models import outputs_newest, systems_helped
from annotation.selectors.metrics.material import pair_names
from annotation.services.base.standings import positions_check
from annotation.services.planning.parts import part_draw
from annotation.services.scoring.study_scores import study_scores, study_scores_request
from tests.factories import make_pair, make_study, make_user
from tests.scorers.rows import make_scorer
from tests.systems_study import fill_passages, judge_part, score_all

pytestmark = pytest.mark.django_db
TEXTS, DRAWN = 50, 20


@pytest.fixture(scope="module")
def quality():
    """Of each text and system, by people and by the model, 2 to 9."""
    rng = np.random.default_rng(3)
    people = np.clip(np.round(rng.normal(6, 2, (TEXTS, 2))), 2, 9).astype(int)
    return people, np.clip(people + rng.integers(0, 2, (TEXTS, 2)), 2, 9)


@pytest.fixture
def study(quality):
    study = make_study()
    fill_passages(study, TEXTS)
    part_draw(actor=None, study=study, passages=DRAWN)
    judge_part(study, *quality)
    study.state = "closed"
    study.save()
    return study


def places(study, round_):
    keys = study.items.filter(round=round_).values_list("key", flat=True)
    return sorted(int(key[-3:]) - 1 for key in keys)


def test_the_figures_are_those_of_the_planted_judgments(study, quality):
    people, model = quality
    by_people, left = places(study, "main"), places(study, "machine")
    figures = systems_helped(study, Drawn())
    assert (figures.problem, figures.passages, figures.of) == (None, DRAWN, TEXTS)
    assert set(figures.dimensions) == {"legal_meaning"}, "classes have no mean"
    (helped,) = figures.dimensions["legal_meaning"]
    assert (helped.model, len(helped.rows)) == ("M1", 3)
    for system, row in enumerate(helped.rows[:2]):
        expected = powered_mean(
            people[by_people, system] + 0.5,
            model[by_people, system].astype(float),
            model[left, system],
        )
        assert row.helped.value == pytest.approx(expected.value)
        assert row.people.value == pytest.approx(people[by_people, system].mean() + 0.5)
        assert row.bias.value == pytest.approx(expected.bias)
        assert row.helped.counts.ratings == 2 * DRAWN
    gaps = people[:, 0] - people[:, 1], model[:, 0] - model[:, 1]
    expected = powered_mean(gaps[0][by_people].astype(float), gaps[1][by_people], gaps[1][left])
    assert helped.rows[2].helped.value == pytest.approx(expected.value)
    assert helped.rows[2].worth == pytest.approx(expected.worth)
    assert (expected.worth or 0) > DRAWN * 1.3
    assert list(positions_check()) == []


def test_without_a_draw_only_what_the_model_is_off(quality):
    study = make_study(state="closed")
    fill_passages(study, TEXTS)
    judge_part(study, *quality)
    figures = systems_helped(study, Drawn())
    assert "not drawn at random" in figures.problem.en
    row = figures.dimensions["legal_meaning"][0].rows[0]
    assert (row.helped.value, row.texts) == (None, TEXTS)
    assert row.bias.value is not None
    assert figures.as_dict()["draw"] is None


def test_items_that_came_since_undo_the_draw(study):
    before = outputs_newest(study)
    make_pair(study, system="lent", key="item-051")
    assert outputs_newest(study) != before
    figures = systems_helped(study, Drawn())
    assert "no longer the one" in figures.problem.en
    assert {row.helped.value for row in figures.dimensions["legal_meaning"][0].rows} == {None}


def test_nothing_is_said_where_no_model_judges():
    study = make_study()
    fill_passages(study, 3)
    assert outputs_newest(make_study()).startswith("draft-0-")
    assert systems_helped(study, Drawn()) is None
    part_draw(actor=None, study=study, passages=1)
    figures = systems_helped(study, Drawn())
    assert figures.problem.en.startswith("No model has judged")
    assert not figures.dimensions


class TestScorersAndMetrics:
    """Scores of every pair help as a model's judgments do, by name and signature."""

    def scored(self, study, model, **fields):
        """The job by which a scorer said what the model did, a quarter of a point higher."""
        score_all(study, make_scorer(**fields), model + 0.25)

    def brought(self, study, model, **fields):
        """The same between 0 and 1, lower being better."""
        options = {"direction": -1, "lowest": 0.0, "highest": 1.0} | fields
        metric = BroughtMetric.objects.create(
            study=study, name="lens", sha256="ab" * 32, number=0, note="LENS 1.0 | fr", **options
        )
        BroughtScore.objects.bulk_create(
            BroughtScore(
                metric=metric,
                simplification=pair,
                value=1 - (model[int(pair.item.key[-3:]) - 1, pair.position] - 1) / 9,
            )
            for pair in Simplification.objects.filter(item__study=study).select_related("item")
        )
        return metric

    def of(self, study, name):
        figures = systems_helped(study, Drawn())
        return {helped.model: helped for helped in figures.dimensions["legal_meaning"]}[name]

    def test_a_scorer_helps_as_the_model_does_that_says_the_same(self, study, quality):
        before = outputs_newest(study)
        self.scored(study, quality[1])
        assert outputs_newest(study) != before
        scorer, model = self.of(study, "scorer-v1"), self.of(study, "M1")
        for row, other in zip(scorer.rows, model.rows, strict=True):
            assert row.helped.value == pytest.approx(other.helped.value)
            assert row.worth == pytest.approx(other.worth)
        assert scorer.rows[0].bias.value == pytest.approx(model.rows[0].bias.value + 0.25)
        assert scorer.signature.startswith("scorer-v1|kind:lexical|target:legal_meaning/legal_")
        assert "|model:scorer-v1/kind:lexical/" in scorer.rows[0].helped.signature

    def test_without_a_judging_model_it_helps_alone(self, study, quality):
        study.annotators.filter(kind="machine").update(kind="imported")
        study.annotators.filter(pseudonym="M1").delete()
        self.scored(study, quality[1])
        assert self.of(study, "scorer-v1").rows[2].helped.value is not None

    def test_a_text_that_it_learned_from_refuses_all_of_it(self, study, quality):
        seen = source_key(study.items.order_by("pk").last().original)
        self.scored(study, quality[1], seen_sources=[seen])
        for row in self.of(study, "scorer-v1").rows:
            assert "learned from 1 of the 50 original texts" in row.undefined.en
            assert (row.helped.value, row.bias.value) == (None, None)
            assert row.people.value is not None

    def test_scores_that_are_missing_are_counted(self, study, quality):
        self.scored(study, quality[1])
        job = ScoringJob.objects.get()
        job.pairs, job.results = job.pairs[1:], job.results[1:]
        job.save()
        first, second, _gap = self.of(study, "scorer-v1").rows
        assert "has no score for 1 of the 50 outputs" in first.undefined.en
        assert second.helped.value is not None
        self.brought(study, quality[1]).scores.all().delete()
        assert "no score for 50 of the 50 outputs" in self.of(study, "lens").rows[0].undefined.en

    def test_a_metric_from_a_file_is_brought_to_the_scale(self, study, quality):
        self.brought(study, quality[1])
        metric, model = self.of(study, "lens"), self.of(study, "M1")
        assert metric.rows[0].helped.value == pytest.approx(model.rows[0].helped.value)
        assert metric.rows[0].bias.value == pytest.approx(model.rows[0].bias.value)
        assert metric.signature == "lens|brought|sha256:abababababab|note:LENS 1.0 / fr"

    def test_one_without_ends_is_refused(self, study, quality):
        self.brought(study, quality[1], lowest=None, highest=None, direction=1)
        assert "has no ends" in self.of(study, "lens").rows[0].undefined.en

    def test_scores_past_its_ends_refuse_it(self, study, quality):
        self.brought(study, quality[1], lowest=0.25)
        said = self.of(study, "lens").rows[0].undefined.en
        assert "scores of this metric lie past its ends" in said

    def test_of_another_target_or_before_the_study_is_closed_there_is_none(self, study, quality):
        self.scored(study, quality[1], target="jades/fluency")
        names = {
            helped.model for helped in systems_helped(study, Drawn()).dimensions["legal_meaning"]
        }
        assert names == {"M1"}
        Scorer.objects.update(target="legal_meaning/legal_meaning")
        study.state = "main"
        study.save()
        names = {
            helped.model for helped in systems_helped(study, Drawn()).dimensions["legal_meaning"]
        }
        assert names == {"M1"}

    def test_the_table_of_pairs_names_what_was_left_to_models(self, study):
        assert len(pair_names(study)) == 2 * TEXTS

    def test_scores_are_asked_for_of_what_was_left_to_models_too(self, study, monkeypatch):
        monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
        make_scorer(promoted_at=timezone.now(), promoted_reason="essai")
        job = study_scores_request(actor=make_user("chef"), study=study)
        assert (job.total, len({pair["unit"] for pair in job.pairs})) == (2 * TEXTS, 2 * TEXTS)
        job.results = [{"score": 5.0, "rule": ""}] * len(job.pairs)
        job.state = "done"
        job.save()
        scores = study_scores(study, job)
        assert (len(scores.items), scores.unscored) == (2 * DRAWN, 0)
        assert f"items:{2 * DRAWN}" in scores.signature


def test_filters_keep_a_part_only(study):
    assert systems_figures(study, Filters()).helped is not None
    assert systems_figures(study, Filters(system="lent")).helped is None


def test_the_page_its_files_the_program_and_the_command_say_it(client, study, quality, capsys):
    lead = make_user("chef", language="en")
    Lead.objects.create(study=study, user=lead)
    client.force_login(lead)
    page = client.get(reverse("study_systems", args=[study.key])).content.decode()
    assert "People judged\n      20 of 50 passages" in page or "20 of 50 passages" in page
    assert "With a model&#x27;s judgments" in page
    address = reverse("study_systems_table", args=[study.key, "with-models"])
    score_all(study, make_scorer(), quality[1] + 0.25)
    shown = client.get(reverse("study_systems", args=[study.key])).content.decode()
    assert "scorer-v1|kind:lexical|target:legal_meaning/legal_meaning|seed:42" in shown
    csv = client.get(address, {"dimension": "legal_meaning", "format": "csv"}).content.decode()
    assert csv.splitlines()[1].startswith("M1,lent,20,30,")
    answer = client.get(f"/api/v1/studies/{study.key}/systems/").json()["with_models"]
    assert answer["draw"] == {"passages": DRAWN, "of": TEXTS, "seed": study.seed}
    call_command("systems", study.key, "--draws", "100")
    output = capsys.readouterr().out
    assert "20 of 50 passages drawn for people, seed 7" in output
    assert "legal_meaning, M1, lent - vif: 20 texts by people, 30 by the model alone" in output
    call_command("systems", study.key, "--draws", "100", "--json")
    written = json.loads(capsys.readouterr().out)["with_models"]["dimensions"]["legal_meaning"]
    assert written[0]["rows"][0]["with_the_model"]["value"] is not None
