"""JADES's released scores: in, on the page on agreement, and out again as they were."""

from __future__ import annotations

import codecs
import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from annotation.corpus import jades
from annotation.corpus.jades import is_jades, read_jades
from annotation.corpus.problems import TableError
from annotation.errors import RuleError
from annotation.models import Annotator, Event, Judgment, Study
from annotation.release.bundle import write_bundle
from annotation.selectors.publishing.exports import export_chunks, export_spec
from annotation.services.items.items import RowsRefused
from annotation.services.items.released import released_import
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from annotation.services.studies.studies import study_create
from tests.factories import make_annotator, make_pair, make_user
from tests.planning import open_main, rows
from tests.protocols.judged import answer

RELEASED = Path(settings.BASE_DIR).parent / "shared" / "data" / "jades_manual_scores_valid.json"
needs_data = pytest.mark.skipif(not RELEASED.exists(), reason="the released file is not here")


def row(number: int, sentence: int, system: str, judges: tuple[int, ...], **changed: Any) -> dict:
    fields: dict[str, Any] = {
        "idx_scores": number,
        "idx_sentence": sentence,
        "system": system,
        "sentence_origin": f"La clause {sentence} demeure en vigueur.",
        "sentence_reference": f"La clause {sentence} tient.",
        "sentence_hypothesis": f"La clause {sentence} vaut ({system}).",
    }
    fields |= {f"idx_annotator_{place}": judge for place, judge in enumerate(judges, 1)}
    for name in ("fluency", "meaning", "simplicity"):
        fields |= {
            f"score_{name}_{place}": float(1 + (number + judge + len(name)) % 4)
            for place, judge in enumerate(judges, 1)
        }
    return fields | changed


ROWS = [
    row(0, 3, "BART", (0, 1, 2)),
    row(1, 3, "Reference", (0, 4, 5), sentence_hypothesis="La clause 3 tient."),
    row(2, 8, "EditNTS", (3, 4, 5)),
]


def written(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False, indent=1).encode()


def exported(study: Study, **options: Any) -> bytes:
    spec = export_spec("jades", "json", options)
    return b"".join(chunk.content for chunk in export_chunks(study, spec))


@pytest.fixture
def study(db: None) -> Study:
    return study_create(actor=None, key="jades", title="JADES", protocol_key="jades")


