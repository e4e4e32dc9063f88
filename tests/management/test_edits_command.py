"""``manage.py edits``: files in, counts and agreement out, and files again."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Assignment
from annotation.protocols.registry import protocol
from annotation.services.planning.assignments import assignments_fill
from tests.factories import make_annotator, make_pair, make_study
from tests.protocols.judged import answer, judged

CRP = "7\nThe cat sat .\nIt sat .\n8\na b\nb\n"


@pytest.fixture
def files(tmp_path):
    """What two people marked, YAWAT's way."""
    (tmp_path / "t.crp").write_text(CRP)
    (tmp_path / "ann.aln").write_text("7 0,1:0:synonym\n8 0::delmod\n")
    (tmp_path / "bob.aln").write_text("7 0,1:0:hyperonym\n8 0::deloth\n")
    return tmp_path


def output(*arguments: object, **options: object) -> str:
    out = StringIO()
    call_command("edits", *map(str, arguments), stdout=out, **options)
    return out.getvalue()


def two(files) -> list[object]:
    return [
        argument
        for name in ("ann", "bob")
        for argument in ("--yawat", name, files / f"{name}.aln", files / "t.crp")
    ]


def test_counts_and_agreement(files):
    shown = output(*two(files), "--draws", 100, "--group", "word=synonym,hyperonym")
    assert "all: 4 pairs (0 identical, 0 without an edit), 12 + 8 tokens, 4 edits" in shown
    assert "ann: 2 pairs" in shown
    assert "agreement on 2 pairs that two or more marked" in shown
    assert "95% intervals over source texts, 100 draws" in shown
    assert "original: 6 tokens of 2 pairs, label sets" in shown
    assert "1 × delmod of ann, deloth of bob" in shown
    assert "merged: hyperonym as word, synonym as word" in shown
    assert "word, 2 edits: F1 exact 1.0000" in shown
    report = json.loads(output(*two(files), "--json", "--merge", "deletions", "--seed", 7))
    assert (report["seed"], report["draws"], report["shared_pairs"]) == (7, 1000, 2)
    as_marked, merged = report["agreement"]
    assert as_marked["grouping"] == {}
    assert merged["grouping"]["delmod"] == "deletions"
    assert merged["edits"]["f1"]["exact"]["deletions"]["value"] == 1
    confused = as_marked["edits"]["couples"][0]["confused"]
    assert {"first": "delmod", "second": "deloth", "edits": 1, "pairs": ["8"]} in confused


def test_three_people_and_many_differences(files):
    rows = [
        {"pair": "p", "annotator": who, "type": f"{who}{n}", "original_tokens": [n]}
        for who in "abc"
        for n in range(20)
    ]
    texts = {"original": " ".join("abcdefghijklmnopqrst"), "simplification": "a"}
    table = files / "many.jsonl"
    table.write_text("\n".join(json.dumps(row | texts) for row in rows))
    shown = output(table, "--draws", 0)
    assert "kappa of a and b, 20 tokens of 1 pairs: " in shown
    assert "5 further differences in --json" in shown
    assert "undefined: All tokens that are compared bear the same" in shown
    assert "1 × a0 of a, b0 of b" in shown


def test_what_one_has_not_marked(files):
    (files / "bob.aln").write_text("7 0,1:0:synonym\n8\n")
    assert "1 × delmod of ann, no delmod of bob" in output(*two(files))


def test_one_annotator_has_nobody_to_agree_with(files):
    shown = output("--yawat", "ann", files / "ann.aln", files / "t.crp")
    assert "agreement: undefined: no pair was marked by two people or more." in shown


@pytest.mark.parametrize("name", ["all.jsonl", "all.tsv", "all.conll", "all.json", "all"])
def test_written_and_read_again(files, name):
    path = files / name
    shown = output(*two(files), "--write", path, "--json")
    assert output(path, "--json") == shown


def test_layouts_by_their_names(files):
    shown = output(*two(files), "--write", files / "out.txt", "--as", "columns", "--json")
    assert (files / "out.txt").read_text().startswith("# pair = 7\n# annotator = ann\n")
    assert output(files / "out.txt", "--from", "columns", "--json") == shown
    assert json.loads(output(files / "out.txt", "--from", "columns", "--json")) == json.loads(shown)


