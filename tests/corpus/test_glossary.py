"""A glossary from a table, however it is written."""

from __future__ import annotations

import io

import openpyxl
import pytest

from annotation.corpus.glossary import MAX_TERMS, Term, read_glossary, term_problems
from annotation.corpus.problems import TableError

PRIME = Term("prime", "Le prix de l'assurance.", "art. 2")


def xlsx(*rows: tuple[str, ...]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    held = io.BytesIO()
    book.save(held)
    return held.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        "terme;définition;source\nprime;Le prix de l'assurance.;art. 2\n".encode(),
        b"Source,Meaning,Entry\nart. 2,Le prix de l'assurance.,prime\n",
        b"prime\tLe prix de l'assurance.\tart. 2\n",
        b'{"mot": "prime", "sens": "Le prix de l\'assurance.", "article": "art. 2"}\n',
        xlsx(("Terme", "Définition", "Source"), ("prime", "Le prix de l'assurance.", "art. 2")),
    ],
    ids=["csv", "other order and names", "tsv without header", "jsonl", "xlsx"],
)
def test_terms_are_read_from_any_table(content: bytes) -> None:
    read = read_glossary(content)
    assert (read.terms, read.problems) == ([PRIME], [])


def test_a_table_without_sources_has_none() -> None:
    assert read_glossary(b"term,definition\nprime,Un prix.\n").terms == [Term("prime", "Un prix.")]


def test_every_bad_row_is_named_and_the_others_are_read() -> None:
    rows = [
        "terme;définition;source",
        "prime;Un prix.;",
        ";Sans terme.;",
        "PRIME ;Encore.;",
        f"long;{'x' * 4001};",
        "vide;;",
    ]
    read = read_glossary("\n".join(rows).encode())
    assert read.terms == [Term("prime", "Un prix.")]
    assert [(p.row, p.field, p.code) for p in read.problems] == [
        (3, "term", "missing"),
        (4, "term", "duplicate"),
        (5, "definition", "too_long"),
        (6, "definition", "missing"),
    ]


def test_spaces_and_line_ends_are_tidied_and_case_is_kept() -> None:
    read = read_glossary(
        'terme,définition,source\n"  Mise  en\ndemeure ","Un avis.\r\nÉcrit. "," art.\n3 "\n'.encode()  # noqa: E501
    )
    assert read.terms == [Term("Mise en demeure", "Un avis.\nÉcrit.", "art. 3")]
    assert read.terms[0].key == "mise en demeure"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty_file"),
        (b"%PDF-1.4", "not_a_table"),
        (b"un seul\nmot\n", "no_columns"),
        (b'{"mot": "prime"}\n', "no_columns"),
        ("\n".join(f"terme {n};Définition." for n in range(MAX_TERMS + 1)).encode(), "too_many"),
    ],
)
def test_what_is_no_glossary_says_so(content: bytes, code: str) -> None:
    with pytest.raises(TableError) as refused:
        read_glossary(content)
    assert refused.value.problem.code == code


def test_what_nobody_can_read_is_refused() -> None:
    assert [p.code for p in term_problems(Term("pri\x00me", "Un prix."))] == ["unreadable"]
