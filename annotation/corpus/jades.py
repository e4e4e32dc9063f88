"""JADES's manual scores as they were released: a JSON list with a row for each output, each with
the scores of its three annotators.

Hayakawa et al. (2022), JADES, section 4.2. Annotators are numbers from 0, the same in every row; a
source sentence has its reference in each row of its own.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import Any

from annotation.corpus.encodings import decode
from annotation.corpus.problems import MAX_PROBLEMS, RowProblem, TableError, and_more, shown
from annotation.corpus.released import ReleasedFile, ReleasedPair
from annotation.corpus.tables import MAX_ROWS, too_many_rows
from annotation.corpus.texts import MAX_LENGTHS, MAX_TEXT
from annotation.protocols.base import Wording
from annotation.protocols.characters import shows_nothing
from annotation.protocols.jades.definition import PROTOCOL

REFERENCE = "Reference"
"""The system whose outputs are people's own simplifications."""
ITEM, JUDGE = "jades-{}", "JADES-{}"
"""What a sentence and an annotator of the file are called in a study."""
_TEXTS = ("system", "sentence_origin", "sentence_reference", "sentence_hypothesis")
_NUMBERS = ("idx_scores", "idx_sentence")
_OF_JUDGES = re.compile(rf"(idx_annotator|score_(?:{'|'.join(PROTOCOL.dimensions)}))_([1-9])")
_LOOKED_AT = 4096
MAX_SYSTEM = MAX_LENGTHS["system"]
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_REMEDY = Wording(
    "Choisissez le fichier de JADES tel qu'il a été publié.",
    "Choose the file of JADES as it was released.",
)


def is_jades(content: bytes) -> bool:
    """Whether a file begins as the released one does: a JSON list of outputs with scores."""
    start = content[:_LOOKED_AT].removeprefix(codecs.BOM_UTF8).lstrip()
    return start[:1] == b"[" and b'"idx_scores"' in content[:_LOOKED_AT]


def read_jades(content: bytes) -> ReleasedFile:
    """The outputs of a file with their scores. Raises ``TableError`` where it is not UTF-8, no JSON
    list, empty, or has more than ``MAX_ROWS`` rows.

    A sentence whose reference is not among the outputs gets it as one that nobody has judged, so
    that nothing of the file is lost; one with an empty reference has none.
    """
    released = ReleasedFile(PROTOCOL.key)
    known: dict[int, tuple[str, str]] = {}
    taken: set[tuple[int, str, str]] = set()
    for number, line in enumerate(_list(content), start=1):
        problems = _line_problems(number, line) or _repeats(number, line, known, taken)
        if problems:
            released.problems.extend(problems)
        else:
            released.pairs.append(_pair(number, line))
        if len(released.problems) > MAX_PROBLEMS:
            released.problems.append(and_more(number))
            break
    return _with_references(released, known, taken)


def format_row(
    *,
    number: int,
    sentence: int,
    system: str,
    original: str,
    reference: str,
    simplification: str,
    scores: dict[int, dict[str, int]],
) -> str:
    """One row of the released layout without what stands between rows, byte for byte as
    ``json.dumps`` wrote it there (``indent=1``). ``scores`` by the annotator's number."""
    row: dict[str, Any] = {
        "idx_scores": number,
        "idx_sentence": sentence,
        "system": system,
        "sentence_origin": original,
        "sentence_reference": reference,
        "sentence_hypothesis": simplification,
    }
    judges = list(enumerate(scores, start=1))
    row |= {f"idx_annotator_{place}": judge for place, judge in judges}
    for name in PROTOCOL.dimensions:
        row |= {f"score_{name}_{place}": float(scores[judge][name]) for place, judge in judges}
    written = json.dumps(row, ensure_ascii=False, indent=1)
    return "\n".join(f" {line}" for line in written.split("\n"))


class _Repeated:
    """An object in which a key stands twice."""

    def __init__(self, key: str) -> None:
        self.key = key


