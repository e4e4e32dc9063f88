"""What leaves a study: every field, the right rows, nobody's name, the same memory for any size."""

from __future__ import annotations

import csv
import gc
import io
import json
import re
import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from annotation.cells import as_typed, neutralised
from annotation.corpus.frjudge import read_frjudge
from annotation.errors import RuleError
from annotation.models import Annotator, Assignment, Judgment, Study
from annotation.protocols.base import Wording
from annotation.protocols.columns import Column, column
from annotation.protocols.legal_meaning.rules import PROTOCOL
from annotation.protocols.registry import PROTOCOLS
from annotation.selectors.publishing.exports import (
    FORMATS,
    LAYOUTS,
    export_chunks,
    export_spec,
    layouts_of,
)
from annotation.services.guides.guides import guide_acknowledge
from annotation.services.items.frjudge import frjudge_import
from annotation.services.judging.judgments import judgment_submit
from annotation.services.planning.assignments import assignments_fill
from annotation.services.studies.studies import guide_publish
from annotation.workbooks import WorkbookLimit
from tests.bulk import fill_study
from tests.factories import make_annotator, make_pair, make_study, make_user, save

RELEASED = Path(__file__).resolve().parents[4] / "shared" / "data" / "frjudge" / "FrJUDGE.jsonl"


def released(*originals: str) -> bytes:
    """A file as FrJUDGE was released, with one judgment of each of these texts."""
    lines = [
        {
            "original": text,
            "simplification": "S",
            "simplicity": "Plus difficile à lire",
            "justifications": f"n{n}",
        }
        | {"qualification": str(n), "legal_meaning": str(n)}
        for n, text in enumerate(originals, start=1)
    ]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def in_sheet(study: Study, layout: str, **options: Any) -> list[list[Any]]:
    """The values of the workbook's cells."""
    chunks = export_chunks(study, export_spec(layout, "xlsx", options))
    content = b"".join(chunk.content for chunk in chunks)
    sheet = load_workbook(io.BytesIO(content)).active
    return [list(row) for row in sheet.iter_rows(values_only=True)]


def exported(study: Study, layout: str, format: str = "", **options: Any) -> str:
    if format == "xlsx":
        return "\n".join(str(row) for row in in_sheet(study, layout, **options))
    return "".join(
        chunk.text for chunk in export_chunks(study, export_spec(layout, format, options))
    )


def rows(study: Study, layout: str, **options: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in exported(study, layout, "jsonl", **options).splitlines()]


def table(text: str, delimiter: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))


def submit(assignment: Assignment, **answers: Any) -> None:
    judgment_submit(
        actor=assignment.annotator.user,
        assignment=assignment,
        save=save(active_seconds=70, **answers),
    )


@pytest.fixture
def judged(db: None) -> Study:
    """Two main pairs and one of practice; A has judged everything, B the first main pair only."""
    study = make_study("etude", state="practice")
    make_pair(study, round="practice")
    first = make_pair(study, system="un", position=1, text="L'assureur paie. Avisez-le 😀 vite.")
    make_pair(study, system="un", position=1, original="=SOMME(A1)", text="@vite\nfait")
    anne = make_annotator(study, make_user("anne", email="anne@example.org"))
    brice = make_annotator(study, make_user("brice"))
    guide_publish(actor=None, study=study, body_fr="Lisez.")
    for annotator in (anne, brice):
        guide_acknowledge(annotator=annotator, number=1)
    assignments_fill(actor=None, study=study)
    of_anne = Assignment.objects.filter(annotator=anne).order_by("position")
    for assignment in of_anne.filter(simplification__item__round="practice"):
        submit(assignment)
    Study.objects.filter(pk=study.pk).update(state="main")
    errors = [
        {
            "type": "confusion",
            "note": '-1 «point», "dit-on"',
            "simplification_start": 29,
            "simplification_end": 33,
        },
        {"type": "omission", "note": ""},
    ]
    for assignment in of_anne.filter(simplification__item__round="main"):
        chosen = errors if assignment.simplification_id == first.pk else []
        submit(
            assignment,
            errors=chosen,
            comment="+1, bien",
            doubt=True,
            characterization=18,
            explanation="Hors, sujet",
        )
    submit(Assignment.objects.get(annotator=brice, simplification=first), bracket=2, simplicity=2)
    return Study.objects.get(pk=study.pk)


