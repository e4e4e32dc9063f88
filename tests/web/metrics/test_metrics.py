"""The page on metrics, from the order to the files; and scores brought in."""

from __future__ import annotations

import csv
import io
import re
from itertools import product

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import BroughtMetric, Item, Job, Simplification, Study, User
from annotation.selectors.agreement.modelled import answers_digest
from annotation.selectors.metrics.material import pair_names
from annotation.services.base.sizes import size_recount
from annotation.services.metrics.reports import report_write
from annotation.services.platform.row_counts import row_counts_refresh
from annotation.services.publishing.snapshots import study_freeze
from tests.bulk import fill_study
from tests.cast import Cast
from tests.factories import make_study
from tests.metrics.reports import finished_report
from tests.reading_rows import reading
from tests.systems_study import fill_passages, fill_systems
from tests.worlds import world

pytestmark = pytest.mark.django_db
URL = "/studies/judged/metrics/"
ORDER = {"action": "order", "dimension": "legal_meaning", "seed": "42"}


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch) -> None:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)


@world
def metrics_judged(cast: Cast) -> Study:
    study = make_study("judged", lead=cast.lead, state="closed")
    fill_study(study, pairs=12, annotators=3)
    reads(cast, "en")
    return study


@pytest.fixture
def study(metrics_judged: Study) -> Study:
    return metrics_judged


def reads(cast: Cast, language: str) -> None:
    User.objects.filter(pk=cast.lead.pk).update(language=language)


