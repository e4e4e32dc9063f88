"""Reports on metrics in a bundle: those that a worker had written, computed again by anybody."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from statistics import correlation, fmean
from types import SimpleNamespace
from typing import Any

import pytest
from pandas import DataFrame

from annotation.corpus.jades import read_jades
from annotation.metrics.report.report import METHOD
from annotation.models import (
    Annotator,
    Assignment,
    BroughtMetric,
    BroughtScore,
    Job,
    Rating,
    Simplification,
    Study,
)
from annotation.release.bundle import write_bundle
from annotation.release.card import NOT_MEASURED
from annotation.release.frozen import Frozen
from annotation.release.metric_tables import FIGURES, VALUES, metric_tables
from annotation.release.recompute_metrics import human_means
from annotation.services.items.released import released_import
from annotation.services.metrics.measuring import ReportRequest
from annotation.services.metrics.reports import report_now
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from annotation.services.studies.studies import study_create
from tests.bulk import fill_study
from tests.factories import make_study
from tests.release.test_recompute_agreement import said
from tests.release.test_systems import bundled, facts, planted, rows, study_of

pytestmark = pytest.mark.django_db
_made: dict[str, Path] = {}
WATCH = SimpleNamespace(progress=lambda _done, _total: None, check=lambda: None)


def judged() -> Study:
    study = make_study(state="closed")
    fill_study(study, pairs=16, annotators=3)
    return study


def report(study: Study, **options: Any) -> Job:
    """As a worker writes it."""
    result = report_now(study, ReportRequest("legal_meaning", draws=100, **options), WATCH)
    return Job.objects.create(
        study=study, kind=Job.Kind.METRICS, state=Job.State.DONE, result=result
    )


def with_judge(result: Any, name: str = "chrf++") -> Any:
    """As if a model had given one line's numbers, by a name that a lead gave it."""
    judge = {"kind": "judge", "label": dict.fromkeys(("fr", "en"), "gpt-du-cabinet")}
    lines = [line | (judge if line["name"] == name else {}) for line in result["lines"]]
    return result | {"lines": lines}


@pytest.fixture
def bundle(tmp_path: Path, tmp_path_factory) -> Path:
    """Made once in a process; each test has a copy."""
    if "metrics" not in _made:
        study = judged()
        job = report(study)
        Job.objects.filter(pk=job.pk).update(result=with_judge(job.result))
        _made["metrics"] = bundled(study, tmp_path_factory.mktemp("made") / "metrics")
    shutil.copytree(_made["metrics"], tmp_path / "bundle")
    return tmp_path / "bundle"


def stated(bundle: Path) -> Any:
    return json.loads((bundle / "metrics.json").read_text("utf-8"))


def test_every_metric_is_there_with_what_it_rests_on(bundle, capsys):
    (comparison,) = stated(bundle)["reports"]
    table = rows(bundle, "metrics")
    names = {line["name"] for line in comparison["lines"]}
    assert {row["metric"] for row in table} == {"human", *names}
    assert {row["figure"] for row in table} == {"ceiling", *FIGURES}
    chrf = {row["figure"]: row for row in table if row["metric"] == "chrf2"}
    line = next(line for line in comparison["lines"] if line["name"] == "chrf2")
    figure = line["figures"]["pearson"]
    pearson = chrf["pearson"]
    assert (float(pearson["value"]), int(pearson["n"])) == (figure["value"], figure["n"])
    assert float(pearson["low"]) == figure["low"]
    assert pearson["signature"] == line["signature"]
    assert chrf["system_pearson"]["remark_en"], "what is undefined is so in words"
    assert {row["metric"] for row in rows(bundle, "metric_differences")} <= names
    values = rows(bundle, "metric_values")
    assert len([row for row in values if row["metric"] == "chrf2"]) == comparison["n"]


