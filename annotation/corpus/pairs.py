"""Rows of a table as pairs: an original with its simplification. Every row that cannot be one is
named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotation.corpus.columns import FIELDS, REQUIRED
from annotation.corpus.nested import is_list
from annotation.corpus.problems import MAX_PROBLEMS, RowProblem, TableError, and_more
from annotation.corpus.tables import JSONL, Layout, Row, Table, check_places
from annotation.corpus.texts import field_text, look_alike, nested, text_problems
from annotation.protocols.base import Wording


@dataclass(frozen=True, slots=True)
class PairRow:
    """One pair as a file gives it; ``row`` is where. Without ``key``, the original's text names the
    item.

    An empty simplification: a passage that a model is to simplify. ``structure``: what people
    marked in the original, labels parted by "; "; one of the item's rows is enough to say it.
    """

    row: int
    original: str
    simplification: str = ""
    key: str = ""
    system: str = ""
    source: str = ""
    context_before: str = ""
    context_after: str = ""
    structure: str = ""

    @property
    def passage(self) -> tuple[str, str, str, str]:
        """What the rows of one item must agree on."""
        return self.original, self.source, self.context_before, self.context_after


@dataclass(frozen=True)
class Pairs:
    """The rows that are pairs, and what is wrong with the others."""

    rows: list[PairRow] = field(default_factory=list)
    problems: list[RowProblem] = field(default_factory=list)


def pairs_of_rows(rows: Sequence[Mapping[str, str]]) -> Pairs:
    """Pairs that come as rows of texts by field, as they would be in a table; rows count from 1.

    Raises ``TableError`` where no row has an original.
    """
    columns = tuple(name for name in FIELDS if any(name in row for row in rows))
    numbered = [
        Row(number, [row.get(name, "") for name in columns])
        for number, row in enumerate(rows, start=1)
    ]
    table = Table(Layout(format=JSONL), columns, numbered)
    return pairs_of(table, {name: column for column, name in enumerate(columns)})


def pairs_of(table: Table, mapping: Mapping[str, int]) -> Pairs:
    """The pairs of a table, columns by field as in ``mapping``.

    A pair that repeats an earlier one is a problem marked ``duplicate`` and not among the rows.
    Raises ``TableError`` where the original has no column.
    """
    _check_mapping(table, mapping)
    pairs = Pairs(problems=list(table.problems))
    seen, named = SeenPairs(), 0
    for row in table.rows:
        texts = {name: field_text(name, row.cells[column]) for name, column in mapping.items()}
        problems = [
            problem
            for name, text in texts.items()
            for problem in text_problems(row.number, name, text, quoted=table.is_quoted)
        ]
        problems += [
            nested(row.number, name)
            for name, column in mapping.items()
            if column in table.lists and is_list(texts[name])
        ]
        if not problems:
            pair = _pair(row, texts)
            problems = seen.problems(pair)
            if not problems:
                pairs.rows.append(pair)
        pairs.problems.extend(problems)
        named += sum(not problem.duplicate for problem in problems)
        if named > MAX_PROBLEMS:
            pairs.problems.append(and_more(row.number))
            break
    pairs.problems.sort(key=lambda problem: problem.row)
    return pairs


def _pair(row: Row, texts: Mapping[str, str]) -> PairRow:
    named = {("key" if name == "id" else name): text for name, text in texts.items()}
    if "simplification" not in named:
        named.pop("system", None)  # nobody has written anything yet
    return PairRow(row=row.number, **named)


def _check_mapping(table: Table, mapping: Mapping[str, int]) -> None:
    for name in REQUIRED:
        if name not in mapping:
            label = FIELDS[name]
            raise TableError(
                "unmapped",
                Wording(
                    f"Aucune colonne n'est choisie pour « {label.fr} ».",
                    f"No column is chosen for “{label.en}”.",
                ),
                Wording(
                    "Choisissez-en une : par son nom, ou par son numéro où la première ligne "
                    f"n'est pas un en-tête (de 1 à {len(table.columns)}).",
                    "Choose one: by its name, or by its number where the first row is no header (1 "
                    f"to {len(table.columns)}).",
                ),
                field="columns",
            )
    check_places(table, mapping)


class SeenPairs:
    """The pairs so far, for what only shows between rows."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[str, str, str], PairRow] = {}
        self.items: dict[str, PairRow] = {}
        self.originals: dict[str, PairRow] = {}
        self.systems: dict[tuple[str, str], PairRow] = {}

    def first(self, pair: PairRow) -> PairRow | None:
        """The first pair of the same texts."""
        return self.pairs.get((pair.original, pair.simplification, pair.system))

    def problems(self, pair: PairRow) -> list[RowProblem]:
        """What this pair contradicts or repeats; it is remembered in any case."""
        first = self.pairs.setdefault((pair.original, pair.simplification, pair.system), pair)
        if first is not pair:
            return [_repeated_pair(pair, first.row)]
        first = self.originals.setdefault(pair.original, pair)
        if bool(first.key) != bool(pair.key):
            return [_id_missing(pair, first)]
        if told_otherwise := self.of_item(pair):
            return told_otherwise
        item = item_name(pair)
        first = self.systems.setdefault((item, pair.system), pair) if pair.system else pair
        return [] if first is pair else [_system_twice(pair, first)]

    def of_item(self, pair: PairRow) -> list[RowProblem]:
        """What this pair says of its item otherwise than rows before it."""
        item = item_name(pair)
        first = self.items.setdefault(item, pair)
        if _are_two_items(pair, first):
            return [_item_differs(pair, first)]
        if pair.structure and not first.structure:
            self.items[item] = replace(first, row=pair.row, structure=pair.structure)
        return []


