"""Pairs to score: a mark that is never closed is named, marks within a text are the text's."""

from __future__ import annotations

from annotation.corpus.plain_pairs import read_plain_pairs


def test_a_mark_that_is_never_closed_is_named():
    read = read_plain_pairs(b'original,simplification\na,b\nc,"Non ferm\nd,e\n', "a.csv")
    assert (read.rows, read.problem.split()[0]) == ((), "2")


def test_marks_within_a_text_stay_in_it():
    read = read_plain_pairs(b'original,simplification\nUn "mot" ici,Un 5" de\n', "a.csv")
    assert read.rows == (('Un "mot" ici', 'Un 5" de'),)
