"""A training from request to scorer: whole or not at all, once, one at a time, going on after a
kill."""

from __future__ import annotations

import csv
import errno
import io
import json
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from unittest.mock import patch

import numpy as np
import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.utils import timezone

from annotation import draining
from annotation.errors import RuleError
from annotation.models import Event, Scorer, TrainingRun
from annotation.scoring.dataset import TrainingSet
from annotation.scoring.errors import ScoringError
from annotation.scoring.splits import source_key
from annotation.services.platform.leases import LeaseLost
from annotation.services.platform.stored_files import file_read
from annotation.services.scoring.scorers import (
    scorer_decision,
    scorer_folder,
    scorer_in_service,
    scorer_promote,
    scorer_revert,
)
from annotation.services.scoring.training import (
    FEWEST_LEARNED,
    MOST_ATTEMPTS,
    TrainingSpec,
    training_request,
    training_resume,
    training_stop,
    trainings_expire,
    trainings_resend,
)
from annotation.services.scoring.training_work import training_claim
from tests.factories import make_user
from tests.scorers.judged import judged_set
from workers.scorers import features
from workers.scorers.base import FEWEST_PAIRS, Pair, Scale
from workers.scorers.lexical import LexicalScorer
from workers.scoring import training as module
from workers.scoring.copies import scorer_read
from workers.scoring.training import training_run, work_folder

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

LEXICAL = TrainingSpec("lexical", (42, 43))


@pytest.fixture(autouse=True)
def sent(monkeypatch) -> list[str]:
    """Messages that would have gone to the broker."""
    messages: list[str] = []
    monkeypatch.setattr(
        "annotation.jobs._send", lambda name, *arguments, queue=None: messages.append(arguments[0])
    )
    return messages


@pytest.fixture(autouse=True)
def _few_items(monkeypatch) -> None:
    """The made-up data are small, so that training them is quick."""
    monkeypatch.setattr("annotation.scoring.promotion.FEWEST_ITEMS", 10)


@pytest.fixture(autouse=True, scope="module")
def _pairs_read_once() -> Iterator[None]:
    """Each of these trainings reads the same few pairs, and the same texts of law."""
    with patch.object(features, "read_pair", cache(features.read_pair)):
        yield


@pytest.fixture
def admin(db):
    return make_user("admin", is_admin=True)


def ask(data: TrainingSet | None = None, spec: TrainingSpec = LEXICAL, actor=None) -> TrainingRun:
    return training_request(actor=actor, data=data or judged_set(), spec=spec)


def done(data: TrainingSet | None = None, spec: TrainingSpec = LEXICAL) -> TrainingRun:
    run = ask(data, spec)
    assert training_run(run.public_id)
    run.refresh_from_db()
    return run


def failed(run: TrainingRun) -> str:
    assert not training_run(run.public_id)
    run.refresh_from_db()
    assert run.state == "failed"
    assert not Scorer.objects.exists()
    return run.problem["code"]


def test_a_request_becomes_a_scorer_with_a_report(sent):
    run = ask()
    assert sent == [str(run.public_id)]
    assert training_run(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.attempt, run.device, run.lease_until) == ("done", 1, "", None)
    scorer = run.scorer
    assert (scorer.version, scorer.is_in_service) == (1, False)
    report = run.report
    assert [seed["seed"] for seed in report["seeds"]] == [42, 43]
    assert report["chosen"]["seed"] == scorer.seed
    assert {baseline["name"] for baseline in report["baselines"]} >= {
        "mean",
        "bleu",
        "truncation",
        "word_overlap",
    }
    assert {stratum["dimension"] for stratum in report["strata"]} == {
        "completeness",
        "bracket",
        "class",
        "length",
        "system",
    }
    assert report["ceiling"]["leave_one_out"]["value"] > 0.5
    rates = report["probe"]["rates"]
    assert report["probe"]["cases"] > 0
    assert "scores" not in report["probe"]
    false_accepts = [
        rates[place]["false_accept"]["value"] for place in ("simplification", "identical")
    ]
    assert scorer.false_accept == next((rate for rate in false_accepts if rate is not None), None)
    assert not work_folder(run).exists()
    assert not training_run(run.public_id), "a message that comes twice changes nothing"
    assert Event.objects.filter(verb="training_finished").count() == 1