def _once(members: list[tuple[str, Any]]) -> dict[str, Any] | _Repeated:
    """Two scores of one name contradict each other: JSON alone would take the last."""
    by_key: dict[str, Any] = {}
    for key, value in members:
        if key in by_key:
            return _Repeated(key)
        by_key[key] = value
    return by_key


def _list(content: bytes) -> list[Any]:
    lines = _loaded(decode(content, "utf-8"))
    if not isinstance(lines, list) or not lines:
        raise TableError(
            "no_rows",
            Wording(
                "Le document n'est pas une liste, ou elle est vide.",
                "The document is no list, or an empty one.",
            ),
            _REMEDY,
        )
    if len(lines) > MAX_ROWS:
        raise too_many_rows()
    return lines


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        where = Wording(
            f"Ce n'est pas un document JSON (ligne {error.lineno}, colonne {error.colno}).",
            f"This is no JSON document (line {error.lineno}, column {error.colno}).",
        )
        raise TableError("not_json", where, _REMEDY) from error
    except (ValueError, RecursionError) as error:
        # A number with thousands of digits, or brackets nested beyond reason.
        what = Wording("Ce JSON est démesuré.", "This JSON is out of all proportion.")
        raise TableError("not_json", what, _REMEDY) from error


def _pair(number: int, line: dict[str, Any]) -> ReleasedPair:
    return ReleasedPair(
        row=number,
        key=ITEM.format(int(line["idx_sentence"])),
        original=line["sentence_origin"],
        simplification=line["sentence_hypothesis"],
        system=line["system"],
        scores={
            JUDGE.format(int(line[f"idx_annotator_{place}"])): {
                name: int(line[f"score_{name}_{place}"]) for name in PROTOCOL.dimensions
            }
            for place in _places(line)
        },
    )


def _places(line: dict[str, Any]) -> list[str]:
    """The numbers after the names of the annotators' columns, ascending."""
    matches = (_OF_JUDGES.fullmatch(key) for key in line)
    return sorted({match[2] for match in matches if match and match[1] == "idx_annotator"})


def _with_references(
    released: ReleasedFile, known: dict[int, tuple[str, str]], taken: set[tuple[int, str, str]]
) -> ReleasedFile:
    released.pairs.extend(
        ReleasedPair(0, ITEM.format(sentence), original, reference, REFERENCE)
        for sentence, (original, reference) in known.items()
        if reference and (sentence, REFERENCE, "") not in taken
    )
    return released


# -- what is wrong with a row ---------------------------------------------------------------------


def _line_problems(number: int, line: object) -> list[RowProblem]:
    if isinstance(line, _Repeated):
        name = shown(line.key)
        return [
            _refused(
                number,
                name,
                "duplicate_key",
                f"La clé « {name} » y est deux fois",
                f"The key “{name}” is in it twice",
            )
        ]
    if not isinstance(line, dict):
        return [
            _refused(
                number, "", "not_an_object", "La ligne n'est pas un objet", "The row is no object"
            )
        ]
    problems = [*_missing(number, line), *_strange(number, line)]
    if problems:
        return problems
    problems = _bad_texts(number, line)
    problems += [
        _refused(
            number,
            name,
            "not_a_number",
            f"« {name} » n'est pas un nombre entier",
            f"“{name}” is no whole number",
        )
        for name in (*_NUMBERS, *(f"idx_annotator_{place}" for place in _places(line)))
        if not _is_whole(line[name], 0, 2**31 - 1)
    ]
    for place in _places(line):
        problems.extend(_off_scale(number, line, place))
    return problems


def _bad_texts(number: int, line: dict[str, Any]) -> list[RowProblem]:
    problems = []
    for name in _TEXTS:
        value = line[name]
        if name in ("sentence_reference", "system") and value == "":
            continue  # as it is exported: there is none, or systems are left out
        if not isinstance(value, str) or shows_nothing(value) or _UNSTORABLE.search(value):
            problems.append(
                _refused(
                    number,
                    name,
                    "not_a_text",
                    f"« {name} » n'est pas un texte",
                    f"“{name}” is no text",
                )
            )
        elif len(value) > (most := MAX_SYSTEM if name == "system" else MAX_TEXT):
            problems.append(
                _refused(
                    number,
                    name,
                    "too_long",
                    f"« {name} » a {len(value)} caractères; au plus {most} sont lus",
                    f"“{name}” has {len(value)} characters; at most {most} are read",
                )
            )
    return problems


