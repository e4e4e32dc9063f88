"""What invented people answer in the small studies of the demonstration, one for each protocol but
FrJUDGE's.

All four notices, their library and their simplifications were written for this project.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from annotation.demo import Record
from annotation.protocols.base import Answers

_FOLDER = Path(__file__).parent
SYSTEMS = ("modele-fictif-1", "modele-fictif-2")
OPERATIONS = 7


@dataclass(frozen=True)
class SmallStudy:
    """``vary``: what somebody answers where a careful annotator would answer so."""

    key: str
    protocol: str
    title: str
    guide_fr: str
    guide_en: str
    vary: Callable[[list[int], Random], Answers]


@cache
def notices() -> tuple[Record, ...]:
    """Four invented notices, each with the outputs of two systems and what a careful annotator
    would answer to them, by protocol."""
    return tuple(json.loads((_FOLDER / "notices.json").read_text(encoding="utf-8")))


def variation(study: SmallStudy, key: str, system: str, annotator_index: int) -> Answers:
    """Answers of the annotator with this index to one output: complete, valid, always the same."""
    (notice,) = [one for one in notices() if one["key"] == key]
    intended = notice["outputs"][SYSTEMS.index(system)][study.protocol]
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


def _numbers(intended: list[int], rng: Random) -> Answers:
    """Around the number, by up to eight."""
    meaning, fluency, simplicity = (
        min(100, max(0, value + int(rng.random() * 17) - 8)) for value in intended
    )
    return {"meaning": meaning, "fluency": fluency, "simplicity": simplicity}


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
    ),
)
