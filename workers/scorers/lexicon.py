"""Word lists that carry law, in French and English: negations, modals, conditions, exceptions,
parties, deadlines.

The words are those of insurance policies and statutes; each list is compared between the two texts
of a pair.
"""

from __future__ import annotations

import re


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


NEGATIONS = _listed(
    "ne n non pas aucun aucune aucuns aucunes jamais ni nul nulle sans rien plus not no never none "
    "neither nor without nothing cannot t"
)
OBLIGATIONS = _listed(
    "doit doivent devra devront devait devaient devrait devraient obligatoire obligation "
    "obligations obligé "
    "obligée exige exiger tenu tenus tenue tenues faut must shall required requires obligated"
)
PERMISSIONS = _listed(
    "peut peuvent pourra pourront pouvait pouvaient pourrait pourraient permis permet permettre "
    "droit may can could might allowed permitted entitled"
)
CONDITIONS = _listed(
    "si lorsque lorsqu quand condition conditions pourvu dès moment cas éventualité selon réserve "
    "if when whenever provided where case unless"
)
EXCEPTIONS = _listed(
    "sauf excepté exception exceptions moins toutefois cependant hormis hors exclusion exclusions "
    "exclut exclus exclue malgré mais néanmoins contre except unless however excluding excluded "
    "but although though"
)
RESTRICTIONS = _listed(
    "seul seuls seule seules seulement uniquement que qu directement exclusivement maximum minimum "
    "jusqu moins limite only solely directly exclusively most least limit limited"
)
QUANTIFIERS = _listed(
    "tout tous toute toutes chaque plusieurs certains certaines quelque quelques autre autres même "
    "mêmes all every each any some several other others same many most"
)
JOINERS = _listed("ou et or and ainsi également aussi also")
ADDRESSEES = _listed("vous votre vos nous notre nos you your we our us")
PARTIES = _listed(
    "assuré assurés assurée assurées assureur assureurs preneur preneurs conjoint conducteur "
    "locataire propriétaire bénéficiaire bénéficiaires victime tiers créancier personne personnes "
    "insured insurer policyholder beneficiary"
)
DEADLINE_UNITS = _listed(
    "jour jours mois an ans année années heure heures semaine semaines délai délais date day days "
    "month months year years hour hours week weeks deadline"
)
FRENCH_FUNCTION_WORDS = _listed(
    "le la les l un une des de du d au aux à en et ou où que qu qui dont ce cet cette ces se s son "
    "sa ses leur leurs il elle ils elles on y par pour sur dans avec est sont a ont été être"
)
ENGLISH_FUNCTION_WORDS = _listed(
    "the of and to is are for with that this which by be an it his her its was were in at as from "
    "he she they has have had"
)
FUNCTION_WORDS = FRENCH_FUNCTION_WORDS | ENGLISH_FUNCTION_WORDS
MARKERS: dict[str, frozenset[str]] = {
    "negation": NEGATIONS,
    "obligation": OBLIGATIONS,
    "permission": PERMISSIONS,
    "condition": CONDITIONS,
    "exception": EXCEPTIONS,
    "restriction": RESTRICTIONS,
    "quantifier": QUANTIFIERS,
    "joiner": JOINERS,
    "addressee": ADDRESSEES,
    "party": PARTIES,
    "deadline": DEADLINE_UNITS,
}

