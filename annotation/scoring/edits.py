"""Minimal edits of a French clause that change its law, by rule: the material of the probe.
Seeded."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from annotation.protocols.base import Wording


class EditKind(StrEnum):
    """What the edit changes."""

    NEGATION_DROPPED = "negation_dropped"
    NEGATION_ADDED = "negation_added"
    MODAL = "modal"
    AMOUNT = "amount"
    NUMBER = "number"
    DEADLINE = "deadline"
    DEADLINE_UNIT = "deadline_unit"
    EXCEPTION_REMOVED = "exception_removed"
    PARTIES_SWAPPED = "parties_swapped"


EDIT_WORDING: dict[EditKind, Wording] = {
    EditKind.NEGATION_DROPPED: Wording("Négation supprimée", "Negation dropped"),
    EditKind.NEGATION_ADDED: Wording("Négation ajoutée", "Negation added"),
    EditKind.MODAL: Wording(
        "« doit » devenu « peut », ou l'inverse", "“must” turned into “may”, or the reverse"
    ),
    EditKind.AMOUNT: Wording("Montant ou pourcentage changé", "Amount or percentage changed"),
    EditKind.NUMBER: Wording("Autre nombre changé", "Other number changed"),
    EditKind.DEADLINE: Wording("Délai changé", "Deadline changed"),
    EditKind.DEADLINE_UNIT: Wording("Unité du délai changée", "Unit of the deadline changed"),
    EditKind.EXCEPTION_REMOVED: Wording("Exception supprimée", "Exception removed"),
    EditKind.PARTIES_SWAPPED: Wording("Assuré et assureur échangés", "Insured and insurer swapped"),
}


@dataclass(frozen=True)
class Edit:
    """An original clause and the same clause with its law changed."""

    original: str
    edited: str
    kind: EditKind


_UNIT = r"(?:jours?|mois|ans?|années?|heures?|semaines?)"
_NUMBER = r"(?<!\d)\d+(?:[    ]\d{3}){0,5}(?:,\d+)?"
_WORD_NUMBERS = [
    "deux",
    "trois",
    "quatre",
    "cinq",
    "six",
    "sept",
    "huit",
    "dix",
    "douze",
    "quinze",
    "vingt",
    "trente",
    "soixante",
]
_WORDS = "|".join(_WORD_NUMBERS)
_NE = re.compile(
    r"\b(ne\s+|n['’])(\w+(?:['’]\w+)?(?:\s+\w+)?)\s+(pas|jamais)\b(?!\s+(?:encore|seulement))",
    re.IGNORECASE,
)
_VERBS = (
    "est|sont|peut|peuvent|doit|doivent|couvre|couvrent|paie|paient|rembourse|remboursent|garantit|prévoit|exclut|"
    "comprend|comprennent|constitue|constituent|prend|prennent|donne|donnent|a|ont|répond|répondent|conserve|perd"
)
_AFFIRMED = re.compile(rf"(?<![\w'’-])({_VERBS})(?![\w'’-])(?!\s+(?:pas|jamais|plus|que|aucun))")
_ALREADY = re.compile(
    r"\b(?:ne|n['’]|ni|y|se|s['’]|lui|leur|en|le|la|les|l['’])\s*$", re.IGNORECASE
)
_MODALS = {
    "doit": "peut", "doivent": "peuvent", "devra": "pourra", "devront": "pourront", "peut": "doit",
    "peuvent": "doivent", "pourra": "devra", "pourront": "devront",
}  # fmt: skip
# "Ne peut" and "ne doit" forbid alike: under a negation the swap changes no law.
_MODAL = re.compile(
    r"(?<!ne )(?<!n['’]y )(?<!se )(?<!le )(?<!lui )\b(" + "|".join(_MODALS) + r")\b"
)
_AMOUNT = re.compile(rf"({_NUMBER})(?=\s*(?:\$|%|€|dollars))")
_DEADLINE = re.compile(
    rf"\b({_NUMBER}|{_WORDS})(?=\s+(?:derniers?\s+|premiers?\s+)?{_UNIT}\b)", re.IGNORECASE
)
_DEADLINE_UNIT = re.compile(rf"\b((?:{_NUMBER}|{_WORDS})\s+)({_UNIT})\b", re.IGNORECASE)
_OTHER_NUMBER = re.compile(rf"(?<![\w.,-])({_NUMBER})(?![\w.-]|\s*(?:\$|%|€|dollars|{_UNIT}))")
_EXCEPTION = re.compile(
    r"(?:,\s*+|(?<!\s)\s*+)"
    r"(?:\b(?:sauf|excepté|hormis|à moins que|à moins de|à l['’]exception|sous réserve)\b"
    r"|à moins qu['’])"
    r"[^.;:]*?(?=[.;:]|$)",
    re.IGNORECASE,
)
_PARTY = re.compile(r"\b(l['’]|L['’]|d['’]|un |cet )(assuré|assureur)\b(?!\s*e\b)")
_OTHER_UNIT = {"jour": "mois", "jours": "mois", "mois": "jours", "an": "mois", "ans": "mois",
"année": "semaine",
               "années": "semaines", "heure": "jour", "heures": "jours", "semaine": "année",
               "semaines": "années"}  # fmt: skip


def legal_edits(clause: str, seed: int) -> list[Edit]:
    """At most one edit of each kind that the clause allows; which place and which value is drawn
    with ``seed``."""
    rng = np.random.default_rng([seed, *clause.encode()[:64]])
    found = []
    for kind, rule in _RULES.items():
        edited = rule(clause, rng)
        if edited is not None and edited != clause:
            found.append(Edit(clause, edited, kind))
    return found


def _replaced(
    pattern: re.Pattern[str], change: Callable[[re.Match[str], np.random.Generator], str]
) -> Callable[[str, np.random.Generator], str | None]:
    def rule(clause: str, rng: np.random.Generator) -> str | None:
        places = list(pattern.finditer(clause))
        if not places:
            return None
        place = places[int(rng.integers(len(places)))]
        return clause[: place.start()] + change(place, rng) + clause[place.end() :]

    return rule


def _another_number(place: re.Match[str], rng: np.random.Generator) -> str:
    stated = place.group(1)
    if stated.lower() in _WORD_NUMBERS:
        others = [word for word in _WORD_NUMBERS if word != stated.lower()]
        return others[int(rng.integers(len(others)))]
    digits = re.sub(r"\D", "", stated.split(",")[0])
    value = int(digits)
    factors: Sequence[float] = (2, 3, 10) if value else ()
    changed = int(value * factors[int(rng.integers(len(factors)))]) if factors else 5
    return f"{changed:,}".replace(",", " ") if changed >= 10_000 else str(changed)


def _negated(clause: str, rng: np.random.Generator) -> str | None:
    places = [
        place
        for place in _AFFIRMED.finditer(clause)
        if not _ALREADY.search(clause[: place.start()])
    ]
    if not places:
        return None
    place = places[int(rng.integers(len(places)))]
    verb = place.group(1)
    ne = "n'" if verb[0] in "aeiou" else "ne "
    return f"{clause[: place.start()]}{ne}{verb} pas{clause[place.end() :]}"


def _nothing(place: re.Match[str], rng: np.random.Generator) -> str:
    return ""


def _without_exception(clause: str, rng: np.random.Generator) -> str | None:
    shorter = _replaced(_EXCEPTION, _nothing)(clause, rng)
    return shorter.strip() if shorter and len(shorter.split()) >= 3 else None


def _parties_swapped(clause: str, rng: np.random.Generator) -> str | None:
    other = {"assuré": "assureur", "assureur": "assuré"}
    return _replaced(_PARTY, lambda place, _: place.group(1) + other[place.group(2)])(clause, rng)


_RULES: dict[EditKind, Callable[[str, np.random.Generator], str | None]] = {
    EditKind.NEGATION_DROPPED: _replaced(_NE, lambda place, _: place.group(2)),
    EditKind.NEGATION_ADDED: _negated,
    EditKind.MODAL: _replaced(_MODAL, lambda place, _: _MODALS[place.group(1)]),
    EditKind.AMOUNT: _replaced(_AMOUNT, _another_number),
    EditKind.NUMBER: _replaced(_OTHER_NUMBER, _another_number),
    EditKind.DEADLINE: _replaced(_DEADLINE, _another_number),
    EditKind.DEADLINE_UNIT: _replaced(
        _DEADLINE_UNIT,
        lambda place, _: place.group(1) + _OTHER_UNIT.get(place.group(2).lower(), "jours"),
    ),
    EditKind.EXCEPTION_REMOVED: _without_exception,
    EditKind.PARTIES_SWAPPED: _parties_swapped,
}
