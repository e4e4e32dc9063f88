"""Twins of a French clause: other words, the same law."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from annotation.scoring.legal.french_edits import DIGITS, WORD_NUMBERS, WORDS
from annotation.scoring.legal.kinds import Change
from annotation.scoring.legal.spots import (
    APOSTROPHE,
    Rule,
    Spot,
    before,
    cased,
    drawn_of,
    joined,
    pattern,
    sentences,
    swapped,
)

_SPELT = {value: word for word, value in WORD_NUMBERS.items()}


def _valued(stated: str) -> int:
    plain = stated.lower()
    if plain in ("un", "une"):
        return 1
    return WORD_NUMBERS[plain] if plain in WORD_NUMBERS else int(re.sub(r"\D", "", stated))


def _years(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    months, space = _valued(match.group(1)), match.group(2)
    if months % 12 or not months:
        return None
    return f"un{space}an" if months == 12 else f"{months // 12}{space}ans"


def _months(match: re.Match[str], _rng: np.random.Generator) -> str:
    return f"{12 * _valued(match.group(1))}{match.group(2)}mois"


def _weeks(match: re.Match[str], _rng: np.random.Generator) -> str:
    return f"{7 * _valued(match.group(1))}{match.group(2)}jours"


def _respelt(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    value = _valued(match.group(1))
    if match.group(1).lower() in WORD_NUMBERS:
        return str(value)
    return _SPELT.get(value)


def _currency(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    marks = {"$": "dollars", "dollars": "$", "%": "pour cent", "pour cent": "%"}
    return f"{match.group(1)} {marks[match.group(2).lower()]}"


_AGES = r"(?<!âgé de )(?<!âgée de )(?<!âgés de )(?<!moins de )(?<!plus de )"
_UNIT = joined(
    pattern(rf"(?<![\w.,'’-]){_AGES}({DIGITS}|douze)(\s+)mois(?![\w-])", _years),
    pattern(rf"(?<![\w.,'’-]){_AGES}(\d|un|deux|trois|quatre|cinq)(\s+)(?:ans?)(?![\w-])", _months),
    pattern(r"(?<![\w.,'’-])(\d|deux|trois|quatre)(\s+)semaines(?![\w-])", _weeks),
    pattern(
        rf"(?<![\w.,/'’-])({DIGITS}|{WORDS})(?=\s+(?:jours?|mois|ans|heures|semaines)(?![\w-]))",
        _respelt,
    ),
    pattern(rf"(?<![\w.,/'’-])({DIGITS})\s*(\$|%|dollars|pour cent)(?!\w)", _currency),
)
_PLAIN = {
    "débute": "commence", "débutent": "commencent", "uniquement": "seulement",
    "seulement": "uniquement", "immédiatement": "sans délai", "effectuer": "faire",
    "survient": "se produit", "surviennent": "se produisent", "également": "aussi",
    "toutefois": "cependant", "cependant": "toutefois", "aviser": "avertir", "avertir": "aviser",
    "verser": "payer", "néanmoins": "cependant", "excepté": "sauf", "sauf": "excepté",
    "habituellement": "d'habitude", "afin de": "pour", "notamment": "entre autres",
    "débuter": "commencer", "en raison du": "à cause du", "en raison des": "à cause des",
    "à cause du": "en raison du", "à cause des": "en raison des", "décède": "meurt",
    "meurt": "décède", "quand": "lorsque", "lorsque": "quand", "au moment de": "lors de",
    "lors de": "au moment de", "lors du": "au moment du", "au moment du": "lors du",
    "dès que": "aussitôt que", "automatiquement": "d'office", "en vertu du": "selon le",
    "en vertu de la": "selon la", "en vertu des": "selon les", "rapidement": "vite",
    "le présent contrat": "ce contrat", "la présente loi": "cette loi",
    "la présente garantie": "cette garantie", "montant maximal": "montant maximum",
    "actuellement": "en ce moment", "tout de suite": "immédiatement",
    "sans délai": "immédiatement", "se produit": "survient", "se produisent": "surviennent",
}  # fmt: skip
# A thing has no obligation.
_PERSON = (
    r"(?<![\w'’-])(?:(?:l['’])?(?:assuré|assureur|employeur)|assuré désigné|personne assurée"
    r"|preneur"
    r"|personne|propriétaire|titulaire|conducteur|locataire|victime|société|créancier|débiteur)"
)
_SYNONYM = joined(
    swapped(_PLAIN, after=r"(?!\s+(?:que\s+)?(?:il|elle|on)\b)(?!-)"),
    pattern(rf"(?<![\w'’-])afin\s+d{APOSTROPHE}(?=\w)", lambda _match, _rng: "pour "),
    pattern(rf"(?<![\w'’-])lorsqu{APOSTROPHE}(?=\w)", lambda _match, _rng: "quand "),
    pattern(r"(?<![\w'’-])quand (?=ils?\b|elles?\b|une?\b|on\b)", lambda _m, _r: "lorsqu'"),
    pattern(rf"(?<![\w'’-])en vertu de l{APOSTROPHE}", lambda _match, _rng: "selon l'"),
    pattern(
        r"(?<![\w'’-])au moins(?=\s+(?:\d|une?\b|deux|trois))", lambda _match, _rng: "au minimum"
    ),
    pattern(
        rf"({_PERSON}\s+)doit\s+(?=[aeéiouê]\w+(?:er|ir|re|oir)\b)",
        lambda match, _rng: f"{match.group(1)}a l'obligation d'",
    ),
    pattern(
        rf"({_PERSON}\s+)doit(?=\s+[bcdfgjklmnpqrstv]\w+(?:er|ir|re|oir)\b)",
        lambda match, _rng: f"{match.group(1)}a l'obligation de",
    ),
)

_DONE = (
    "causé subi commis versé payé signé désigné choisi fourni transmis encouru engagé autorisé "
    "apposé reçu produit rempli délivré donné présenté déclaré accordé perçu établi approuvé "
    "prescrit déterminé fixé rendu"
)
_PARTICIPLE = "(" + "|".join(_DONE.split()) + r")(e?s?)"
_AGENT = (
    rf"((?:l{APOSTROPHE}|le\s+|la\s+|les\s+|une?\s+|cet\s+|ce\s+|cette\s+|celle-ci|celui-ci)"
    r"(?:[\w-]+)?)"
)
_STOP = r"(?=\s*(?:[.;:)]|$)|\s+(?:dans|pendant|lors|avant|après|en vertu|en raison|au cours)\b)"
_NOT_NOUNS = re.compile(
    r"\b(?:est|sont|être|été|était|sera|seront|soit|soient|a|ont|avoir|ou|et|non|pas|dûment|déjà"
    r"|fut|serait|étaient|assuré|assurée|assurés|véhicule assuré|[\w-]+ment|étant"
    r"|ayant|ne|y|si)\s*$"
)


def _relative(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    if _NOT_NOUNS.search(before(match)) or not before(match).strip():
        return None
    participle, ending, agent = match.group(1), match.group(2), match.group(3)
    has = "ont" if agent.lower().startswith("les") else "a"
    que = "qu'" if agent[0].lower() in "aeiou" else "que "
    return f"{que}{agent} {has} {participle}{ending}"


def _participle(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    if _NOT_NOUNS.search(before(match)) or not before(match).strip():
        return None
    return f"{match.group(2)}{match.group(3)} par {match.group(1)}"


_PAID = {
    "paie": "payé", "paye": "payé", "paiera": "payé", "verse": "versé", "versera": "versé",
    "couvre": "couvert", "couvrira": "couvert", "rembourse": "remboursé",
    "remboursera": "remboursé", "indemnise": "indemnisé", "exclut": "exclu", "fixe": "fixé",
    "prévoit": "prévu", "détermine": "déterminé", "exige": "exigé",
}  # fmt: skip
_OF_PAID = {"payé": "paie", **{
    done: verb for verb, done in _PAID.items() if not verb.endswith("ra") and done != "payé"
}}  # fmt: skip
_ACTIVE = re.compile(
    rf"((?:L{APOSTROPHE}|Le |La |Votre |Notre |Cette |Ce )[\w-]+) ({'|'.join(_PAID)}) "
    rf"((?:le|la|l{APOSTROPHE}|les|cette|ce|ces|un|une|tout|toute)\s?)([\w’'-]+)((?: [^.,;:?!]+)?)$"
)
_PASSIVE = re.compile(
    rf"((?:L{APOSTROPHE}|Le |La |Les |Cette |Ce |Ces |Un |Une )[^.,;:?!]+?) "
    rf"(est|sont|sera|seront) ({'|'.join(_OF_PAID)})(e?s?) par "
    rf"((?:l{APOSTROPHE}|le |la |votre |notre |cette |ce |les )[\w-]+)$"
)
_FEMININE = re.compile(r".*(?:tion|tions|té|tés|ure|ures|ence|ences|ance|ances|prime|primes|somme"
                       r"|sommes|perte|pertes|personne|personnes|dépense|dépenses|garantie"
                       r"|garanties|réclamation|part|victime|victimes)$")  # fmt: skip
_MASCULINE = re.compile(r".*(?:ment|ments|age|ages|frais|coût|coûts|montant|montants|prix|véhicule"
                        r"|véhicules|vol|bris|risque|risques|délai|délais|revenu|revenus|bien"
                        r"|biens|décès|solde|loyer)$")  # fmt: skip
_COMPLEX = re.compile(rf"\b(?:que|qui|qu{APOSTROPHE}\w+|si|s{APOSTROPHE}il|lorsque|sauf|pas|à|aux?"
                      r"|dans|pour|et|ou|jusqu.*|selon|lors|quand|sans|en"
                      r"|par|quel\w*)\b")  # fmt: skip


def _passive(text: str, _rng: np.random.Generator) -> Iterator[Spot]:
    """ "L'assureur paie les frais" and "Les frais sont payés par l'assureur"; whole sentences of
    one clause, where the noun's gender is known."""
    for start, end in sentences(text):
        said = text[start:end]
        match = _ACTIVE.fullmatch(said)
        new = _made_passive(match) if match else None
        back = _PASSIVE.fullmatch(said)
        if back and not _COMPLEX.search(back.group(1)):
            new = _made_active(back)
        if new:
            yield Spot(start, end, new)