@pytest.mark.once
def test_the_report_can_be_checked_from_the_predictions_with_other_code():
    run = done()
    files = {name: file_read(facts["path"], facts["sha256"]) for name, facts in run.files.items()}
    rows = list(csv.DictReader(io.StringIO(files["predictions.csv"].decode())))
    splits = list(csv.DictReader(io.StringIO(files["splits.csv"].decode())))
    for seed in run.report["seeds"]:
        mine = [row for row in rows if row["seed"] == str(seed["seed"]) and row["kind"] == "human"]
        human, predicted = (
            np.array([float(row[name]) for row in mine]) for name in ("human", "predicted")
        )
        assert np.corrcoef(human, predicted)[0, 1] == pytest.approx(
            seed["metrics"]["pearson"]["value"]
        )
        assert np.sqrt(np.mean((human - predicted) ** 2)) == pytest.approx(
            seed["metrics"]["rmse"]["value"]
        )
        sides = {(row["source"], row["side"]) for row in splits if row["seed"] == str(seed["seed"])}
        assert len({source for source, _ in sides}) == len(sides), "no source on two sides"
        assert {row["key"] for row in mine} == {
            row["key"]
            for row in splits
            if row["seed"] == str(seed["seed"]) and row["side"] == "test"
        }


@pytest.mark.once
def test_the_figure_is_cross_validated_and_the_served_scorer_refitted_on_everything():
    run = done()
    scorer, crossed = run.scorer, run.report["cross_validation"]
    assert crossed["method"] == {"by": "source", "folds": 2, "repeats": 1, "seeds": [42]}
    assert scorer.metrics["pearson"] == crossed["summary"]["pearson"]
    assert scorer.interval == run.report["interval"]
    facts = run.files["out_of_fold.csv"]
    rows = list(csv.DictReader(io.StringIO(file_read(facts["path"], facts["sha256"]).decode())))
    assert len(rows) == 60
    human, predicted = (
        np.array([float(row[name]) for row in rows]) for name in ("human", "predicted")
    )
    assert np.corrcoef(human, predicted)[0, 1] == pytest.approx(
        crossed["summary"]["pearson"]["mean"]
    )
    data = judged_set()
    pairs = [Pair(pair.original, pair.simplification) for pair in data.pairs]
    alone = LexicalScorer(Scale(1, 10)).fit(pairs, data.labels, seed=scorer.seed)
    served = LexicalScorer.load(scorer_folder(scorer))
    assert served.predict(pairs).tolist() == alone.predict(pairs).tolist()
    assert set(scorer.seen_sources) == {source_key(pair.original) for pair in data.pairs}
    validation = [seed["validation_rmse"] for seed in run.report["seeds"]]
    assert validation[[42, 43].index(scorer.seed)] == min(validation)


def test_the_scorer_in_service_is_compared_where_neither_has_learned(admin):
    first = done().scorer
    # While there is none, with the mean of each fold's training labels.
    against = first.training_run.report["against_mean"]
    assert against["items"] == 60
    assert against["rmse"]["value"]["value"] < 0
    assert against["pearson"]["value"]["value"] is None
    scorer_promote(actor=admin, scorer=first, reason="the first one")
    same = done().report["comparison"]["result"]
    assert same["items"] == 60, "of what it has learned from, its out-of-fold scores"
    assert same["rmse"]["value"]["value"] == 0
    from dataclasses import replace

    data = judged_set()
    new = tuple(
        replace(pair, original=f"Sauf avis contraire, {pair.original}") for pair in data.pairs[:20]
    )
    more = done(replace(data, pairs=(*data.pairs, *new))).report["comparison"]["result"]
    assert more["items"] == 80, "and of new sources, what it says"
    # A scorer of before has no such file.
    TrainingRun.objects.filter(pk=first.training_run.pk).update(files={})
    comparison = done().report["comparison"]
    assert comparison["result"] is None
    assert "out-of-fold" in comparison["undefined"]["en"]
    TrainingRun.objects.filter(pk=first.training_run.pk).update(
        files={"out_of_fold.csv": {"path": "gone", "sha256": "0", "bytes": 1}}
    )
    assert done().report["comparison"]["result"] is None