class TestLong:
    def test_every_field_of_a_judgment(self, judged):
        first = rows(judged, "long")[0]
        assert first.pop("original").startswith("L'assureur rembourse")
        assert (
            len(first.pop("started_at"))
            == len(first.pop("submitted_at"))
            == len("2025-03-31T14:05:09Z")
        )
        assert first == {
            "study": "etude",
            "protocol": "legal_meaning",
            "protocol_version": "1",
            "item_key": "item-0002",
            "item_position": 2,
            "simplification_key": "item-0002/1",
            "simplification_position": 1,
            "split": "main",
            "source": "",
            "system": "un",
            "simplification": "L'assureur paie. Avisez-le 😀 vite.",
            "context_before": "",
            "context_after": "",
            "language": "",
            "identical": False,
            "annotator": "A",
            "annotator_kind": "person",
            "annotator_withdrawn": False,
            "simplicity": 1,
            "simplicity_key": "simpler",
            "simplicity_fr": "Plus simple à lire",
            "simplicity_en": "Simpler to read",
            "simplicity_confirmed": False,
            "characterization": 18,
            "characterization_key": "others",
            "characterization_fr": "Autres",
            "characterization_en": "Others",
            "explanation": "Hors, sujet",
            "bracket": 3,
            "bracket_key": "accurate",
            "bracket_fr": "Semble précise",
            "bracket_en": "Seems accurate",
            "deductions": 2,
            "legal_meaning": 8,
            "legal_meaning_derivation": "derived",
            "crossing_policy": "ask",
            "crossing_answer": None,
            "moved_from": None,
            "errors_hallucination": 0,
            "errors_omission": 1,
            "errors_incoherence": 0,
            "errors_confusion": 1,
            "errors": [
                {
                    "ordinal": 1,
                    "type": "confusion",
                    "note": '-1 «point», "dit-on"',
                    "original_start": None,
                    "original_end": None,
                    "simplification_start": 29,
                    "simplification_end": 33,
                },
                {
                    "ordinal": 2,
                    "type": "omission",
                    "note": "",
                    "original_start": None,
                    "original_end": None,
                    "simplification_start": None,
                    "simplification_end": None,
                },
            ],
            "comment": "+1, bien",
            "doubt": True,
            "origin": "person",
            "revision": 1,
            "guide_version": 1,
            "active_seconds": 70,
            "imported_row": None,
            "context_shown": False,
            "renderings_used_at": None,
            "glossary_used_at": None,
        }

    def test_rows_are_in_the_study_s_order_then_the_annotators(self, judged):
        assert [(row["item_key"], row["annotator"]) for row in rows(judged, "long")] == [
            ("item-0002", "A"),
            ("item-0002", "B"),
            ("item-0003", "A"),
        ]

    def test_ten_follows_nine(self, db):
        study = make_study(state="main")
        fill_study(study, pairs=1, annotators=11)
        assert [row["annotator"] for row in rows(study, "long")] == [
            f"R{number}" for number in range(1, 12)
        ]

    def test_csv_and_jsonl_say_the_same(self, judged):
        spoken = {None: "", True: "true", False: "false"}
        for line, cells in zip(
            rows(judged, "long"), table(exported(judged, "long", "csv")), strict=True
        ):
            errors = json.loads(cells.pop("errors"))
            assert errors == line.pop("errors")
            assert {name: cell.removeprefix("'") for name, cell in cells.items()} == {
                name: spoken.get(value, str(value))
                if not isinstance(value, int) or isinstance(value, bool)
                else str(value)
                for name, value in line.items()
            }

    def test_tsv_has_the_same_table(self, judged):
        assert table(exported(judged, "long", "tsv"), "\t") == table(
            exported(judged, "long", "csv")
        )

    def test_a_draft_is_no_judgment(self, judged):
        Judgment.objects.filter(assignment__annotator__pseudonym="B").update(submitted_at=None)
        assert {row["annotator"] for row in rows(judged, "long")} == {"A"}

    def test_several_systems_of_an_item_stay_apart(self, db):
        study = make_study(state="main")
        first = make_pair(study, system="un", position=1)
        first.item.simplifications.create(system="deux", text="Autre.", position=2)
        make_annotator(study)
        assignments_fill(actor=None, study=study)
        for assignment in Assignment.objects.filter(annotator__study=study):
            submit(assignment)
        assert [(row["simplification_key"], row["system"]) for row in rows(study, "long")] == [
            ("item-0001/1", "un"),
            ("item-0001/2", "deux"),
        ]


