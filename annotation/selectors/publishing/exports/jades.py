"""The file that JADES's manual scores were released as: a row for each output, with all of its
judges."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count, groupby
from operator import itemgetter

from annotation.corpus.jades import ITEM, JUDGE, REFERENCE, format_row
from annotation.models import Item
from annotation.protocols.base import Wording
from annotation.protocols.columns import Column, column
from annotation.selectors.publishing.exports.formats import Format
from annotation.selectors.publishing.exports.layout import Layout, Lines
from annotation.selectors.publishing.exports.source import Pair, Row, Source

Judged = tuple[Pair, list[Row]]


class Jades(Layout):
    key = "jades"
    formats = ("json",)
    is_own = True
    of_people = True
    title = Wording("JADES", "JADES")
    explanation = Wording(
        "La liste JSON telle que JADES l'a publiée : une ligne par sortie jugée, avec les notes "
        "de chacun de ses juges. Ce qui a été importé garde ses numéros; ce qui a été jugé ici "
        "prend les suivants. Sans les systèmes, la référence manque aussi : elle dirait laquelle "
        "des sorties est la sienne.",
        "The JSON list as JADES released it: one row per judged output, with the scores of each of "
        "its judges. What was imported keeps its numbers; what was judged here takes the next "
        "ones. Without systems there is no reference either: it would tell which output is its "
        "own.",
    )

    def columns(self, source: Source) -> list[Column]:
        return [
            column("idx_scores", "integer", "Rang de la sortie.", "Rank of the output."),
            column("idx_sentence", "integer", "Numéro de l'item.", "Number of the item."),
            column("system", "text", "Système qui a écrit.", "System that wrote it."),
            column("sentence_origin", "text", "Texte de l'item.", "Text of the item."),
            column(
                "sentence_reference",
                "text",
                "Sortie du système « Reference » pour le même item; vide s'il n'y en a pas, et "
                "quand les systèmes sont laissés de côté.",
                "Output of the system “Reference” for the same item; empty where there is none, "
                "and where systems are left out.",
            ),
            column(
                "sentence_hypothesis",
                "text",
                "Texte de la simplification.",
                "Text of the simplification.",
            ),
            column(
                "idx_annotator_1",
                "integer",
                "Numéro du premier juge; les autres suivent (idx_annotator_2, …).",
                "Number of the first judge; the others follow (idx_annotator_2, …).",
            ),
            *(
                column(
                    f"score_{scale.name}_1",
                    "integer",
                    f"{scale.label.fr} selon le premier juge, {scale.lowest}–{scale.highest}; les "
                    "autres suivent.",
                    f"{scale.label.en} by the first judge, {scale.lowest}–{scale.highest}; the "
                    "others follow.",
                )
                for scale in source.protocol.scales
            ),
        ]

    def count(self, source: Source) -> int:
        return source.count_judged_pairs()

    def lines(self, source: Source, form: Format) -> Lines:
        sentences, judges = _Numbers(ITEM, _keys(source)), _Numbers(JUDGE, _pseudonyms(source))
        opened = b"[\n"
        numbers = count()
        for reference, (pair, rows) in _outputs(source):
            row = format_row(
                number=next(numbers),
                sentence=sentences[pair.item_key],
                system=pair.system if source.options.systems else "",
                original=pair.original,
                reference=reference if source.options.systems else "",
                simplification=pair.simplification,
                scores=dict(sorted(_scores(source, rows, judges).items())),
            )
            yield opened + row.encode()
            opened = b",\n"
        yield b"[]" if opened == b"[\n" else b"\n]"


class _Numbers:
    """Numbers of what the file knows by numbers: a name made of one keeps it, others get the next
    that are free, in their order."""

    def __init__(self, form: str, names: Iterator[str]) -> None:
        own = re.compile(re.escape(form).replace(r"\{\}", r"(\d{1,9})"))
        self._known: dict[str, int] = {}
        others = []
        for name in names:
            if match := own.fullmatch(name):
                self._known[name] = int(match[1])
            else:
                others.append(name)
        first = max(self._known.values(), default=-1) + 1
        self._known |= {name: number for number, name in enumerate(others, start=first)}

    def __getitem__(self, name: str) -> int:
        return self._known[name]


def _keys(source: Source) -> Iterator[str]:
    items = Item.objects.filter(study=source.study).order_by("position")
    return items.values_list("key", flat=True).iterator()


def _pseudonyms(source: Source) -> Iterator[str]:
    return (rater.pseudonym for rater in source.disclosure.raters.values())


def _outputs(source: Source) -> Iterator[tuple[str, Judged]]:
    """Every judged output in the study's order, with the reference of its item."""
    for batch in source.batches():
        for _position, outputs in groupby(batch, key=lambda judged: judged[0].item_position):
            of_item = list(outputs)
            reference = next(
                (pair.simplification for pair, _rows in of_item if pair.system == REFERENCE), ""
            )
            yield from ((reference, (pair, rows)) for pair, rows in of_item if rows)


def _scores(source: Source, rows: list[Row], judges: _Numbers) -> dict[int, dict[str, int]]:
    names = source.protocol.dimensions
    values = itemgetter(*(source.place[f"{name}.value"] for name in names))
    who, raters = source.place["annotator_id"], source.disclosure.raters
    return {
        judges[raters[row[who]].pseudonym]: dict(zip(names, values(row), strict=True))
        for row in rows
    }
