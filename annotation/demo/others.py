"""What invented people answer in the small studies of the demonstration, one for each protocol but
FrJUDGE's.

All four notices, their library and their simplifications were written for this project.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from annotation.demo import Record
from annotation.protocols.base import Answers
from annotation.protocols.edits import SIDES
from annotation.protocols.registry import protocol as protocol_named
from annotation.questions.values import answer_text, pair_text

_FOLDER = Path(__file__).parent
SYSTEMS = ("modele-fictif-1", "modele-fictif-2")
OPERATIONS = 7


class Shown(NamedTuple):
    """A pair of a small study, and what a careful annotator would answer to it."""

    key: str
    original: str
    simplification: str
    system: str
    source: str
    intended: list[Any]


@dataclass(frozen=True)
class SmallStudy:
    """``vary``: what somebody answers where a careful annotator would answer so. ``shown``: its
    pairs, of the protocol's key."""

    key: str
    protocol: str
    title: str
    guide_fr: str
    guide_en: str
    vary: Callable[[list[Any], Random], Answers]
    shown: Callable[[str], Iterator[Shown]]

    @property
    def pairs(self) -> list[Shown]:
        return list(self.shown(self.protocol))


@cache
def notices() -> tuple[Record, ...]:
    """Four invented notices, each with the outputs of two systems, questions about it, and what a
    careful annotator would answer to them, by protocol."""
    return tuple(json.loads((_FOLDER / "notices.json").read_text(encoding="utf-8")))


def _outputs(protocol: str) -> Iterator[Shown]:
    """Each notice with what each system made of it."""
    for notice in notices():
        for system, output in zip(SYSTEMS, notice["outputs"], strict=True):
            yield Shown(
                notice["key"],
                notice["original"],
                output["simplification"],
                system,
                notice["source"],
                output[protocol],
            )


def _marked(protocol: str) -> Iterator[Shown]:
    """The same, with the words of each edit as they lie in the texts."""
    field = protocol_named(protocol, "1").field("edits")
    for shown in _outputs(protocol):
        quoted = [
            {
                "type": edit["type"],
                **{f"{side}_quotes": edit[side] for side in SIDES},
                "note": "",
            }
            for edit in shown.intended
        ]
        texts = {"original": shown.original, "simplification": shown.simplification}
        yield shown._replace(intended=field.from_model(quoted, texts))


def _questions(protocol: str) -> Iterator[Shown]:
    """Each notice with each question about it and the expected answer."""
    for notice in notices():
        for number, question in enumerate(notice["questions"], start=1):
            yield Shown(
                f"{notice['key']}-question-{number}",
                notice["original"],
                pair_text(question["question"], question["expected"], "fr"),
                "",
                notice["source"],
                question[protocol],
            )


def _answers(protocol: str) -> Iterator[Shown]:
    """What each system made of a notice, with the answer to its first question found there."""
    for notice in notices():
        question = notice["questions"][0]
        for number, output in enumerate(notice["outputs"], start=1):
            yield Shown(
                f"{notice['key']}-answer-{number}",
                output["simplification"],
                answer_text(question["question"], question["expected"], output["answer"], "fr"),
                SYSTEMS[number - 1],
                notice["source"],
                output[protocol],
            )


def variation(study: SmallStudy, key: str, system: str, annotator_index: int) -> Answers:
    """Answers of the annotator with this index to one pair: complete, valid, always the same."""
    (intended,) = [
        pair.intended for pair in study.pairs if (pair.key, pair.system) == (key, system)
    ]
    rng = Random(f"{study.key}:{key}:{system}:{annotator_index}")
    return study.vary(intended, rng) | {"comment": "", "doubt": rng.random() < 0.1}


def _levels(intended: list[int], rng: Random) -> Answers:
    """Now and then the level beside."""
    fluency, meaning, simplicity = (
        min(4, max(1, value + (rng.random() < 0.15) - (rng.random() < 0.2))) for value in intended
    )
    return {"fluency": fluency, "meaning": meaning, "simplicity": simplicity}