def test_no_answer_of_a_model_that_judged_is_published(bundle, capsys):
    (comparison,) = stated(bundle)["reports"]
    line = next(line for line in comparison["lines"] if line["name"] == "chrf++")
    assert (line["values"], line["n"]) == (None, comparison["n"])
    assert line["label"]["en"] == "gpt-du-cabinet"
    assert line["figures"]["pearson"]["value"] is not None
    assert "chrf++" not in {row["metric"] for row in rows(bundle, "metric_values")}
    output = said(bundle, capsys)
    assert "(NOT recomputed, values are not published: chrf++)" in output
    assert output.endswith(" numbers are as published.\n"), output[-2000:]


def test_of_a_snapshot_of_before_a_models_answers_are_no_table(bundle):
    metrics = stated(bundle)
    line = next(line for line in metrics["reports"][0]["lines"] if line["name"] == "chrf++")
    line["values"] = [3.0] * line["n"]
    (values,) = [
        metric_table for metric_table in metric_tables(metrics) if metric_table.table is VALUES
    ]
    assert "chrf++" not in {row["metric"] for row in values.rows(metrics)}


def test_it_is_computed_again_and_what_is_another_is_named(bundle, capsys):
    output = said(bundle, capsys)
    assert "Metrics against people: legal_meaning, " in output
    assert output.endswith(" numbers are as published.\n"), output[-2000:]
    metrics = stated(bundle)
    line = next(line for line in metrics["reports"][0]["lines"] if line["name"] == "chrf2")
    line["figures"]["spearman"]["value"] += 0.01
    (bundle / "metrics.json").write_text(json.dumps(metrics), "utf-8")
    assert "legal_meaning chrf2 spearman: " in said(bundle, capsys)


def test_equal_means_of_people_are_one_where_the_method_says_so():
    """And as they were in reports of before, which ranked what summing leaves."""
    given = [("a", 0.1), ("a", 0.2), ("a", 0.3), ("b", 0.2), ("b", 0.2), ("b", 0.2)]
    table = DataFrame(
        [{"simplification_key": key, "value": value, "dimension": "d"} for key, value in given]
    )
    facts_of = {"dimension": "d", "scale": [0.0, 1.0]}
    means = human_means(table, facts_of | {"method": METHOD})
    assert means["a"] == means["b"] == 0.2
    before = human_means(table, facts_of | {"method": "bareme-metrics/5"})
    assert before["a"] != before["b"]


def test_card_methods_and_codebook_tell_of_it(bundle):
    card = (bundle / "README.md").read_text("utf-8")
    part = card.split("## Metrics against people")[1].split("\n## ")[0]
    assert "| legal_meaning | – | chrf2 | " in part
    assert "| human | " in part
    methods = (bundle / "METHODS.md").read_text("utf-8")
    assert "ont été comparées aux moyennes humaines sur " in methods
    assert "were held against human means on " in methods
    assert "(100 draws, seed 42)" in methods
    assert "takes each output for itself" not in methods
    with (bundle / "codebook.csv").open(encoding="utf-8", newline="") as file:
        assert "metric_strata" in {row["table"] for row in csv.DictReader(file)}
    croissant = json.loads((bundle / "croissant.json").read_text("utf-8"))
    assert "chrf++ (chrf" in croissant["rai:machineAnnotationTools"][1]
    assert "recompute_metrics.py" in (bundle / "SHA256SUMS").read_text("utf-8")


def test_where_no_correlation_is_defined_none_is_said_to_have_been_made(tmp_path):
    study = make_study(state="closed")
    fill_study(study, pairs=1, annotators=3)
    report(study)
    methods = (bundled(study, tmp_path / "bundle") / "METHODS.md").read_text("utf-8")
    assert (
        "No metric has a defined correlation with human means on legal meaning (1 output): none "
        "was held against them."
    ) in methods
    assert "Aucune mesure n'a de corrélation définie avec les moyennes humaines sur" in methods
    for never in ("Pearson", "Williams", "resample", "rééchantillonnent"):
        assert never not in methods


