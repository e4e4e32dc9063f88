"""``train_scorer`` and ``score``: from published data to scores in a file."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Scorer, TrainingRun
from tests.scorers.judged import quick_trainings
from tests.scorers.rows import make_scorer
from tests.scorers.tiny import judged_pairs

# How a run is kept, tests/workers/scoring looks at on both databases.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.once]


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch) -> None:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)
    quick_trainings(monkeypatch)


@pytest.fixture
def table(tmp_path):
    """A TSV in CSMD's layout."""
    pairs, scores = judged_pairs(60, lowest=0, highest=100)
    path = tmp_path / "meaning.tsv"
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, delimiter="\t")
        writer.writerow(["original", "simplification", "label", "wrong", "label_own_mean"])
        for pair, score in zip(pairs, scores, strict=True):
            writer.writerow([pair.original, pair.simplification, score, 100 - score, score])
    return path


def said(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_from_a_table_to_scores(table, tmp_path):
    report = json.loads(said("train_scorer", "--csmd", str(table), "--seeds", "42,43", "--json"))
    assert report["scorer"] == Scorer.objects.get().version
    assert report["data"]["target"] == "csmd/meaning"
    assert report["summary"]["pearson"]["mean"] > 0.5
    pairs = tmp_path / "pairs.csv"
    pairs.write_text(
        "id,original,simplification\n1,Une clause utile.,Une clause utile.\n", encoding="utf-8"
    )
    lines = said("score", "--scorer", "v1", str(pairs)).splitlines()
    assert lines[0] == "original,simplification,score,learned,rule,low,high"
    assert lines[1].startswith("Une clause utile.,Une clause utile.,100.0,")
    beside = tmp_path / "out.jsonl.part"
    beside.write_text("somebody else's")
    said(
        "score",
        "--scorer",
        "1",
        str(pairs),
        "--format",
        "jsonl",
        "--output",
        str(tmp_path / "out.jsonl"),
    )
    assert json.loads((tmp_path / "out.jsonl").read_text("utf-8"))["score"] == 100
    assert beside.read_text() == "somebody else's"


def test_the_figure_is_told_with_how_it_was_got(table, monkeypatch):
    output = said("train_scorer", "--csmd", str(table), "--seeds", "42,43", "--repeats", "1")
    assert "1 × 2-fold cross-validation by source text, seeds 42; 60 items of" in output
    assert "Served: refitted on all 60 items." in output
    assert "at 90%, coverage 0." in output or "at 90%, coverage 1." in output
    assert "cross-validated: chrF" in output


def test_each_campaign_is_left_out_in_turn(table, tmp_path):
    lines = table.read_text("utf-8").splitlines()
    campaigns = ["campaign", *("one" if number % 2 else "two" for number in range(60))]
    dealt = [f"{line}\t{campaign}" for line, campaign in zip(lines, campaigns, strict=True)]
    path = tmp_path / "campaigns.tsv"
    path.write_text("\n".join(dealt) + "\n", "utf-8")
    output = said("train_scorer", "--csmd", str(path), "--seeds", "42")
    for name in ("one", "two"):
        assert f"Off its corpus, {name} (30 items): Pearson 0." in output
    assert "Off its corpus: The pairs are of one corpus" in said(
        "train_scorer", "--csmd", str(table), "--seeds", "42"
    )


def test_several_snapshots_are_corpora_of_one_training(monkeypatch):
    from annotation.services.publishing.snapshots import study_freeze
    from tests.bulk import fill_study
    from tests.factories import make_study, make_user
    from tests.scorers.judged import judged_set

    lead, names = make_user("lead"), []
    for key in ("first", "second"):
        study = make_study(key, lead=lead, state="main")
        fill_study(study, pairs=1, annotators=1)
        names.append(study_freeze(actor=lead, study=study, reason="t", recipe={"draws": 100}).name)
    monkeypatch.setattr(
        "workers.management.commands.train_scorer.set_of_snapshot",
        lambda snapshot: judged_set(30, name=snapshot.name),
    )
    said("train_scorer", names[0], "--also", names[1], "--seeds", "42", "--queue")
    run = TrainingRun.objects.get()
    assert (run.source["name"], run.source["pairs"]) == (" + ".join(names), 60)
    assert run.snapshot.name == names[0]
    with pytest.raises(CommandError, match="There is no snapshot “none-1”"):
        said("train_scorer", names[0], "--also", "none-1")
    with pytest.raises(CommandError, match="count once"):
        said("train_scorer", names[0], "--also", names[0])
    with pytest.raises(CommandError, match="not with --csmd"):
        said("train_scorer", "--csmd", "x", "--also", names[0])


def test_a_preset_is_told_with_what_its_paper_leaves_open(table, tmp_path, monkeypatch):
    from annotation.scoring.presets import PRESETS
    from workers.management.commands import train_scorer as command

    files = []
    for name in ("one", "two"):
        files.append(tmp_path / f"{name}.txt")
        files[-1].write_text(f"Cinq mots de {name} ici.\n\n", "utf-8")
    given = [part for file in files for part in ("--corpus", str(file))]
    said("train_scorer", "--csmd", str(table), "--preset", "meaningbert", "--queue", *given)
    run = TrainingRun.objects.get()
    assert (run.backend, run.preset, run.parameters["epochs"]) == (
        "transformer",
        "meaningbert",
        250,
    )
    from annotation.services.platform.stored_files import file_read

    stored = file_read(run.corpus_path, run.source["corpus_sha256"]).decode()
    assert stored == "Cinq mots de one ici.\n\f\nCinq mots de two ici.\n"
    preset = PRESETS["judgebert"]
    facts = {"name": preset.name, "source": preset.source, "open": {"en": preset.open.en}}
    lines = command._preset({**facts, "hold_out": None})
    assert "--corpus" in lines[1]
    assert "Mosbach" in lines[0]
    shares = {"pairs": 297, "identical": {"mean": 0.5}, "unrelated": {"mean": 0.25}}
    lines = command._preset({**facts, "hold_out": shares})
    assert "297 + 297 pairs: identical ≥ 99 % 0.500, unrelated ≤ 1 % 0.250" in lines[1]


def test_labels_that_are_not_their_own_ratings_are_found(table):
    published = json.loads(
        said("train_scorer", "--csmd", str(table), "--seeds", "42", "--label", "wrong", "--json")
    )
    repaired = json.loads(said("train_scorer", "--csmd", str(table), "--seeds", "42", "--json"))
    codes = [{finding["code"] for finding in report["audit"]} for report in (published, repaired)]
    assert "labels_not_own_aggregate" in codes[0]
    assert "labels_not_own_aggregate" not in codes[1]


@pytest.mark.parametrize(
    ("arguments", "said_so"),
    [
        ((), "one of the two"),
        (("nothing-1",), "There is no snapshot"),
        (("--csmd", "/nowhere"), "cannot be read"),
        (("--csmd", "TABLE", "--seeds", "5-1"), "seeds"),
        (("--csmd", "TABLE", "--label", "none"), "none"),
        (("--csmd", "TABLE", "--param", "epochs"), "NAME=VALUE"),
        (("--csmd", "TABLE", "--param", "foo=1"), r"no parameters \(given: foo\).*epochs"),
        (
            ("--csmd", "TABLE", "--backend", "transformer", "--param", "foo=1"),
            "foo.*unknown; there are encoder, epochs",
        ),
        (
            ("--csmd", "TABLE", "--backend", "transformer", "--param", "warmup=x"),
            "warmup.*a number",
        ),
    ],
)
def test_what_cannot_be_trained_on(table, arguments, said_so):
    given = [str(table) if argument == "TABLE" else argument for argument in arguments]
    with pytest.raises(CommandError, match=said_so):
        said("train_scorer", *given)
    assert not Scorer.objects.exists()
    assert not TrainingRun.objects.exists()


def test_without_torch_the_transformer_says_what_to_install(table, monkeypatch):
    monkeypatch.setattr("workers.scorers.backends.has_torch", lambda: False)
    with pytest.raises(CommandError, match="make ml"):
        said("train_scorer", "--csmd", str(table), "--backend", "transformer", "--seeds", "42")


def test_left_to_the_worker(table):
    run_id = said("train_scorer", "--csmd", str(table), "--queue").strip()
    run = TrainingRun.objects.get()
    assert (str(run.public_id), run.state) == (run_id, "queued")


def test_scoring_refuses_in_words(tmp_path):
    with pytest.raises(CommandError, match="none yet"):
        said("score", "--scorer", "9", str(tmp_path / "none.csv"))
    empty = tmp_path / "empty.csv"
    empty.write_text("original,simplification\n", encoding="utf-8")
    make_scorer()
    with pytest.raises(CommandError, match="holds no pair to score"):
        said("score", "--scorer", "v1", str(empty))
