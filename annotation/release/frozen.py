"""A snapshot's folder as the release reads it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from annotation.agreement.consensus import Rule
from annotation.protocols.base import Wording
from annotation.protocols.files import ProtocolUnreadable, file_text, protocol_read
from annotation.protocols.protocol import ORIGINAL, SIMPLIFICATION, About, Protocol
from annotation.protocols.registry import UnknownProtocol, protocol
from annotation.release.labels import is_drawn
from annotation.release.languages import NOT_RECORDED, languages_of, named
from annotation.release.nouns import counted
from annotation.release.tables import read_rows
from annotation.scoring.splits import source_key

MEAN, UNNAMED = "mean", "unnamed"
"""What a file says of who judged: nobody, but the mean of several people; or people without names.
"""
PROTOCOL = "protocol.json"
"""The protocol as a file, without names in its words; there is none of one that is partly code."""


@dataclass(frozen=True)
class Frozen:
    """The files of a snapshot. Nothing here is computed: what is read was hashed when it was
    frozen."""

    folder: Path

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """Which snapshot this is, when it was made, by which recipe; the digest of each file."""
        return self._document("manifest.json")

    @cached_property
    def study(self) -> dict[str, Any]:
        """Settings and counts of the study."""
        return self._document("study.json")

    @cached_property
    def agreement(self) -> dict[str, Any]:
        """The agreement report of each dimension, and the severities of raters."""
        return self._document("agreement.json")

    @cached_property
    def systems(self) -> dict[str, Any]:
        """Systems side by side, or in ``undefined`` why not; empty in a snapshot of before there
        were such."""
        return self._document("systems.json") if self.is_kept("systems.json") else {}

    @property
    def compares_systems(self) -> bool:
        """Whether any two systems are compared."""
        return bool(self.systems) and self.systems["undefined"] is None

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """Reports on metrics, or in ``undefined`` why there is none; empty in a snapshot of before
        there were such."""
        return self._document("metrics.json") if self.is_kept("metrics.json") else {}

    @cached_property
    def marks(self) -> dict[str, Any]:
        """By question, the report on what people marked; empty where none is counted by its marks,
        and in a snapshot of before there were such."""
        return self._document("marks.json") if self.is_kept("marks.json") else {}

    @property
    def counts_marks(self) -> bool:
        """Whether the answer to some question is counted by its marks."""
        known = self.protocol.marked if self.protocol else ()
        return bool(self.marks) or any(field.counted for field in known)

    @cached_property
    def codebook(self) -> dict[str, Any]:
        """What the columns of the exported layouts mean."""
        return self._document("codebook.json")

    @property
    def name(self) -> str:
        """The snapshot's name, KEY-N."""
        return str(self.manifest["snapshot"])

    @property
    def date(self) -> str:
        """The day on which it was frozen (UTC), YYYY-MM-DD: the only date that a release knows."""
        return str(self.manifest["created_at"])[:10]

    @cached_property
    def answers_each(self) -> list[int]:
        """By how many annotators each judged output was judged, ascending."""
        each: dict[str, set[str]] = {}
        for row in self.rows("ratings"):
            each.setdefault(row["simplification_key"], set()).add(row["annotator"])
        return sorted(map(len, each.values()))

    @property
    def waiting(self) -> int:
        """How many judgments had been sent back and were not made again; none is known of before
        snapshots counted them."""
        return int(self.study["rounds"]["main"].get("sent_back", 0))

    @property
    def dimensions(self) -> list[dict[str, Any]]:
        """Name, level, scale and options of each dimension, in the protocol's order."""
        dimensions: list[dict[str, Any]] = self.study["protocol"]["dimensions"]
        return dimensions

    @cached_property
    def rated(self) -> list[dict[str, Any]]:
        """The dimensions that somebody rated: of a question that was put to nobody, as where an
        import holds another alone, documents say nothing. All of them before anybody has judged."""
        names = {row["dimension"] for row in self.rows("ratings")}
        return [own for own in self.dimensions if not names or own["name"] in names]

    @cached_property
    def protocol(self) -> Protocol | None:
        """The protocol by which was judged, for its words: as the snapshot keeps it, which is
        without names, or as it is installed here (a published version never changes); None where
        the one is nothing that this version reads and the other is not there."""
        if kept := self._kept_protocol():
            return kept
        pinned = self.study["protocol"]
        try:
            return protocol(pinned["key"], pinned["version"])
        except UnknownProtocol:
            return None

    def _kept_protocol(self) -> Protocol | None:
        if not self.is_kept(PROTOCOL):
            return None
        try:
            kept = protocol_read(file_text((self.folder / PROTOCOL).read_bytes()))
        except (OSError, ProtocolUnreadable):
            return None
        pinned = self.study["protocol"]
        return kept if (kept.key, kept.version) == (pinned["key"], pinned["version"]) else None

    @property
    def marks_are_errors(self) -> bool:
        """Whether people call errors all that is marked; so of a protocol that is there no more."""
        return self.protocol is None or self.protocol.marks_are_errors

    @property
    def shown_alone(self) -> str:
        """The questions beside which only one of the texts is shown, a sentence for each."""
        steps = self.protocol.steps if self.protocol else ()
        return "".join(
            f" Beside “{step.question.fr}” stands the {step.sides[0]} alone."
            for step in steps
            if len(step.sides) == 1
        )

    @property
    def about(self) -> About:
        """What the protocol says of itself to readers of published data."""
        return self.protocol.about if self.protocol else About()

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """What the simplifications are written in, the most frequent first; empty where that is not
        recorded."""
        return languages_of(row.get("language", "") for row in self.rows("simplifications"))

    @cached_property
    def judged(self) -> frozenset[str]:
        """Keys of the simplifications with a judgment here: references that nobody was asked about
        are among the others, and what only somebody who has withdrawn had judged."""
        return frozenset(row["simplification_key"] for row in self.rows("ratings"))

    @cached_property
    def sources(self) -> int:
        """How many distinct original passages these simplifications are of: two items may hold the
        same text, or one that differs in its punctuation alone."""
        items = {row["item_key"] for row in self.rows("ratings")}
        return len(
            {source_key(row["original"]) for row in self.rows("items") if row["item_key"] in items}
        )

    @property
    def judged_texts(self) -> str:
        """How many simplifications of how many passages were judged, in which language and of which
        field: only what is known of them."""
        language = f"{named(self.languages)} " if self.languages else ""
        unknown = "" if self.languages else f" ({NOT_RECORDED})"
        domain = f"{self.about.domain.en} " if self.about.domain.en else ""
        if self.headed:
            beside, judged = (heading.en for heading in self.headed)
            outputs = counted(len(self.judged), f"{language}text")
            passages = counted(self.sources, f"{domain}text")
            return f"{outputs}{unknown} (“{judged}”) beside {passages} (“{beside}”)"
        outputs = counted(len(self.judged), f"{language}simplification")
        return f"{outputs}{unknown} of {counted(self.sources, f'{domain}passage')}"

    @property
    def both_texts(self) -> str:
        """What annotators saw beside each other."""
        if self.headed:
            first, second = (heading.en for heading in self.headed)
            return f"“{first}” and “{second}”"
        return "the original and the simplification"

    @cached_property
    def headed(self) -> tuple[Wording, Wording] | None:
        """How the two texts are headed where what is judged is no simplification, as of questions
        and answers; None where it is one, and where the protocol is not known."""
        if self.protocol is None:
            return None
        headings = {panel.side: panel.heading for panel in self.protocol.panels}
        second = headings[SIMPLIFICATION]
        # «Texte simplifié», “Simpler version”: whoever composed it has named one.
        if any("simpl" in said.casefold() for said in (second.fr, second.en)):
            return None
        return headings[ORIGINAL], second

    def label(self, dimension: str, language: str = "en") -> str:
        """A dimension within a sentence: its label in small letters, its name where the protocol is
        not installed."""
        if self.protocol is None:
            return dimension
        label = self.protocol.dimension(dimension).label.get(language)
        return label[:1].lower() + label[1:]

    def label_wording(self, dimension: str) -> Wording:
        """The same in both languages."""
        return Wording(self.label(dimension, "fr"), self.label(dimension, "en"))

    def has(self, name: str) -> bool:
        """Whether there is a JSONL file of this name."""
        return self.is_kept(f"{name}.jsonl")

    @property
    def own_layouts(self) -> list[str]:
        """The layouts that are the protocol's own, and tables in the snapshot."""
        return [
            name
            for name in self.codebook["layouts"]
            if name not in ("long", "wide", "errors") and self.has(name)
        ]

    @property
    def as_released(self) -> dict[str, str]:
        """Files in the protocol's own layouts that are no tables of JSON lines, by name, with the
        title of the layout: what its data were released as."""
        named = {name: layout["title"]["en"] for name, layout in self.codebook["layouts"].items()}
        return {
            file: named[stem]
            for file in sorted(self.manifest["files"])
            for stem, _, form in [file.partition(".")]
            if stem in named and form not in ("jsonl", "md")
        }

    @property
    def has_systems(self) -> bool:
        """Whether it is told which system wrote what."""
        return bool(self.manifest["recipe"]["systems"])

    @property
    def judges(self) -> list[dict[str, Any]]:
        """The annotators who judged something."""
        return [a for a in self.study["annotators"] if a["judgments"] > 0]

    @property
    def means(self) -> list[dict[str, Any]]:
        """Those among them who are nobody: each of their answers is the published mean of what
        several people said."""
        return [judge for judge in self.judges if judge.get("identity") == MEAN]

    @property
    def are_means(self) -> bool:
        """Whether all that was judged are such means."""
        return bool(self.means) and len(self.means) == len(self.judges)

    @property
    def judged_by(self) -> str:
        """“1,485 judgments by 5 annotators”, as far as there is anybody to count."""
        number = self.study["rounds"]["main"]["judgments"]
        if self.are_means:
            return counted(number, "published mean") + " of what several people answered each"
        people = counted(len(self.judges) - len(self.means), "annotator")
        averaged = sum(judge["judgments"] for judge in self.means)
        rest = f", {averaged} of them published means" if averaged else ""
        return f"{counted(number, 'judgment')} by {people}{rest}"

    @property
    def judged_here(self) -> bool:
        """Whether people judged in this installation; how imported judgments came about is not
        known to it."""
        return any(a["kind"] == "person" and a["judgments"] for a in self.study["annotators"])

    @property
    def guides(self) -> list[Path]:
        """The texts of the annotation guide, in order of version."""
        return sorted(self.folder.glob("guide-v*.md"), key=lambda path: (len(path.name), path.name))

    @property
    def glossary(self) -> Path:
        """The study's glossary; there is no such file where it had none."""
        return self.folder / "glossary.jsonl"

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """The rows of a JSONL file, by its name without ending."""
        return read_rows(self.folder / f"{name}.jsonl")

    def count(self, name: str) -> int:
        """How many rows a JSONL file has."""
        return int(self.manifest["files"][f"{name}.jsonl"]["rows"])

    @cached_property
    def drawn(self) -> list[dict[str, Any]]:
        """The final labels that the lot decided. Snapshots of before have among them those that
        somebody ruled on."""
        return list(filter(is_drawn, self.rows("drawn")))

    @property
    def has_ties(self) -> bool:
        """Whether a rule of the recipe can leave a tie: a mean or a median has none."""
        return Rule.MAJORITY in self.manifest["recipe"]["labels"]["rules"].values()

    def labels(self) -> dict[str, dict[str, Mapping[str, Any]]]:
        """The final labels by simplification and dimension."""
        labels: dict[str, dict[str, Mapping[str, Any]]] = {}
        for row in self.rows("labels"):
            labels.setdefault(row["simplification_key"], {})[row["dimension"]] = row
        return labels

    def is_kept(self, name: str) -> bool:
        """Whether the snapshot has a file of this name."""
        return name in self.manifest["files"]

    def _document(self, name: str) -> dict[str, Any]:
        document: dict[str, Any] = json.loads((self.folder / name).read_text("utf-8"))
        return document