def _operations(intended: list[int], rng: Random) -> Answers:
    """Now and then one that others do not see, or not one that they do."""
    seen = [
        value
        for value in range(1, OPERATIONS + 1)
        if (value in intended) != (bool(intended) and rng.random() < 0.12)
    ]
    return {"operations": seen}


def _edits(intended: list[Answers], rng: Random) -> Answers:
    """Now and then one that others do not see."""
    return {"edits": [edit for edit in intended if rng.random() >= 0.15]}


def _numbers(intended: list[int], rng: Random) -> Answers:
    """Around the number, by up to eight."""
    meaning, fluency, simplicity = (
        min(100, max(0, value + int(rng.random() * 17) - 8)) for value in intended
    )
    return {"meaning": meaning, "fluency": fluency, "simplicity": simplicity}


def _pairs_judged(intended: list[int], rng: Random) -> Answers:
    """Now and then the other answer."""
    captured, correct = (_turned(value, rng) for value in intended)
    return {"captured": captured, "correct": correct}


def _answer_judged(intended: list[int], rng: Random) -> Answers:
    return {"answered": _turned(intended[0], rng)}


def _turned(value: int, rng: Random) -> int:
    return 1 - value if rng.random() < 0.12 else value


STUDIES = (
    SmallStudy(
        "demo-jades",
        "jades",
        "Démonstration : trois échelles (JADES)",
        "Jugez la fluidité devant la simplification seule, puis le sens et la simplicité face à "
        "l'original. Les trois questions sont indépendantes : ce qui est faux peut être fluide.",
        "Judge fluency from the simplification alone, then meaning and simplicity beside the "
        "original. The three questions are independent: what is wrong can be fluent.",
        _levels,
        _outputs,
    ),
    SmallStudy(
        "demo-operations",
        "operations",
        "Démonstration : opérations de simplification",
        "Cochez chaque opération que vous voyez, une fois par paire, quel que soit le nombre "
        "d'endroits. Deux textes identiques n'en ont aucune.",
        "Check each operation that you see, once in a pair, in however many places. Two identical "
        "texts have none.",
        _operations,
        _outputs,
    ),
    SmallStudy(
        "demo-direct",
        "direct_assessment",
        "Démonstration : évaluation directe de 0 à 100",
        "Donnez un nombre de 0 à 100 à chaque question. Servez-vous de toute l'échelle; les "
        "curseurs n'ont pas de position de départ.",
        "Give each question a number from 0 to 100. Use the whole scale; the sliders have no "
        "position to begin with.",
        _numbers,
        _outputs,
    ),
    SmallStudy(
        "demo-edits",
        "assetann",
        "Démonstration : opérations marquées sur les textes",
        "Marquez dans les deux textes les mots de chaque opération, puis choisissez-la. Une "
        "opération peut tenir en plusieurs morceaux, et un mot en porter plusieurs.",
        "Mark the words of each operation in both texts, then choose it. An operation may be in "
        "several pieces, and a word may carry several.",
        _edits,
        _marked,
    ),
    SmallStudy(
        "demo-questions",
        "qa_pairs",
        "Démonstration : questions et réponses attendues",
        "Lisez l'avis, puis la question. Dites d'abord si elle demande quelque chose qu'il faut "
        "savoir de l'avis, puis si la réponse attendue y est juste.",
        "Read the notice, then the question. Say first whether it asks for something that one "
        "needs to know of the notice, then whether the expected answer is right by it.",
        _pairs_judged,
        _questions,
    ),
    SmallStudy(
        "demo-answers",
        "qa_answers",
        "Démonstration : réponses trouvées dans un texte",
        "Lisez le texte, puis comparez la réponse donnée à la réponse attendue. Oui, si elle dit "
        "ce qui était attendu et que le texte le dit.",
        "Read the text, then compare the answer given with the expected one. Yes, if it says what "
        "was expected and the text says so.",
        _answer_judged,
        _answers,
    ),
)