class TestOptions:
    def test_practice_is_kept_apart(self, judged):
        assert {row["split"] for row in rows(judged, "long")} == {"main"}
        assert [row["split"] for row in rows(judged, "long", round="practice")] == ["practice"]
        assert [row["split"] for row in rows(judged, "long", round="all")] == [
            "practice",
            "main",
            "main",
            "main",
        ]

    @pytest.mark.parametrize("layout", ["long", "wide", "errors"])
    def test_systems_can_be_left_out(self, judged, layout):
        assert '"system"' in exported(judged, layout, "jsonl")
        assert '"system"' not in exported(judged, layout, "jsonl", systems=False)

    def test_times_can_be_days(self, judged):
        row = rows(judged, "long", coarse_times=True)[0]
        assert len(row["started_at"]) == len(row["submitted_at"]) == len("2025-03-31")

    @pytest.mark.parametrize("layout", ["frjudge", "long", "wide", "errors"])
    def test_who_withdrew_stays_unless_left_out(self, judged, layout):
        before = exported(judged, layout, "jsonl")
        Annotator.objects.filter(pseudonym="B").update(withdrawn_at=timezone.now())
        after = exported(judged, layout, "jsonl")
        assert (
            after.replace('"annotator_withdrawn": true', '"annotator_withdrawn": false') == before
        )
        Annotator.objects.update(withdrawn_at=timezone.now())
        left = rows(judged, layout, withdrawn=False)
        assert [row for row in left if row.get("judgments") != 0] == []

    def test_a_mark_for_excel_in_tables_only(self, judged):
        assert exported(judged, "long", "csv", bom=True).startswith("\ufeffstudy,")
        assert exported(judged, "long", "tsv", bom=True).startswith("\ufeffstudy\t")
        assert exported(judged, "long", "csv").startswith("study,")
        assert exported(judged, "long", "jsonl", bom=True).startswith("{")

    def test_what_cannot_be_asked_for_is_named(self):
        for wrong, field in (
            (("square", ""), "layout"),
            (("frjudge", "csv"), "format"),
            (("long", "json"), "format"),
            (("long", "", {"round": "both"}), "round"),
        ):
            with pytest.raises(RuleError) as refusal:
                export_spec(*wrong)
            assert refusal.value.problems[0].field == field
        with pytest.raises(TypeError, match="names"):
            export_spec("long", "csv", {"names": True})

    def test_a_request_survives_its_job(self):
        spec = export_spec("long", "tsv", {"round": "all", "bom": True})
        assert export_spec(**json.loads(json.dumps(spec.parameters()))) == spec


