"""One row per item and annotator, with every field."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from annotation.models import Judgment
from annotation.protocols.base import Wording
from annotation.protocols.columns import Column, Value, column
from annotation.selectors.publishing.exports.answers import answer_groups
from annotation.selectors.publishing.exports.columns import Group, all_columns
from annotation.selectors.publishing.exports.formats import Format
from annotation.selectors.publishing.exports.layout import Layout, Lines
from annotation.selectors.publishing.exports.shared_columns import pair_group, rater_group
from annotation.selectors.publishing.exports.source import Source

_ORIGINS = (
    Value(Judgment.Origin.PERSON, Wording("jugé ici par une personne", "judged here by a person")),
    Value(
        Judgment.Origin.IMPORTED,
        Wording("importé d'un fichier publié", "imported from a published file"),
    ),
    Value(Judgment.Origin.MACHINE, Wording("rendu par un modèle", "made by a model")),
)

_NO_AIDS = (None, None)


def moment_columns() -> list[Column]:
    return [
        column(
            "origin",
            "category",
            "D'où vient le jugement.",
            "Where the judgment comes from.",
            _ORIGINS,
        ),
        column(
            "revision",
            "integer",
            "1 pour un premier envoi; un de plus par correction.",
            "1 for a first submission; one more per correction.",
        ),
        column(
            "guide_version",
            "integer",
            "Version du guide en vigueur à l'envoi.",
            "Version of the guide in force at submission.",
        ),
        column(
            "started_at",
            "time",
            "Première ouverture de la paire (UTC).",
            "When the pair was first opened (UTC).",
        ),
        column(
            "submitted_at",
            "time",
            "Envoi du jugement en vigueur (UTC).",
            "When it was submitted (UTC).",
        ),
        column(
            "active_seconds",
            "integer",
            "Temps actif : les pauses et la page cachée ne comptent pas.",
            "Active time: breaks and a hidden page do not count.",
        ),
        column(
            "imported_row",
            "integer",
            "Rang de la ligne dans le fichier importé.",
            "Rank of the row in the imported file.",
        ),
    ]


def context_group(source: Source) -> Group:
    """Which arm the judgment belongs to. What was imported was made elsewhere."""
    described = column(
        "context_shown",
        "boolean",
        "Le texte voisin (ce qui précède et suit l'item) a été montré. Vide : non connu.",
        "The neighbouring text (what precedes and follows the item) was shown. Empty: not known.",
    )

    def cells(picked: tuple[str, str]) -> list[Any]:
        origin, is_shown = picked
        return [None if origin == Judgment.Origin.IMPORTED else bool(is_shown)]

    places = (source.place["origin"], source.place["context_shown"])
    return Group((described,), pick=itemgetter(*places), cells=cells, shared=True)


def aids_group(source: Source) -> Group:
    """Which aids stood by the judgment in force: what was looked into after it was submitted did
    not."""
    described = (
        column(
            "renderings_used_at",
            "time",
            (
                "Première fois que l'aide « termes rendus autrement » a été ouverte avant l'envoi "
                "(UTC). Vide : jamais."
            ),
            (
                "When terms rendered otherwise were first pointed out, before the submission "
                "(UTC). Empty: never."
            ),
        ),
        column(
            "glossary_used_at",
            "time",
            "Première consultation du glossaire avant l'envoi (UTC). Vide : jamais.",
            "When the glossary was first looked into, before the submission (UTC). Empty: never.",
        ),
    )
    moment = source.disclosure.moment
    renderings, glossary, submitted = (
        source.place[f"{name}_at"] for name in ("renderings", "glossary", "submitted")
    )

    def pick(row: Any) -> tuple[str | None, str | None]:
        if row[renderings] is None and row[glossary] is None:
            return _NO_AIDS
        renderings_at, glossary_at = (
            at if at and at <= row[submitted] else None for at in (row[renderings], row[glossary])
        )
        return renderings_at, glossary_at

    def cells(picked: tuple[str | None, str | None]) -> list[Any]:
        return [at and moment(at) for at in picked]

    return Group(described, pick=pick, cells=cells, often=_NO_AIDS)


def moment_group(source: Source) -> Group:
    """How and when a judgment came about. What was imported has a time of import, which says
    nothing."""
    guides, moment = source.guides, source.disclosure.moment

    def cells(picked: tuple[Any, ...]) -> list[Any]:
        origin, revision, guide, started_at, submitted_at, seconds, imported_row = picked
        if origin == Judgment.Origin.IMPORTED:
            return [origin, revision, None, None, None, None, imported_row]
        return [
            origin,
            revision,
            guides.get(guide),
            moment(started_at),
            moment(submitted_at),
            seconds,
            None,
        ]

    names = (
        "origin",
        "revision",
        "guide_id",
        "started_at",
        "submitted_at",
        "active_seconds",
        "imported_row",
    )
    return Group(
        tuple(moment_columns()),
        pick=itemgetter(*(source.place[name] for name in names)),
        cells=cells,
    )


class Long(Layout):
    key = "long"
    title = Wording("Long", "Long")
    explanation = Wording(
        (
            "Une ligne par clause et par annotateur·rice, avec tous les champs : le choix sûr pour "
            "analyser."
        ),
        "One row per item and annotator, with every field: the safe choice for analysis.",
    )

    def columns(self, source: Source) -> list[Column]:
        return all_columns([pair_group(source), *self._groups(source)])

    def count(self, source: Source) -> int:
        return source.count()

    def lines(self, source: Source, form: Format) -> Lines:
        of_pair = pair_group(source).rendered(form)
        parts = [(group.pick, group.rendered(form)) for group in self._groups(source)]
        for batch in source.batches(errors=True):
            for pair, judgments in batch:
                if judgments:
                    start = of_pair(pair)
                    for row in judgments:
                        yield form.row([start, *[text(pick(row)) for pick, text in parts]])

    @staticmethod
    def _groups(source: Source) -> list[Group]:
        return [
            rater_group(source),
            *answer_groups(source),
            moment_group(source),
            context_group(source),
            aids_group(source),
        ]
