"""The rules for English clauses: fewer and plainer than the French ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from annotation.scoring.legal.kinds import Change
from annotation.scoring.legal.spots import (
    Rule,
    Spot,
    another,
    before,
    cased,
    grouped,
    joined,
    pattern,
    sentences,
    swapped,
    within,
)

_UNITS = {
    "day": "month", "days": "months", "month": "year", "months": "years", "year": "month",
    "years": "months", "week": "year", "weeks": "years", "hour": "week", "hours": "weeks",
}  # fmt: skip
_UNIT = "(" + "|".join(sorted(_UNITS, key=len, reverse=True)) + ")"
_SPELT = {
    2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
    10: "ten", 12: "twelve", 15: "fifteen", 20: "twenty", 30: "thirty", 60: "sixty",
    90: "ninety",
}  # fmt: skip
_VALUES = {word: value for value, word in _SPELT.items()}
_DIGITS = r"\d{1,3}(?:,\d{3})+|\d+"
_NAMED = re.compile(
    r"(?:sections?|articles?|chapters?|parts?|in|since|page|no\.?|january|february|march|april|may"
    r"|june|july|august|september|october|november|december|and|or|by|until|from|[-–(/,])\s*$"
)
_NEGATED = re.compile(r"\b(?:not|no|never|nor|neither|none|without|nothing|cannot|\w+n['’]t)\b")


def _number(match: re.Match[str], rng: np.random.Generator) -> str | None:
    stated, mark = match.group(2), match.group(1) + match.group(3)
    value = int(stated.replace(",", ""))
    if not mark and (_NAMED.search(before(match)) or 1500 <= value <= 2099):
        return None
    most = 100 if "%" in mark or "percent" in mark else None
    new = grouped(another(value, rng, most=most), stated).replace(" ", ",")
    return match.group(1) + new + match.group(3)


def _deadline(match: re.Match[str], rng: np.random.Generator) -> str:
    stated, space, unit = match.group(1), match.group(2), match.group(3).lower()
    if rng.integers(2):
        return f"{stated}{space}{_UNITS[unit]}"
    value = _VALUES.get(stated.lower()) or int(stated.replace(",", ""))
    return f"{another(value, rng)}{space}{unit.removesuffix('s')}s"


_BE = "is|are|was|were|must|may|will|shall|can|should|has been|have been"


def _negated(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    return None if _NEGATED.search(within(match)) else f"{match.group(1)} not"


_MODALS = {"must": "may", "shall": "may", "may": "must"}


def _modal(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    return None if _NEGATED.search(within(match)) else _MODALS[match.group(1).lower()]


_BINDING = re.compile(r"\b(?:if|when|whenever|must|shall|required|provided|unless)\b")


def _joiner(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    former = before(match)
    is_paired = re.search(r"\b(?:between|either|both|whether|and|or)\b", former)
    if not _BINDING.search(former) or is_paired or _NEGATED.search(within(match)):
        return None
    return {"and": "or", "or": "and"}[match.group(1).lower()]


_PARTIES = (
    "insured insurer", "landlord tenant", "seller buyer", "lender borrower", "employer employee",
    "plaintiff defendant", "creditor debtor", "owner tenant", "driver passenger",
    "licensor licensee", "vendor customer",
)  # fmt: skip
_OTHER_PARTY = {
    party: other
    for pair in (named.split() for named in _PARTIES)
    for party, other in (pair, pair[::-1])
} | {"tenant": "landlord"}
_OBJECTS = (
    "vehicle|building|boat", "vehicles|buildings|boats", "car|house", "premium|deductible",
    "fire|theft", "death|divorce", "bodily|material", "goods|services", "rent|salary",
    "data|money", "hospital|airport", "cancellation|extension", "court|union",
)  # fmt: skip
_OTHER_OBJECTS = {
    word: next(other for other in group.split("|") if other != word)
    for group in _OBJECTS
    for word in group.split("|")
}


def _exception(text: str, _rng: np.random.Generator) -> Iterator[Spot]:
    for start, end in sentences(text):
        match = re.search(r"\b(?:except|unless|excluding|other than)\b", text[start:end].lower())
        if match is None or match.start() == 0:
            continue
        tail = text[start + match.start() : end]
        kept = text[start : start + match.start()].rstrip(" ,(–-")
        if "," not in tail and len(kept.split()) >= 3:
            yield Spot(start + len(kept), end, "")


def _any(match: re.Match[str], _rng: np.random.Generator) -> str:
    return f"any{match.group(1)}"


EDITS: dict[Change, Rule] = {
    Change.NUMBER: joined(
        pattern(rf"([$€£]\s?)({_DIGITS})()(?![\w.,]\d)", _number),
        pattern(rf"(?<![\w.,$€£-])()({_DIGITS})(\s?%|\s+percent|\s+dollars)", _number),
        pattern(
            rf"(?<![\w.,$€£/-])()({_DIGITS})()(?=\s+[a-z]{{4,}}s\b)(?!\s+{_UNIT}\b)", _number
        ),
    ),
    Change.DEADLINE: pattern(
        rf"(?<![\w.,-])({_DIGITS}|{'|'.join(_VALUES)})([\s-]+){_UNIT}\b", _deadline
    ),
    Change.NEGATION: joined(
        pattern(
            rf"\b({_BE}|do|does|did) not\b(?! (?:only|yet|necessarily))",
            lambda match, _rng: match.group(1),
        ),
        pattern(rf"\b({_BE})\b(?=\s+\w)(?!\s+(?:not|never|no|only|also)\b)", _negated, flags=0),
    ),
    Change.PARTY: swapped(_OTHER_PARTY),
    Change.MODAL: pattern(r"\b(must|shall|may)\b(?=\s+[a-z]{2,})", _modal, flags=0),
    Change.AND_OR: pattern(r"(?<![\w/,-])(and|or)(?=\s+\w)(?!/)", _joiner, flags=0),
    Change.ONLY: joined(
        pattern(r"(?<=\w)\s+(?:only|solely|exclusively)\b(?!\s*child)",
                lambda match, _rng: None if before(match).endswith(("not", "the", "an")) else ""),
    ),
    Change.NONE: pattern(
        r"\bno(\s+(?:person|party|one|tenant|insured|employee|fee|claim)s?)\b", _any
    ),
    Change.EXCEPTION: _exception,
    Change.OBJECT: swapped(_OTHER_OBJECTS),
}  # fmt: skip


def _years(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    months = _VALUES.get(match.group(1).lower()) or int(match.group(1))
    if months % 12:
        return None
    return "one year" if months == 12 else f"{months // 12} years"


def _months(match: re.Match[str], _rng: np.random.Generator) -> str:
    years = {"one": 1, **_VALUES}.get(match.group(1).lower()) or int(match.group(1))
    return f"{12 * years} months"


def _respelt(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    stated = match.group(1).lower()
    return str(_VALUES[stated]) if stated in _VALUES else _SPELT.get(int(stated))


_PLAIN = {
    "commence": "begin", "commences": "begins", "terminate": "end", "terminates": "ends",
    "prior to": "before", "in order to": "to", "however": "nevertheless",
    "immediately": "at once", "approximately": "about", "purchase": "buy",
    "sufficient": "enough", "assist": "help", "solely": "only", "begin": "start",
    "begins": "starts", "began": "started", "whenever": "every time that",
    "subsequently": "later", "nearly": "almost", "almost": "nearly", "big": "large",
    "large": "big", "quickly": "rapidly", "obtain": "get", "obtained": "got",
}  # fmt: skip


def _condition_last(text: str, _rng: np.random.Generator) -> Iterator[Spot]:
    for start, end in sentences(text):
        first, comma, rest = text[start:end].partition(", ")
        is_plain = comma and "," not in rest and text[end : end + 1] == "."
        opens = re.match(r"(?:If|When|Before|After|Unless|While) ", first)
        if not is_plain or not opens or len(rest.split()) < 3 or len(first.split()) < 3:
            continue
        if re.match(r"(?:then|it|he|she|they|this|that)\b", rest):
            continue
        yield Spot(start, end, f"{cased(first, rest)} {first[:1].lower()}{first[1:]}")


_DONE = "caused|signed|paid|filed|issued|approved|provided|received|owned|used|ordered"


def _relative(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    if not re.search(r"\w\s*$", before(match)) or re.search(
        r"\b(?:is|are|was|were|be|been|being|and|or|not|has|have|had|\w+ly)\s*$", before(match)
    ):
        return None
    return f"that {match.group(2)} {match.group(1)}"


def _punctuation(text: str, _rng: np.random.Generator) -> Iterator[Spot]:
    if re.search(r"\w\.\s*$", text) and not re.search(r"\.\w?\.\s*$", text):
        place = text.rindex(".")
        yield Spot(place, place + 1, "")
    for match in re.finditer(r"(?<=\w) \(([^()]{4,60})\)(?= \w)", text):
        yield Spot(match.start(), match.end(), f" – {match.group(1)} –")
    for match in re.finditer(r"(?<=\w); (?=[a-z])", text):
        yield Spot(match.start(), match.end() + 1, ". " + text[match.end()].upper())


TWIN_RULES: dict[Change, Rule] = {
    Change.UNIT: joined(
        pattern(r"(?<![\w.,-])(\d+|twelve)\s+months\b", _years),
        pattern(
            r"(?<![\w.,-])(one|two|three|four|five|\d)\s+years?\b(?!\s+(?:old|of age))", _months
        ),
        pattern(rf"(?<![\w.,$€£/-])(\d+|{'|'.join(_VALUES)})(?=\s+{_UNIT}\b)", _respelt),
    ),
    Change.SYNONYM: swapped(_PLAIN),
    Change.VOICE: pattern(
        rf"\b({_DONE}) by ((?:the|a|an) [a-z]+)"
        r"(?=\s*[.,;:)]|\s+(?:in|on|during|at|before|after)\b)",
        _relative,
    ),
    Change.ORDER: _condition_last,
    Change.PUNCTUATION: _punctuation,
}  # fmt: skip