def test_where_draws_of_few_texts_give_no_interval_none_is_said_to_have_been_computed(tmp_path):
    study = study_of(planted(texts=10))
    report(study)
    methods = (bundled(study, tmp_path / "bundle") / "METHODS.md").read_text("utf-8")
    (said,) = [
        part for part in methods.split(". ") if "held against human means on legal meaning" in part
    ]
    assert "; no interval was computed, and the difference to the best of those" in said
    assert "; aucun intervalle n'a été calculé, et la différence à la meilleure" in methods
    assert "(Williams's test takes each output for itself, although several are of one" in said
    assert "(le test de Williams prend chaque sortie pour elle-même, alors que " in methods


def test_who_withdrew_without_an_answer_keeps_nothing_out(tmp_path):
    study = judged()
    gone = Annotator.objects.create(study=study, pseudonym="R9", withdrawn_at="2025-03-04T00:00Z")
    pair = Simplification.objects.filter(item__study=study).first()
    Assignment.objects.create(annotator=gone, simplification=pair, position=1)
    report(study)
    made = bundled(study, tmp_path / "bundle")
    assert stated(made)["undefined"] is None
    assert len(stated(made)["reports"]) == 1


def test_settings_are_told_of_each_report_and_no_interval_where_nothing_was_drawn(tmp_path, capsys):
    study = judged()
    result = report_now(study, ReportRequest("legal_meaning", draws=0), WATCH)
    Job.objects.create(study=study, kind="metrics", state="done", result=result)
    made = bundled(study, tmp_path / "alone")
    part = (made / "README.md").read_text("utf-8").split("## Metrics against people")[1]
    assert "neither intervals nor bootstrap tests. `human`" in part
    methods = (made / "METHODS.md").read_text("utf-8")
    assert "lower is better; no interval was computed, and the difference" in methods
    assert "plus bas est mieux; aucun intervalle n'a été calculé" in methods
    assert "(0 " not in methods
    # Another report with draws, its references being a system's outputs.
    other = result | {"reference": "a", "draws": 100, "seed": 7}
    Job.objects.create(study=study, kind="metrics", state="done", result=other)
    made = bundled(study, tmp_path / "both")
    part = (made / "README.md").read_text("utf-8").split("## Metrics against people")[1]
    assert "`legal_meaning`: Nothing was resampled, so" in part
    assert "`legal_meaning` (references: a): Intervals at 95% resample source texts (100 dr" in part
    assert "seed 7) and hold" in part
    assert said(made, capsys).endswith(" numbers are as published.\n")


def test_without_a_report_the_card_says_so(tmp_path, capsys):
    study = make_study(state="closed")
    fill_study(study, pairs=4, annotators=2)
    made = bundled(study, tmp_path / "bundle")
    assert "No report on metrics had been written" in (made / "README.md").read_text("utf-8")
    assert not list((made / "data").glob("metric*"))
    assert "Metrics against people" not in said(made, capsys)
    again = study_freeze(actor=None, study=study, recipe={"draws": 100})
    frozen = Frozen(snapshot_folder(again))
    del frozen.manifest["files"]["metrics.json"]
    assert (frozen.metrics, metric_tables(frozen.metrics)) == ({}, [])
    (snapshot_folder(again) / "manifest.json").write_text(json.dumps(frozen.manifest), "utf-8")
    (tmp_path / "before").mkdir()
    write_bundle(snapshot_folder(again), tmp_path / "before")
    assert NOT_MEASURED.en in (tmp_path / "before" / "README.md").read_text("utf-8")


