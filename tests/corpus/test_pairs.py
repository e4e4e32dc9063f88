"""Rows as pairs: what is kept as given, and every way in which a row can be no pair."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.corpus import jsonl
from annotation.corpus.columns import FIELDS, field_of, guess_mapping, known_names
from annotation.corpus.pairs import pairs_of
from annotation.corpus.problems import TableError
from annotation.corpus.tables import Layout, Row, Table
from annotation.corpus.texts import KEY_PATTERN, MAX_LENGTHS, clean_text
from annotation.models.study import KEY_VALIDATOR

NAMES = (
    *("original", "simplification", "id", "system", "source"),
    *("context_before", "context_after", "structure"),
)


def pairs(*rows, names=NAMES):
    """Pairs of a table with these rows, numbered from 2 as under a header."""
    filled = [
        Row(number, [*row, *[""] * (len(names) - len(row))])
        for number, row in enumerate(rows, start=2)
    ]
    return pairs_of(
        Table(Layout(), names, filled), {name: index for index, name in enumerate(names)}
    )


def codes(parsed):
    return [(problem.row, problem.field, problem.code) for problem in parsed.problems]


def test_what_json_has_as_no_number_is_no_text():
    """As a table of pandas writes an empty cell: it was imported as the text “NaN”."""
    table = jsonl.read('{"original": "Une clause.", "simplification": NaN}', Layout())
    parsed = pairs_of(table, {name: place for place, name in enumerate(table.columns)})
    assert codes(parsed) == [(1, "simplification", "empty")]


class TestTexts:
    def test_html_and_formulas_are_text(self):
        parsed = pairs(("<b>=1+1</b>", '=HYPERLINK("x")', "", "@SUM(A1)"))
        row = parsed.rows[0]
        assert (row.original, row.simplification, row.system) == (
            "<b>=1+1</b>",
            '=HYPERLINK("x")',
            "@SUM(A1)",
        )

    @given(
        st.text(
            st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp", "Cf")),
            min_size=1,
        )
    )
    def test_a_text_is_kept_as_given(self, text):
        if "\ufffd" not in text and "\uffff" not in text and "\ufffe" not in text:
            assert pairs((f"\ufeff {text}\u00a0\n", "b")).rows[0].original == text

    @pytest.mark.parametrize("given_", ["a\r\nb", "a\rb", "a\nb", "\ufeffa\nb\ufeff", "  a\nb \t"])
    def test_line_ends_are_those_that_browsers_count(self, given_):
        assert clean_text(given_) == "a\nb"

    # By number: an editor may drop what is no text.
    @pytest.mark.parametrize("code", [0, 7, 0xB, 0x1B, 0x7F, 0x85, 0x92, 0xD800, 0xFFFD, 0xFFFF])
    def test_what_is_no_text_is_named_with_its_place(self, code):
        parsed = pairs((f"ab{chr(code)}c", "d"))
        assert codes(parsed) == [(2, "original", "forbidden_character")]
        assert f"U+{code:04X}" in parsed.problems[0].message.fr
        assert "3" in parsed.problems[0].message.en

    def test_tabs_and_lines_within_a_text_are_text(self):
        assert pairs(("a\tb\nc", "d")).problems == []

    @pytest.mark.parametrize("name", NAMES)
    def test_lengths_have_limits(self, name):
        row = dict.fromkeys(NAMES, "a") | {"simplification": "b"}
        assert pairs(tuple((row | {name: "x" * MAX_LENGTHS[name]}).values())).problems == []
        parsed = pairs(tuple((row | {name: "x" * (MAX_LENGTHS[name] + 1)}).values()))
        assert codes(parsed) == [(2, name, "too_long")]

    def test_empty_texts_are_both_named(self):
        assert codes(pairs((" ", "\ufeff", "k"))) == [
            (2, "original", "empty"),
            (2, "simplification", "empty"),
        ]

    @pytest.mark.parametrize(
        "nothing",
        ["\u200b", "\u00ad\u200d", " \u2060\n\u200b ", "\u3164", "\u2800", "\ufe0f", "\u061c"],
    )
    def test_what_shows_nothing_is_empty(self, nothing):
        assert codes(pairs((nothing, "b"), ("c", nothing))) == [
            (2, "original", "empty"),
            (3, "simplification", "empty"),
        ]

    def test_what_shows_something_keeps_each_of_its_characters(self):
        text = "\u200bLa\u00ad prime\u200d.\u2060"
        (row,) = pairs((text, "b")).rows
        assert row.original == text

    @pytest.mark.parametrize("key", ["é1", "-a", "a b", "a/b", "=1+1", "a\nb"])
    def test_a_key_is_plain(self, key):
        assert codes(pairs(("a", "b", key))) == [(2, "id", "bad_key")]

    def test_the_database_holds_keys_to_the_same_pattern(self):
        assert KEY_VALIDATOR.regex.pattern == KEY_PATTERN


class TestBetweenRows:
    def test_rows_of_one_id_are_one_item_with_several_systems(self):
        parsed = pairs(("a", "b", "k", "s1"), ("a", "c", "k", "s2"), ("a", "b", "k", "s3"))
        assert parsed.problems == []
        assert len(parsed.rows) == 3

    def test_without_a_system_an_item_may_have_several_simplifications(self):
        assert pairs(("a", "b"), ("a", "c"), ("a", "d", "", "s1")).problems == []

    def test_an_exact_repetition_is_a_duplicate_wherever_it_stands(self):
        parsed = pairs(("a", "b", "k1", "s"), ("x", "y", "k2"), ("a", "b", "k3", "s"))
        assert codes(parsed) == [(4, "", "duplicate_in_file")]
        assert parsed.problems[0].duplicate
        assert "2" in parsed.problems[0].message.fr
        assert len(parsed.rows) == 2

    def test_an_id_names_one_original(self):
        assert codes(pairs(("a", "b", "k"), ("c", "d", "k"))) == [(3, "original", "item_differs")]

    @pytest.mark.parametrize(
        ("first", "second", "is_alike"),
        [
            ("L'\u00e9t\u00e9.", "L'e\u0301te\u0301.", True),
            ("1\u00a0000 $", "1 000 $", True),
            ("La\u00ad prime\u200b.", "La prime.", True),
            ("La prime.", "La Prime.", False),
            ("l\u00e9s\u00e9", "les\u00e9", False),
        ],
    )
    def test_it_is_said_where_two_originals_look_the_same(self, first, second, is_alike):
        (problem,) = pairs((first, "b", "k"), (second, "d", "k")).problems
        assert problem.code == "item_differs"
        assert ("Both look the same" in problem.message.en) == is_alike
        assert ("se lisent de même" in problem.message.fr) == is_alike

    @pytest.mark.parametrize(
        ("place", "name"), [(4, "source"), (5, "context_before"), (6, "context_after")]
    )
    def test_rows_of_one_item_agree_on_the_passage(self, place, name):
        second = ["a", "c", "", "", "", "", ""]
        second[place] = "other"
        assert codes(pairs(("a", "b"), second)) == [(3, name, "item_differs")]

    def test_a_structure_is_said_once_or_alike(self):
        def marked(*structures):
            rows = [
                ("a", f"b{n}", "", "", "", "", "", parsed) for n, parsed in enumerate(structures)
            ]
            return codes(pairs(*rows))

        assert marked("issue", "", "issue") == marked("", "issue", "") == []
        assert marked("", "issue", "reason") == [(4, "structure", "item_differs")]

    def test_the_same_passage_may_have_two_ids(self):
        assert pairs(("a", "b", "k1"), ("a", "c", "k2")).problems == []

    def test_an_id_here_and_none_there(self):
        assert codes(pairs(("a", "b", "k"), ("a", "c"))) == [(3, "id", "id_missing")]
        assert codes(pairs(("a", "b"), ("a", "c", "k"))) == [(3, "id", "id_missing")]

    def test_one_system_has_one_simplification_of_an_item(self):
        assert codes(pairs(("a", "b", "", "s"), ("a", "c", "", "s"))) == [
            (3, "system", "system_twice")
        ]

    def test_a_key_that_reads_like_a_text_is_another_item(self):
        assert pairs(("a", "b", "x", "s"), ("x", "c", "y", "s")).problems == []

    def test_problems_come_in_the_order_of_the_file(self):
        table = Table(Layout(), NAMES[:2], [Row(3, ["", "b"]), Row(5, ["", "c"])])
        table.problems.append(pairs(("", "x")).problems[0])
        parsed = pairs_of(table, {"original": 0, "simplification": 1})
        assert [problem.row for problem in parsed.problems] == [2, 3, 5]


class TestMapping:
    @pytest.mark.parametrize(
        ("names", "expected"),
        [
            (["original", "simplification"], {"original": 0, "simplification": 1}),
            (["Texte simplifié", "Texte original"], {"original": 1, "simplification": 0}),
            (
                ["ID", "Complex", "Simple", "Model"],
                {"original": 1, "simplification": 2, "id": 0, "system": 3},
            ),
            (
                ["Système", "contexte_avant", "clause", "contexte-après", "sortie", "Document"],
                {
                    "original": 2,
                    "simplification": 4,
                    "system": 0,
                    "source": 5,
                    "context_before": 1,
                    "context_after": 3,
                },
            ),
            (["source", "target"], {"original": 0, "simplification": 1}),
            (["text", "original", "simple"], {"original": 1, "simplification": 2}),
            (["original", "text", "simple"], {"original": 0, "simplification": 2}),
            (["source", "nothing"], {"source": 0}),
            (["a", "", "b"], {}),
        ],
    )
    def test_names_are_recognised_in_both_languages(self, names, expected):
        assert guess_mapping(names) == expected

    def test_every_field_recognises_its_own_name(self):
        assert [field_of(name) for name in FIELDS] == list(FIELDS)
        assert known_names(list(FIELDS)) == len(FIELDS)

    @pytest.mark.parametrize(
        ("mapping", "code"),
        [
            ({"simplification": 0}, "unmapped"),
            ({"original": 0, "simplification": 9}, "no_such_column"),
            ({"original": 0, "simplification": -1}, "no_such_column"),
            ({"original": 0, "simplification": 0}, "column_twice"),
        ],
    )
    def test_a_mapping_that_cannot_be(self, mapping, code):
        with pytest.raises(TableError) as caught:
            pairs_of(Table(Layout(), ("a", "b"), [Row(1, ["x", "y"])]), mapping)
        assert caught.value.problem.code == code


class TestPassagesOnly:
    """Without a column of simplifications a file holds what a model is to simplify."""

    NAMES = ("original", "id", "system", "source")

    def test_a_row_is_a_passage(self):
        parsed = pairs(
            ("Le bail prend fin.", "c1", "", "bail"), ("L'avis est écrit.",), names=self.NAMES
        )
        assert parsed.problems == []
        assert [(row.original, row.simplification, row.key, row.source) for row in parsed.rows] == [
            ("Le bail prend fin.", "", "c1", "bail"),
            ("L'avis est écrit.", "", "", ""),
        ]

    def test_who_wrote_nothing_has_no_name(self):
        assert pairs(("Le bail prend fin.", "c1", "gpt"), names=self.NAMES).rows[0].system == ""

    def test_an_empty_passage_is_none(self):
        assert codes(pairs(("", "c1"), names=self.NAMES)) == [(2, "original", "empty")]

    def test_a_passage_that_is_repeated_is_called_that(self):
        parsed = pairs(("Le bail prend fin.",), ("Le bail prend fin.",), names=self.NAMES)
        assert codes(parsed) == [(3, "", "duplicate_in_file")]
        assert parsed.problems[0].message.fr == "Cette clause est déjà à la ligne 2."
        assert parsed.problems[0].message.en == "This passage is in row 2 already."

    def test_a_pair_that_is_repeated_is_called_that(self):
        parsed = pairs(("a", "b"), ("a", "b"))
        assert parsed.problems[0].message.fr == "Cette paire est déjà à la ligne 2."

    def test_an_id_still_names_one_passage(self):
        assert codes(pairs(("a", "c1"), ("b", "c1"), names=self.NAMES)) == [
            (3, "original", "item_differs")
        ]

    def test_where_there_is_such_a_column_each_cell_is_filled(self):
        assert codes(pairs(("a", ""), ("b", "c"))) == [(2, "simplification", "empty")]


def test_columns_are_known_by_the_words_that_people_use():
    assert field_of("Version simplifiée") == "simplification"
    assert field_of("Texte original") == field_of("Version originale") == "original"
