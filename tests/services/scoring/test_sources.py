"""Training data from a frozen snapshot and from published files; what is no data is refused by
name."""

from __future__ import annotations

import json

import pytest

from annotation.models import DatasetSnapshot, Rating, Simplification
from annotation.scoring.errors import ScoringError
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from annotation.services.scoring import sources as module
from annotation.services.scoring.sources import (
    CSMD_TARGET,
    corpus_parts,
    set_of_csmd,
    set_of_snapshot,
)
from tests.bulk import fill_study, pair_texts
from tests.factories import make_study, make_user


@pytest.fixture
def snapshot(db) -> DatasetSnapshot:
    lead = make_user("lead")
    study = make_study("etude", lead=lead, state="main")
    fill_study(study, pairs=4, annotators=3)
    return study_freeze(actor=lead, study=study, reason="for the test", recipe={"draws": 100})


def refused(call, *arguments) -> ScoringError:
    with pytest.raises(ScoringError) as error:
        call(*arguments)
    assert error.value.message.fr
    assert error.value.message.en
    return error.value


def test_a_snapshot_gives_every_labelled_pair_with_its_ratings(snapshot):
    training_set = set_of_snapshot(snapshot)
    assert (training_set.name, training_set.target, training_set.lowest, training_set.highest) == (
        "etude-1",
        "legal_meaning/legal_meaning",
        1,
        10,
    )
    assert {(pair.original, pair.simplification) for pair in training_set.pairs} == {
        pair_texts(n) for n in range(1, 5)
    }
    assert {len(pair.ratings) for pair in training_set.pairs} == {3}
    scores = Rating.objects.filter(dimension="legal_meaning").order_by("pk")
    total = sum(sum(pair.ratings.values()) for pair in training_set.pairs)
    assert total == sum(rating.value for rating in scores)
    assert training_set.bracket_tops == (1.0, 6.0)


@pytest.mark.parametrize(("stored", "language"), [("en", "en"), ("", "fr")])
def test_a_scorer_learns_the_language_of_the_study(db, stored, language):
    study = make_study("etude", state="main")
    fill_study(study, pairs=4, annotators=3)
    Simplification.objects.update(language=stored)
    snapshot = study_freeze(actor=None, study=study, reason="a test", recipe={"draws": 100})
    assert set_of_snapshot(snapshot).language == language


def test_files_that_changed_or_are_gone_are_named(snapshot):
    changed = snapshot_folder(snapshot) / "labels.jsonl"
    changed.chmod(0o600)
    changed.write_text(changed.read_text() + "\n")
    error = refused(set_of_snapshot, snapshot)
    assert error.code == "snapshot_damaged"
    assert "labels.jsonl" in error.message.en
    changed.parent.chmod(0o700)
    changed.unlink()
    assert refused(set_of_snapshot, snapshot).code == "snapshot_damaged"


def test_a_snapshot_of_another_protocol(snapshot):
    snapshot.protocol_key = "reading_ease"
    error = refused(set_of_snapshot, snapshot)
    assert error.code == "other_protocol"
    assert "reading_ease" in error.message.en
    snapshot.protocol_key = "operations"
    assert refused(set_of_snapshot, snapshot).code == "other_protocol", "known: nothing to predict"


def test_a_snapshot_without_labels(snapshot, monkeypatch):
    monkeypatch.setattr(module, "snapshot_damage", lambda _: [])
    labels = snapshot_folder(snapshot) / "labels.jsonl"
    labels.chmod(0o600)
    rows = [json.loads(line) | {"value": None} for line in labels.read_text().splitlines()]
    labels.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert refused(set_of_snapshot, snapshot).code == "no_labels"


HEADER = "original\tsimplification\tlabel\tcampaign\tlabel_own_mean\n"
ROW = "The insurer pays.\tHe pays.\t50\tone\t60\n"


