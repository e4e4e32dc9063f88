"""Reports on metrics as jobs: ordered, written by a worker, found again, refused."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from annotation.errors import AnswersHidden, RuleError
from annotation.models import Annotator, Event, Job, Judgment, KeptReadings, Simplification, Study
from annotation.selectors.metrics.material import material, pair_names
from annotation.selectors.publishing.metrics import frozen_metrics
from annotation.services.metrics import frozen as frozen_module
from annotation.services.metrics import measuring
from annotation.services.metrics import reports as module
from annotation.services.metrics.brought import ScoresNote, scores_bring_file
from annotation.services.metrics.measuring import ReportRequest
from annotation.services.metrics.reports import (
    newest_report,
    report_now,
    report_request,
    report_write,
    reports_resend,
)
from annotation.services.platform.leases import LeaseLost
from annotation.services.publishing.snapshots import (
    recipe_of,
    snapshot_folder,
    study_freeze,
)
from tests.bulk import fill_study
from tests.cast import Cast
from tests.factories import make_study
from tests.systems_study import fill_systems

pytestmark = pytest.mark.django_db
ASKED = ReportRequest("legal_meaning", draws=100)


PAPERS = ["judgebert-3", "judgebert-5-6", "judgebert-5-augmented"]


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch) -> None:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)


@pytest.fixture
def study(cast: Cast) -> Study:
    new_study = make_study("judged", lead=cast.lead, state="closed")
    fill_study(new_study, pairs=12, annotators=3)
    return new_study


def ordered(cast, study, request=ASKED):
    return report_request(actor=cast.lead, study=study, request=request)


def written(cast, study, request=ASKED) -> dict:
    job = ordered(cast, study, request)
    assert report_write(job.public_id)
    job.refresh_from_db()
    assert job.state == Job.State.DONE
    json.dumps(job.result, allow_nan=False)
    return job.result


def refused(cast, study, request) -> str:
    with pytest.raises(RuleError) as error:
        ordered(cast, study, request)
    (problem,) = error.value.problems
    assert problem.message.fr
    return problem.code


def line(report, name):
    return next(report_line for report_line in report["lines"] if report_line["name"] == name)


def test_a_report_from_the_order_to_its_figures(cast: Cast, study):
    report = written(cast, study)
    assert (report["n"], report["people"], report["dimension"]) == (12, 3, "legal_meaning")
    assert line(report, "chrf2")["signature"].endswith("|refs:original")
    assert [paper["key"] for paper in report["papers"]] == PAPERS
    assert line(report, "length_ratio")["is_baseline"]
    assert line(report, "original_alone")["is_baseline"]
    # No reference in this study: said by the line, and the rest goes on.
    assert line(report, "sari")["missing"][0]["code"] == "no_reference"
    assert line(report, "chrf2")["n"] == 12
    figures = line(report, "chrf2")["figures"]
    assert figures["identical_strict"]["value"] == 1
    # Every original beside itself, and beside an unrelated one where there is one.
    assert figures["pearson_augmented"]["n"] >= 24
    assert figures["pearson_augmented"]["value"] is not None
    assert figures["pearson_references"]["value"] is None
    # It takes a quarter of a second a pair.
    assert "ter" not in {report_line["name"] for report_line in report["lines"]}
    event = Event.objects.get(verb="metrics_requested")
    assert event.details["seed"] == 42


class Silent:
    """Whoever asks at a terminal."""

    def progress(self, rows, total):
        pass


def test_at_a_terminal_it_is_the_same_report(cast: Cast, study):
    assert report_now(study, ASKED, Silent()) == written(cast, study)
    assert Job.objects.filter(kind="metrics").count() == 1


@pytest.mark.parametrize("looked", [False, True])
def test_at_a_terminal_nothing_is_judged(looked, monkeypatch):
    """Nothing was, or it is taken back after the first look."""
    if looked:
        monkeypatch.setattr(module, "is_judged", lambda *_: True)
    with pytest.raises(RuleError) as error:
        report_now(make_study("empty"), ASKED, Silent())
    assert error.value.problems[0].code == "nothing_judged"


def test_texts_are_measured_once_for_all_reports(cast: Cast, study, monkeypatch):
    first = written(cast, study)
    kept = KeptReadings.objects.count()
    assert kept >= 24
    monkeypatch.setattr("annotation.metrics.metric.Family.readings", None)
    again = written(cast, study)
    assert again["lines"] == first["lines"]
    assert KeptReadings.objects.count() == kept


def test_what_is_slow_is_measured_where_it_is_asked_for(cast: Cast, study):
    report = written(cast, study, ReportRequest("legal_meaning", slow=True, draws=100))
    assert line(report, "ter")["n"] == 12


def test_a_system_as_the_reference(cast: Cast):
    study = make_study("systems", lead=cast.lead, state="closed")
    rows = [[5, 6], [7, 8], [3, 2], [9, 9], [4, 6]]
    fill_systems(study, {"gold": rows, "a": rows[::-1], "b": rows})
    report = written(cast, study, ReportRequest("legal_meaning", reference="gold", draws=100))
    assert (report["n"], report["references"]) == (10, 1)
    assert line(report, "sari")["n"] == 10
    assert line(report, "bleu")["signature"].endswith("|refs:1")
    assert line(report, "length_ratio")["signature"].endswith("definition:1")
    # The references were judged: with them there are fifteen, each its own best match.
    both = line(report, "bleu")["figures"]["pearson_references"]
    assert (both["n"], both["value"] is not None) == (15, True)
    assert line(report, "original_alone")["figures"]["pearson_references"]["value"] is None


def test_several_references_for_each_item(cast: Cast):
    study = make_study("systems", lead=cast.lead, state="closed")
    rows = [[5, 6], [7, 8], [3, 2], [9, 9], [4, 6]]
    # Written by people, and judged by nobody.
    unjudged: list[list[int | None]] = [[None, None]] * 4
    fill_systems(study, {"gold": rows, "silver": unjudged, "a": rows[::-1], "b": rows})
    request = ReportRequest(
        "legal_meaning", reference="gold", more_references=("silver", "gold"), draws=100
    )
    assert request.references == ["gold", "silver"]
    judged = material(study, "legal_meaning", request.references)
    assert [len(pair.references) for pair in judged.pairs] == [2] * 8 + [1] * 2
    assert judged.pairs[0].references[1].endswith("selon silver.")
    report = written(cast, study, request)
    assert (report["n"], report["references"], report["reference"]) == (10, 2, "gold, silver")
    assert line(report, "sari")["n"] == 10
    assert line(report, "bleu")["signature"].endswith("|refs:1-2")
    assert report["notes"] == []
    assert ordered(cast, study, request) == ordered(cast, study, request), "a double click"


def test_outputs_without_a_reference_are_counted(cast: Cast):
    study = make_study("systems", lead=cast.lead, state="closed")
    rows = [[5, 6], [7, 8], [3, 2], [9, 9], [4, 6]]
    fill_systems(study, {"gold": rows[:3], "a": rows[::-1], "b": rows})
    report = written(cast, study, ReportRequest("legal_meaning", reference="gold", draws=100))
    assert line(report, "bleu")["signature"].endswith("|refs:0-1")
    assert line(report, "bleu")["n"] == 10
    assert line(report, "sari")["n"] == 6
    (note,) = report["notes"]
    assert note["en"].startswith("Outputs without a reference: 4.")


def test_brought_scores_stand_beside(cast: Cast, study):
    names = list(pair_names(study))
    rows = "".join(f"{name},LENS,{number}\n" for number, name in enumerate(names[:6]))
    scores_bring_file(
        actor=cast.lead,
        study=study,
        content=f"pair,metric,score\n{rows}".encode(),
        note=ScoresNote(lowest=0, highest=10, note="lens|1.0"),
    )
    scores_bring_file(
        actor=cast.lead,
        study=study,
        content=f"pair,metric,score\n{rows.replace('LENS', 'OTHER')}".encode(),
        note=ScoresNote(direction=-1),
    )
    report = written(cast, study)
    lens = line(report, "LENS")
    assert lens["is_brought"]
    assert lens["n"] == 6
    assert lens["missing"][0]["code"] == "not_brought"
    assert lens["figures"]["rmse"]["value"] is not None
    assert lens["signature"].startswith("LENS|brought|sha256:")
    assert lens["signature"].endswith("|note:lens/1.0")
    assert line(report, "OTHER")["figures"]["rmse"]["value"] is None
    assert "note" not in line(report, "OTHER")["signature"]


def test_a_double_click_is_one_report(cast: Cast, study):
    job = ordered(cast, study)
    assert ordered(cast, study) == job
    assert ordered(cast, study, ReportRequest("legal_meaning", seed=1)) != job
    assert newest_report(study) != job


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (ReportRequest("characterization"), "unknown"),
        (ReportRequest("none"), "unknown"),
        (ReportRequest("legal_meaning", reference="none"), "unknown"),
        (ReportRequest("legal_meaning", more_references=("none",)), "unknown"),
    ],
)
def test_what_the_study_does_not_have_is_refused(cast: Cast, study, wanted, code):
    assert refused(cast, study, wanted) == code


@pytest.mark.parametrize(
    ("named", "field"),
    [
        ({"reference": "Gold"}, "reference"),
        ({"reference": "gold", "more_references": ("Gold",)}, "more_references"),
    ],
)
def test_the_systems_that_there_are_are_named(cast: Cast, named, field):
    study = make_study("systems", lead=cast.lead, state="closed")
    fill_systems(study, {"gold": [[5, 6]], "a": [[7, 8]]})
    with pytest.raises(RuleError) as refusal:
        ordered(cast, study, ReportRequest("legal_meaning", **named))
    (problem,) = refusal.value.problems
    said = "“Gold” is not known. Did you mean “gold”? Known are: a, gold."
    assert (problem.field, problem.message.en) == (field, said)


@pytest.mark.parametrize("dimension", ["characterization", "none"])
def test_the_dimensions_that_fit_are_named(cast: Cast, study, dimension):
    with pytest.raises(RuleError, match=r"Choose one of: legal_meaning\."):
        ordered(cast, study, ReportRequest(dimension))


def test_without_judgments_there_is_nothing_to_hold_a_metric_against(cast: Cast):
    study = make_study("empty", lead=cast.lead, state="closed")
    assert refused(cast, study, ASKED) == "nothing_judged"


@pytest.mark.parametrize("is_frozen", [False, True])
@pytest.mark.parametrize(
    "references",
    [{"reference": "gold", "more_references": ("a",)}, {"more_references": ("a", "gold")}],
)
def test_only_judgments_of_the_references(cast: Cast, references, is_frozen):
    study = make_study("alone", lead=cast.lead, state="closed")
    fill_systems(study, {"gold": [[5, 6], [7, 8]], "a": [[5, 6], [7, 8]]})
    if is_frozen:
        references = references | {"snapshot": study_freeze(actor=cast.lead, study=study).number}
    with pytest.raises(RuleError) as refusal:
        ordered(cast, study, ReportRequest("legal_meaning", **references))
    (problem,) = refusal.value.problems
    assert (problem.field, problem.code) == ("more_references", "only_references")
    assert "besides the references" in problem.message.en


def test_only_judgments_of_the_single_reference(cast: Cast):
    study = make_study("alone", lead=cast.lead, state="closed")
    fill_systems(study, {"gold": [[5, 6], [7, 8]]})
    with pytest.raises(RuleError) as refusal:
        ordered(cast, study, ReportRequest("legal_meaning", reference="gold"))
    (problem,) = refusal.value.problems
    assert (problem.field, problem.code) == ("reference", "only_references")


def test_a_blind_phase_has_no_report(cast: Cast, study):
    job = ordered(cast, study)
    Study.objects.filter(pk=study.pk).update(state="main", is_blind=True)
    with pytest.raises(AnswersHidden):
        ordered(cast, Study.objects.get(pk=study.pk), ReportRequest("simplicity"))
    # Ordered before it, written after: not either.
    assert not report_write(job.public_id)
    job.refresh_from_db()
    assert (job.state, job.problem, job.result) == ("failed", "blind", {})


def test_judgments_that_went_since(cast: Cast, study):
    job = ordered(cast, study)
    Judgment.objects.filter(assignment__annotator__study=study).delete()
    assert not report_write(job.public_id)
    job.refresh_from_db()
    assert job.problem == "nothing_judged"
    assert Event.objects.get(verb="metrics_failed").details == {"problem": "nothing_judged"}


def test_a_message_that_comes_twice_finds_nothing_to_do(cast: Cast, study):
    job = ordered(cast, study)
    assert report_write(job.public_id)
    assert not report_write(job.public_id)


def test_a_lost_worker_writes_nothing(cast: Cast, study, monkeypatch):
    job = ordered(cast, study)

    def lose(*_args):
        raise LeaseLost

    monkeypatch.setattr(module, "_report", lose)
    assert not report_write(job.public_id)
    job.refresh_from_db()
    assert job.state == Job.State.RUNNING


def test_a_database_that_is_away_leaves_the_job_to_the_sweep(cast: Cast, study, monkeypatch):
    job = ordered(cast, study)

    def away(*_args):
        raise OperationalError

    monkeypatch.setattr(module, "_report", away)
    with pytest.raises(OperationalError):
        report_write(job.public_id)
    job.refresh_from_db()
    assert job.state == Job.State.RUNNING


def test_a_defect_is_recorded_and_raised(cast: Cast, study, monkeypatch):
    job = ordered(cast, study)
    monkeypatch.setattr(module, "_report", lambda *_args: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        report_write(job.public_id)
    job.refresh_from_db()
    assert (job.state, job.problem) == ("failed", "defect")
    # A worker that counted as dead and comes back fails nothing any more.
    module._fail(job, "worker_lost")
    job.refresh_from_db()
    assert job.problem == "defect"


def test_the_sweep_asks_again_and_gives_up_in_the_end(cast: Cast, study):
    job = ordered(cast, study)
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert reports_resend() == 1
    Job.objects.filter(pk=job.pk).update(
        state="running", attempt=3, lease_until=timezone.now() - timedelta(hours=1)
    )
    assert reports_resend() == 0
    job.refresh_from_db()
    assert (job.state, job.problem) == ("failed", "worker_lost")


def test_many_originals_are_drawn_for_control_pairs(cast: Cast, study, monkeypatch):
    monkeypatch.setattr(measuring, "MOST_CONTROLS", 5)
    report = written(cast, study)
    assert report["controls"] == 5
    assert line(report, "chrf2")["figures"]["identical_strict"]["n"] == 5
    assert written(cast, study)["lines"] == report["lines"]


def test_old_reports_go(cast: Cast, study, monkeypatch):
    monkeypatch.setattr(module, "KEPT_REPORTS", 1)
    written(cast, study)
    written(cast, study)
    assert Job.objects.filter(study=study, kind="metrics").count() == 1


def test_an_output_that_is_taken_out_takes_its_scores_along(cast: Cast, study):
    name, pk = next(iter(pair_names(study).items()))
    (metric,) = scores_bring_file(
        actor=cast.lead,
        study=study,
        content=f"pair,metric,score\n{name},LENS,1\n".encode(),
        note=ScoresNote(),
    )
    Judgment.objects.filter(assignment__simplification=pk).delete()
    Simplification.objects.get(pk=pk).delete()
    assert not metric.scores.exists()


class TestOfASnapshot:
    """The report is of what was frozen, whatever was answered or written since."""

    @pytest.fixture
    def frozen(self, cast, study):
        return study_freeze(actor=cast.lead, study=study, recipe={"draws": 100})

    def asked(self, frozen, **more):
        return replace(ASKED, snapshot=frozen.number, **more)

    def test_it_is_that_of_the_study_at_that_moment(self, cast, study, frozen):
        before = written(cast, study)
        report = written(cast, study, self.asked(frozen))
        for name in ("n", "sources", "people", "ratings", "scale", "ceiling", "strata", "parts"):
            assert report[name] == before[name], name
        of = {line["name"]: line for line in report["lines"]}
        for line in before["lines"]:
            assert of[line["name"]]["figures"] == line["figures"]
            assert of[line["name"]]["signature"] == line["signature"]
        assert report["snapshot"] == frozen.name
        assert frozen_module.snapshot_numbers(study) == [frozen.number]
        assert any(frozen.name in note["en"] for note in report["notes"])

    def test_what_came_after_is_not_in_it(self, cast, study, frozen):
        before = written(cast, study, self.asked(frozen))
        Simplification.objects.filter(item__study=study).update(text="Un autre texte.")
        Judgment.objects.filter(assignment__annotator__study=study).first().delete()
        after = written(cast, study, self.asked(frozen))
        assert after["lines"] == before["lines"]
        assert after["ratings"] == before["ratings"]
        assert after["ratings"] > written(cast, study)["ratings"]

    def test_who_has_withdrawn_since_is_left_out(self, cast, study, frozen):
        before = written(cast, study, self.asked(frozen))
        person = Annotator.objects.filter(study=study).first()
        Annotator.objects.filter(pk=person.pk).update(withdrawn_at=timezone.now())
        assert written(cast, study, self.asked(frozen))["people"] == before["people"] - 1

    def test_scores_from_elsewhere_stand_beside(self, cast, study, frozen):
        names = list(pair_names(study))
        content = "pair,metric,score\n" + "".join(f"{n},lens,{k}\n" for k, n in enumerate(names))
        scores_bring_file(actor=cast.lead, study=study, content=content.encode(), note=ScoresNote())
        report = written(cast, study, self.asked(frozen))
        assert next(
            report_line for report_line in report["lines"] if report_line["name"] == "lens"
        )["n"] == len(names)

    def test_a_system_of_the_snapshot_as_the_reference(self, cast):
        study = make_study("systems", lead=cast.lead, state="closed")
        rows = [[5, 6], [7, 8], [3, 2], [9, 9], [4, 6]]
        fill_systems(study, {"gold": rows, "a": rows[::-1], "b": rows})
        frozen = study_freeze(actor=cast.lead, study=study, recipe={"draws": 100})
        name = "gold"
        live = written(cast, study, replace(ASKED, reference=name))
        report = written(cast, study, self.asked(frozen, reference=name))
        assert report["references"] == live["references"] == 1
        of = {line["name"]: line["figures"] for line in report["lines"]}
        assert of == {line["name"]: line["figures"] for line in live["lines"]}

    def test_no_such_snapshot_or_system(self, cast, study, frozen):
        for request, field in (
            (replace(ASKED, snapshot=frozen.number + 1), "snapshot"),
            (self.asked(frozen, reference="nobody"), "reference"),
        ):
            with pytest.raises(RuleError) as error:
                ordered(cast, study, request)
            assert error.value.problems[0].field == field

    def test_nothing_was_judged_when_it_was_frozen(self, cast, study, monkeypatch, frozen):
        monkeypatch.setattr(frozen_module, "_ratings", lambda *_: {})
        with pytest.raises(RuleError) as error:
            ordered(cast, study, self.asked(frozen))
        assert error.value.problems[0].code == "nothing_judged"

    def test_files_that_change_before_and_after_it_is_ordered(self, cast, study, frozen):
        job = ordered(cast, study, self.asked(frozen))
        file = snapshot_folder(frozen) / "ratings.jsonl"
        file.chmod(0o600)
        file.write_text(file.read_text() + "\n")
        assert report_write(job.public_id) is False
        job.refresh_from_db()
        assert (job.state, job.problem) == (Job.State.FAILED, "snapshot")
        with pytest.raises(RuleError) as error:
            ordered(cast, study, self.asked(frozen))
        assert error.value.problems[0].code == "damaged"
        assert "ratings.jsonl" in error.value.problems[0].message.en

    def test_no_later_snapshot_takes_it_for_its_own(self, cast, study, frozen):
        written(cast, study, self.asked(frozen))
        assert frozen_metrics(study, recipe_of(study, {}))["undefined"] is not None