def page(cast: Cast, language="en", **headers) -> str:
    reads(cast, language)
    answer = cast.client("lead").get(URL, headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def scores_file(rows, name="scores.csv"):
    return SimpleUploadedFile(name, ("pair,metric,score\n" + rows).encode())


def test_from_the_order_to_the_tables(cast: Cast, study):
    assert "No report yet" in page(cast)
    answer = cast.client("lead").post(URL, ORDER)
    assert (answer.status_code, answer["Location"]) == (302, URL)
    waiting = page(cast)
    assert "hx-get" in waiting
    assert "It waits for a worker" in waiting
    assert 'max="0"' not in waiting
    # Taken by a worker that has not counted its steps yet.
    Job.objects.update(state="running", total=0)
    assert "A worker has begun" in page(cast)
    Job.objects.update(total=5)
    assert "0 of 5 steps" in page(cast)
    Job.objects.update(state="queued", total=0)
    part = page(cast, **{"HX-Request": "true"})
    assert "<html" not in part
    assert report_write(Job.objects.get(kind="metrics").public_id)
    shown = page(cast)
    for words in (
        "none is shown to agree with people",
        "One person against the others",
        "Length ratio (baseline)",
        "The original alone (baseline)",
        "This metric compares with a reference, and the item has none.",
        "Metrics that have no value here",
        "chrf2|case:mixed",
        "12 outputs",
        "seed 42",
    ):
        assert words in shown, words
    # As a word: a form's token may hold these letters.
    assert re.search(r"\bnan\b", shown, re.IGNORECASE) is None
    assert "aucune ne s&#x27;accorde de façon établie avec les gens" in page(cast, "fr")


def test_every_table_is_a_file(cast: Cast, study):
    finished_report(study, cast.lead)
    shown = page(cast)
    client = cast.client("lead")
    keys = ["agreement", "differences", "controls", "systems", "signatures", "by-half"]
    keys += ["between", "apart", "paper-judgebert-5-6"]
    for key, form in product(keys, ("csv", "tex", "md")):
        url = reverse("study_metrics_table", args=["judged", key]) + "?format="
        link = url.replace("?", "?metric=length&amp;") if key == "apart" else url
        assert link + form in shown, (key, form)
        answer = client.get(url + form)
        assert answer.status_code == 200, (key, form)
        assert "nan" not in answer.content.decode().lower(), (key, form)
    url = reverse("study_metrics_table", args=["judged", "agreement"])
    assert "Metrics that have no value here" not in shown
    rows = list(csv.reader(io.StringIO(client.get(url).content.decode())))
    assert rows[0][-1] in ("Signature", "signature")
    length = next(row for row in rows if row[-1] == "length")
    assert len(length) == len(rows[0])


def test_where_no_metric_is_the_best_none_is_compared_with_it(cast: Cast, study):
    job = finished_report(study, cast.lead)
    lines = [line | {"versus": None} for line in job.result["lines"]]
    job.result = job.result | {"best": "", "better": "neither", "lines": lines}
    job.save(update_fields=["result"])
    shown = page(cast)
    assert "How far a metric is behind the best is therefore said of none." in shown
    url = reverse("study_metrics_table", args=["judged", "differences"])
    assert url not in shown
    assert "the best metric agrees better than this one" not in shown
    assert cast.client("lead").get(url).status_code == 404


def test_a_published_table_stands_beside_ours(cast: Cast, study):
    """What was brought in under the name of a published line fills that line; of the others it is
    said why they are empty."""
    filled = "".join(f"{name},LENS,{number % 7}\n" for number, name in enumerate(pair_names(study)))
    posted = {"action": "bring", "file": scores_file(filled), "direction": "1"}
    ends = {"lowest": "0", "highest": "10"}
    assert cast.client("lead").post(URL, posted | ends).status_code == 302
    assert cast.client("lead").post(URL, ORDER).status_code == 302
    assert report_write(Job.objects.get(kind="metrics").public_id)
    shown = page(cast)
    assert "Beauchemin et al. (2025), JUDGEBERT, tables 5 and 6" in shown
    assert "Needs a model whose weights" in shown
    url = reverse("study_metrics_table", args=["judged", "paper-judgebert-5-6"])
    header, *rows = csv.reader(io.StringIO(cast.client("lead").get(url).content.decode()))
    lines = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    assert (lines["LENS"]["Published: r"], lines["LENS"]["Outputs"]) == ("0.38", "12")
    lens = next(
        row for row in Job.objects.get(kind="metrics").result["lines"] if row["name"] == "LENS"
    )
    assert float(lines["LENS"]["Here: r"]) == lens["figures"]["pearson"]["value"]
    assert lines["LENS"]["Signature"].startswith("LENS|brought")
    assert (lines["BERTScore"]["Published: r"], lines["BERTScore"]["Here: r"]) == ("0.46", "")


@pytest.mark.parametrize("path", ["none/", "by-system/", "agreement/?format=exe"])
def test_no_such_table(cast: Cast, study, path):
    finished_report(study, cast.lead)
    assert cast.client("lead").get(f"{URL}tables/{path}").status_code == 404


def test_no_table_before_there_is_a_report(cast: Cast, study):
    assert cast.client("lead").get(f"{URL}tables/agreement/").status_code == 404


def test_strata_of_a_study_with_systems(cast: Cast):
    study = make_study("judged", lead=cast.lead, state="closed")
    rows = [[5, 6], [7, 8], [3, 2], [9, 9], [4, 6], [2, 2]]
    fill_systems(study, {"gold": rows, "a": rows[::-1], "b": rows}, cut=[("a", 1), ("a", 2)])
    assert cast.client("lead").post(URL, ORDER | {"reference": "gold"}).status_code == 302
    assert report_write(Job.objects.get(kind="metrics").public_id)
    shown = page(cast)
    assert "compared with the outputs of gold" in shown
    assert "By system" in shown
    assert "Cut off or whole" in shown
    assert "cut off (n = 2)" in shown


@pytest.mark.parametrize(
    ("posted", "words"),
    [
        ({"dimension": "none"}, "is not one of the available choices"),
        ({"seed": "-1"}, "greater than or equal to 0"),
        ({"reference": "none"}, "is not one of the available choices"),
    ],
)
def test_an_order_that_cannot_be(cast: Cast, study, posted, words):
    answer = cast.client("lead").post(URL, ORDER | posted)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not Job.objects.filter(kind="metrics").exists()


def test_scorers_and_encoders_are_asked_for_by_name(cast: Cast, study, settings):
    settings.ENCODERS = {"minilm": "/srv/minilm"}
    shown = page(cast)
    assert 'value="minilm"' in shown
    assert 'value="use-multilingual"' in shown
    assert "/srv/minilm" not in shown
    posted = ORDER | {"encoders": ["minilm"], "every_scorer": "on"}
    assert cast.client("lead").post(URL, posted).status_code == 302
    parameters = Job.objects.get(kind="metrics").parameters
    assert (parameters["encoders"], parameters["every_scorer"]) == (["minilm"], True)
    answer = cast.client("lead").post(URL, ORDER | {"encoders": ["grand"]})
    assert answer.status_code == 422
    assert "grand is not one of the available choices" in answer.content.decode()


def test_further_references(cast: Cast):
    study = make_study("judged", lead=cast.lead, state="closed")
    rows = [[5, 6], [7, 8], [3, 2]]
    fill_systems(study, {"gold": rows, "silver": rows, "b": rows})
    assert 'name="more_references" value="silver"' in page(cast)
    posted = ORDER | {"reference": "gold", "more_references": ["silver"]}
    assert cast.client("lead").post(URL, posted).status_code == 302
    job = Job.objects.get(kind="metrics")
    assert job.parameters["more_references"] == ["silver"]
    assert report_write(job.public_id)
    assert "compared with the outputs of gold, silver" in page(cast)


def test_nobody_is_offered_a_reference_beside_the_only_outputs(cast: Cast, study):
    assert "more_references" not in page(cast)


def test_a_report_of_a_snapshot(cast: Cast, study):
    assert 'name="snapshot"' not in page(cast)
    frozen = study_freeze(actor=cast.lead, study=study, recipe={"draws": 100})
    assert f">Instantané {frozen.name}<" in page(cast, "fr").replace("\n", "")
    reads(cast, "en")
    answer = cast.client("lead").post(URL, {**ORDER, "snapshot": frozen.number})
    assert answer.status_code == 302
    assert report_write(Job.objects.get(kind="metrics").public_id)
    assert f"Texts and answers of the snapshot {frozen.name}" in page(cast)
    wrong = cast.client("lead").post(URL, {**ORDER, "snapshot": frozen.number + 1})
    assert wrong.status_code == 422


def test_who_has_withdrawn_is_counted_and_said(cast: Cast, study):
    """No snapshot holds their answers: a report that does says so, and one of a snapshot does
    not hold them."""
    study_freeze(actor=cast.lead, study=study, recipe={"draws": 100})
    report = finished_report(study, cast.lead)
    answers = answers_digest(study)
    Job.objects.filter(pk=report.pk).update(result=report.result | {"answers": answers})
    assert "what stands below is of the answers as they were then" not in page(cast)
    study.annotators.filter(pseudonym="R1").update(withdrawn_at=timezone.now())
    shown = page(cast)
    outdated = shown.index("what stands below is of the answers as they were then")
    assert outdated < shown.index("Of the metrics that have a better side")
    assert "who has withdrawn:" not in shown, "a report of before does not count"
    cast.client("lead").post(URL, ORDER)
    assert report_write(Job.objects.filter(kind="metrics").latest("pk").public_id)
    shown = page(cast)
    assert "those of 1 person who has withdrawn: 12." in shown
    assert "A report of a snapshot leaves them out." in shown
    assert "what stands below is of the answers as they were then" not in shown
    answer = cast.client("lead").get("/api/v1/studies/judged/metrics/").json()
    assert answer["report"]["of_withdrawn"] == {"people": 1, "judgments": 12}
    assert (answer["report"]["people"], answer["report"]["ratings"]) == (3, 36)
    cast.client("lead").post(URL, ORDER | {"snapshot": 1})
    assert report_write(Job.objects.filter(kind="metrics").latest("pk").public_id)
    assert "who has withdrawn:" not in page(cast)
    report = Job.objects.filter(kind="metrics").latest("pk").result
    assert report["of_withdrawn"] == {"people": 0, "judgments": 0}
    assert report["people"] == 2


def test_nothing_was_judged(cast: Cast):
    reads(cast, "en")
    make_study("judged", lead=cast.lead, state="closed")
    answer = cast.client("lead").post(URL, ORDER)
    assert answer.status_code == 422
    assert "Nobody has judged" in answer.content.decode()


@pytest.mark.parametrize("problem", ["blind", "nothing_judged", "worker_lost", "defect"])
def test_a_report_that_failed_says_why(cast: Cast, study, problem):
    Job.objects.create(study=study, kind="metrics", state="failed", problem=problem)
    assert "notice--bad" in page(cast)


def test_machines_say_what_they_are_and_what_they_cost(cast: Cast, study):
    job = finished_report(study, cast.lead)
    (line, *others) = job.result["lines"]
    cost = {"pairs": 10, "usd_per_pair": 0.0016, "tokens_per_pair": 120.5}
    judge = line | {"name": "judge-M1", "kind": "judge", "cost": cost}
    free = judge | {"name": "judge-M2", "cost": cost | {"usd_per_pair": None}}
    strata = job.result["strata"]
    for stratum in strata:
        stratum["pearson"] |= dict.fromkeys(("judge-M1", "judge-M2"), stratum["pearson"]["length"])
    note = {"fr": "Une remarque.", "en": "A remark."}
    job.result |= {"lines": [line, judge, free, *others], "notes": [note], "strata": strata}
    job.save()
    shown = page(cast)
    for words in ("Length (machine judge)", "What machine judges cost", "0.001600", "A remark."):
        assert words in shown, words
    assert "Nobody gave a price for this model." in shown
    answer = cast.client("lead").get(f"{URL}tables/costs/?format=csv")
    rows = list(csv.reader(io.StringIO(answer.content.decode())))
    assert rows[1][1:4] == ["10", "0.0016", "120.5"]
    assert "Une remarque." in page(cast, "fr")


def test_a_report_of_before_there_were_machines(cast: Cast, study):
    job = finished_report(study, cast.lead)
    for line in job.result["lines"]:
        del line["kind"], line["cost"]
    job.save()
    shown = page(cast)
    assert "Length" in shown
    assert "What machine judges cost" not in shown


def test_while_the_study_is_under_way(cast: Cast, study):
    Study.objects.filter(pk=study.pk).update(state="main")
    assert "The study is under way" in page(cast)


def test_a_blind_phase_shows_nothing(cast: Cast, study):
    finished_report(study, cast.lead)
    Study.objects.filter(pk=study.pk).update(state="main", is_blind=True)
    for url in (URL, f"{URL}tables/agreement/"):
        answer = cast.client("lead").get(url)
        assert answer.status_code == 403
        assert b"length" not in answer.content


def test_no_metric_is_defined(cast: Cast, study):
    job = finished_report(study, cast.lead)
    job.result = job.result | {"best": ""}
    job.save()
    assert "outputs, none has a defined correlation" in page(cast)


def test_what_competes_is_said_and_so_is_what_is_no_further_from_people(cast: Cast, study):
    cast.client("lead").post(URL, ORDER)
    assert report_write(Job.objects.get(kind="metrics").public_id)
    job = Job.objects.get(kind="metrics")
    lines = job.result["lines"]
    best = next(line for line in lines if line["name"] == job.result["best"])
    value = best["figures"]["pearson"]["value"]
    for line in lines:
        if line["name"] == "compression":
            line["figures"]["pearson"]["value"] = -value
    job.result = job.result | {"lines": lines}
    job.save()
    shown = page(cast)
    assert "Of the metrics that have a better side and a value for at least half of" in shown
    (outside,) = re.findall(r"no further from people: ([^<]*)<", shown)
    assert f"Compression (r = −{value:.3f})" in outside
    assert "Compression (only describes)" in shown
    for line in lines:
        del line["competes"]
    job.result = job.result | {"lines": lines}
    job.save()
    assert "no further from people" not in page(cast), "a report of before does not say"


def test_scores_are_brought_in_shown_and_taken_out(cast: Cast, study):
    pairs = cast.client("lead").get(reverse("study_metrics_pairs", args=["judged"]))
    rows = list(csv.DictReader(io.StringIO(pairs.content.decode())))
    assert [row["pair"] for row in rows] == list(pair_names(study))
    filled = "".join(f"{row['pair']},LENS,{number}\n" for number, row in enumerate(rows))
    posted = {
        "action": "bring",
        "file": scores_file(filled),
        "direction": "1",
        "lowest": "0",
        "highest": "100",
        "note": "lens 1.0",
    }
    assert cast.client("lead").post(URL, posted).status_code == 302
    shown = page(cast)
    assert "lens 1.0" in shown
    assert "0–100" in shown
    metric = BroughtMetric.objects.get()
    forget = {"action": "forget", "metric": str(metric.pk)}
    assert cast.client("lead").post(URL, forget).status_code == 302
    assert "lens 1.0" not in page(cast)
    assert cast.client("lead").post(URL, forget).status_code == 404


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("nobody/9,LENS,1\n", "Row 2, column pair: The study has no pair “nobody/9”."),
        ("clause-000001/1,LENS,50\n", "column score: 50 is not between the ends 0 and 1."),
        ("clause-000001/1,LENS,high\n", "Row 2, column score: “high” is not a score."),
        ("", "The file has nothing but its header."),
    ],
)
def test_a_file_that_is_wrong_is_named_by_row(cast: Cast, study, rows, words):
    posted = {"action": "bring", "file": scores_file(rows), "direction": "1"}
    posted |= {"lowest": "0", "highest": "1"}
    answer = cast.client("lead").post(URL, posted)
    assert answer.status_code == 422
    assert words in answer.content.decode()