def test_what_is_not_of_these_answers_is_left_out_and_said(tmp_path):
    study = judged()
    job = report(study)
    job.result["answers"] = "of before"
    job.save()
    made = bundled(study, tmp_path / "stale")
    assert "is not of the snapshot's answers" in (made / "README.md").read_text("utf-8")
    assert stated(made)["reports"] == []
    other = Rating.objects.filter(judgment__assignment__annotator__study=study).first()
    who = other.judgment.assignment.annotator
    type(who).objects.filter(pk=who.pk).update(withdrawn_at="2025-03-04T00:00Z")
    report(study)
    made = bundled(study, tmp_path / "withdrawn")
    card = (made / "README.md").read_text("utf-8")
    assert "somebody who has withdrawn, and whom" in card
    assert "A new report would count them too" in card


def brought(study: Study, name: str, note: str, *, first: float) -> None:
    metric = BroughtMetric.objects.create(
        study=study, name=name, note=note, sha256="4185551234" * 6, number=16
    )
    pairs = Simplification.objects.filter(item__study=study).order_by("pk")
    BroughtScore.objects.bulk_create(
        BroughtScore(metric=metric, simplification=pair, value=first * place + place % 3)
        for place, pair in enumerate(pairs)
    )


@pytest.mark.parametrize("systems", [True, False])
def test_what_was_typed_of_brought_metrics_is_redacted_everywhere(tmp_path, systems):
    study = judged()
    brought(study, "note de a.roy@exemple.org", "vue par b.cyr@exemple.org", first=1.0)
    brought(study, "note de b.cyr@exemple.org", "", first=-2.0)
    job = report(study)
    job.result["best"] = "note de a.roy@exemple.org"
    job.save()
    made = bundled(study, tmp_path / "bundle", systems=systems)
    for path in made.rglob("*"):
        if path.suffix in {".json", ".jsonl", ".csv", ".md"}:
            assert "exemple.org" not in path.read_text("utf-8"), path
    (comparison,) = stated(made)["reports"]
    lines = {line["name"]: line for line in comparison["lines"] if line["is_brought"]}
    assert list(lines) == ["note de […]", "note de […] 2"]
    assert comparison["best"] == "note de […]"
    assert all(set(lines) <= set(stratum["pearson"]) for stratum in comparison["strata"])
    assert lines["note de […] 2"]["label"]["fr"] == "note de […] 2"
    note = "|note:vue par […]" if systems else ""
    assert lines["note de […]"]["signature"] == f"note de […]|brought|sha256:418555123441{note}"
    assert len([r for r in rows(made, "metric_values") if r["metric"] in lines]) == 32


def test_where_systems_are_not_told_none_is_named(tmp_path, capsys):
    study = judged()
    (system, *_others) = study.items.first().simplifications.values_list("system", flat=True)
    report(study)
    first = Job.objects.get()
    best = first.result["best"]
    first.result = with_judge(first.result, best)
    first.save()
    # One more, whose references are a system's outputs: to order it again would not bring it in.
    result = first.result | {"reference": system, "answers": "of before"}
    Job.objects.create(study=study, kind="metrics", state="done", result=result)
    made = bundled(study, tmp_path / "bundle", systems=False)
    metrics = stated(made)
    assert [comparison["reference"] for comparison in metrics["reports"]] == [""]
    assert "references are a system's outputs" in metrics["left_out"][0]["reason"]["en"]
    assert "system" not in {row["stratum"] for row in rows(made, "metric_strata")}
    (judge,) = [line for line in metrics["reports"][0]["lines"] if line["kind"] == "judge"]
    assert judge["label"] == {"fr": best, "en": best}
    assert "gpt-du-cabinet" not in (made / "metrics.json").read_text("utf-8")
    assert facts(made)["undefined"] is not None
    output = said(made, capsys)
    assert f"values are not published: {best}, nor differences to it)" in output
    assert output.endswith(" numbers are as published.\n")


def test_of_many_outputs_no_value_is_published_and_that_is_said(bundle, capsys):
    metrics = stated(bundle)
    metrics["reports"][0]["units"] = None
    (bundle / "metrics.json").write_text(json.dumps(metrics), "utf-8")
    assert "legal_meaning NOT recomputed: values of 16 outputs" in said(bundle, capsys)