def test_a_worker_that_is_killed_in_the_folds_does_none_of_them_again(monkeypatch):
    from workers.scoring import folds

    run = ask(spec=TrainingSpec("lexical", (42, 43), repeats=2))
    real, made = folds.fitted, []

    def dies(training, places, seed, name, **more):
        made.append(name)
        if made.count("fold-43-0") == 1 and name == "fold-43-1" and "fold-43-1" not in made[:-1]:
            raise KeyboardInterrupt
        return real(training, places, seed, name, **more)

    monkeypatch.setattr(folds, "fitted", dies)
    with pytest.raises(KeyboardInterrupt):
        training_run(run.public_id)
    TrainingRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    trainings_resend()
    assert training_run(run.public_id)
    assert made[:3] == ["fold-42-0", "fold-42-1", "fold-43-0"]
    assert made[3:] == ["fold-43-1", "fold-43-1", "refit"]
    run.refresh_from_db()
    assert run.report["cross_validation"]["method"]["repeats"] == 2


def test_a_run_that_was_asked_for_before_there_were_repeats():
    run = ask()
    TrainingRun.objects.update(repeats=0)
    assert training_run(run.public_id)
    run.refresh_from_db()
    assert run.report["cross_validation"]["method"]["repeats"] == 1


@pytest.mark.once
def test_a_scorer_is_probed_on_texts_of_one_s_own(tmp_path, capsys):
    done()
    pairs = tmp_path / "pairs.jsonl"
    text = "L'assureur ne couvre pas les bris dans les {} jours, et l'assuré doit aviser la police."
    pairs.write_text(
        "".join(
            json.dumps({"original": text.format(n), "simplification": text.format(n)}) + "\n"
            for n in range(20, 30)
        )
    )
    call_command("probe", pairs=str(pairs), scorer=["v1"], json=True)
    (probe,) = json.loads(capsys.readouterr().out)
    assert "|kind:" in probe["signature"]
    assert probe["rates"]["identical"]["false_accept"]["cases"] > 10


@pytest.mark.once
def test_the_same_data_and_seeds_give_the_same_scorer():
    first, second = done(), done()
    digests = [
        {name: facts["sha256"] for name, facts in run.scorer.files.items()}
        for run in (first, second)
    ]
    assert digests[0] == digests[1]
    assert [run.scorer.version for run in (first, second)] == [1, 2]


@pytest.mark.once
def test_augmentation_touches_training_only():
    plain, augmented = done(), done(spec=TrainingSpec("lexical", (42, 43), augment=True))
    sizes = [[seed["sizes"] for seed in run.report["seeds"]] for run in (plain, augmented)]
    assert sizes[0] == sizes[1], "items are counted, not what was added"
    assert plain.report["summary"] != augmented.report["summary"]


def test_a_killed_worker_costs_what_was_not_finished(monkeypatch):
    run = ask()
    real = module.train_seed
    trained: list[int] = []

    def dies_at_43(training, seed):
        if seed == 43 and not trained.count(43):
            trained.append(43)
            raise KeyboardInterrupt
        trained.append(seed)
        return real(training, seed)

    monkeypatch.setattr(module, "train_seed", dies_at_43)
    with pytest.raises(KeyboardInterrupt):
        training_run(run.public_id)
    TrainingRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert trainings_resend() == 1
    assert trainings_resend() == 0
    assert training_run(run.public_id)
    run.refresh_from_db()
    assert trained == [42, 43, 43]
    assert (run.state, run.attempt) == ("done", 2)


def test_a_worker_that_kills_every_process_is_given_up():
    run = ask()
    TrainingRun.objects.update(
        state="running",
        device="x",
        attempt=MOST_ATTEMPTS,
        lease_until=timezone.now() - timedelta(seconds=1),
    )
    assert trainings_resend() == 0
    run.refresh_from_db()
    assert (run.state, run.problem["code"]) == ("failed", "worker_lost")


def test_one_at_a_time_per_device(sent):
    first, second = ask(), ask()
    assert training_claim(first.public_id, "here:cpu", "1")
    assert training_claim(second.public_id, "here:cpu", "1") is None
    second.refresh_from_db()
    assert (second.state, second.attempt) == ("queued", 0)
    TrainingRun.objects.filter(pk=second.pk).update(lease_until=timezone.now() - timedelta(hours=1))
    assert trainings_resend() == 0, "it waits its turn; its message is in the queue"
    assert training_claim(second.public_id, "there:cuda", "1")


def test_when_one_ends_the_next_is_asked_for(sent):
    first, second = ask(), ask()
    sent.clear()
    training_run(first.public_id)
    assert sent == [str(second.public_id)]