class TestIn:
    def test_outputs_of_one_sentence_are_one_item_and_numbers_are_people(self, study):
        outcome = released_import(actor=None, study=study, released=read_jades(written(ROWS)))
        assert (outcome.items, outcome.simplifications) == (2, 4)
        assert (outcome.judgments, outcome.judges) == (9, 6)
        assert list(study.items.values_list("key", flat=True)) == ["jades-3", "jades-8"]
        people = Annotator.objects.filter(study=study, kind="imported").order_by("pseudonym")
        assert [person.pseudonym for person in people] == [f"JADES-{n}" for n in range(6)]
        judgment = Judgment.objects.get(assignment__annotator__pseudonym="JADES-4", imported_row=3)
        assert dict(judgment.ratings.values_list("dimension", "value")) == {
            name: ROWS[2][f"score_{name}_2"] for name in ("fluency", "meaning", "simplicity")
        }
        assert (judgment.origin, judgment.submitted_at is None) == ("imported", False)
        assert Event.objects.get(verb="released_imported").details["judgments"] == 9

    def test_a_reference_that_nobody_judged_is_kept_as_an_output(self, study):
        released_import(actor=None, study=study, released=read_jades(written(ROWS)))
        (kept,) = study.items.get(key="jades-8").simplifications.filter(system="Reference")
        assert kept.text == "La clause 8 tient."
        assert not kept.assignments.exists()

    def test_the_six_people_of_a_second_file_are_the_same_six(self, study):
        released_import(actor=None, study=study, released=read_jades(written(ROWS)))
        second = [row(0, 20, "BART", (0, 1, 2))]
        outcome = released_import(actor=None, study=study, released=read_jades(written(second)))
        assert (outcome.judges, study.annotators.count()) == (3, 6)

    def test_what_the_study_has_already_is_refused(self, study):
        released = read_jades(written(ROWS))
        released_import(actor=None, study=study, released=released)
        with pytest.raises(RowsRefused) as refused:
            released_import(actor=None, study=study, released=released)
        assert [(problem.row, problem.code) for problem in refused.value.rows] == [
            (1, "duplicate_in_study"),
            (3, "duplicate_in_study"),
        ]

    def test_a_study_of_another_protocol_takes_none_of_it(self, db):
        other = study_create(actor=None, key="other", title="Other")
        with pytest.raises(RuleError) as refused:
            released_import(actor=None, study=other, released=read_jades(written(ROWS)))
        assert refused.value.problems[0].code == "other_protocol"
        assert not other.items.exists()

    @pytest.mark.parametrize(
        ("changed", "field", "code"),
        [
            ({"score_meaning_2": 5.0}, "score_meaning_2", "not_on_the_scale"),
            ({"score_meaning_2": 2.5}, "score_meaning_2", "not_on_the_scale"),
            ({"idx_sentence": "3"}, "idx_sentence", "not_a_number"),
            ({"idx_annotator_1": 1}, "idx_annotator_1", "duplicate_judge"),
            ({"system": " "}, "system", "not_a_text"),
            ({"sentence_origin": "\u200b"}, "sentence_origin", "not_a_text"),
            ({"sentence_reference": " "}, "sentence_reference", "not_a_text"),
            ({"sentence_reference": None}, "sentence_reference", "not_a_text"),
            ({"sentence_reference": ""}, "idx_sentence", "other_sentence"),
            ({"sentence_origin": "Une autre."}, "idx_sentence", "other_sentence"),
            ({"system": "BART"}, "system", "duplicate"),
            ({"sentence_hypothesis": "Autre."}, "sentence_reference", "other_reference"),
            ({"score": 1}, "score", "unknown_key"),
            ({"score": 1, "more": 2}, "score", "unknown_key"),
            ({"system": "B" * 101}, "system", "too_long"),
            ({"sentence_origin": "a" * 20_001}, "sentence_origin", "too_long"),
            ({"sentence_reference": "a" * 20_001}, "sentence_reference", "too_long"),
            ({"sentence_hypothesis": "a" * 20_001}, "sentence_hypothesis", "too_long"),
        ],
    )
    def test_a_row_that_is_none_is_named_with_its_field(self, changed, field, code):
        broken = [ROWS[0], ROWS[1] | {"idx_annotator_2": 1} | changed]
        released = read_jades(written(broken))
        assert [(problem.row, problem.field, problem.code) for problem in released.problems] == [
            (2, field, code)
        ]

    def test_numbers_of_sentences_and_people_written_as_decimals_are_whole(self):
        decimal = [
            jades_row
            | {name: float(jades_row[name]) for name in ("idx_sentence", "idx_annotator_1")}
            for jades_row in ROWS[:1]
        ]
        content = written([*decimal, *ROWS[1:]])
        assert b'"idx_sentence": 3.0' in content
        from_decimals, whole = read_jades(content), read_jades(written(ROWS))
        assert from_decimals == whole
        assert from_decimals.pairs[0].key == "jades-3"
        assert list(from_decimals.pairs[0].scores) == ["JADES-0", "JADES-1", "JADES-2"]

    def test_a_key_that_stands_twice_contradicts_itself(self):
        content = written(ROWS).replace(
            b'"score_meaning_1": ', b'"score_meaning_1": 1.0,\n  "score_meaning_1": ', 1
        )
        (problem,) = read_jades(content).problems
        assert (problem.row, problem.field, problem.code) == (
            1,
            "score_meaning_1",
            "duplicate_key",
        )

    def test_a_mark_in_front_hides_no_file(self):
        content = codecs.BOM_UTF8 + written(ROWS)
        assert is_jades(content)
        assert read_jades(content) == read_jades(written(ROWS))

    def test_no_more_rows_than_of_any_file(self, monkeypatch):
        monkeypatch.setattr(jades, "MAX_ROWS", 2)
        with pytest.raises(TableError) as refused:
            read_jades(written(ROWS))
        assert refused.value.problem.code == "too_many_rows"

    def test_rows_that_are_no_rows(self):
        without = {name: value for name, value in ROWS[0].items() if name != "score_fluency_3"}
        released = read_jades(written([3, without]))
        assert [(problem.row, problem.field, problem.code) for problem in released.problems] == [
            (1, "", "not_an_object"),
            (2, "score_fluency_3", "missing_key"),
        ]

    @pytest.mark.parametrize(
        ("content", "code"),
        [
            (b"{", "not_json"),
            (b"[" * 100_000, "not_json"),
            (b"[" + b"9" * 5000 + b"]", "not_json"),
            (b"[]", "no_rows"),
            (b"{}", "no_rows"),
        ],
    )
    def test_a_file_that_is_none(self, content, code):
        with pytest.raises(TableError) as refused:
            read_jades(content)
        assert refused.value.problem.code == code

    def test_what_is_no_json_is_refused_with_its_place(self):
        with pytest.raises(TableError) as refused:
            read_jades(b"[\n {,")
        assert "(line 2, column 3)" in refused.value.problem.message.en


