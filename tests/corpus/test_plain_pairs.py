"""Pairs to score: a mark that is never closed is named, marks within a text are the text's."""

from __future__ import annotations

from annotation.corpus.plain_pairs import read_plain_pairs


def test_a_mark_that_is_never_closed_is_named():
    read = read_plain_pairs(b'original,simplification\na,b\nc,"Non ferm\nd,e\n', "a.csv")
    assert (read.rows, read.problem.split()[0]) == ((), "2")


def test_marks_within_a_text_stay_in_it():
    read = read_plain_pairs(b'original,simplification\nUn "mot" ici,Un 5" de\n', "a.csv")
    assert read.rows == (('Un "mot" ici', 'Un 5" de'),)


def test_columns_are_known_with_a_capital_or_a_blank():
    rows = (("a", "b"),)
    assert read_plain_pairs(b"ID;Original;Simplification \n7;a;b\n", "a.csv").rows == rows
    assert read_plain_pairs(b"original,SIMPLIFICATION,Original\na,b,c\n", "a.csv").rows == rows
    read = read_plain_pairs(b"Original,ORIGINAL,simplification\na,b,c\n", "a.csv")
    assert read.problem == "1 : original", "nobody says which of the two"
