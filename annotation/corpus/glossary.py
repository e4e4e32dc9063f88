"""A study's glossary: terms with their definition and where it comes from, from a table. Every row
that is no entry is named."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation.accents import composed
from annotation.corpus.columns import plain
from annotation.corpus.problems import RowProblem, TableError
from annotation.corpus.table_files import read_table
from annotation.corpus.tables import JSONL, NAMED, Layout, Table, check_called_once
from annotation.protocols.base import Problem, Wording

FIELDS: dict[str, Wording] = {
    "term": Wording("Terme", "Term"),
    "definition": Wording("Définition", "Definition"),
    "source": Wording("Source", "Source"),
}
REQUIRED = ("term", "definition")
MAX_LENGTHS = {"term": 120, "definition": 4000, "source": 300}
MAX_TERMS = 2000

_NAMES = {
    "term": "term terme termes terms mot mots word expression entree entry vedette notion concept",
    "definition": "definition definitions sens meaning signification explication explanation texte "
    "text",
    "source": (
        "source sources article articles reference references loi statute provision origine "
        "disposition"
    ),
}
_FIELD_OF = {name: field for field, names in _NAMES.items() for name in names.split()}
# Control characters but newline and tab, halves of surrogate pairs, and what is no character at
# all.
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffd-\uffff]")


@dataclass(frozen=True, slots=True)
class Term:
    """One entry. ``source``: the article or clause that the definition comes from; may be empty."""

    term: str
    definition: str
    source: str = ""

    @property
    def key(self) -> str:
        """What two entries of one term share, whatever their case and spaces."""
        return composed(" ".join(self.term.split()).casefold())


@dataclass(frozen=True)
class Glossary:
    """The rows that are entries, and what is wrong with the others; ``fatal`` where it is no
    glossary at all."""

    terms: list[Term] = field(default_factory=list)
    problems: list[RowProblem] = field(default_factory=list)
    fatal: RowProblem | None = None


def tidy(term: Term) -> Term:
    """The entry without spaces around it, its term and source on one line."""
    return Term(
        " ".join(term.term.split()),
        term.definition.replace("\r\n", "\n").replace("\r", "\n").strip(),
        " ".join(term.source.split()),
    )


def term_problems(term: Term) -> list[Problem]:
    """What is wrong with an entry, field by field."""
    return [problem for name in FIELDS for problem in _field_problems(name, getattr(term, name))]


def read_glossary(content: bytes) -> Glossary:
    """The entries of a CSV, TSV, JSONL or XLSX file.

    Columns go by their names where the first row names them, else by their order: term, definition,
    source. Raises ``TableError`` where the file cannot be read as a table, or has no column of
    terms or of definitions.
    """
    table, mapping = _table(content)
    glossary, seen = Glossary(problems=list(table.problems)), set[str]()
    for row in table.rows:
        cells = {
            name: row.cells[index] for name, index in mapping.items() if index < len(row.cells)
        }
        term = tidy(Term(**cells))
        problems: list[Problem] = term_problems(term)
        if not problems and term.key in seen:
            problems = [
                _problem(
                    "term",
                    "duplicate",
                    "Ce terme a déjà une définition.",
                    "This term is defined above.",
                )
            ]
        glossary.problems.extend(
            RowProblem(p.field, p.code, p.message, row=row.number) for p in problems
        )
        if not problems:
            seen.add(term.key)
            glossary.terms.append(term)
    if len(glossary.terms) > MAX_TERMS:
        raise _unreadable(
            "too_many",
            f"Le fichier a plus de {MAX_TERMS} termes.",
            f"The file has more than {MAX_TERMS} terms.",
        )
    glossary.problems.sort(key=lambda problem: problem.row)
    return glossary


def _table(content: bytes) -> tuple[Table, Mapping[str, int]]:
    """The table and its columns by field. Whether the first row is a header is decided here, by its
    names: the reader knows those of columns of pairs."""
    headed = _headed(content)
    named = _by_name(headed.columns) if headed else {}
    if headed and all(name in named for name in REQUIRED):
        check_called_once(headed, named.values())
        return headed, named
    table = read_table(content, Layout(header=False))
    if table.layout.format == JSONL or len(table.columns) < len(REQUIRED):
        raise _unreadable(
            "no_columns",
            (
                "Il faut une colonne « terme » et une colonne « définition » (et, s'il y a lieu, « "
                "source »)."
            ),
            (
                "A column “term” and a column “definition” are needed (and “source” where there is "
                "one)."
            ),
        )
    return table, dict(zip(FIELDS, range(len(table.columns)), strict=False))


def _headed(content: bytes) -> Table | None:
    try:
        return read_table(content, NAMED)
    except TableError:
        return None


def _by_name(names: Sequence[str]) -> dict[str, int]:
    places: dict[str, int] = {}
    for index, name in enumerate(names):
        field_name = _FIELD_OF.get(plain(name), "")
        if field_name:
            places.setdefault(field_name, index)
    return places


def _field_problems(name: str, text: str) -> list[Problem]:
    label, most = FIELDS[name], MAX_LENGTHS[name]
    if not text and name in REQUIRED:
        return [
            _problem(
                name,
                "missing",
                f"{label.fr} : rien n'est écrit.",
                f"{label.en}: nothing is written.",
            )
        ]
    if len(text) > most:
        fr = f"{label.fr} : {len(text)} caractères, {most} au plus."
        return [
            _problem(name, "too_long", fr, f"{label.en}: {len(text)} characters, {most} at most.")
        ]
    if _FORBIDDEN.search(text):
        fr = f"{label.fr} : un caractère illisible s'y trouve."
        return [
            _problem(
                name, "unreadable", fr, f"{label.en}: it holds a character that cannot be read."
            )
        ]
    return []


def _problem(name: str, code: str, fr: str, en: str) -> Problem:
    return Problem(name, code, Wording(fr, en))


def _unreadable(code: str, fr: str, en: str) -> TableError:
    return TableError(code, Wording(fr, en), Wording("", ""))