def test_texts_without_spaces_between_words_as_they_are_imported(tmp_path):
    """JADES: no column says that its texts are Japanese."""
    rows_of_file = [
        {
            "idx_scores": number,
            "idx_sentence": number // 2,
            "system": ("BART", "EditNTS")[number % 2],
            "sentence_origin": f"保険者は{number // 2}日以内に保険金を支払わなければならない。",
            "sentence_reference": f"会社は{number // 2}日で払う。",
            "sentence_hypothesis": f"会社は{number}日以内に払います。"[number % 3 :],
        }
        | {f"idx_annotator_{place}": place for place in (1, 2, 3)}
        | {
            f"score_{name}_{place}": float(1 + (number * number + place) % 4)
            for name in ("fluency", "meaning", "simplicity")
            for place in (1, 2, 3)
        }
        for number in range(16)
    ]
    study = study_create(actor=None, key="news", title="News", protocol_key="jades")
    content = json.dumps(rows_of_file, ensure_ascii=False).encode()
    released_import(actor=None, study=study, released=read_jades(content))
    result = report_now(study, ReportRequest("meaning", draws=20, reference="Reference"), WATCH)
    Job.objects.create(study=study, kind=Job.Kind.METRICS, state=Job.State.DONE, result=result)
    of_characters = {"chrf2", "chrf++", "edit_distance", "length_ratio_characters", "compression"}
    assert {line["name"] for line in result["lines"] if line["n"]} == of_characters
    original_alone = next(line for line in result["lines"] if line["name"] == "original_alone")
    assert original_alone["missing"][0]["code"] == "unsegmented"
    assert not [part for part in result["strata"] if part["dimension"] == "length"]
    target = bundled(study, tmp_path / "bundle")
    card = (target / "README.md").read_text("utf-8")
    assert "| mean words per text | – | – |" in card
    assert "| lexical richness (distinct words / words, %) | – | – |" in card
    assert "Of 8 texts (original), 8 are not cut into words by spaces" in card
    assert "Of 16 texts (simplification), 16 are not cut into words by spaces" in card
    published = {row["metric"] for row in rows(target, "metric_values")}
    assert published == of_characters
    sheet = json.loads((target / "heds_answers.json").read_text("utf-8"))
    answers = {answer["number"]: answer["answer"] for answer in sheet["answers"]}
    assert answers["2.1"] == answers["2.2"] == "TO BE COMPLETED BY THE LEAD"


def test_a_stranger_finds_the_published_correlations_from_the_tables_alone(bundle):
    """With what the codebook says of ``turned``, and no other file."""
    means: dict[str, list[float]] = {}
    for row in rows(bundle, "ratings"):
        if row["dimension"] == "legal_meaning":
            means.setdefault(row["simplification_key"], []).append(float(row["value"]))
    published = {
        row["metric"]: float(row["value"])
        for row in rows(bundle, "metrics")
        if row["figure"] == "pearson" and row["value"]
    }
    values: dict[str, list[tuple[float, float]]] = {}
    turned = {row["metric"]: row["turned"] == "true" for row in rows(bundle, "metric_values")}
    for row in rows(bundle, "metric_values"):
        sign = -1 if turned[row["metric"]] else 1
        people = fmean(means[row["simplification_key"]])
        values.setdefault(row["metric"], []).append((sign * float(row["value"]), people))
    found = {
        metric: correlation(*zip(*pairs, strict=True))
        for metric, pairs in values.items()
        if metric in published
    }
    assert "edit_distance" in {metric for metric in found if turned[metric]}
    assert found == {metric: pytest.approx(published[metric], abs=1e-6) for metric in found}
    for table in ("metrics", "metric_differences", "metric_strata"):
        named = {row["metric"] for row in rows(bundle, table) if row["turned"] == "true"}
        assert "added_share" in named, table