def _missing(number: int, line: dict[str, Any]) -> list[RowProblem]:
    wanted = [*_NUMBERS, *_TEXTS, "idx_annotator_1"]
    for place in _places(line):
        wanted += [f"score_{name}_{place}" for name in PROTOCOL.dimensions]
    return [
        _refused(
            number, name, "missing_key", f"La clé « {name} » manque", f"The key “{name}” is missing"
        )
        for name in wanted
        if name not in line
    ]


def _strange(number: int, line: dict[str, Any]) -> list[RowProblem]:
    """The first key that no row has: a small file may have a million of them in one row."""
    places = set(_places(line))
    known = {*_NUMBERS, *_TEXTS}
    for key in line:
        match = _OF_JUDGES.fullmatch(key)
        if key not in known and not (match and match[2] in places):
            name = shown(key)
            return [
                _refused(
                    number,
                    name,
                    "unknown_key",
                    f"La clé « {name} » est de trop",
                    f"The key “{name}” is one too many",
                )
            ]
    return []


def _off_scale(number: int, line: dict[str, Any], place: str) -> list[RowProblem]:
    return [
        _refused(
            number,
            key,
            "not_on_the_scale",
            f"« {key} » n'est pas un niveau de {scale.lowest} à {scale.highest}",
            f"“{key}” is no level from {scale.lowest} to {scale.highest}",
        )
        for scale in PROTOCOL.scales
        if not _is_whole(line[key := f"score_{scale.name}_{place}"], scale.lowest, scale.highest)
    ]


def _repeats(
    number: int,
    line: dict[str, Any],
    known: dict[int, tuple[str, str]],
    taken: set[tuple[int, str, str]],
) -> list[RowProblem]:
    """A row that contradicts an earlier one of the same sentence, or is one again: outputs of no
    named system are told apart by their texts."""
    sentence, texts = (
        int(line["idx_sentence"]),
        (line["sentence_origin"], line["sentence_reference"]),
    )
    judges = [line[f"idx_annotator_{place}"] for place in _places(line)]
    if known.setdefault(sentence, texts) != texts:
        return [
            _refused(
                number,
                "idx_sentence",
                "other_sentence",
                f"La phrase {sentence} a d'autres textes plus haut",
                f"Sentence {sentence} has other texts above",
            )
        ]
    system, output = line["system"], line["sentence_hypothesis"]
    once = (sentence, system, "" if system else output)
    if once in taken:
        return [_again(number, sentence, system)]
    if len(set(judges)) < len(judges):
        return [
            _refused(
                number,
                "idx_annotator_1",
                "duplicate_judge",
                "Une même personne y est deux fois",
                "One person is in it twice",
            )
        ]
    if system == REFERENCE and output != texts[1]:
        return [
            _refused(
                number,
                "sentence_reference",
                "other_reference",
                "La référence n'est pas la sortie de « Reference »",
                "The reference is not the output of “Reference”",
            )
        ]
    taken.add(once)
    return []


def _again(number: int, sentence: int, system: str) -> RowProblem:
    if system:
        return _refused(
            number,
            "system",
            "duplicate",
            f"« {shown(system)} » a déjà une sortie pour la phrase {sentence}",
            f"“{shown(system)}” has an output for sentence {sentence} already",
        )
    return _refused(
        number,
        "sentence_hypothesis",
        "duplicate",
        f"Cette sortie de la phrase {sentence} y est déjà, sans système elle aussi",
        f"This output of sentence {sentence} is in it already, without a system too",
    )


def _is_whole(value: object, lowest: int, highest: int) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and value == value // 1
        and lowest <= value <= highest
    )


def _refused(number: int, field: str, code: str, fr: str, en: str) -> RowProblem:
    return RowProblem(field, code, Wording(f"{fr}.", f"{en}."), row=number, remedy=_REMEDY)