class TestOut:
    def test_what_came_in_goes_out(self, study):
        content = written(ROWS)
        released_import(actor=None, study=study, released=read_jades(content))
        assert exported(study) == content

    def test_an_empty_study_is_an_empty_list(self, study):
        assert json.loads(exported(study)) == []

    def test_who_judged_here_gets_the_next_numbers(self, study):
        released_import(actor=None, study=study, released=read_jades(written(ROWS)))
        make_pair(study, system="BART", text="Autrement.")
        people = [make_annotator(study, pseudonym=name) for name in "AB"]
        open_main(study)
        judged_here(study, people)
        exported_rows = json.loads(exported(study))
        last = exported_rows[-1]
        assert (last["idx_scores"], last["idx_sentence"]) == (len(exported_rows) - 1, 9)
        assert (last["idx_annotator_1"], last["idx_annotator_2"]) == (6, 7)
        assert (last["sentence_reference"], last["score_fluency_2"]) == ("", 4.0)

    def test_a_study_without_references_comes_in_as_it_went_out(self, study):
        bare = [row(0, 3, "BART", (0, 1, 2), sentence_reference="")]
        bare.append(row(1, 8, "EditNTS", (0, 1), sentence_reference=""))
        released = read_jades(written(bare))
        assert (released.problems, [pair.system for pair in released.pairs]) == (
            [],
            ["BART", "EditNTS"],
        )
        released_import(actor=None, study=study, released=released)
        assert exported(study) == written(bare)

    def test_outputs_of_no_named_system_come_in_as_they_went_out(self, study):
        bare = {"sentence_reference": "", "system": ""}
        both = [
            row(number, sentence, writer, (0, 1)) | bare
            for number, (sentence, writer) in enumerate([(3, "A"), (3, "B"), (8, "A")])
        ]
        released_import(actor=None, study=study, released=read_jades(written(both)))
        assert exported(study) == written(both)
        again = read_jades(written([both[0], both[0] | {"idx_scores": 1}]))
        assert [(problem.field, problem.code) for problem in again.problems] == [
            ("sentence_hypothesis", "duplicate")
        ]

    def test_systems_may_be_left_out(self, study):
        released_import(actor=None, study=study, released=read_jades(written(ROWS)))
        assert {
            jades_row["system"] for jades_row in json.loads(exported(study, systems=False))
        } == {""}


def judged_here(study: Study, people: list[Annotator]) -> None:
    for row_ in rows(study, annotator__in=people):
        answer(row_, {"fluency": 4, "meaning": 3, "simplicity": 2})