def test_a_file_of_pairs_of_meaningbert(tmp_path):
    file = tmp_path / "repaired.tsv"
    file.write_text(HEADER + ROW)
    training_set = set_of_csmd(file)
    (pair,) = training_set.pairs
    assert (
        training_set.target,
        training_set.language,
        training_set.lowest,
        training_set.highest,
    ) == (
        CSMD_TARGET,
        "en",
        0,
        100,
    )
    assert (pair.key, pair.label, pair.ratings, pair.system) == (
        "repaired-00001",
        60.0,
        {"own-mean": 60.0},
        "one",
    )
    (pair,) = set_of_csmd(file, "label").pairs
    assert (pair.label, pair.ratings) == (50.0, {"own-mean": 60.0}), "the audit compares the two"
    assert set_of_csmd(file, "label").name == "repaired.tsv:label"


def test_a_folder_as_released(tmp_path):
    inner = tmp_path / "meaning"
    inner.mkdir()
    for name in ("train", "test"):
        (inner / f"{name}.tsv").write_text("original\tsimplification\tlabel\nA b.\tA.\t10\n")
    keys = [pair.key for pair in set_of_csmd(tmp_path).pairs]
    assert keys == ["test-00001", "train-00002"]
    assert [pair.key for pair in set_of_csmd(inner).pairs] == keys


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "no_labels"),
        (HEADER.encode(), "no_labels"),
        (b"original\tsimplification\nA\tB\n", "data_unreadable"),
        (b"original\tsimplification\tlabel\nA\tB\thigh\n", "data_unreadable"),
        (b"original\tsimplification\tlabel\nA\tB\n", "data_unreadable"),
        (b"original\tsimplification\tlabel\n\xff\tB\t1\n", "data_unreadable"),
    ],
)
def test_files_that_are_none(tmp_path, content, code):
    file = tmp_path / "a.tsv"
    file.write_bytes(content)
    assert refused(set_of_csmd, file).code == code


def test_a_column_that_is_not_there_is_named_beside_those_that_are(tmp_path):
    file = tmp_path / "a.tsv"
    file.write_text(HEADER + ROW)
    said = refused(set_of_csmd, file, "zzz").message.en
    assert said.startswith("a.tsv has no column zzz. Its columns: original, simplification, label")


def test_every_row_that_is_no_pair_is_named_with_what_is_wrong(tmp_path):
    file = tmp_path / "bad.tsv"
    rows = ["A b.\tA.\t50"] * 10
    rows[5], rows[9] = "A b.\tA.\tabc", " \tA.\t50"
    file.write_text("\n".join(["original\tsimplification\tlabel", *rows, "A b.\tA.\t101"]))
    assert refused(set_of_csmd, file).message.en.splitlines() == [
        "bad.tsv, row 6: label: “abc” is no number from 0 to 100.",
        "bad.tsv, row 10: original is empty.",
        "bad.tsv, row 11: label: “101” is no number from 0 to 100.",
        "Mend these rows, or leave them out. Nothing was taken.",
    ]
    file.write_text("\n".join(["original\tsimplification\tlabel", *["A b.\tA.\t-"] * 30]))
    said = refused(set_of_csmd, file).message.en.splitlines()
    assert (len(said), said[20]) == (22, "… and 10 more rows.")


def test_places_where_there_is_nothing(tmp_path):
    assert refused(set_of_csmd, tmp_path / "none.tsv").code == "data_unreadable"
    assert refused(set_of_csmd, tmp_path).code == "data_unreadable"


def test_a_second_corpus():
    content = "\ufeffTitre\nLe preneur paie la prime sans délai.\n\n".encode()
    assert corpus_parts(content) == [["Le preneur paie la prime sans délai."]]
    for bad in (b"", b"Titre\n", b"\xff\xff"):
        assert refused(corpus_parts, bad).code == "data_unreadable"


def test_the_scale_of_a_study_or_that_there_is_none():
    from types import SimpleNamespace

    from annotation.protocols.registry import protocol
    from annotation.services.scoring.sources import study_scale

    study = SimpleNamespace(protocol=protocol("legal_meaning", "1"))
    assert study_scale(study) == (1.0, 10.0, (1.0, 6.0))
    with pytest.raises(ScoringError) as refusal:
        study_scale(SimpleNamespace(protocol=SimpleNamespace(predicted="")))
    assert refusal.value.code == "other_protocol"