def _made_passive(match: re.Match[str]) -> str | None:
    agent, verb, determiner, noun, rest = match.groups()
    feminine, masculine = _FEMININE.match(noun.lower()), _MASCULINE.match(noun.lower())
    if bool(feminine) == bool(masculine) or _COMPLEX.search(rest):
        return None
    is_plural = determiner.strip().lower() in ("les", "ces")
    be = ("seront" if is_plural else "sera") if verb.endswith("ra") else (
        "sont" if is_plural else "est"
    )  # fmt: skip
    ending = ("e" if feminine else "") + ("s" if is_plural else "")
    named = determiner[:1].upper() + determiner[1:] + noun + rest
    return f"{named} {be} {_PAID[verb]}{ending} par {agent[:1].lower()}{agent[1:]}"


def _made_active(match: re.Match[str]) -> str | None:
    thing, be, done, _ending, agent = match.groups()
    verb = _OF_PAID[done]
    if be.startswith("ser") or agent.startswith("les "):
        return None
    return f"{agent[:1].upper()}{agent[1:]} {verb} {thing[:1].lower()}{thing[1:]}"


_VOICE = joined(
    pattern(rf"(?<![\w'’-]){_PARTICIPLE} par {_AGENT}{_STOP}", _relative),
    pattern(
        rf"(?<![\w'’-])qu(?:e |{APOSTROPHE})((?:l{APOSTROPHE}|le |la |les |une? )[\w-]+) "
        rf"(?:a|ont) {_PARTICIPLE}{_STOP}",
        _participle,
    ),
    _passive,
)
_FRONTED = re.compile(
    rf"(?:Si |S{APOSTROPHE}ils? |Lorsque |Lorsqu{APOSTROPHE}|Quand |Dès que |En cas d|Pendant "
    r"|Après "
    r"|Avant |À moins )[^,]{6,}"
)
_RESUMED = re.compile(
    rf"(?:alors|il|elle|ils|elles|celui|celle|ceux|ce |cela|c{APOSTROPHE}|et|ou|mais|[a-z]+z-)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(rf"(?<=\w),? (si |s{APOSTROPHE}ils? |lorsque |lorsqu{APOSTROPHE}|quand )")


def _condition_last(text: str, _rng: np.random.Generator) -> Iterator[Spot]:
    for start, end in sentences(text):
        first, comma, rest = text[start:end].partition(", ")
        is_plain = comma and "," not in rest and "(" not in text[start:end]
        if not is_plain or not _FRONTED.fullmatch(first) or len(rest.split()) < 3:
            continue
        if _RESUMED.match(rest) or _TAIL.search(rest) or text[end : end + 1] != ".":
            continue
        lowered = first if first[:2].isupper() else first[:1].lower() + first[1:]
        yield Spot(start, end, f"{cased(first, rest)} {lowered}")


_SAYS = re.compile(
    rf"(?<![\w-])(?:n{APOSTROPHE}|s{APOSTROPHE})?(?:est|sont|peut|peuvent|doit|doivent|a|ont|applique"
    r"|appliquent|couvre|couvrent|paie|prend|perd|sera|seront|rembourse|verse|faut|devez|pouvez"
    r"|couvrons|payons|existe|commence|cesse)(?![\w-])"
)


def _condition_first(text: str, _rng: np.random.Generator) -> Iterator[Spot]:
    for start, end in sentences(text):
        said = text[start:end]
        matches = list(_TAIL.finditer(said))
        if len(matches) != 1 or "," in said.replace(matches[0].group(), "") or "(" in said:
            continue
        main, condition = said[: matches[0].start()], said[matches[0].start() :].lstrip(", ")
        words = main.split()
        is_bound = re.search(r"\b(?:que|sauf|même|comme|seulement|uniquement|ou|et|mais|savoir|pas"
                             r"|qui|déterminer|vérifier|exception|moins)$", main)  # fmt: skip
        opens = main[:1].isupper() and not main[:2].isupper() and words[0] not in ("Et", "Mais")
        is_whole = _SAYS.search(main) and text[end : end + 1] == "."
        if len(words) < 3 or is_bound or not is_whole or not opens:
            continue
        if re.search(rf"\b(?:que|qu{APOSTROPHE}\w*|qui|ou|et)\b|(?:que|demande)\s*$", main):
            continue
        if re.search(r"\bou si\b|\bet si\b|\bet qu", condition) or len(condition.split()) < 4:
            continue
        proper = words[0] in ("Société", "Québec")
        lowered = main if proper else main[:1].lower() + main[1:]
        yield Spot(start, end, f"{condition[:1].upper()}{condition[1:]}, {lowered}")


_NOUN = rf"((?:l{APOSTROPHE}|le |la |les )[\w-]+)"
_HEAD = re.compile(
    r"(?:\b(?:de|d['’]|du|des|à|au|aux|sur|dans|sous|entre|que|et|ou|ni|soit|tout|tous|toutes"
    r"|toute|qui|en|autre|chez|contre),?|,)\s*$"
)


def _reversed_pair(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    if _HEAD.search(before(match)) or "'un" in match.group().replace("’", "'"):
        return None
    if match.group(1).lower() == match.group(3).lower():
        return None
    second = match.group(3)
    return f"{second} {match.group(2)} {match.group(1)[:1].lower()}{match.group(1)[1:]}"


_ORDER = joined(
    _condition_last,
    _condition_first,
    pattern(rf"(?<![\w'’-]){_NOUN} (et|ou) {_NOUN}(?=[.,;:)]|$)", _reversed_pair),
)


def _punctuation(text: str, rng: np.random.Generator) -> Iterator[Spot]:
    """One mark: the last full stop, a quotation mark's shape, brackets, a semicolon, a comma before
    "et"."""
    if re.search(r"\w\.\s*$", text) and not re.search(r"\.\w?\.\s*$", text):
        place = text.rindex(".")
        yield Spot(place, place + 1, "")
    for match in re.finditer(r"«[\s\u00a0]?([^«»]+?)[\s\u00a0]?»", text):
        yield Spot(match.start(), match.end(), f'"{match.group(1)}"')
    for match in re.finditer(r"(?<=\w) \(([^()]{4,60})\)(?= \w)", text):
        yield Spot(match.start(), match.end(), f" – {match.group(1)} –")
    for match in re.finditer(r"(?<=\w)\s?;\s(?=[a-zà-ÿ])", text):
        yield Spot(match.start(), match.end() + 1, ". " + text[match.end()].upper())
    for match in re.finditer(r"(?<=\w) : (?=[a-zà-ÿ])", text):
        yield Spot(match.start(), match.end(), drawn_of((": ", " – "), rng))


TWIN_RULES: dict[Change, Rule] = {
    Change.UNIT: _UNIT,
    Change.SYNONYM: _SYNONYM,
    Change.VOICE: _VOICE,
    Change.ORDER: _ORDER,
    Change.PUNCTUATION: _punctuation,
}
