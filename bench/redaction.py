"""How much of what must not be published the redaction of free text finds, on labelled sentences.

``python -m bench.redaction``: recall, precision, and what was missed or taken needlessly. The
sentences (``bench/redaction.txt``) are invented, by who wrote the rules: real comments will come
out worse.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from annotation.privacy.names import Person
from annotation.privacy.redacting import Redactor

LABELLED = Path(__file__).with_suffix(".txt")
_MARKED = re.compile(r"⟦([^⟧]*)⟧")


@dataclass(frozen=True)
class Measure:
    """``wanted``: labelled stretches; ``found``: those replaced whole. ``replaced``: stretches that
    were replaced; ``needless``: those without a label. ``clean``: sentences without a label;
    ``spared``: those left as they are."""

    wanted: int
    found: int
    replaced: int
    needless: int
    clean: int
    spared: int
    missed: tuple[str, ...]
    taken: tuple[str, ...]

    @property
    def recall(self) -> float:
        return self.found / self.wanted

    @property
    def precision(self) -> float:
        return 1 - self.needless / self.replaced


def labelled() -> tuple[list[Person], list[str]]:
    """The people of the invented study, and the marked sentences."""
    lines = LABELLED.read_text("utf-8").splitlines()
    named = next(line for line in lines if line.startswith("# people: ")).removeprefix("# people: ")
    return [Person(name) for name in named.split("; ")], [
        line for line in lines if line and not line.startswith("#")
    ]


def measure() -> Measure:
    people, sentences = labelled()
    redactor = Redactor(tuple(people))
    wanted = found = replaced = needless = clean = spared = 0
    missed, taken = [], []
    for sentence in sentences:
        text, labels = unmarked(sentence)
        stretches = redactor.stretches(text)
        wanted, replaced = wanted + len(labels), replaced + len(stretches)
        whole = [
            any(start <= label[0] and label[1] <= end for start, end in stretches)
            for label in labels
        ]
        extra = [
            stretch
            for stretch in stretches
            if not any(stretch[0] < end and start < stretch[1] for start, end in labels)
        ]
        found, needless = found + sum(whole), needless + len(extra)
        clean, spared = clean + (not labels), spared + (not labels and not stretches)
        missed += [sentence] * (not all(whole))
        taken += [f"{sentence} ({', '.join(text[start:end] for start, end in extra)})"] * bool(
            extra
        )
    return Measure(wanted, found, replaced, needless, clean, spared, tuple(missed), tuple(taken))


def unmarked(sentence: str) -> tuple[str, list[tuple[int, int]]]:
    """The sentence as somebody typed it, and where the labels stand."""
    labels: list[tuple[int, int]] = []
    for before, match in enumerate(_MARKED.finditer(sentence)):
        start = match.start() - 2 * before
        labels.append((start, start + len(match[1])))
    return _MARKED.sub(r"\1", sentence), labels


def main() -> None:
    measured = measure()
    out = sys.stdout.write
    out(
        f"labelled stretches {measured.wanted}, replaced whole {measured.found}: recall "
        f"{measured.recall:.3f}\n"
    )
    out(
        f"replaced stretches {measured.replaced}, needless {measured.needless}: precision "
        f"{measured.precision:.3f}\n"
    )
    out(f"sentences without anything {measured.clean}, left as they are {measured.spared}\n")
    out(
        "".join(f"missed: {line}\n" for line in measured.missed)
        + "".join(f"needless: {line}\n" for line in measured.taken)
    )


if __name__ == "__main__":
    main()