def test_half_a_range_is_refused(cast: Cast, study):
    file = scores_file("clause-000001/1,LENS,1\n")
    posted = {"action": "bring", "file": file, "direction": "1", "lowest": "0"}
    answer = cast.client("lead").post(URL, posted)
    assert answer.status_code == 422
    assert "Give both ends" in answer.content.decode()


def test_no_file(cast: Cast, study):
    assert cast.client("lead").post(URL, {"action": "bring"}).status_code == 422


def test_the_page_asks_no_more_often_for_more_metrics(cast: Cast, study):
    finished_report(study, cast.lead)
    client = cast.client("lead")

    def queries():
        with CaptureQueriesContext(connection) as captured:
            client.get(URL)
        return len(captured)

    queries()
    before = queries()
    for number in range(5):
        BroughtMetric.objects.create(study=study, name=f"m{number}", sha256="a", number=1)
    assert queries() == before


def test_the_page_reads_as_much_of_a_large_study(cast: Cast):
    client, read = cast.client("lead"), []
    for texts in (20, 1000):
        study = make_study(f"of-{texts}", lead=cast.lead)
        fill_passages(study, texts)
        size_recount(study)
        row_counts_refresh(Item, Simplification)
        address = f"/studies/{study.key}/metrics/"
        for _ in range(2):  # the first run composes and plans
            with reading() as counter:
                answer = client.get(address).content.decode()
        read.append(counter.read)
        assert '<option value="lent">' in answer
    assert read[1] < 1.5 * read[0] + 20