def test_who_lost_the_run_makes_nothing(monkeypatch):
    run = ask()
    real = module.evaluation

    def late(*arguments):
        TrainingRun.objects.filter(pk=run.pk).update(attempt=2)
        return real(*arguments)

    monkeypatch.setattr(module, "evaluation", late)
    assert not training_run(run.public_id)
    assert not Scorer.objects.exists()
    stored = [name for folder in ("1",) for name in _listed(f"training/{run.public_id}/{folder}")]
    assert stored == [], "its files are gone again"


def _listed(place: str) -> list[str]:
    try:
        folders, files = default_storage.listdir(place)
    except FileNotFoundError:
        return []
    return files + [name for folder in folders for name in _listed(f"{place}/{folder}")]


def test_a_stop(admin, monkeypatch):
    run = ask()
    training_stop(actor=admin, run=run)
    run.refresh_from_db()
    assert run.state == "stopped"
    assert not training_run(run.public_id)

    assert training_resume(actor=admin, run=run)
    real = module.train_seed

    def stopped(training, seed):
        training_stop(actor=admin, run=run)
        training.heartbeat._beat()
        return real(training, seed)

    monkeypatch.setattr(module, "train_seed", stopped)
    assert not training_run(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.stop_requested) == ("stopped", True)
    monkeypatch.undo()


def test_a_worker_that_is_told_to_end_spends_no_attempt(monkeypatch):
    """Each stop of the machine cost one of five, and a training that takes days failed by them."""
    run = ask()
    real = module.train_seed

    def told_to_end(training, seed):
        outcome = real(training, seed)
        ended.setattr(draining, "_flag", b"\1")
        return outcome

    with monkeypatch.context() as ended:
        ended.setattr(module, "train_seed", told_to_end)
        assert not training_run(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.attempt, run.problem, run.device) == ("queued", 0, {}, "")
    assert [path.name for path in work_folder(run).glob("seed-*.json")] == ["seed-42.json"]
    assert training_run(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.attempt) == ("done", 1)


@pytest.mark.once
@pytest.mark.parametrize(
    ("data", "code"),
    [
        (lambda: _with(label=5.0), "constant_scores"),
        (lambda: _with(label=11.0), "off_scale"),
    ],
)
def test_data_that_cannot_be_learned_from(data, code):
    assert failed(ask(data())) == code


@pytest.mark.parametrize(
    ("count", "code", "words"),
    [
        (4, "too_few_sources", "4 source texts"),
        (20, "too_few_pairs", "12 of 20 pairs are left to learn from"),
    ],
)
def test_what_is_too_few_is_refused_before_it_waits(count, code, words):
    with pytest.raises(ScoringError) as refused:
        ask(judged_set(count))
    assert refused.value.code == code
    assert words in refused.value.message.en
    assert not TrainingRun.objects.exists()
    augmented = TrainingSpec("lexical", (42,), augment=True)
    assert ask(judged_set(count), augmented), "what is made up is known to the worker"


def test_a_worker_needs_as_many_as_are_asked_for():
    assert FEWEST_LEARNED == FEWEST_PAIRS


def _with(**changed):
    from dataclasses import replace

    data = judged_set()
    return replace(data, pairs=tuple(replace(pair, ratings={}, **changed) for pair in data.pairs))


@pytest.mark.once
def test_one_annotator_is_no_ceiling_and_said_so():
    data = judged_set()
    from dataclasses import replace

    alone = replace(
        data, pairs=tuple(replace(pair, ratings={"A": pair.label}) for pair in data.pairs)
    )
    ceiling = done(alone).report["ceiling"]["leave_one_out"]
    assert ceiling["value"] is None
    assert "one person" in ceiling["undefined"]["en"]


def test_damaged_data_are_not_trained_on():
    run = ask()
    with default_storage.open(run.data_path, "ab") as stored:
        stored.write(b"{}\n")
    assert failed(run) == "artefact_corrupted"


