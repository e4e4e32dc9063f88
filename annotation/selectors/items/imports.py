"""What an import would do to a study, before it does it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from annotation.corpus.frjudge import FrjudgeFile, FrjudgeRow
from annotation.corpus.pairs import PairRow, Pairs
from annotation.corpus.problems import RowProblem
from annotation.corpus.released import ReleasedFile
from annotation.models import Item, Simplification, Study, text_digest
from annotation.protocols.base import NO_WORDING, Wording


@dataclass
class Place:
    """An item that pairs go to: one of the study (``pk``), or a new one."""

    original: str
    passage: tuple[str, str, str]
    key: str = ""
    pk: int | None = None
    round: str = ""
    position: int = 0
    texts: set[tuple[str, str]] = field(default_factory=set)
    """(text, system) of the simplifications that it has already."""
    next_position: int = 0
    pairs: list[PairRow] = field(default_factory=list)


@dataclass
class Plan:
    """Where each pair goes, and why the others go nowhere."""

    places: list[Place] = field(default_factory=list)
    problems: list[RowProblem] = field(default_factory=list)

    @property
    def simplifications(self) -> int:
        return sum(bool(pair.simplification) for place in self.places for pair in place.pairs)

    @property
    def items(self) -> int:
        """How many of the places are new."""
        return sum(place.pk is None for place in self.places)

    @property
    def duplicates(self) -> int:
        return sum(problem.duplicate for problem in self.problems)

    def refusals(self, *, skip_duplicates: bool) -> list[RowProblem]:
        """The problems that stop the import."""
        return [problem for problem in self.problems if not (skip_duplicates and problem.duplicate)]


def pairs_plan(*, study: Study, pairs: Pairs, round: str) -> Plan:  # noqa: A002 (the column's name)
    """What importing these pairs into a round would add, and every row that cannot go in."""
    known = _Known(
        study, {text_digest(row.original) for row in pairs.rows}, {row.key for row in pairs.rows}
    )
    plan = Plan(problems=list(pairs.problems))
    used: dict[int, Place] = {}
    for row in pairs.rows:
        place = known.place(row, round)
        if isinstance(place, RowProblem):
            plan.problems.append(place)
            continue
        place.pairs.append(row)
        used.setdefault(id(place), place)
    plan.places = list(used.values())
    plan.problems.sort(key=lambda problem: problem.row)
    return plan


def frjudge_repeats(*, study: Study, rows: Iterable[FrjudgeRow]) -> list[RowProblem]:
    """The pairs of a released file that the study has already, each named once."""
    first: dict[tuple[str, str], int] = {}
    for row in rows:
        first.setdefault((row.original, row.simplification), row.row)
    stored = Simplification.objects.filter(item__study=study).values_list(
        "item__original", "text", "item__key"
    )
    key_of = {
        (original, text): key
        for original, text, key in stored.iterator()
        if (original, text) in first
    }
    return [
        _in_study(row, key_of[pair], NO_WORDING) for pair, row in first.items() if pair in key_of
    ]


def released_misfit(*, study: Study, brought: FrjudgeFile | ReleasedFile) -> RowProblem | None:
    """Why no judgment of a released file is one of this study's: its protocol is another."""
    if study.protocol_key == brought.protocol:
        return None
    if isinstance(brought, FrjudgeFile):
        return _NO_FRJUDGE
    return RowProblem(
        "study",
        "other_protocol",
        Wording(
            f"Ces jugements suivent le protocole « {brought.protocol} », et l'étude "
            f"« {study.protocol_key} ».",
            f"These judgments follow the protocol “{brought.protocol}”, and the study "
            f"“{study.protocol_key}”.",
        ),
        remedy=Wording("Importez dans une autre étude.", "Import into another study."),
    )


_NO_FRJUDGE = RowProblem(
    "study",
    "other_protocol",
    Wording(
        "Cette étude suit un autre protocole que FrJUDGE.",
        "This study follows another protocol than FrJUDGE.",
    ),
    remedy=Wording(
        "Importez dans une autre étude, ou n'apportez que ses paires.",
        "Import into another study, or bring in its pairs alone.",
    ),
)