ONE = frozenset({"un", "une", "one", "a"})
TIME_UNITS: dict[str, str] = {
    form: unit
    for unit, forms in {
        "minute": "minute minutes", "hour": "heure heures hour hours", "day": "jour jours day days",
        "week": "semaine semaines week weeks", "month": "mois month months",
        "year": "an ans année années year years",
    }.items()
    for form in forms.split()
}  # fmt: skip
NEGATORS = _listed(
    "ne n pas non sans aucun aucune aucunement jamais ni nullement not no never without cannot"
)
FULL_NEGATORS = NEGATORS - {"ne", "n"}
# They deny a noun beside the verb; a clause is not negated by them.
NOMINAL_NEGATORS = frozenset({"non", "sans", "without"})
RESTRICTIVE = frozenset({"que", "qu"})
STRONG_EXCEPTIONS = _listed(
    "sauf excepté hormis exception exceptions réserve moins unless except excepting"
)
SIDES: dict[str, str] = {
    form: party
    for party, forms in {
        "insured": (
                "assuré assurés assurée assurées insured insureds preneur preneurs policyholder "
                "policyholders"
            ),
        "insurer": "assureur assureurs insurer insurers",
        "owner": (
                "propriétaire propriétaires owner owners locateur locateurs bailleur bailleurs "
                "landlord"
            ),
        "tenant": "locataire locataires tenant tenants",
        "creditor": "créancier créanciers creditor", "debtor": "débiteur débiteurs debtor",
        "buyer": "acheteur acheteurs acquéreur buyer", "seller": "vendeur vendeurs seller",
        "employer": "employeur employeurs employer",
        "employee": "employé employés salarié salariés employee",
    }.items()
    for form in forms.split()
}  # fmt: skip
_OPPOSITES = (
    "avant|après", "moins|plus", "minimum|maximum", "minimal|maximal", "inférieur|supérieur",
    "inférieure|supérieure",
    "inclus|exclus", "incluse|exclue", "inclut|exclut", "incluent|excluent", "accepte|refuse",
    "accepter|refuser",
    "toujours|jamais", "avec|sans", "couvert|exclu", "couverte|exclue", "couverts|exclus",
    "couvre|exclut",
    "augmente|diminue", "augmentation|diminution", "permis|interdit", "permise|interdite",
    "before|after", "less|more", "least|most", "includes|excludes", "included|excluded",
    "with|without",
    "accept|refuse", "above|below", "allowed|forbidden",
)  # fmt: skip
OPPOSITES = frozenset(frozenset(pair.split("|")) for pair in _OPPOSITES)

_FR_UNITS = "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
_EN_UNITS = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
)
# "un" and "one" are left out: they are articles and pronouns more often than numbers.
NUMBER_WORDS: dict[str, str] = {
    **{word: str(value) for value, word in enumerate(_FR_UNITS.split(), start=2)},
    **{word: str(value) for value, word in enumerate(_EN_UNITS.split(), start=2)},
    "vingt": "20", "trente": "30", "quarante": "40", "cinquante": "50", "soixante": "60",
    "cent": "100",
    "mille": "1000", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "hundred": "100",
    "thousand": "1000",
}  # fmt: skip
WORD = re.compile(r"\d+(?:[    .,]\d{3}(?!\d))*(?:[.,]\d+)?|[^\W\d_]+|_{2,}|[$%€]")
SENTENCE_END = re.compile(r"(?<=[.!?;:])\s+")
CLAUSE_END = re.compile(r"[,;:.!?()]\s+")
CLOSED = re.compile(r"[.!?…:;][\s»\"”’')\]]*$")

JOINING = frozenset({"et", "ou", "and", "or"})
ONLY_WORDS = _listed(
    "seulement uniquement exclusivement seul seule seuls seules only solely exclusively"
)
OWNERS = {
    form: owner
    for owner, forms in {"you": "votre vos your", "us": "notre nos our"}.items()
    for form in forms.split()
}
_SYNONYMS = (
    "toutefois|cependant",
    "aviser|avertir",
    "verser|payer",
    "lorsque|quand",
    "sauf|excepté",
    "également|aussi",
    "débute|commence",
    "débuter|commencer",
    "uniquement|seulement",
    "effectuer|faire",
    "décède|meurt",
    "survient|arrive",
    "fournir|donner",
    "achat|acquisition",
    "obtenir|recevoir",
    "prix|coût",
    "frais|coûts",
    "dollars|$",
    "maximal|maximum",
    "minimal|minimum",
    "terminate|end",
    "commence|begin",
    "begin|start",
    "begins|starts",
    "purchase|buy",
    "large|big",
    "nearly|almost",
    "quickly|rapidly",
    "rapidement|vite",
    "néanmoins|cependant",
    "lors|pendant",
    "immediately|promptly",
    "whenever|when",
)
SYNONYMS = frozenset(frozenset(pair.split("|")) for pair in _SYNONYMS)
