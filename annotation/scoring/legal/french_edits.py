"""Minimal edits of a French clause that change its law, each by a rule that says where it does not
apply."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from annotation.scoring.legal.kinds import Change
from annotation.scoring.legal.spots import (
    APOSTROPHE,
    Rule,
    Spot,
    another,
    before,
    cased,
    drawn_of,
    grouped,
    joined,
    pattern,
    sentences,
    swapped,
    within,
)

UNITS = {
    "jour": "mois", "jours": "mois", "mois": "ans", "an": "mois", "ans": "mois",
    "année": "semaine", "années": "semaines", "semaine": "année", "semaines": "années",
    "heure": "semaine", "heures": "semaines",
}  # fmt: skip
PLURALS = {"jour": "jours", "an": "ans", "année": "années", "semaine": "semaines",
           "heure": "heures"}  # fmt: skip
WORD_NUMBERS = {
    "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "neuf": 9,
    "dix": 10, "onze": 11, "douze": 12, "quinze": 15, "seize": 16, "vingt": 20,
    "vingt-quatre": 24, "trente": 30, "quarante": 40, "quarante-cinq": 45, "quarante-huit": 48,
    "cinquante": 50, "soixante": 60, "quatre-vingt-dix": 90, "cent": 100, "mille": 1000,
}  # fmt: skip
UNIT = "(" + "|".join(sorted(UNITS, key=len, reverse=True)) + ")"
WORDS = "|".join(sorted(WORD_NUMBERS, key=len, reverse=True))
DIGITS = r"\d{1,3}(?:[    ]\d{3})+|\d+"
_MONTHS = "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre"
# Numbers that name something: an article, a year, a form, a date.
_NAMED = re.compile(
    r"(?:articles?|art\.|alinéas?|paragraphes?|par\.|chapitres?|sections?|titres?|annexes?|parties?"
    r"|formulaires?|avenants?|n[o°os]*\.?|règlements?|lois?|points?|c\.|r\.|subdivisions?|pages?"
    rf"|tableaux?|figures?|depuis|{_MONTHS}|en|l['’]an|et|à|ou|,|«|[-–(/])\s*$",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    rf"(?<![\w’'])(?:ne|n{APOSTROPHE}|ni|sans|aucun|aucune|nul|nulle|jamais|rien|personne ne|non)"
    rf"(?![\w-])|(?<!\w)n{APOSTROPHE}",
    re.IGNORECASE,
)


def _number(match: re.Match[str], rng: np.random.Generator) -> str | None:
    stated = match.group(1)
    money = match.group(2) or ""
    if not money and _NAMED.search(before(match)):
        return None
    value = int(re.sub(r"\D", "", stated))
    if not money and 1800 <= value <= 2099:
        return None
    most = 100 if money.strip().lower() in ("%", "pour cent") else None
    return grouped(another(value, rng, most=most), stated) + money


def _word_number(match: re.Match[str], rng: np.random.Generator) -> str:
    others = [word for word in ("deux", "trois", "quatre", "cinq", "six", "dix")
              if word != match.group(1).lower()]  # fmt: skip
    return drawn_of(others, rng) + match.group(2)


_NUMBER = joined(
    pattern(
        rf"(?<![\w.,/°-])(?<!\d[    ])({DIGITS})(\s*(?:\$|%|€|dollars|pour cent)(?!\w))",
        _number,
    ),
    pattern(
        rf"(?<![\w.,/°-])(?<!\d[    ])({DIGITS})()(?=\s+[a-zà-ÿ]{{3,}})"
        rf"(?!\s+(?:{_MONTHS}|du|de|des|et|ou|après|avant|{UNIT})(?!\w))",
        _number,
        flags=0,
    ),
    pattern(
        r"(?<![\w'’-])(?<!les )(?<!des )(?<!ces )(?<!aux )(?<!vingt )(?<!l'un ou )"
        r"(deux|trois|quatre|cinq|six)"
        rf"(\s+)(?=[a-zà-ÿ]{{4,}}s\b)(?!{UNIT}(?!\w))(?!(?:derni|premi)\w+\s+{UNIT}(?!\w))",
        _word_number,
    ),
)  # fmt: skip


def _deadline(match: re.Match[str], rng: np.random.Generator) -> str | None:
    stated, space, unit = match.group(1), match.group(2), match.group(3).lower()
    if stated.lower() in ("un", "une"):
        number = drawn_of(("deux", "trois"), rng)
        return f"{number}{space}{PLURALS.get(unit, unit)}"
    is_age = re.search(r"\bâgée?s?\b", before(match)[-30:]) is not None
    if rng.integers(2) and not is_age:
        return f"{stated}{space}{UNITS[unit]}"
    if stated.lower() in WORD_NUMBERS:
        words = [word for word in ("deux", "trois", "cinq", "dix", "trente", "soixante")
                 if word != stated.lower()]  # fmt: skip
        return f"{drawn_of(words, rng)}{space}{PLURALS.get(unit, unit)}"
    value = another(int(re.sub(r"\D", "", stated)), rng)
    return f"{grouped(value, stated)}{space}{PLURALS.get(unit, unit)}"


# An age keeps its unit; "un jour" is "some day" as often as a duration.
_DEADLINE = joined(
    pattern(
        rf"(?<![\w.,'’-])((?:{DIGITS})|{WORDS})(\s+){UNIT}(?![\w-])",
        _deadline,
    ),
    pattern(r"(?<![\w'’-])(un|une)(\s+)(an|mois|année|semaine)(?![\w-])", _deadline),
)

_SOFTENED = "seulement|uniquement|encore|plus|nécessairement|toujours|forcément|moins|que|qu"
_PAS = "pas|jamais|point|aucunement"


def _unnegated(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    return match.group(1)


_NEGATION_DROPPED = joined(
    pattern(
        rf"(?<![\w’'-])(?:ne\s+|n{APOSTROPHE})((?:(?:se|le|la|les|lui|leur|y|en|vous|nous)\s+"
        rf"|[sl]{APOSTROPHE})?[\w’'-]+)\s+(?:{_PAS})(?!\w)"
        rf"(?!\s+(?:{_SOFTENED})\b)(?!\s+d(?:e\s|{APOSTROPHE})(?!la\b|l{APOSTROPHE}))",
        _unnegated,
    ),
    pattern(rf"(?<![\w’'-])ne\s+(?:{_PAS})\s+((?:[sl]{APOSTROPHE}|se\s+)?\w+(?:er|ir|re|oir))\b",
            _unnegated),
    pattern(
        rf"(?<![\w’'-])ne\s+(peut|peuvent|pourra|pourront|doit|doivent)"
        rf"(?=\s+\w+)(?!\s+(?:{_PAS}|{_SOFTENED}|guère|rien|ni|aucune?|nul|nulle)\b)"
        rf"(?![^.;:]*\b(?:que|qu{APOSTROPHE}|ni|aucune?|{_PAS})\b)",
        _unnegated,
    ),
)  # fmt: skip
_VERBS = (
    "est|sont|peut|peuvent|peuvent|doit|doivent|couvre|couvrent|couvrira|paie|paient|paiera|paye"
    "|payera|rembourse|remboursera|remboursent|garantit|prévoit|prévoient|comprend|comprennent"
    "|constitue|constituent|prend|prennent|répond|répondent|conserve|perd|permet|permettent"
    "|indemnise|indemnisera|verse|versera|devez|pouvez|devient|deviennent|oblige|reçoit"
    "|reçoivent|sera|seront|pourra|pourront|devra|devront|couvrons|payons|remboursons|acceptons"
)
_CLITIC = re.compile(
    rf"(?:\b(?:ne|y|se|lui|leur|en|le|la|les|me|te|vous|nous)|[nslmt]{APOSTROPHE})\s*$",
    re.IGNORECASE,
)
# "Vous" and "nous" before these verbs are who acts.
_SUBJECT = re.compile(r"\b(?:vous|nous)\s*$", re.IGNORECASE)
_WITH_SUBJECT = frozenset(["devez", "pouvez", "couvrons", "payons", "remboursons", "acceptons"])
_SCALED = r"(?!\s+(?:pas|jamais|plus|que|aucune?|rien|ni|guère|point|aussi\s+bien|nul|nulle)\b)"


def _negated(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    verb, former = match.group(1), before(match)
    if _NEGATED.search(within(match)):
        return None
    is_subject = verb.lower() in _WITH_SUBJECT and _SUBJECT.search(former)
    if _CLITIC.search(former) and not is_subject:
        return None
    return ("n'" if verb[0].lower() in "aeiou" else "ne ") + verb + " pas"


_NEGATION = joined(
    _NEGATION_DROPPED,
    pattern(rf"(?<![\w'’-])({_VERBS})(?![\w'’-]){_SCALED}(?=\s+\w)", _negated),
)

_PARTIES = (
    ("assuré", "assureur"), ("assurés", "assureurs"), ("locateur", "locataire"),
    ("créancier", "débiteur"), ("créanciers", "débiteurs"), ("vendeur", "acheteur"),
    ("bailleur", "locataire"), ("employeur", "employé"), ("conducteur", "passager"),
    ("conducteurs", "passagers"), ("prêteur", "emprunteur"), ("demandeur", "défendeur"),
    ("propriétaire", "locataire"), ("propriétaires", "locataires"),
)  # fmt: skip
_OTHER_PARTY = {party: other for pair in _PARTIES for party, other in (pair, pair[::-1])}
# Who lets it is the "locateur", the "bailleur" or its owner.
_OTHER_PARTY |= {"locataire": "propriétaire"}
_PARTY_DETERMINER = (
    rf"((?<![\w'’-])(?:[ld]{APOSTROPHE}|le\s+|la\s+|les\s+|des\s+|du\s+|au\s+|aux\s+|un\s+|une\s+"
    r"|cet\s+|ce\s+|chaque\s+|tout\s+|son\s+|votre\s+))"
)


def _party(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    determiner, word = match.group(1), match.group(2)
    other = _OTHER_PARTY[word.lower()]
    return _article(determiner, other) + cased(word, other)


def _article(determiner: str, noun: str) -> str:
    """The same article before another noun, elided where it must be."""
    stem, is_open = determiner.lower().strip(" '’"), noun[0] in "aeéiou"
    pairs = {"l": "le ", "d": "de ", "cet": "ce "}
    elided = {"le": "l'", "la": "l'", "de": "d'", "du": "de l'", "au": "à l'", "ce": "cet "}
    if is_open:
        return elided.get(stem, determiner)
    return pairs.get(stem, determiner)


_PARTY = joined(
    pattern(
        _PARTY_DETERMINER + "(" + "|".join(_OTHER_PARTY) + ")"
        r"(?![\w'’-])(?!\s+(?:désigné|désignés|nommé|e\b|de\s+(?:biens|services)))",
        _party,
    ),
    swapped({"votre": "notre", "notre": "votre", "vos": "nos", "nos": "vos"}),
    pattern(
        r"(?<![\w'’-])(vous|nous)(\s+)(payer|verser|rembourser|fournir|remettre|donner|envoyer"
        r"|aviser|avertir|informer)(?![\w-])",
        lambda match, _rng: {"vous": "nous", "nous": "vous"}[match.group(1).lower()]
        + match.group(2) + match.group(3),
    ),
)  # fmt: skip

_MODALS = {
    "doit": "peut", "doivent": "peuvent", "devra": "pourra", "devront": "pourront",
    "devez": "pouvez", "devrez": "pourrez", "peut": "doit", "peuvent": "doivent",
    "pourra": "devra", "pourront": "devront", "pouvez": "devez",
}  # fmt: skip
_TENU = {
    r"(?:est|sont)\s+tenue?s?\s+(de\s+|d['’])": {"est": "a le droit ", "sont": "ont le droit "},
    r"(?:a|ont)\s+le\s+droit\s+(de\s+|d['’])": {"a": "a l'obligation ", "ont": "ont l'obligation "},
    r"(?:a|ont)\s+l['’]obligation\s+(de\s+|d['’])": {"a": "a le droit ", "ont": "ont le droit "},
}


_HAPPENS = re.compile(
    r"\s+(?:aussi\s+|également\s+)?(?:être|avoir|exister|arriver|survenir|causer|varier|entraîner"
    r"|s['’]\w+|se|résulter|inclure|comprendre|provenir|influencer|nuire|servir|contenir)\b"
)


def _modal(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    # "Ne peut" and "ne doit" forbid alike; what "se peut" or may happen is no permission.
    former, after = before(match)[-40:], match.string[match.end() : match.end() + 40]
    if _HAPPENS.match(after) and match.group(1).lower().startswith("p"):
        return None
    if _NEGATED.search(former[-22:]) or re.search(
        r"\b(?:qui|se|s['’]il|que|qu['’]\w+)\s*$", former
    ):
        return None
    return _MODALS[match.group(1).lower()]


def _bound(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    if _NEGATED.search(before(match)[-22:]):
        return None
    verb = match.group().split()[0].lower()
    for source, words in _TENU.items():
        if re.fullmatch(source, match.group(), re.IGNORECASE):
            return words[verb] + match.group(match.lastindex or 1)
    return None


_MODAL = joined(
    pattern(
        rf"(?<![\w'’-])({'|'.join(_MODALS)})(?![\w'’-])"
        r"(?=(?:\s+(?:aussi|également|alors|toutefois|donc|l['’])?)?\s*(?:\w+['’])?\w+(?:er|ir|re|oir)\b)",
        _modal,
    ),
    pattern("|".join(f"(?:{source})" for source in _TENU), _bound),
)
_BINDING = re.compile(
    rf"(?<![\w’'])(?:si|s{APOSTROPHE}ils?|lorsque?|lorsqu{APOSTROPHE}\w+|quand|doit|doivent|devez"
    r"|devra|devront|pourvu|à condition|exige|exigent|tenue?s?)(?!\w)",
    re.IGNORECASE,
)
# A concession and a question bind nothing, and "compte tenu" is no duty.
_WEAK = re.compile(r"\b(?:même|vérifier|évaluer|déterminer|savoir)\s+s(?:i|['’]ils?)\b|\btenu\b")
_PAIRED = re.compile(
    r"\b(?:entre|soit|aussi bien|tant|ainsi|que ce soit|peu importe|autre|loi|vingt|trente"
    r"|règlement|plus|moins|ou|et|tout|certain)(?:\s+\w{1,3})?\s*$|\bentre\b",
    re.IGNORECASE,
)
_AFTER_JOINER = (
    r"(?!\s+(?:non|plus|moins|bien|même|tout|autres?|encore|les? autres?|\d|l['’]autre))"
)


def _joiner(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    # Under a negation "and" and "or" can say the same; in a list of what is covered, too.
    former = before(match)
    bound = _WEAK.sub("", former)
    if not _BINDING.search(bound) or _NEGATED.search(within(match)) or _PAIRED.search(former):
        return None
    return {"et": "ou", "ou": "et"}[match.group(1).lower()]


_AND_OR = pattern(rf"(?<![\w'’/-])(?<!, )(et|ou)(?![\w'’/-])(?=\s){_AFTER_JOINER}", _joiner)


def _only(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    if re.search(r"\b(?:non|pas|plus|mais|ou|et)\s*$", before(match)):
        return None
    return ""


def _only_que(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    return f"{match.group(1)} {match.group(2)}"


def _alone(match: re.Match[str], _rng: np.random.Generator) -> str:
    return match.group(1)


_QUE_STOPS = rf"(?:{_PAS}|plus|rien|aucune?|autre|ainsi|alors|tel|telle|lieu|même|ni|personne)"
_ONLY = joined(
    pattern(r"(?<=\w)\s+(?:seulement|uniquement|exclusivement)(?![\w'’-])(?=\s*\S)", _only),
    pattern(r"(?<![\w'’-])(?:seulement|uniquement|exclusivement)\s+(?=\w)", _only),
    pattern(
        rf"(?<![\w’'-])(?:ne\s+|n{APOSTROPHE})((?:s{APOSTROPHE}|se\s+)?(?!(?:{_QUE_STOPS})\b)\w+"
        rf"(?:\s+(?!{_QUE_STOPS}\b)\w+(?:és?|ées?|ts?|tes?|ue?s?|is|er|ir|re))?)\s+qu(?:e\s+|{APOSTROPHE})"
        r"((?:si|s['’]|aux?|à|en|pour|les?|la|l['’]|des|du|dans|lorsque|lorsqu['’]|une?|d['’]une?)"
        r"(?![\w]))",
        _only_que,
    ),
    pattern(rf"(?<![\w'’-])seule?s?\s+((?:l{APOSTROPHE}|le\s|la\s|les\s|un\s|une\s)\w+)", _alone),
)


def _none(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    every = "toute" if match.group(1).lower() in ("aucune", "nulle") else "tout"
    return f"{every}{match.group(2)}{match.group(3)}"


def _none_object(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    verb, word = match.group(1), match.group(2).lower()
    indefinite = "une" if word == "aucune" else "un"
    article = indefinite if verb.lower() in _HAVING else f"tout{indefinite[2:]}"
    return f"{verb} {article}"


def _none_from_all(match: re.Match[str], _rng: np.random.Generator) -> str | None:
    if _NEGATED.search(within(match)):
        return None
    none = "aucune" if match.group(1).lower() == "toute" else "aucun"
    verb = match.group(3)
    ne = "n'" if verb[0].lower() in "aeiou" else "ne "
    return f"{none}{match.group(2)}{ne}{verb}"


_HAVING = frozenset(["a", "ont", "est", "sont", "aura", "auront", "avez", "avons", "y"])
_PHRASE = (
    r"(\s+(?!(?:et|ou|que|qui|de\s+ces)\b)[\w’'-]+(?:\s+(?:(?!ne\b|qui\b|que\b)[\w’'-]+)){0,6}?\s+)"
)
_NONE = joined(
    pattern(
        rf"(?<![\w'’-])(aucune?|null?e?)(?![\w-]){_PHRASE}(?:ne\s+|n{APOSTROPHE})"
        rf"((?:s{APOSTROPHE}|se\s+|lui\s+|leur\s+)?\w+)(?!\s+(?:{_PAS}|plus|que|qu{APOSTROPHE}|ni)\b)",
        _none,
    ),
    pattern(
        rf"(?<![\w’'-])(?:ne\s+|n{APOSTROPHE})(\w+)\s+(aucune?)(?![\w-])(?!\s+(?:des|de\s+ces|cas))",
        _none_object,
    ),
    pattern(
        rf"(?<![\w'’-])(toute?)(\s+[\w’'-]+(?:\s+(?:assurée?|désignée?|visée?))?\s+)"
        rf"({_VERBS})(?![\w'’-]){_SCALED}",
        _none_from_all,
    ),
)  # fmt: skip
_EXCEPTS = re.compile(
    r"\b(?:sauf|excepté|hormis|à moins que|à moins de|à l['’]exception|sous réserve|à moins qu['’]"
    r"|à l['’]exclusion)",
    re.IGNORECASE,
)


def _exception(text: str, _rng: np.random.Generator) -> Iterator[Spot]:
    """What follows to the end of the sentence where no comma comes after; where the sentence begins
    with it, what stands before its one comma."""
    for start, end in sentences(text):
        match = _EXCEPTS.search(text, start, end)
        if match is None:
            continue
        tail = text[match.start() : end]
        # What it excepts is a list that follows.
        if text[end : end + 2].lstrip().startswith(":") or len(tail.split()) < 4:
            continue
        if match.start() == start:
            first, comma, rest = tail.partition(", ")
            if comma and "," not in rest and len(rest.split()) >= 4:
                yield Spot(start, start + len(first) + 2 + 1, cased(tail, rest[:1]))
        elif "," not in tail and len(text[start : match.start()].split()) >= 3:
            kept = text[start : match.start()].rstrip(" ,(–-\u00a0")
            # Inside brackets the closing one goes as well.
            closing = end + (text[end - 1 : end] != ")" and text[end : end + 1] == ")")
            yield Spot(start + len(kept), closing, "")


_OBJECTS = (
    "véhicule|bâtiment|bateau|logement", "véhicules|bâtiments|bateaux|logements",
    "corporel|matériel", "corporels|matériels", "corporelle|matérielle",
    "corporelles|matérielles", "permis|certificat|passeport", "remorque|roulotte|maison",
    "vol|bris", "incendie|accident", "décès|divorce", "conducteur désigné|conjoint",
    "prime|franchise", "primes|franchises", "frais médicaux|frais funéraires",
    "revenu|loyer", "revenus|loyers", "invalidité|hospitalisation", "indemnité|amende",
    "indemnités|amendes", "motocyclette|bicyclette", "motocyclettes|bicyclettes",
    "automobile|embarcation", "automobiles|embarcations", "réparation|disparition",
    "résiliation|prolongation", "renouvellement|remplacement", "hôpital|aéroport",
    "préjudice|bénéfice", "policier|pompier", "permis de conduire|permis de chasse",
    "ministre|notaire", "tribunal|syndicat", "route|plage", "accidents|incendies",
)  # fmt: skip
_OTHER_OBJECTS = {
    word: [other for other in group.split("|") if other != word]
    for group in _OBJECTS
    for word in group.split("|")
}
_FIXED = r"(?!\s+(?:routier|de\s+la\s+route|administratif))(?!\s+(?:de\s+la\s+)?automobile)"


def _object(match: re.Match[str], rng: np.random.Generator) -> str | None:
    if re.search(r"(?:assurance|société de l['’]assurance|code de la|véhicules?)[\s-]*$|\bloi\b",
                 before(match)):  # fmt: skip
        return None
    return drawn_of(_OTHER_OBJECTS[match.group(1).lower()], rng)


_OBJECT = pattern(
    rf"(?<![\w-])({'|'.join(sorted(_OTHER_OBJECTS, key=len, reverse=True))})(?![\w'’-]){_FIXED}",
    _object,
)

EDITS: dict[Change, Rule] = {
    Change.NUMBER: _NUMBER,
    Change.DEADLINE: _DEADLINE,
    Change.NEGATION: _NEGATION,
    Change.PARTY: _PARTY,
    Change.MODAL: _MODAL,
    Change.AND_OR: _AND_OR,
    Change.ONLY: _ONLY,
    Change.NONE: _NONE,
    Change.EXCEPTION: _exception,
    Change.OBJECT: _OBJECT,
}
