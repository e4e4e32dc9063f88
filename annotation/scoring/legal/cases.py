"""The probe's material: texts with one change each, drawn with a seed, to read as a table."""

from __future__ import annotations

import io
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.cells import Sheet
from annotation.protocols.base import Wording
from annotation.scoring.errors import ScoringError
from annotation.scoring.legal import english, french_edits, french_twins
from annotation.scoring.legal.kinds import Change, Place
from annotation.scoring.legal.spots import Rule, Spot
from annotation.scoring.splits import source_key

RULES_VERSION = "2"
"""Counted up whenever the same texts and seed would give other cases."""
MOST_PER_KIND = 60
_RULES: dict[str, dict[Change, Rule]] = {
    "fr": {**french_edits.EDITS, **french_twins.TWIN_RULES},
    "en": {**english.EDITS, **english.TWIN_RULES},
}
_WHEN = ("before", "after")
COLUMNS = (
    "number", "place", "kind", "is_twin", "item", "before", "after", "original", "unchanged",
    "changed",
)  # fmt: skip
OTHER_LANGUAGE = Wording(
    "Les règles de la sonde sont écrites pour le français et l'anglais.",
    "The probe's rules are written for French and English.",
)


@dataclass(frozen=True)
class Changed:
    """A text with one change. ``before`` and ``after``: the words that differ; all else is as it
    was."""

    kind: Change
    text: str
    before: str
    after: str


@dataclass(frozen=True)
class Case:
    """A changed text beside its original. ``unchanged``: the text before the change: the original
    itself, or a simplification. ``item``: what files call the pair."""

    place: Place
    kind: Change
    item: str
    original: str
    unchanged: str
    changed: str
    before: str
    after: str

    @property
    def source(self) -> str:
        """The same for all cases of one original."""
        return source_key(self.original)


@dataclass(frozen=True)
class Written:
    """An original and a simplification of it, as ``item`` of a study, a snapshot or a table."""

    item: str
    original: str
    simplification: str


def changes(text: str, language: str, seed: int) -> list[Changed]:
    """At most one change of each kind that the text allows; which, is drawn with ``seed`` and the
    text.

    Raises ``ScoringError`` ("other_language") for a language without rules.
    """
    rules = _RULES.get(language)
    if rules is None:
        raise ScoringError("other_language", OTHER_LANGUAGE.fr, OTHER_LANGUAGE.en)
    rng = np.random.default_rng([seed, zlib.crc32(text.encode())])
    made = []
    for kind, rule in rules.items():
        spots = [spot for spot in rule(text, rng) if _is_change(text, spot)]
        if spots:
            made.append(_changed(kind, text, spots[int(rng.integers(len(spots)))]))
    edited = {change.text for change in made if not change.kind.is_twin}
    return [change for change in made if not change.kind.is_twin or change.text not in edited]


def _is_change(text: str, spot: Spot) -> bool:
    made = spot.made_in(text)
    return made != text and len(made.split()) >= 3


def _changed(kind: Change, text: str, spot: Spot) -> Changed:
    made = spot.made_in(text).strip()
    return Changed(kind, made, text[spot.start : spot.end].strip(), spot.new.strip())


def probe_cases(
    pairs: Sequence[Written], language: str, seed: int, *, most: int | None = MOST_PER_KIND
) -> list[Case]:
    """Cases of both places from distinct texts; at most ``most`` of each kind and place, drawn with
    the seed."""
    of_cell: dict[tuple[Place, Change], list[Case]] = defaultdict(list)
    for case in _all(pairs, language, seed):
        of_cell[case.place, case.kind].append(case)
    rng = np.random.default_rng(seed)
    kept: list[Case] = []
    for place in Place:
        for kind in Change:
            cell = of_cell[place, kind]
            chosen = np.sort(rng.permutation(len(cell))[: len(cell) if most is None else most])
            kept += [cell[number] for number in chosen]
    return kept


def _all(pairs: Sequence[Written], language: str, seed: int) -> Iterator[Case]:
    done: set[tuple[str, str]] = set()
    for pair in pairs:
        for place in Place:
            text = pair.original if place is Place.IDENTICAL else pair.simplification
            # A simplification that is a copy belongs to the other place.
            if (pair.original, text) in done or not text.strip():
                continue
            done.add((pair.original, text))
            for made in changes(text, language, seed):
                yield Case(
                    place, made.kind, pair.item, pair.original, text, made.text, made.before,
                    made.after,
                )  # fmt: skip


def cases_csv(
    cases: Sequence[Case], scores: Mapping[str, Sequence[Sequence[float | None]]] | None = None
) -> bytes:
    """Every case to be read and judged: UTF-8 CSV, numbered in the order of the report. ``scores``:
    by the name of who scored, of each case before and after the change."""
    named = scores or {}
    stream = io.StringIO()
    writer = Sheet(stream, lineterminator="\n")
    writer.writerow([*COLUMNS, *(f"{name}_{when}" for name in named for when in _WHEN)])
    for number, case in enumerate(cases):
        figures = [
            "" if value is None else value for column in named.values() for value in column[number]
        ]
        writer.writerow(
            [number + 1, case.place, case.kind, int(case.kind.is_twin), case.item, case.before,
             case.after, case.original, case.unchanged, case.changed, *figures]
        )  # fmt: skip
    return stream.getvalue().encode()