def test_that_signs_are_turned_is_said_wherever_figures_are(bundle):
    card = (bundle / "README.md").read_text("utf-8")
    assert "Where lower is better, the sign is turned" in card
    assert "| edit_distance | lower (sign turned) |" in card
    described = (bundle / "codebook.csv").read_text("utf-8")
    assert described.count("correlations, differences and orders are then of −value") == 4
    methods = (bundle / "METHODS.md").read_text("utf-8")
    assert "Kendall's correlations, with the sign turned where lower is better" in methods
    assert "le signe étant retourné là où plus bas est mieux" in methods


def test_which_metrics_compete_is_one_rule_in_all_texts(bundle):
    (comparison,) = stated(bundle)["reports"]
    lines = {line["name"]: line for line in comparison["lines"]}
    assert {name for name, line in lines.items() if line["direction"] == 0} >= {"compression"}
    assert not lines["compression"]["competes"]
    assert lines["compression"]["versus"] is None
    card = (bundle / "README.md").read_text("utf-8")
    rule = "of the metrics that have a better side and that at least half of the outputs have"
    assert f"{rule}, `{comparison['best']}` " in card
    table = card.split("| dimension | references | metric |")[1].split("\n\n")[0]
    named = [row.split(" | ")[2] for row in table.splitlines()[2:]]
    assert named[:2] == ["human", comparison["best"]]
    competing = [lines[name]["competes"] for name in named[1:]]
    assert competing == sorted(competing, reverse=True), "no other stands among them"
    methods = (bundle / "METHODS.md").read_text("utf-8")
    assert "the best of those that have a better side and that at least half of the" in methods
    assert "la meilleure de celles dont un sens est meilleur" in methods
    published = {row["metric"]: row["competes"] for row in rows(bundle, "metrics")}
    assert published["compression"] == "false"
    assert published[comparison["best"]] == "true"


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ((0.5, 0.2, 0.7), "agrees best (r = 0.500, 95% interval 0.200 to 0.700)."),
        (
            (-0.08, -0.623, 0.379),
            "has the highest correlation (r = -0.080, 95% interval -0.623 to 0.379), which is not "
            "shown to be above 0.",
        ),
        ((0.9, None, None), "has the highest correlation (r = 0.900), which is not shown to be"),
    ],
)
def test_the_card_claims_no_agreement_that_the_interval_does_not_show(tmp_path, own, words):
    study = judged()
    report(study)
    again = study_freeze(actor=None, study=study, recipe={"draws": 100})
    frozen = Frozen(snapshot_folder(again))
    (of_study,) = frozen.metrics["reports"]
    for line in of_study["lines"]:
        if line["name"] == of_study["best"]:
            line["figures"]["pearson"] |= dict(zip(("value", "low", "high"), own, strict=True))
    (snapshot_folder(again) / "metrics.json").write_text(json.dumps(frozen.metrics), "utf-8")
    write_bundle(snapshot_folder(again), tmp_path)
    assert f"`{of_study['best']}` {words}" in (tmp_path / "README.md").read_text("utf-8")


def test_a_snapshot_of_before_says_no_more_than_it_knows(tmp_path):
    """Its lines do not say which compete, and those that only describe were tested."""
    study = judged()
    report(study)
    again = study_freeze(actor=None, study=study, recipe={"draws": 100})
    frozen = Frozen(snapshot_folder(again))
    for line in frozen.metrics["reports"][0]["lines"]:
        del line["competes"]
    (snapshot_folder(again) / "metrics.json").write_text(json.dumps(frozen.metrics), "utf-8")
    write_bundle(snapshot_folder(again), tmp_path)
    card = (tmp_path / "README.md").read_text("utf-8")
    assert "(r = " in card
    assert "stand after these" not in card
    assert {row["competes"] for row in rows(tmp_path, "metrics")} == {""}