class TestWide:
    def test_judges_stand_side_by_side(self, judged):
        first, second = rows(judged, "wide")
        assert first["judgments"] == 2
        assert (first["legal_meaning_A"], first["legal_meaning_B"]) == (8, 5)
        assert (first["bracket_A"], first["bracket_B"]) == (3, 2)
        assert (first["deductions_A"], first["simplicity_B"], first["characterization_A"]) == (
            2,
            2,
            18,
        )
        assert second["judgments"] == 1
        assert second["legal_meaning_B"] is None

    def test_dimension_by_dimension_in_the_annotators_order(self, judged):
        header = exported(judged, "wide", "csv").splitlines()[0].split(",")
        assert header[header.index("judgments") + 1 :] == [
            f"{name}_{who}"
            for name in ("simplicity", "characterization", "bracket", "deductions", "legal_meaning")
            for who in "AB"
        ]

    def test_what_nobody_judged_is_there_too(self, judged):
        make_pair(judged)
        assert [row["judgments"] for row in rows(judged, "wide")] == [2, 1, 0]


class TestErrors:
    def test_one_row_per_error_with_the_marked_words(self, judged):
        first, second, third = rows(judged, "errors")
        assert (first["annotator"], first["ordinal"], first["type"], first["type_en"]) == (
            "A",
            1,
            "confusion",
            "Confusion",
        )
        # A code point each: the emoji before the passage counts as one.
        assert (first["simplification_start"], first["simplification_passage"]) == (29, "vite")
        assert (first["original_start"], first["original_passage"]) == (None, None)
        assert (first["legal_meaning"], first["bracket"], first["guide_version"]) == (8, 3, 1)
        assert (second["ordinal"], second["type"]) == (2, "omission")
        assert (third["annotator"], third["original_passage"]) == ("B", "L'assureur")


class TestFrJudge:
    def test_what_was_judged_here_follows_pair_by_pair(self, judged):
        first, second, third = rows(judged, "frjudge")
        assert list(first) == [
            "original",
            "simplification",
            "simplicity",
            "qualification",
            "legal_meaning",
            "justifications",
        ]
        assert first["simplicity"] == "Plus simple à lire"
        assert (first["qualification"], first["legal_meaning"], first["justifications"]) == (
            "18",
            "8",
            "+1, bien",
        )
        assert (second["simplicity"], second["legal_meaning"]) == ("Aussi simple à lire", "5")
        assert third["original"] == "=SOMME(A1)"

    def test_imported_rows_keep_the_order_of_their_file(self, judged):
        file = released("Un.", "Deux.", "Un.", "Deux.")
        frjudge_import(actor=None, study=judged, released=read_frjudge(file))
        assert [row["justifications"] for row in rows(judged, "frjudge")][:4] == [
            "n1",
            "n2",
            "n3",
            "n4",
        ]
        assert len(rows(judged, "frjudge")) == 7

    @pytest.mark.skipif(not RELEASED.exists(), reason="the released file is not on this machine")
    def test_the_released_file_comes_back_byte_for_byte(self, db, tmp_path):
        call_command("import_frjudge", str(RELEASED), study="frjudge", verbosity=0)
        out = tmp_path / "out.jsonl"
        call_command("export_study", "frjudge", layout="frjudge", format="jsonl", output=str(out))
        assert out.read_bytes() == RELEASED.read_bytes()

    @pytest.mark.skipif(not RELEASED.exists(), reason="the released file is not on this machine")
    def test_imported_judgments_know_a_score_and_nothing_more(self, db):
        study = make_study()
        frjudge_import(actor=None, study=study, released=read_frjudge(RELEASED.read_bytes()))
        long_rows = rows(study, "long")
        assert len(long_rows) == 1485
        assert {row["annotator"] for row in long_rows} == {"J1", "J2", "J3", "J4", "J5"}
        for name in (
            "bracket",
            "deductions",
            "errors",
            "errors_omission",
            "started_at",
            "submitted_at",
            "doubt",
        ):
            assert {row[name] for row in long_rows} == {None}, name
        assert {row["legal_meaning_derivation"] for row in long_rows} == {"imported"}
        assert exported(study, "errors", "jsonl") == ""