def test_a_full_disk(monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    run = ask()
    monkeypatch.setattr(LexicalScorer, "save", full)
    assert failed(run) == "disk_full"


def test_a_defect_is_recorded_and_raised(monkeypatch):
    run = ask()
    monkeypatch.setattr(module, "evaluation", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        training_run(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.problem["code"]) == ("failed", "defect")


def test_bad_requests():
    for spec in (
        TrainingSpec("magic"),
        TrainingSpec("lexical", ()),
        TrainingSpec("lexical", (1, 1)),
        TrainingSpec("lexical", (1, 2), repeats=3),
        TrainingSpec("lexical", (1, 2), repeats=0),
    ):
        with pytest.raises(RuleError):
            ask(spec=spec)
    with pytest.raises(ScoringError):
        ask(spec=TrainingSpec("lexical", corpus=b"\xff\xff"))
    assert not TrainingRun.objects.exists()


def test_promotion_needs_a_reason_and_the_rule(admin):
    first = done().scorer
    with pytest.raises(RuleError):
        scorer_promote(actor=admin, scorer=first, reason=" ")
    scorer_promote(actor=admin, scorer=first, reason="the first one")
    assert scorer_in_service(first.target) == first
    # The same training again: no gain, and the scorer in service has seen most of the test items.
    second = done().scorer
    decision = scorer_decision(second)
    assert not decision.is_promoted
    with pytest.raises(RuleError) as refused:
        scorer_promote(actor=admin, scorer=second, reason="newer")
    assert refused.value.problems[0].code == "rule_refuses"
    assert scorer_in_service(first.target) == first


def test_a_promotion_can_be_taken_back(admin, monkeypatch):
    first, second = done().scorer, done().scorer
    scorer_promote(actor=admin, scorer=first, reason="the first one")
    from annotation.scoring.promotion import Decision

    monkeypatch.setattr(
        "annotation.services.scoring.scorers.scorer_decision", lambda _: Decision(True, ())
    )
    scorer_promote(actor=admin, scorer=second, reason="better")
    assert scorer_in_service(first.target) == second
    scorer_revert(actor=admin, target=first.target, reason="it was not")
    assert scorer_in_service(first.target) == first
    scorer_revert(actor=admin, target=first.target, reason="nor this")
    assert scorer_in_service(first.target) is None
    with pytest.raises(RuleError):
        scorer_revert(actor=admin, target=first.target, reason="again")


def test_a_scorer_of_another_target_is_left_alone(admin):
    legal, other = done().scorer, done(judged_set(target="csmd/meaning")).scorer
    for scorer in (legal, other):
        scorer_promote(actor=admin, scorer=scorer, reason="first of its kind")
    assert scorer_in_service(legal.target) == legal
    assert scorer_in_service(other.target) == other


def test_a_damaged_artefact_is_never_served(admin):
    scorer = done().scorer
    with default_storage.open(scorer.files["model.json"]["path"], "ab") as stored:
        stored.write(b" ")
    with pytest.raises(ScoringError) as refused:
        scorer_promote(actor=admin, scorer=scorer, reason="looks fine")
    assert refused.value.code == "artefact_corrupted"
    assert scorer_in_service(scorer.target) is None


def test_the_served_folder_is_whole_and_fetched_once():
    scorer = done().scorer
    folder = scorer_folder(scorer)
    assert sorted(path.name for path in folder.iterdir()) == sorted(scorer.files)
    assert scorer_folder(scorer) == folder
    assert [path for path in folder.parent.iterdir() if path.name.startswith(".")] == []


def test_a_copy_that_was_damaged_on_this_machine_is_fetched_anew(caplog):
    scorer = done().scorer
    path = scorer_folder(scorer) / "model.json"
    good = path.read_bytes()
    path.write_bytes(b"0000" + good[4:])
    assert scorer_read(scorer).predict([Pair("Le preneur paie.", "Il paie.")]).shape == (1,)
    assert path.read_bytes() == good
    assert "look at the disk" in caplog.text
    path.write_bytes(b"0000" + good[4:])
    with default_storage.open(scorer.files["model.json"]["path"], "ab") as stored:
        stored.write(b" ")
    with pytest.raises(ScoringError) as refused:
        scorer_read(scorer)
    assert refused.value.code == "artefact_corrupted"


def test_what_ended_long_ago_leaves_nothing_behind():
    run = ask()
    folder = work_folder(run)
    folder.mkdir(parents=True)
    import os

    old = (timezone.now() - timedelta(days=30)).timestamp()
    os.utime(folder, (old, old))
    assert trainings_expire() == 0
    TrainingRun.objects.update(state="failed")
    assert trainings_expire() == 1
    assert not folder.exists()


def test_losing_the_run_while_finishing_rolls_back():
    from annotation.services.scoring.training_work import Trained, training_finish

    run = ask()
    claimed = training_claim(run.public_id, "here", "1")
    TrainingRun.objects.update(attempt=7)
    with pytest.raises(LeaseLost):
        training_finish(
            run=claimed, report={}, files={}, trained=Trained(42, "", {}, {}, {}, None, [])
        )
    assert not Scorer.objects.exists()