def test_a_folder_of_brat(files):
    folder = files / "brat"
    output(*two(files), "--write", folder)
    assert (folder / "ann" / "7.spaces.original.ann").read_text() == (
        "T1\tsynonym 0 7\tThe cat\nA1\tEdit T1 1\n"
    )
    assert "[attributes]" in (folder / "annotation.conf").read_text()
    (folder / "ann" / "7.spaces.original.ann").write_text("T1\tsynonym 0 7\tThe dog\n")
    with pytest.raises(CommandError, match=r"row 1, 7\.original\.ann T1: The text of the mark"):
        output(folder)


def test_a_folder_that_is_too_large(files, settings):
    output(*two(files), "--write", files / "brat")
    settings.UPLOAD_LIMIT_BYTES = 40
    with pytest.raises(CommandError, match="more than 100,000 files or 40 bytes"):
        output(files / "brat")


@pytest.mark.parametrize("kind", ["tsv", "jsonl"])
def test_consensus(files, kind):
    path = files / f"consensus.{kind}"
    shown = output(*two(files), "--write-consensus", path, "--draws", 0)
    assert "    consensus: 3 unanimous, 0 majority, 0 plurality, 3 tie" in shown
    lines = path.read_text().splitlines()
    if kind == "tsv":
        assert lines[0].split("\t")[-5:] == [
            "outcome",
            "operations",
            "tied",
            "label_sets",
            "marked",
        ]
        assert lines[1].split("\t")[:8] == [*"7", "original", *"003", "The", "2", "tie"]
        assert len(lines) == 11
    else:
        assert json.loads(lines[0])["tied"] == [["hyperonym"], ["synonym"]]
    output(*two(files), "--write-consensus", path, "--group", "word=synonym,hyperonym")
    assert "unanimous" in path.read_text().splitlines()[1]
    consensus = json.loads(output(*two(files), "--json"))["agreement"][0]["consensus"]
    assert consensus["original"] == {"unanimous": 3, "majority": 0, "plurality": 0, "tie": 3}


def test_confusions_with_the_pairs_behind_them(files):
    path = files / "confusions.tsv"
    output(*two(files), "--write-confusions", path, "--draws", 0, "--merge", "deletions")
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    assert rows[0][3:] == ["first_operation", "second_operation", "edits", "pairs"]
    assert ["no", "ann", "bob", "delmod", "deloth", "1", '"[""8""]"'] in rows
    assert ["yes", "ann", "bob", "deletions", "deletions", "1", '"[""8""]"'] in rows


def test_written_as_alignments(files):
    source = ["--yawat", "ann", files / "ann.aln", files / "t.crp"]
    output(*source, "--write", files / "out.aln", "--write-counts", files / "counts.tsv")
    assert (files / "out.aln").read_text() == (files / "ann.aln").read_text()
    assert (files / "out.crp").read_text() == CRP
    counts = (files / "counts.tsv").read_text().splitlines()
    assert counts[0].split("\t") == ["pair", "annotator", "edits", "delmod", "synonym"]
    assert counts[2].split("\t") == ["8", "ann", "1", "1", "0"]


def test_a_name_over_several_files(files):
    first_file = ["--yawat", "ann", files / "ann.aln", files / "t.crp"]
    two_of = [*first_file, "--yawat", "ann", files / "bob.aln", files / "t.crp"]
    assert "2 pairs that their annotator has a second time are not compared" in output(
        *two_of, "--write", files / "all.jsonl"
    )
    names = {json.loads(row)["pair"] for row in (files / "all.jsonl").read_text().splitlines()}
    assert names == {"ann/7", "ann/8", "bob/7", "bob/8"}