class TestCodebook:
    def test_every_column_of_every_layout_is_described(self, judged):
        document = json.loads(exported(judged, "codebook"))
        for layout in ("frjudge", "long", "wide", "errors"):
            described = document["layouts"][layout]["columns"]
            assert [c["name"] for c in described] == list(rows(judged, layout)[0])
            for c in described:
                assert c["description"]["fr"].strip(), c
                assert c["description"]["en"].strip(), c

    def test_every_value_that_occurs_is_listed(self, judged):
        document = json.loads(exported(judged, "codebook"))
        for layout in ("long", "wide", "errors"):
            allowed = {
                c["name"]: {value["value"] for value in c["values"]}
                for c in document["layouts"][layout]["columns"]
                if "values" in c
            }
            assert len(allowed) > 3
            for row in rows(judged, layout, round="all"):
                for name, values in allowed.items():
                    assert row[name] is None or row[name] in values, (layout, name)

    def test_questions_guide_and_rules_stand_in_it(self, judged):
        document = json.loads(exported(judged, "codebook"))
        assert (
            document["protocol"]["questions"][1]["fr"]
            == "Selon vous, quelle est la qualification du texte?"
        )
        fields = {
            field["name"]: field
            for step in document["protocol"]["questions"]
            for field in step["fields"]
        }
        # A reader can tell "not asked" from "not answered".
        assert fields["characterization"]["required"]
        conditions = [field for field in fields.values() if field["shown_when"]]
        assert [field["shown_when"] for field in conditions] == [
            {"field": "characterization", "values": [18]}
        ]
        assert [guide["number"] for guide in document["guide_versions"]] == [1]
        assert "apostrophe" in document["notes"][1]["en"]

    def test_as_a_table(self, judged):
        codebook = table(exported(judged, "codebook", "csv"))
        classes = [
            row
            for row in codebook
            if row["layout"] == "long" and row["column"] == "characterization"
        ]
        assert [row["value"] for row in classes] == [str(number) for number in range(1, 19)]
        assert classes[17]["value_fr"] == "Autres"
        assert len(rows(judged, "codebook")) == len(codebook)


class TestNobodysName:
    @pytest.mark.parametrize("layout", list(layouts_of(PROTOCOL)))
    @pytest.mark.parametrize(
        "options", [{}, {"round": "all", "systems": False, "coarse_times": True}]
    )
    def test_in_no_layout_and_no_format(self, judged, layout, options):
        for format in LAYOUTS[layout].formats:
            whole = exported(judged, layout, format, **options).lower()
            assert "anne@" not in whole
            assert "example.org" not in whole
            assert "brice" not in whole

    def test_but_what_was_typed_stands_as_it_is_and_the_codebook_says_so(self, judged):
        typed = "Anne a raison; anne@example.org"
        unjudged = Assignment.objects.get(
            annotator__pseudonym="B", simplification__text="@vite\nfait"
        )
        submit(unjudged, comment=typed)
        assert typed in [row["comment"] for row in rows(judged, "long")]
        note = json.loads(exported(judged, "codebook"))["notes"][0]
        assert "may hold names or addresses" in note["en"]
        assert "peut contenir des noms ou des adresses" in note["fr"]
        assert "no export" not in note["en"]

    def test_only_one_module_reads_annotators(self):
        folder = (
            Path(__file__).resolve().parents[3]
            / "annotation"
            / "selectors"
            / "publishing"
            / "exports"
        )
        for path in folder.glob("*.py"):
            source = path.read_text(encoding="utf-8")
            assert "Annotator.objects" not in source, path.name
            assert "User" not in source, path.name
            assert "annotator__" not in source.replace("assignment__annotator__in", ""), path.name


