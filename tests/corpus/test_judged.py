"""Rows of a long table as judgments: what is found out, what is asked, what is refused."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.corpus.judging import Judging
from annotation.corpus.pairs_file import PairsFile, read_pairs_file
from annotation.protocols.base import Option, PairFacts, Wording
from annotation.protocols.kinds.choices import Choices
from annotation.protocols.registry import protocol

JADES, FRJUDGE, DIRECT, OPERATIONS = (
    protocol(name, "1") for name in ("jades", "legal_meaning", "direct_assessment", "operations")
)
HEAD = ("original", "simplification", "system", "juge", "fluency", "meaning", "simplicity")
GOOD = ("La prime est due.", "Payez.", "s1", "A", "4", "4", "4")


def table(*rows: tuple[str, ...], head: tuple[str, ...] = HEAD, sign: str = ";") -> bytes:
    into = io.StringIO()
    csv.writer(into, delimiter=sign).writerows([head, *rows])
    return into.getvalue().encode()


def read(content: bytes, by: Any = JADES, **choices: Any) -> PairsFile:
    return read_pairs_file(content, judging=Judging(by, by.clean_rulings({}), **choices))


def told(parsed: PairsFile) -> list[tuple[int, str, str]]:
    return [(problem.row, problem.field, problem.code) for problem in parsed.judged.problems]


class TestColumns:
    def test_names_in_either_language_are_recognised(self):
        head: tuple[str, ...] = (
            "Texte original",
            "Texte simplifié",
            "Système",
            "Annotatrice",
            "Fluidité",
        )
        head += ("Préservation du sens", "Simplicity")
        parsed = read(table(GOOD, head=head))
        assert parsed.fatal is None
        assert told(parsed) == []
        assert parsed.judged.rows[0].cells == dict.fromkeys(
            ("fluency", "meaning", "simplicity"), "4"
        )

    def test_nested_values_are_offered_by_their_way(self):
        line = {
            "meta": {"who": "A", "source": "Contrat"},
            "task": {"original": GOOD[0], "simplification": GOOD[1]},
            **dict.fromkeys(JADES.dimensions, 4),
        }
        parsed = read(json.dumps(line).encode(), names={"annotator": "meta.who"}, take=True)
        assert parsed.table.columns[:4] == (
            *("meta.who", "meta.source", "task.original", "task.simplification"),
        )
        assert told(parsed) == []
        (row,) = parsed.judged.rows
        assert (row.annotator, row.source, row.original) == ("A", "Contrat", GOOD[0])

    def test_pairs_without_a_judge_are_pairs(self):
        parsed = read(table(GOOD[:3], head=HEAD[:3]))
        assert parsed.judged is None
        assert len(parsed.pairs.rows) == 1

    @pytest.mark.parametrize("missing", ["juge", "meaning", "simplification"])
    def test_what_a_judgment_needs_is_asked_for(self, missing):
        place = HEAD.index(missing)
        cut = tuple(cell for number, cell in enumerate(GOOD) if number != place)
        head = tuple(name for name in HEAD if name != missing)
        parsed = read(table(cut, head=head), take=True)
        assert parsed.fatal.code == "unmapped"
        assert parsed.judged.rows == []

    def test_one_column_is_not_taken_twice(self):
        mapping = dict(zip(("original", "simplification", "annotator"), (0, 1, 3), strict=True))
        mapping |= {"fluency": 4, "meaning": 4, "simplicity": 6}
        assert read(table(GOOD), mapping=mapping).fatal.code == "column_twice"


class TestValues:
    def test_labels_and_keys_are_recognised_and_others_asked_about(self):
        fluency = JADES.dimension("fluency").options
        rows = [
            (GOOD[0], GOOD[1], "s1", name, said, "4", "4")
            for name, said in zip("ABC", (fluency[0].key, fluency[1].label.fr, "?"), strict=True)
        ]
        parsed = read(table(*rows))
        assert told(parsed) == [(4, "fluency", "unknown_value")]
        (values,) = (
            column_values
            for column_values in parsed.judged.values
            if column_values.slot == "fluency"
        )
        assert {value.text: value.becomes for value in values.values} == {
            fluency[0].key: str(fluency[0].value),
            fluency[1].label.fr: str(fluency[1].value),
            "?": None,
        }

    def test_the_lead_says_what_a_value_becomes(self):
        row = (*GOOD[:4], "excellent", "4", "4")
        parsed = read(table(row), values={"fluency": {"excellent": "4"}})
        assert told(parsed) == []
        assert parsed.judged.rows[0].cells["fluency"] == "4"

    def test_no_answer_is_one_that_is_missing_where_it_is_needed(self):
        parsed = read(table((*GOOD[:4], "n/a", "4", "4")), values={"fluency": {"n/a": ""}})
        assert told(parsed) == [(2, "fluency", "missing_answer")]


class TestScales:
    def test_numbers_that_do_not_reach_the_top_are_asked_about(self):
        rows = [(*GOOD[:3], who, *values) for who, values in (("A", "333"), ("B", "214"))]
        assert told(read(table(*rows))) == [(0, "fluency", "scale_unsure"),
                                            (0, "meaning", "scale_unsure")]  # fmt: skip
        assert told(read(table(*rows), same_scale=("fluency", "meaning"))) == []

    def test_or_each_value_is_told(self):
        row = (GOOD[0], GOOD[1], "s1", "A", "2", "4", "4")
        assert told(read(table(row), values={"fluency": {"2": "4"}})) == []

    @pytest.mark.parametrize(
        ("protocols", "unsure"),
        [
            ([("jades", "1")] * 2, False),
            ([("jades", "1"), ("jades", "0")], True),
            ([("jades", "1"), ("", "")], True),
        ],
    )
    def test_our_own_files_are_those_of_one_protocol_in_one_version(self, protocols, unsure):
        rows = [
            ("s", *named, *GOOD[:3], who, "3", "4", "4")
            for named, who in zip(protocols, "AB", strict=True)
        ]
        parsed = read(table(*rows, head=("study", "protocol", "protocol_version", *HEAD)))
        assert told(parsed) == [(0, "fluency", "scale_unsure")] * unsure

    @pytest.mark.parametrize("cell", ["7", "7;4", "[4]"])
    def test_codes_without_an_order_are_asked_about(self, cell):
        head = ("original", "simplification", "annotator", "operations")
        content = table(("La prime.", "Payez.", "A", cell), head=head, sign="\t")
        assert told(read(content, OPERATIONS)) == [(0, "operations", "codes_unsure")]
        assert told(read(content, OPERATIONS, same_scale=("operations",))) == []
        values = {"operations": {"7": "4", "4": "7"}}
        assert told(read(content, OPERATIONS, values=values)) == []

    @pytest.mark.parametrize("cell", ["[3]", '["3"]'])
    def test_a_list_of_one_answer_is_that_answer(self, cell):
        parsed = read(table(GOOD, (*GOOD[:3], "B", cell, "4", "4")))
        assert told(parsed) == []
        assert parsed.judged.rows[1].cells["fluency"] == "3"

    @pytest.mark.parametrize("cell", ["[3, 4]", "[[3]]", '{"0": 3}', '[{"value": 3}]'])
    def test_what_is_no_single_answer_is_refused(self, cell):
        """The first of two would be a judgment that nobody made."""
        parsed = read(table(GOOD, (*GOOD[:3], "B", cell, "4", "4")))
        assert told(parsed) == [(3, "fluency", "unknown_value")]

    @pytest.mark.parametrize("value", ["5", "0", "3.5", "-1", "4/5"])
    def test_what_is_off_the_scale_is_named(self, value):
        parsed = read(table(GOOD, (*GOOD[:3], "B", value, "4", "4")))
        assert (3, "fluency", "unknown_value") in told(parsed)

    @given(st.integers(-5, 110), st.integers(0, 100))
    @settings(max_examples=40, deadline=None)
    def test_a_line_takes_its_own_numbers_and_nothing_else(self, value, other):
        head = ("original", "simplification", "annotator", *DIRECT.dimensions)
        rest = ["100"] * (len(DIRECT.dimensions) - 1)
        rows = [
            ("La prime.", "Payez.", "A", str(value), *rest),
            ("La prime.", "Payez.", "B", str(other), *rest),
        ]
        parsed = read(table(*rows, head=head), DIRECT, same_scale=DIRECT.dimensions)
        assert [row for row, _field, _code in told(parsed)] == ([] if 0 <= value <= 100 else [2])
        first = [row for row in parsed.judged.rows if row.annotator == "A"]
        assert [int(row.cells[DIRECT.dimensions[0]]) for row in first] == (
            [value] if 0 <= value <= 100 else []
        )

    @pytest.mark.parametrize(
        ("value", "taken"),
        [
            ("72,0", "72"),
            ("+2", "2"),
            ("72.00", "72"),
            ("1\u202f0", None),
            ("1,000", None),
            ("7,5", None),
        ],
    )
    def test_a_whole_number_is_read_as_spreadsheets_write_it(self, value, taken):
        head = ("original", "simplification", "annotator", *DIRECT.dimensions)
        rest = ["100"] * (len(DIRECT.dimensions) - 1)
        content = table(("La prime.", "Payez.", "A", value, *rest), head=head)
        parsed = read(content, DIRECT, same_scale=DIRECT.dimensions)
        name = DIRECT.dimensions[0]
        if taken is None:
            assert told(parsed) == [(2, name, "unknown_value")]
        else:
            assert [row.cells[name] for row in parsed.judged.rows] == [taken]

    @pytest.mark.parametrize("value", ["1\u00a0000", "1\u202f000", "1 000", "\u22121", "-1"])
    def test_a_number_off_the_scale_is_told_its_scale(self, value):
        head = ("original", "simplification", "annotator", *DIRECT.dimensions)
        rest = ["100"] * (len(DIRECT.dimensions) - 1)
        content = table(("La prime.", "Payez.", "A", value, *rest), head=head)
        parsed = read(content, DIRECT, same_scale=DIRECT.dimensions)
        [problem] = parsed.judged.problems
        assert (problem.code, "100" in problem.message.en) == ("no_answer", True)


class TestRows:
    def test_the_same_pair_by_the_same_judge_twice(self):
        assert told(read(table(GOOD, GOOD))) == [(3, "annotator", "judged_twice")]

    def test_a_judge_whose_name_is_written_in_two_ways(self):
        """One person was counted as two who judged the pair alike."""
        rows = [
            (*GOOD[:3], who, *GOOD[4:]) for who in ("Ève Roy", "ève  roy", "Ève Roy", "Eve Roy")
        ]
        parsed = read(table(rows[0], rows[1], ("Autre.", *rows[2][1:]), rows[3]))
        assert told(parsed) == [(3, "annotator", "nearly_alike")]
        assert "Roy" not in parsed.judged.problems[0].message.fr

    def test_whatever_else_the_second_row_says(self):
        head = (*HEAD, "source")
        parsed = read(table((*GOOD, "Contrat A"), (*GOOD, "Contrat B"), head=head))
        assert told(parsed) == [(3, "source", "item_differs"), (3, "annotator", "judged_twice")]
        assert all("A" not in problem.message.en.split() for problem in parsed.judged.problems[1:])

    def test_judges_of_one_pair_may_leave_its_structure_out_but_not_contradict_it(self):
        def marked(*structures: str) -> list[tuple[int, str, str]]:
            rows = [
                (*GOOD[:3], f"J{n}", *GOOD[4:], structure) for n, structure in enumerate(structures)
            ]
            return told(read(table(*rows, head=(*HEAD, "structure"))))

        assert marked("", "issue", "") == []
        assert marked("", "issue", "reason") == [(4, "structure", "item_differs")]

    def test_one_pair_under_two_identifiers(self):
        rows = [("1", *GOOD), ("2", *GOOD[:3], "B", *GOOD[4:])]
        assert told(read(table(*rows, head=("no", *HEAD)))) == [(3, "id", "other_key")]

    def test_one_pair_with_and_without_an_identifier(self):
        rows = [("1", *GOOD), ("", *GOOD[:3], "B", *GOOD[4:])]
        assert told(read(table(*rows, head=("no", *HEAD)))) == [(3, "id", "id_missing")]

    def test_a_text_that_shows_nothing_is_an_empty_one(self):
        rows = [GOOD, (GOOD[0], "\u200b", *GOOD[2:]), (*GOOD[:3], "\u2060", *GOOD[4:])]
        assert told(read(table(*rows))) == [(3, "simplification", "empty"),
                                            (4, "annotator", "no_annotator")]  # fmt: skip

    def test_nobody_named_and_an_empty_text(self):
        rows = [GOOD, (GOOD[0], "", *GOOD[2:]), (*GOOD[:3], "", *GOOD[4:])]
        assert told(read(table(*rows))) == [(3, "simplification", "empty"),
                                            (4, "annotator", "no_annotator")]  # fmt: skip

    @pytest.mark.parametrize(("who", "said"), [("x" * 201, "201 characters"), ("…", "no letter")])
    def test_a_name_is_told_why_it_is_none(self, who, said):
        parsed = read(table(GOOD, (*GOOD[:3], who, *GOOD[4:])))
        assert told(parsed) == [(3, "annotator", "no_annotator")]
        assert said in parsed.judged.problems[0].message.en

    def test_the_pairs_alone_are_no_way_out_where_the_original_is_lacking(self):
        parsed = read(table(GOOD[1:], head=HEAD[1:]))
        assert (parsed.fatal.code, parsed.fatal.field) == ("unmapped", "original")
        assert parsed.fatal.remedy.en == "Choose one."

    def test_one_system_with_two_texts(self):
        other = (GOOD[0], "Réglez.", *GOOD[2:3], "B", *GOOD[4:])
        assert told(read(table(GOOD, other))) == [(3, "system", "system_twice")]


class TestBracketedScores:
    HEAD = ("original", "simplification", "annotator", "simplicity", "characterization")

    def row(self, **more: Any) -> PairsFile:
        line: dict[str, Any] = {"original": "La prime.", "simplification": "Payez."}
        line["annotator"] = "A"
        line |= {"simplicity": 2, "characterization": 3, **more}
        same = [slot.name for slot in FRJUDGE.slots]
        return read(json.dumps(line).encode(), FRJUDGE, take=True, same_scale=same)

    def parts(self, parsed: PairsFile) -> Any:
        assert told(parsed) == []
        (row,) = parsed.judged.rows
        return FRJUDGE.taken(row.cells, PairFacts(9, 6), FRJUDGE.clean_rulings({}))

    def test_a_score_alone_is_taken_as_it_stands(self):
        rating = self.parts(self.row(legal_meaning=7)).ratings["legal_meaning"]
        assert (rating.value, rating.derivation, rating.bracket) == (7, "imported", None)

    def test_bracket_and_errors_give_the_score(self):
        mark = {
            "type": FRJUDGE.field("errors").marks[0].key,
            "original_start": 0,
            "original_end": 2,
        }
        rating = self.parts(self.row(bracket=3, errors=[mark])).ratings["legal_meaning"]
        assert (rating.value, rating.derivation, rating.deductions) == (9, "derived", 1)

    def test_a_bracket_without_errors_gives_none(self):
        parsed = self.row(bracket=3)
        assert (parsed.fatal.code, parsed.fatal.field) == ("unmapped", "legal_meaning")
        assert self.parts(self.row(bracket=3, errors="")).ratings["legal_meaning"].deductions == 0

    def test_nor_does_it_where_only_other_rows_have_a_score(self):
        head = (*self.HEAD, "bracket", "legal_meaning")
        rows = [("La prime.", "Payez.", "A", "2", "3", "3", "10")]
        rows.append(("La prime.", "Payez.", "B", "2", "3", "3", ""))
        same = [slot.name for slot in FRJUDGE.slots]
        parsed = read(table(*rows, head=head), FRJUDGE, same_scale=same)
        assert told(parsed) == [(3, "legal_meaning", "no_answer")]

    def test_a_score_that_they_do_not_give_is_refused(self):
        assert told(self.row(bracket=3, legal_meaning=7)) == [(1, "legal_meaning", "no_answer")]

    def test_errors_without_a_bracket_are_refused(self):
        mark: dict[str, Any] = {"type": FRJUDGE.field("errors").marks[0].key}
        assert told(self.row(legal_meaning=7, errors=[mark])) == [(1, "legal_meaning", "no_answer")]

    def test_a_passage_outside_its_text_is_refused(self):
        mark: dict[str, Any] = {"type": FRJUDGE.field("errors").marks[0].key}
        mark |= {"original_start": 0, "original_end": 99}
        assert told(self.row(bracket=3, errors=[mark])) == [(1, "errors", "no_answer")]


def test_a_comment_that_reads_like_a_list_is_a_text():
    row = (*GOOD[:4], "4", "4", "4", "[1]")
    (judgment,) = read(table(row, head=(*HEAD, "comment"))).judged.rows
    assert JADES.taken(judgment.cells, PairFacts(9, 6), {}).sides["comment"] == "[1]"


class TestLists:
    HEAD = ("original", "simplification", "annotator", "operations")

    @pytest.mark.parametrize(
        ("cell", "chosen"),
        [("split", [7]), ("split#delete", [7, 4]), ('["split", "delete"]', [7, 4]), ("[]", []),
         ("7;4", [7, 4]), ("Division", [7])],
    )  # fmt: skip
    def test_several_in_one_cell(self, cell, chosen):
        content = table(("La prime.", "Payez.", "A", cell), head=self.HEAD, sign="\t")
        parsed = read(content, OPERATIONS, same_scale=("operations",))
        assert told(parsed) == []
        assert json.loads(parsed.judged.rows[0].cells["operations"]) == chosen

    def test_a_comma_in_a_list_is_between_numbers(self):
        content = table(("La prime.", "Payez.", "A", "7,0"), head=self.HEAD, sign="\t")
        assert told(read(content, OPERATIONS, same_scale=("operations",)))

    def test_a_value_that_is_told_to_become_no_number(self):
        content = table(("La prime.", "Payez.", "A", "?"), head=self.HEAD, sign="\t")
        for other in ("abc", "7.5", "9" * 5000):
            parsed = read(content, OPERATIONS, values={"operations": {"?": other}})
            assert told(parsed) == [(2, "operations", "unknown_value")]

    @pytest.mark.parametrize(
        "cell",
        ["none", "No operation", "aucune opération", "AUCUNE OPERATION", '["none"]', "none#none"],
    )
    def test_that_none_of_them_apply_is_an_answer(self, cell):
        parsed = self.read(cell)
        assert (told(parsed), parsed.judged.rows[0].cells) == ([], {"operations": "[]"})

    @pytest.mark.parametrize("cell", ["skip", "skip#skip", '["skip"]', "#", ";;"])
    def test_that_nothing_was_answered_is_refused_as_an_empty_cell_is(self, cell):
        parsed = self.read(cell, {"skip": ""})
        assert {code for _row, _field, code in told(parsed)} == {"missing_answer"}
        assert told(parsed) == told(self.read(""))

    @pytest.mark.parametrize(
        ("cell", "chosen"), [("delete#skip", [4]), ("skip#no fault", []), ("no fault", [])]
    )
    def test_no_answer_beside_others_is_left_out(self, cell, chosen):
        parsed = self.read(cell, {"skip": "", "no fault": "none"})
        assert told(parsed) == []
        assert json.loads(parsed.judged.rows[0].cells["operations"]) == chosen

    def test_none_of_them_and_some_of_them_contradict_each_other(self):
        parsed = self.read("delete#no operation")
        assert told(parsed) == [(2, "operations", "none_and_others")]
        assert "“No operation”" in parsed.judged.problems[0].message.en

    @pytest.mark.parametrize("cell", ["[null]", "delete#keep", '["delete", "keep"]'])
    def test_what_is_none_of_ours_is_named_alone(self, cell):
        parsed = self.read(cell)
        assert told(parsed) == [(2, "operations", "unknown_value")]
        said = "null" if "null" in cell else "keep"
        assert parsed.judged.problems[0].message.en.startswith(f"“{said}” is none")

    def test_numbers_beside_none_of_them_are_asked_about_all_the_same(self):
        rows = [("La prime.", "Payez.", "A", "7"), ("La prime.", "Payez.", "B", "none")]
        parsed = read(table(*rows, head=self.HEAD, sign="\t"), OPERATIONS)
        assert told(parsed) == [(0, "operations", "codes_unsure")]

    def test_an_option_that_is_called_so_comes_first(self):
        options = (Option(1, "none", Wording("Rien", "Nothing")), Option(2, "b", Wording("B", "B")))
        field = Choices("faults", label=Wording("Fautes", "Faults"), options=options, required=True)
        own = replace(OPERATIONS, steps=(replace(OPERATIONS.steps[0], fields=(field,)),))
        head = (*self.HEAD[:3], "faults")
        for cell, chosen in (('["none"]', "[1]"), ("None of these", "[]")):
            content = table(("La prime.", "Payez.", "A", cell), head=head, sign="\t")
            (row,) = read(content, own).judged.rows
            assert row.cells == {"faults": chosen}

    def read(self, cell: str, meant: dict[str, str] | None = None) -> PairsFile:
        content = table(("La prime.", "Payez.", "A", cell), head=self.HEAD, sign="\t")
        return read(content, OPERATIONS, values={"operations": meant or {}})

    def test_or_a_column_for_each(self):
        names = [dimension.name for dimension in OPERATIONS.field("operations").dimensions]
        cells = ["oui", *["0"] * (len(names) - 1)]
        head = (*self.HEAD[:3], *names)
        parsed = read(table(("La prime.", "Payez.", "A", *cells), head=head), OPERATIONS)
        assert told(parsed) == []
        parts = OPERATIONS.taken(parsed.judged.rows[0].cells, PairFacts(9, 6), {})
        assert [parts.ratings[name].value for name in names] == [1, *[0] * (len(names) - 1)]