class TestCommand:
    def test_it_makes_the_study_and_says_what_it_added(self, db, tmp_path, capsys):
        path = tmp_path / "scores.json"
        path.write_bytes(written(ROWS))
        call_command("import_jades", str(path), study="jades")
        assert "2 sources with 4 outputs and 9 judgments of 6 judges" in capsys.readouterr().out
        assert Study.objects.get(key="jades").protocol.name == "jades 1"

    def test_nothing_stays_of_a_file_that_is_refused(self, db, tmp_path):
        path = tmp_path / "scores.json"
        path.write_bytes(written([ROWS[0] | {"score_meaning_1": 9}]))
        with pytest.raises(CommandError, match="score_meaning_1"):
            call_command("import_jades", str(path), study="jades")
        path.write_bytes(b"{")
        with pytest.raises(CommandError, match="Nothing was stored"):
            call_command("import_jades", str(path), study="jades")
        assert not Study.objects.exists()


class TestFrozen:
    def test_a_snapshot_and_its_release_hold_the_layout(self, study, tmp_path):
        released_import(actor=None, study=study, released=read_jades(written(ROWS)))
        options = {"withdrawn": False, "machines": False}
        for recipe, wanted in (
            ({"draws": 100}, exported(study, **options)),
            ({"draws": 100, "systems": False}, exported(study, systems=False, **options)),
        ):
            snapshot = study_freeze(actor=None, study=study, reason="a test", recipe=recipe)
            assert (snapshot_folder(snapshot) / "jades.json").read_bytes() == wanted
            target = tmp_path / snapshot.name
            target.mkdir()
            sums = write_bundle(snapshot_folder(snapshot), target)
            assert (target / "as-released" / "jades.json").read_bytes() == wanted
            assert "as-released/jades.json" in sums
            assert "`as-released/jades.json`: the same" in (target / "README.md").read_text()
            croissant = json.loads((target / "croissant.json").read_text())
            (listed,) = [
                file
                for file in croissant["distribution"]
                if file["name"] == "as-released/jades.json"
            ]
            assert listed["encodingFormat"] == "application/json"


class TestWithoutSystems:
    def test_nothing_tells_which_output_is_the_reference(self, study):
        released_import(actor=None, study=study, released=read_jades(written(ROWS)))
        with_systems = json.loads(exported(study, systems=True))
        assert [jades_row["sentence_reference"] for jades_row in with_systems] == [
            jades_row["sentence_reference"] for jades_row in ROWS
        ]
        without_systems = json.loads(exported(study, systems=False))
        assert {
            (jades_row["system"], jades_row["sentence_reference"]) for jades_row in without_systems
        } == {("", "")}
        kept = "sentence_hypothesis"
        assert [jades_row[kept] for jades_row in without_systems] == [
            jades_row[kept] for jades_row in with_systems
        ]


@needs_data
class TestReleased:
    """The file of naist-nlp/jades (its "valid" list); figures as recomputed from it with irrCAC and
    the krippendorff package. The paper's own, over both of its subsets: 0.255, 0.231, 0.250."""

    @pytest.fixture
    def imported(self, study):
        return released_import(actor=None, study=study, released=read_jades(RELEASED.read_bytes()))

    def test_600_outputs_of_three_systems_each_with_three_of_six(self, study, imported):
        assert (imported.judgments, imported.judges, imported.items) == (1800, 6, 372)

    def test_it_goes_out_byte_for_byte(self, study, imported):
        assert exported(study) == RELEASED.read_bytes()

    def test_the_page_on_agreement_says_what_is_known_of_it(self, study, imported):
        client = Client(headers={"accept-language": "en"})
        client.force_login(make_user("admin", is_admin=True, language="en"))
        answer = client.get(f"/studies/{study.key}/agreement/figures/")
        page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html.unescape(answer.content.decode())))
        for kappa, alpha in (("0.2705", "0.509"), ("0.2469", "0.542"), ("0.2742", "0.424")):
            assert kappa in page
            assert alpha in page
        assert "12 of the 15 pairs of annotators ever judged the same pair" in page