class TestSpreadsheets:
    def test_a_formula_is_shown_never_run(self, judged):
        for format, delimiter in (("csv", ","), ("tsv", "\t")):
            row = table(exported(judged, "long", format), delimiter)[2]
            assert row["original"] == "'=SOMME(A1)"
            assert row["simplification"] == "'@vite\nfait"
            assert row["comment"] == "'+1, bien"
        notes = [row["note"] for row in table(exported(judged, "errors", "csv"))]
        assert notes[0] == '\'-1 «point», "dit-on"'

    def test_jsonl_is_never_altered(self, judged):
        assert rows(judged, "long")[2]["original"] == "=SOMME(A1)"

    @pytest.mark.parametrize(
        "text",
        ["=1", "+1", "-1", "@a", "\t-1", "\r1", "\n1", " =1", "'=1", "''=1", "＝1", "\u00a0@a"],
    )
    def test_what_starts_like_a_formula(self, text):
        assert neutralised(text) == f"'{text}"

    @pytest.mark.parametrize(
        ("text", "held"),
        [
            ("ok;=cmd|'/C calc'!A0;fin", "ok;'=cmd|'/C calc'!A0;fin"),
            ('a,  "-WEBSERVICE (B1)', "a,  \"'-WEBSERVICE (B1)"),
            ("a\t'@SUM(A1)", "a\t''@SUM(A1)"),
            ("a\n+cmd|' /C calc'!A0", "a\n'+cmd|' /C calc'!A0"),
            ("a;-'\\\\srv\\x.xls'!A1", "a;'-'\\\\srv\\x.xls'!A1"),
            ("a;-'file:///etc/passwd'#$x.A1", "a;'-'file:///etc/passwd'#$x.A1"),
            ("\t=1", "'\t'=1"),
        ],
    )
    def test_what_would_start_like_one_under_another_separator(self, text, held):
        assert neutralised(text) == held

    @pytest.mark.parametrize(
        "text",
        [
            "a; -5 %",
            "soit :\n- le loyer ;\n- l'assurance (article 4) ;\n- les charges (annexe).",
            "3, -2, +1",
            "à l'adresse a@b.ca, @midi !",
            "a = b; c (d)",
            "- a; b",
        ],
    )
    def test_honest_places_are_left(self, text):
        assert neutralised(text) in (text, f"'{text}")

    @pytest.mark.parametrize(
        "text", ["", "a", "1-2", "'tis", "«=»", "(=1)", "– tiret", "L'assureur"]
    )
    def test_what_does_not(self, text):
        assert neutralised(text) == text

    @given(st.text(max_size=12, alphabet=st.sampled_from("=+-@'\t\r\n ,;\"aé1＝\ufeff")))
    def test_taking_the_apostrophes_away_gives_the_text_back(self, text):
        shown = neutralised(text)
        assert shown.lstrip(" \t\r\n\ufeff\u00a0")[:1] not in ("=", "+", "-", "@", "＝")
        assert shown[:1] not in ("\t", "\r", "\n")
        assert as_typed(shown) == text

    @given(
        st.lists(
            st.text(max_size=10, alphabet=st.sampled_from("=-'\t\r\n ,;\"a(|\ufeff")),
            min_size=1,
            max_size=3,
        )
    )
    def test_no_reader_finds_a_cell_that_starts_a_formula(self, texts):
        """Whatever it parts cells by: Python's own, as lenient with quotation marks as Excel."""
        runs = re.compile(r"-.*(a\(|\|)|-\s*a+\s+\(", re.DOTALL)
        columns = [column(f"c{number}", "text", "", "") for number in range(len(texts))]
        for form in (FORMATS["csv"], FORMATS["tsv"], FORMATS["csv-fr"]):
            line = form.row([form.part(columns)(texts)]).decode()
            for delimiter in ",;\t":
                for cells in csv.reader(io.StringIO(line * 2, newline=""), delimiter=delimiter):
                    starts = [cell.strip("\ufeff \t\r\n") for cell in cells]
                    assert not [cell for cell in starts if cell[:1] == "="], (line, delimiter)
                    # A sign that calls what stands in the next column is left: see ``cells.py``.
                    alone = starts if len(texts) == 1 else []
                    calls = [cell for cell in alone if runs.match(cell)]
                    assert not calls, (line, delimiter)

    def test_json_says_the_same(self):
        typed = {"a;=cmd|'/C calc'!A0": ["=b(c)", "x,@SUM(A1)", -5, "a; -5 %"], "b": -1}
        plain = json.dumps(typed, ensure_ascii=False, separators=(",", ":"))
        for form, delimiter in ((FORMATS["csv"], ","), (FORMATS["csv-fr"], ";")):
            line = form.row([form.part([column("c", "json", "", "")])([plain])]).decode()
            [[cell]] = csv.reader(io.StringIO(line, newline=""), delimiter=delimiter)
            assert json.loads(cell) == typed
            assert as_typed(cell) == cell
            assert (";=" in cell, ',"=' in cell, ",@" in cell, "; -5 %" in cell) == (
                *(False, False, False),
                True,
            )
        form = FORMATS["jsonl"]
        line = form.row([form.part([column("c", "json", "", "")])([plain])]).decode()
        assert plain in line, "as it is"

    @given(
        st.lists(
            st.text(max_size=8, alphabet=st.sampled_from("\",;\t\r\n aé'")), min_size=2, max_size=4
        )
    )
    def test_any_reader_of_rfc_4180_gets_the_cells_back(self, texts):
        columns = [column(f"c{number}", "text", "", "") for number in range(len(texts))]
        for form, delimiter in ((FORMATS["csv"], ","), (FORMATS["tsv"], "\t")):
            line = form.row([form.part(columns)(texts)]).decode()
            assert line.endswith("\r\n")
            (cells,) = csv.reader(io.StringIO(line, newline=""), delimiter=delimiter, strict=True)
            assert cells == [neutralised(text) for text in texts]