def item_name(pair: PairRow) -> str:
    """What tells the pair's item from others of a file: its identifier, or else its text."""
    # The prefixes keep a key apart from a text that reads like it.
    return f"key:{pair.key}" if pair.key else f"text:{pair.original}"


def differing(pair: PairRow, first: PairRow) -> list[RowProblem]:
    """What two rows of one passage say of it differently."""
    if bool(first.key) != bool(pair.key):
        return [_id_missing(pair, first)]
    return [_item_differs(pair, first)] if _are_two_items(pair, first) else []


def _are_two_items(pair: PairRow, first: PairRow) -> bool:
    """Whether rows of one item say of it what cannot both be; a structure may be left out."""
    structures = {first.structure, pair.structure} - {""}
    return first.passage != pair.passage or len(structures) > 1


def structure_of(pairs: Iterable[PairRow]) -> str:
    """What the rows of one item say that people marked in it."""
    return next((pair.structure for pair in pairs if pair.structure), "")


def _repeated_pair(pair: PairRow, row: int) -> RowProblem:
    """A pair, or a passage, that stands in an earlier row already."""
    what = (
        Wording("Cette paire", "This pair")
        if pair.simplification
        else Wording("Cette clause", "This passage")
    )
    return RowProblem(
        "",
        "duplicate_in_file",
        Wording(f"{what.fr} est déjà à la ligne {row}.", f"{what.en} is in row {row} already."),
        row=pair.row,
        remedy=Wording(
            "Supprimez la ligne, ou choisissez de laisser les doublons de côté.",
            "Delete the row, or choose to leave duplicates out.",
        ),
        duplicate=True,
    )


def _id_missing(pair: PairRow, first: PairRow) -> RowProblem:
    return RowProblem(
        "id",
        "id_missing",
        Wording(
            (
                f"La même clause a un identifiant à l'une des lignes {first.row} et {pair.row}, "
                "et n'en a pas à l'autre."
            ),
            (
                f"The same clause has an identifier in one of the rows {first.row} and {pair.row}, "
                "and none in the other."
            ),
        ),
        row=pair.row,
        remedy=Wording("Donnez le même aux deux.", "Give both the same."),
    )


def _item_differs(pair: PairRow, first: PairRow) -> RowProblem:
    names = ("original", "source", "context_before", "context_after")
    differ = [
        (name, *texts)
        for name, *texts in zip(names, first.passage, pair.passage, strict=True)
        if texts[0] != texts[1]
    ]
    name, *texts = next(iter(differ), ("structure", first.structure, pair.structure))
    label, is_alike = FIELDS[name], look_alike(*texts)
    if pair.key:
        which = Wording(f"L'identifiant « {pair.key} »", f"The identifier “{pair.key}”")
    else:
        which = Wording("La même clause", "The same clause")
    message = Wording(
        f"{which.fr} a un autre « {label.fr} » à la ligne {first.row}.",
        f"{which.en} has another “{label.en}” in row {first.row}.",
    )
    remedy = _ONE_STRUCTURE if name == "structure" else _ONE_IDENTIFIER
    if is_alike:
        message = Wording(
            f"{message.fr} {_LOOK_ALIKE.fr}",
            f"{message.en} {_LOOK_ALIKE.en}",
        )
        remedy = _ONE_WRITING
    return RowProblem(name, "item_differs", message, row=pair.row, remedy=remedy)


_LOOK_ALIKE = Wording(
    "Les deux se lisent de même : seuls les accents, les espaces ou des caractères invisibles y "
    "sont codés autrement.",
    "Both look the same: only accents, spaces or invisible characters are encoded differently in "
    "them.",
)
_ONE_WRITING = Wording(
    "Copiez le texte d'une ligne dans l'autre, ou donnez un identifiant à chacune.",
    "Copy the text of one row into the other, or give each an identifier of its own.",
)
_ONE_IDENTIFIER = Wording(
    "Donnez un identifiant à chaque clause, le même à toutes ses lignes.",
    "Give each clause an identifier, the same in all its rows.",
)
_ONE_STRUCTURE = Wording(
    "Dites la même dans toutes les lignes de la clause, ou ne choisissez pas cette colonne.",
    "Say the same in all rows of the clause, or do not choose this column.",
)


def _system_twice(pair: PairRow, first: PairRow) -> RowProblem:
    return RowProblem(
        "system",
        "system_twice",
        Wording(
            (
                f"« {pair.system} » a déjà une autre simplification de cette clause à la ligne "
                f"{first.row}."
            ),
            (
                f"“{pair.system}” has another simplification of this clause in row {first.row} "
                "already."
            ),
        ),
        row=pair.row,
        remedy=Wording(
            "Distinguez les systèmes par leur nom, ou gardez une seule des deux lignes.",
            "Tell the systems apart by name, or keep one of the two rows.",
        ),
    )