def test_pairs_without_an_operation(files):
    shown = output(*two(files), "--without", "delmod")
    assert "all: 3 pairs" in shown
    assert "agreement on 1 pairs" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Name a table of edits"),
        (["--yawat", "ann", "x.aln"], "write NAME ALN CRP"),
        (["TWO", "--draws", "-1"], "--draws takes 100–10000, or 0"),
        (["TWO", "--draws", "10001"], "--draws takes 100–10000, or 0"),
        (["TWO", "--seed", "-1"], "--seed a number from 0"),
        (["TWO", "--group", "words"], "write NAME=OPERATION"),
        (["TWO", "--group", "word=moved"], "nobody marked “moved”. Operations: delmod, deloth"),
        (["TWO", "--group", "a=delmod", "--group", "b=delmod"], "“delmod” stands in two groups"),
        (["TWO", "--group", "a=synonym", "--group", "a=delmod"], "“a” is asked for twice"),
        (["TWO", "--without", "err"], "--without: nobody marked “err”"),
        (["TWO", "--write", "x.csv"], "ends in .jsonl, .tsv, .aln, .conll, .json, or has no"),
        (["TWO", "--as", "thresh"], "--as says in which layout --write writes"),
        (["TWO", "--write", "DIR/t.crp/x", "--as", "brat"], "cannot be made: Not a directory"),
        (["TWO", "--write-consensus", "x.csv"], "--write-consensus x.csv: the name ends in"),
        (["TWO", "--write", "x.aln"], "an .aln holds one annotator's edits, these are of ann, bob"),
        (["TWO", "--write-counts", "DIR/none/x.tsv"], "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said(files, arguments, words):
    given = [
        part
        for argument in arguments
        for part in (two(files) if argument == "TWO" else [argument.replace("DIR", str(files))])
    ]
    with pytest.raises(CommandError) as refusal:
        output(*given)
    assert words in str(refusal.value)


def test_a_bad_file_is_named_row_by_row(files):
    (files / "ann.aln").write_text("7 9::delmod\n9\n" + "8 x\n" * 30)
    with pytest.raises(CommandError) as refusal:
        output(*two(files))
    said = str(refusal.value)
    assert "ann.aln: row 1, 9::delmod: “9”: these are no different tokens" in said
    assert "row 2, pair: There are no texts for the pair “9”" in said
    assert "32 problem(s); nothing was counted." in said
    assert len(said.splitlines()) == 21
    (files / "t.crp").write_text("7\n")
    with pytest.raises(CommandError, match="no multiple of 3"):
        output(*two(files))


def test_tokens_cut_by_words_are_no_alignment(files):
    row = {
        "pair": "1",
        "type": "x",
        "original_tokens": [0],
        "original": "L'un",
        "simplification": "u",
    }
    (files / "t.jsonl").write_text(json.dumps(row))
    with pytest.raises(CommandError, match=r"cannot be written as \.aln"):
        output(files / "t.jsonl", "--write", files / "x.aln")


@pytest.mark.django_db
class TestStudy:
    """What people marked in a study: the same figures as from the same edits in a file."""

    def test_edits_of_a_study(self, tmp_path):
        study = judged(protocol("assetann", "1")).study
        of_study = output("--study", study.key, "--draws", 100, "--write", tmp_path / "e.jsonl")
        names = sorted(study.annotators.values_list("pseudonym", flat=True))
        assert f"all: {2 * len(names)} pairs (0 identical, 0 without an edit)" in of_study
        assert all(f"{name}: 2 pairs" in of_study for name in names)
        assert "agreement on 2 pairs that two or more marked" in of_study
        assert output(tmp_path / "e.jsonl", "--draws", 100) == of_study
        first = json.loads((tmp_path / "e.jsonl").read_text(encoding="utf-8").splitlines()[0])
        assert first["original_spans"] == [[5, 7], [0, 2]]
        assert first["simplification_spans"] == [[2, 5]]
        practice = output("--study", study.key, "--round", "practice", "--draws", 0)
        assert f"all: {len(names)} pairs" in practice

    def test_who_marked_nothing_judged_the_pair(self):
        study = make_study("empty", protocol_key="assetann", protocol_version="1", state="main")
        pair = make_pair(study)
        for name in ("A", "B"):
            make_annotator(study, pseudonym=name)
        assignments_fill(actor=None, study=study)
        for row in Assignment.objects.filter(simplification=pair):
            answer(row, {"edits": []})
        shown = output("--study", study.key, "--draws", 0)
        assert "all: 2 pairs (0 identical, 2 without an edit)" in shown

    def test_passages_of_legal_errors(self):
        study = judged(protocol("legal_meaning", "1")).study
        assert "omission" in output("--study", study.key, "--draws", 0)

    @pytest.mark.parametrize(
        ("arguments", "why"),
        [
            (["--study", "none"], "none"),
            (["a.tsv", "--study", "walked"], "Name files or --study, not both"),
            (["--study", "walked", "--field", "meaning"], "that mark passages: none"),
            (["a.tsv", "--field", "edits"], "--field is of a study"),
            (["a.tsv", "--round", "main"], "--round is of a study"),
        ],
    )
    def test_what_cannot_be_asked(self, arguments, why):
        make_study("walked", protocol_key="jades", protocol_version="1")
        with pytest.raises(CommandError, match=why):
            output(*arguments)