class TestSize:
    @pytest.mark.parametrize("layout", ["frjudge", "long", "wide", "errors"])
    def test_queries_depend_on_batches_not_on_rows(self, db, layout, monkeypatch):
        small, large = make_study(state="main"), make_study(state="main")
        fill_study(small, pairs=3, annotators=2)
        fill_study(large, pairs=60, annotators=2)
        for study in (small, large):
            with CaptureQueriesContext(connection) as queries:
                exported(study, layout, "jsonl")
            assert len(queries) <= 11, [query["sql"][:90] for query in queries]

    @pytest.mark.parametrize("layout", ["frjudge", "long", "wide", "errors"])
    def test_batches_change_nothing(self, db, layout, monkeypatch):
        study = make_study(state="main")
        fill_study(study, pairs=23, annotators=3)
        whole = exported(study, layout, "jsonl")
        monkeypatch.setattr("annotation.selectors.publishing.exports.source.BATCH", 7)
        assert exported(study, layout, "jsonl") == whole
        assert whole.count("\n") == {"wide": 23, "errors": sum(map(_errors, range(69)))}.get(
            layout, 69
        )

    def test_memory_is_the_same_for_five_times_the_judgments(self, db, monkeypatch):
        # Small batches, so that few rows make many: three of them and fifteen.
        monkeypatch.setattr("annotation.selectors.publishing.exports.source.BATCH", 400)
        small, large = make_study(state="main"), make_study(state="main")
        fill_study(small, pairs=240, annotators=5)
        fill_study(large, pairs=1200, annotators=5)
        for layout in ("frjudge", "long", "wide", "errors"):
            peaks = peak(small, layout), peak(large, layout)
            assert peaks[1] < peaks[0] * 1.1, (layout, peaks)


def _errors(number: int) -> int:
    return (0, 0, 1, 0, 2, 5)[number % 6]


