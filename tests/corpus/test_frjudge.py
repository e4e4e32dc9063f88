"""The released layout: read strictly, written byte for byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.corpus.frjudge import KEYS, FrjudgeRow, format_row, is_frjudge, read_frjudge
from annotation.corpus.problems import TableError

LABELS = [
    "Plus simple à lire",
    "Aussi simple à lire",
    "Plus difficile à lire",
    "Pas de simplification",
]
GOOD = {
    "original": "L'assuré paie.",
    "simplification": "Vous payez.",
    "simplicity": LABELS[0],
    "qualification": "8",
    "legal_meaning": "10",
    "justifications": "",
}
TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1
).filter(str.strip)


def read(*objects):
    return read_frjudge("".join(json.dumps(o, ensure_ascii=False) + "\n" for o in objects).encode())


def codes(parsed):
    return [(problem.row, problem.field, problem.code) for problem in parsed.problems]


def rewritten(row: FrjudgeRow) -> str:
    return format_row(
        original=row.original,
        simplification=row.simplification,
        simplicity=row.simplicity,
        qualification=row.qualification,
        legal_meaning=row.legal_meaning,
        justifications=row.justifications,
    )


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "original": TEXT,
                "simplification": TEXT,
                "simplicity": st.sampled_from(LABELS),
                "qualification": st.integers(1, 18).map(str),
                "legal_meaning": st.integers(1, 10).map(str),
                "justifications": st.one_of(st.just(""), TEXT),
            }
        ),
        min_size=1,
    )
)
def test_reading_and_writing_are_inverse(objects):
    content = "".join(
        json.dumps({k: o[k] for k in KEYS}, ensure_ascii=False) + "\n" for o in objects
    ).encode()
    parsed = read_frjudge(content)
    assert parsed.problems == []
    assert "".join(map(rewritten, parsed.rows)).encode() == content
    assert [row.row for row in parsed.rows] == list(range(1, len(objects) + 1))


def test_texts_are_taken_exactly_as_they_are():
    odd = GOOD | {"original": " \ufeffa\r\n\tb\u00a0 ", "simplification": "\x07 c"}
    assert read(odd).rows[0].original == odd["original"]
    assert rewritten(read(odd).rows[0]) == json.dumps(odd, ensure_ascii=False) + "\n"


@pytest.mark.parametrize(
    ("changed", "field", "code"),
    [
        ({"qualification": "19"}, "qualification", "not_on_the_scale"),
        ({"qualification": "0"}, "qualification", "not_on_the_scale"),
        ({"qualification": "08"}, "qualification", "not_on_the_scale"),
        ({"legal_meaning": "11"}, "legal_meaning", "not_on_the_scale"),
        ({"legal_meaning": "7.5"}, "legal_meaning", "not_on_the_scale"),
        ({"simplicity": "Plus simple"}, "simplicity", "not_on_the_scale"),
        ({"simplicity": "simpler"}, "simplicity", "not_on_the_scale"),
        ({"legal_meaning": 7}, "legal_meaning", "not_a_text"),
        ({"justifications": None}, "justifications", "not_a_text"),
        ({"original": " "}, "original", "empty"),
        ({"simplification": ""}, "simplification", "empty"),
        ({"simplification": "\u200b"}, "simplification", "empty"),
        ({"original": "a\x00b"}, "original", "forbidden_character"),
        ({"justifications": "\ud800"}, "justifications", "forbidden_character"),
        ({"annotator": "A"}, "annotator", "unknown_key"),
    ],
)
def test_a_bad_line_is_named_with_its_remedy(changed, field, code):
    content = json.dumps(GOOD) + "\n" + json.dumps(GOOD | changed) + "\n"
    parsed = read_frjudge(content.encode())
    assert codes(parsed) == [(2, field, code)]
    assert parsed.problems[0].remedy.fr
    assert len(parsed.rows) == 1


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_key_is_named(key):
    assert codes(read({k: v for k, v in GOOD.items() if k != key})) == [(1, key, "missing_key")]


def test_lines_that_are_no_objects_are_named():
    content = json.dumps(GOOD) + '\n{"original": "a", "original": "b"}\nnot json\n'
    assert codes(read_frjudge(content.encode())) == [(2, "", "duplicate_key"), (3, "", "not_json")]


def test_several_faults_of_a_line_are_all_named():
    assert len(read(GOOD | {"qualification": "19", "legal_meaning": "11"}).problems) == 2


def test_uneven_rows_are_counted():
    other = GOOD | {"original": "Autre."}
    assert read(GOOD, other, GOOD, GOOD).judges_per_pair == {1: 1, 3: 1}


def test_nothing_and_another_encoding():
    with pytest.raises(TableError, match="empty"):
        read_frjudge(b"\n\n")
    with pytest.raises(TableError) as caught:
        read_frjudge(json.dumps(GOOD, ensure_ascii=False).encode("cp1252"))
    assert caught.value.problem.code == "wrong_encoding"


def test_the_file_is_told_by_its_keys():
    assert is_frjudge(reversed(KEYS))
    assert not is_frjudge(KEYS[:-1])
    assert not is_frjudge([*KEYS, "annotator"])