class _Known:
    """The study's items that the rows could speak of, and those that the rows add to them."""

    def __init__(self, study: Study, digests: set[str], keys: set[str]) -> None:
        self.by_key: dict[str, Place] = {}
        self.by_original: dict[str, list[Place]] = defaultdict(list)
        by_pk: dict[int, Place] = {}
        columns = (
            "pk",
            "key",
            "round",
            "original",
            "source",
            "context_before",
            "context_after",
            "original_digest",
        )
        items = Item.objects.filter(study=study).order_by("position").values_list(*columns)
        for pk, key, round_, original, source, before, after, digest in items.iterator():
            if digest in digests or key in keys:
                place = Place(original, (source, before, after), key=key, pk=pk, round=round_)
                by_pk[pk] = self.by_key[key] = place
                if round_ in Item.Round.values:
                    # A control pair or a repeat is no duplicate of what is brought in.
                    self.by_original[original].append(place)
        if by_pk:
            stored = Simplification.objects.filter(item__study=study)
            for item, text, system, position in stored.values_list(
                "item_id", "text", "system", "position"
            ):
                if item in by_pk:
                    by_pk[item].texts.add((text, system))
                    by_pk[item].next_position = max(by_pk[item].next_position, position + 1)

    def place(self, row: PairRow, round_: str) -> Place | RowProblem:
        """The item that a pair goes to; a new one where the study has none."""
        for known in self.by_original[row.original]:
            if (row.simplification, row.system) in known.texts:
                return _in_study(row.row, known.key, _SKIP)
        place = self.by_key.get(row.key) if row.key else self._same_passage(row, round_)
        if place is not None and place.original == row.original and not row.simplification:
            return _in_study(row.row, place.key or row.key, _SKIP, passage=True)
        if place is None:
            place = Place(row.original, row.passage[1:], key=row.key, round=round_)
            self.by_original[row.original].append(place)
            if row.key:
                self.by_key[row.key] = place
        return _contradiction(row, place, round_) or place

    def _same_passage(self, row: PairRow, round_: str) -> Place | None:
        """Without an identifier, the same passage in the same round is the same item."""
        return next(
            (
                place
                for place in self.by_original[row.original]
                if place.round == round_ and place.passage == row.passage[1:]
            ),
            None,
        )


def _contradiction(row: PairRow, place: Place, round_: str) -> RowProblem | None:
    """Why a pair cannot join the item that it names. New items were checked within the file."""
    if place.pk is None:
        return None
    if place.original != row.original:
        return RowProblem(
            "id",
            "key_taken",
            Wording(
                f"« {row.key} » est déjà une autre clause de l'étude.",
                f"“{row.key}” is another clause of the study already.",
            ),
            row=row.row,
            remedy=Wording(
                "Donnez un autre identifiant à celle-ci.", "Give this one another identifier."
            ),
        )
    if place.round != round_:
        return RowProblem(
            "id",
            "other_round",
            Wording(
                f"« {row.key} » est dans l'autre ronde de l'étude.",
                f"“{row.key}” is in the study's other round.",
            ),
            row=row.row,
            remedy=Wording(
                "Choisissez l'autre ronde, ou un autre identifiant.",
                "Choose the other round, or another identifier.",
            ),
        )
    if row.system and any(system == row.system for _text, system in place.texts):
        return RowProblem(
            "system",
            "system_taken",
            Wording(
                (
                    f"« {row.system} » a déjà une autre simplification de « {place.key} » dans "
                    "l'étude."
                ),
                f"“{row.system}” has another simplification of “{place.key}” in the study already.",
            ),
            row=row.row,
            remedy=Wording("Donnez un autre nom de système.", "Give the system another name."),
        )
    return None


_SKIP = Wording(
    "Supprimez la ligne, ou choisissez de laisser les doublons de côté.",
    "Delete the row, or choose to leave duplicates out.",
)


def _in_study(row: int, key: str, remedy: Wording, *, passage: bool = False) -> RowProblem:
    what = (
        Wording("Cette clause", "This passage") if passage else Wording("Cette paire", "This pair")
    )
    return RowProblem(
        "",
        "duplicate_in_study",
        Wording(
            f"{what.fr} est déjà dans l'étude, à la clause « {key} ».",
            f"{what.en} is in the study already, in the clause “{key}”.",
        ),
        row=row,
        remedy=remedy,
        duplicate=True,
    )
