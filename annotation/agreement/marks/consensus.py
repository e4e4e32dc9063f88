"""What most annotators put on each token, with how many put what."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from annotation.agreement.marks.grouping import Grouping
from annotation.agreement.marks.layers import Labels, Layers, token_labels
from annotation.protocols.edits import SIDES

COLUMNS = (
    "pair",
    "side",
    "token",
    "start",
    "end",
    "text",
    "annotators",
    "outcome",
    "operations",
    "tied",
    "label_sets",
    "marked",
)


class Outcome(StrEnum):
    """How the label set of a token was found."""

    UNANIMOUS = "unanimous"
    MAJORITY = "majority"
    """More than half have put it."""
    PLURALITY = "plurality"
    """Half or fewer, and yet more than any other."""
    TIE = "tie"
    """Several are the most frequent: there is none."""


@dataclass(frozen=True)
class TokenConsensus:
    """A token of a pair's ``side``, by its ``place`` and characters. ``label_sets``: how many
    annotators put which operations together on it, () for none; ``winners`` are the most frequent,
    several where they tie."""

    pair: str
    side: str
    place: int
    start: int
    end: int
    text: str
    label_sets: Mapping[Labels, int]
    winners: tuple[Labels, ...]

    @property
    def annotators(self) -> int:
        """How many marked the pair."""
        return sum(self.label_sets.values())

    @property
    def labels(self) -> Labels | None:
        """The most frequent label set; None in a tie."""
        return self.winners[0] if len(self.winners) == 1 else None

    @property
    def outcome(self) -> Outcome:
        """How clear it is."""
        if len(self.label_sets) == 1:
            return Outcome.UNANIMOUS
        if len(self.winners) > 1:
            return Outcome.TIE
        is_half = 2 * self.label_sets[self.winners[0]] <= self.annotators
        return Outcome.PLURALITY if is_half else Outcome.MAJORITY

    @property
    def marked(self) -> dict[str, int]:
        """By operation, how many annotators put it on the token, whatever stands beside it."""
        counts: Counter[str] = Counter()
        for labels, number in self.label_sets.items():
            counts.update(dict.fromkeys(labels, number))
        return dict(sorted(counts.items()))


def token_consensus(layers: Layers, grouping: Grouping) -> Iterator[TokenConsensus]:
    """Every token of the pairs that two annotators or more marked: a label set is one class, and so
    is none. Who the annotators are changes nothing."""
    for by_name in layers.shared:
        name = min(marked_pair.pair for marked_pair in by_name.values())
        any_one = next(iter(by_name.values()))
        for side in SIDES:
            columns = [token_labels(pair, side, grouping) for pair in by_name.values()]
            text = any_one.text(side)
            cut = any_one.tokens(side)
            for place, ((start, end), labels) in enumerate(
                zip(cut, zip(*columns, strict=True), strict=True)
            ):
                counted = Counter(labels)
                most = max(counted.values())
                yield TokenConsensus(
                    name,
                    side,
                    place,
                    start,
                    end,
                    text[start:end],
                    dict(sorted(counted.items(), key=lambda row: (-row[1], row[0]))),
                    tuple(
                        sorted(label_set for label_set, number in counted.items() if number == most)
                    ),
                )


def outcomes(tokens: Iterable[TokenConsensus]) -> dict[str, dict[Outcome, int]]:
    """By side, on how many tokens each outcome is."""
    counted: dict[str, dict[Outcome, int]] = {side: dict.fromkeys(Outcome, 0) for side in SIDES}
    for token in tokens:
        counted[token.side][token.outcome] += 1
    return counted


def consensus_rows(tokens: Iterable[TokenConsensus]) -> Iterator[dict[str, object]]:
    """A row for each token, with all ``COLUMNS``: ``operations`` are the most frequent label set,
    None in a tie, whose label sets are ``tied``; ``label_sets`` and ``marked`` the distribution."""
    for token in tokens:
        yield {
            "pair": token.pair,
            "side": token.side,
            "token": token.place,
            "start": token.start,
            "end": token.end,
            "text": token.text,
            "annotators": token.annotators,
            "outcome": str(token.outcome),
            "operations": None if token.labels is None else list(token.labels),
            "tied": [list(labels) for labels in token.winners] if token.labels is None else [],
            "label_sets": [[list(labels), number] for labels, number in token.label_sets.items()],
            "marked": token.marked,
        }


def consensus_cells(rows: Iterable[Mapping[str, object]]) -> Iterator[list[object]]:
    """Such rows as the cells of a table: what is no text and no number is JSON."""
    for row in rows:
        yield [
            value if isinstance(value, str | int) else json.dumps(value, ensure_ascii=False)
            for value in row.values()
        ]