def peak(study: Study, layout: str) -> int:
    """Most bytes held at once while the file is made and its pieces are let go."""
    spec = export_spec(layout, "jsonl")
    gc.collect()
    # As in a real process: tests/conftest.py looks for garbage seldom.
    seldom = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    tracemalloc.start()
    try:
        for _chunk in export_chunks(study, spec):
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.set_threshold(*seldom)


def test_a_spreadsheet_in_french_opens_it_by_a_double_click(judged):
    """Semicolons, decimal commas, and the mark without being asked: the same cells otherwise."""
    content = exported(judged, "long", "csv-fr")
    assert content.startswith("\ufeffstudy;")
    plain = table(exported(judged, "long", "csv"))
    french = table(content.removeprefix("\ufeff"), ";")
    assert len(french) == len(plain)
    for french_row, plain_row in zip(french, plain, strict=True):
        assert {name: cell.replace(",", ".") for name, cell in french_row.items()} == {
            name: cell.replace(",", ".") for name, cell in plain_row.items()
        }
    assert FORMATS["csv-fr"].extension == "csv"
    number = FORMATS["csv-fr"].part([Column("x", "number", Wording("x", "x"))])
    assert number(["3.25"]) == b"3,25"
    assert number([None]) == b""


class TestWorkbook:
    @pytest.mark.parametrize("layout", ["long", "wide", "errors", "codebook"])
    def test_it_has_the_rows_and_columns_of_the_csv(self, judged, layout):
        header, *cells = in_sheet(judged, layout)
        plain = list(csv.reader(io.StringIO(exported(judged, layout, "csv"), newline="")))
        assert header == plain[0]
        assert len(cells) == len(plain) - 1 > 0
        for row, wanted in zip(cells, plain[1:], strict=True):
            for cell, text in zip(row, wanted, strict=True):
                assert as_in_csv(cell, text), (cell, text)

    def test_texts_are_texts_and_numbers_are_numbers(self, judged):
        rows: dict[type, set[type]] = {str: set(), int: set()}
        header, *cells = in_sheet(judged, "long")
        for row in cells:
            by_column = dict(zip(header, row, strict=True))
            rows[str].add(type(by_column["item_key"]))
            rows[int].add(type(by_column["item_position"]))
        assert rows == {str: {str}, int: {int}}

    def test_a_study_without_a_judgment_has_its_header(self, db):
        study = make_study(state="main")
        [header] = in_sheet(study, "long")
        assert header == exported(study, "long", "csv").strip().split(",")

    def test_more_rows_than_a_sheet_holds_are_refused_before_any_is_read(self, judged, monkeypatch):
        monkeypatch.setattr("annotation.selectors.publishing.exports.workbook.MOST_ROWS", 2)
        with pytest.raises(WorkbookLimit, match="too_many_rows"):
            in_sheet(judged, "long")


def as_in_csv(cell: Any, text: str) -> bool:
    """Whether a cell of a workbook says what the text of a CSV does."""
    if cell is None or isinstance(cell, bool):
        return text == ("" if cell is None else str(cell).lower())
    if isinstance(cell, int | float):
        return float(text) == pytest.approx(cell)
    if text[:1] in "[{" and text:
        return json.loads(text) == json.loads(cell)
    return text.removeprefix("'").replace("\r\n", "\n") == cell.removeprefix("'")


MARKING: Any = SimpleNamespace(marks_are_errors=False, marked=(SimpleNamespace(counted=""),))
"""What marks something, but neither errors nor edits."""


@pytest.mark.parametrize(
    ("protocol", "title"),
    [
        (PROTOCOL, Wording("Erreurs", "Errors")),
        (PROTOCOLS["assetann", "1"], Wording("Opérations", "Edits")),
        (MARKING, Wording("Marques", "Marks")),
    ],
)
def test_rows_of_marks_are_called_by_what_they_hold(protocol, title):
    assert LAYOUTS["errors"].title_for(protocol) == title
