"""How many syllables a French word has: one for each vowel that is heard in careful prose.

Two counters. ``phonetic`` follows the rules by which a reader sounds a word: a final *e* is mute,
*-ent* is mute in verbs, an inner *e* falls between single consonants (Grammont's law of three
consonants), *i*, *u*, *ou* before a vowel glide unless a consonant + *l* or *r* precedes.
``hyphenation`` counts the places where a word may be cut at the end of a line (pyphen, what
textstat uses): typographers never leave one letter alone nor cut between vowels, so it gives one
syllable to *école*, *théâtre* and *chaos*.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from annotation.accents import composed

_VOWEL = "aeiouyàâäéèêëîïôöùûüÿ"
_SINGLE = "bcdfgjklmnprstvz"
_HAS_VOWEL = re.compile(f"[{_VOWEL}]")
_PARTS = re.compile(r"[^\W_]+")
LONGEST_WORD = 200
"""Characters of what is counted, hyphens included: an address or a row of letters is no word to
sound."""
_EXCEPTIONS = {
    "pays": 2, "paysage": 3, "paysages": 3, "zoo": 1, "zoos": 1, "alcool": 2, "alcools": 2,
    "moelle": 1, "poêle": 1,
    "poêles": 1, "août": 1, "saoul": 1, "faon": 1, "paon": 1, "taon": 1, "abbaye": 3,
    "abbayes": 3, "client": 2,
}  # fmt: skip

# Words in which a final -ent is heard, beyond those in -ment and -ient that the rules below settle.
_HEARD = (
    "cent récent décent indécent innocent accent adolescent dent accident incident précédent "
    "président résident excédent antécédent évident prudent imprudent ardent dissident agent "
    "argent urgent indigent intelligent négligent diligent contingent régent sergent détergent "
    "divergent talent lent violent excellent équivalent polyvalent opulent insolent parent "
    "apparent transparent afférent adhérent inhérent concurrent récurrent cohérent incohérent "
    "différent indifférent torrent content mécontent patent latent compétent incompétent impotent "
    "intermittent absent présent vent avent souvent auvent couvent fervent permanent imminent "
    "éminent continent pertinent fréquent conséquent subséquent éloquent serpent arpent affluent "
    "influent confluent"
)
_HEARD_ENT = frozenset(_HEARD.split())
_MUTE_MENT = re.compile(
    r"(?:^(?:dor|fer|ar|ai|for|ra|tra|blâ|pri|ani|esti|nom)|(?:trans|in|con|ré|dé|re)for|af?fir|confir|infir|enfer"
    r"|désar|consom|renom|dénom|récla|procla|décla|accla|enta|expri|suppri|impri|compri|dépri|réani|mésesti|suresti"
    r"|assu|présu|résu|consu|allu|légiti)ment$"
)
_HEARD_IENT = re.compile(r"(?:[tvcd]|sc|én|or|fic)ient$")
_SILENT_LETTERS = (
    (re.compile(f"qu(?=[{_VOWEL}]|$)"), "k"),
    (re.compile("gu(?=[eiyéèêî])"), "g"),
    (re.compile("ge(?=[aouâôû])"), "j"),
    (re.compile("(?<=[iuéay])e(?=ment)"), ""),  # "paiement", "dénouement"
    (re.compile("(?<=[aeu])i(?:ll|ls?$)"), "j"),  # "travail", "accueillir", "juillet"
)
_LAST_E = re.compile("es?$")
_FALLING_E = re.compile(
    f"(?<=[{_VOWEL}])(?:[nm](?=[bcdfgjklpstvz]))?(?P<before>ch|ph|gn|th|([bcdfglmnprst])\\2|[{_SINGLE}])"
    f"e(?=(?:ch|ph|gn|th|[{_SINGLE}])[{_VOWEL}])"
)
_NUCLEUS = re.compile(
    "(?:ouai|ouei|oueu|ou[aeoiéèê]|iai|ieu|ueu|uei|eau|aoû|i[aoâéèêeô]|u[aoéèêeâ]|ui|uî|^y[aeo]u?"
    f"|ai|aî|au|ei|eî|eu|eû|ou|oû|où|oi|oî|ay|ey|oy|uy|[{_VOWEL}])"
)
_GLIDING = re.compile(r"(?:ou|[iu])(?=[aeoâéèêô])")
_CLUSTER = re.compile("[bcdfgkptv][lr]$")


def phonetic(word: str) -> int:
    """Syllables heard in ``word``; parts joined by a hyphen or an apostrophe are added. At least 1.

    A number counts as one, since nothing tells how it would be read; so does what holds no vowel
    ("FPQ"), and what is longer than words are.
    """
    return 1 if len(word) > LONGEST_WORD else _phonetic(word)


@lru_cache(maxsize=50_000)
def _phonetic(word: str) -> int:
    parts = _PARTS.findall(composed(word).lower().replace("œ", "e").replace("æ", "é"))
    return max(1, sum(_spoken_syllables(part) for part in parts))


def hyphenation(word: str) -> int:
    """Stretches between the places where pyphen's French dictionary lets ``word`` be cut. At least
    1.

    What textstat counts for a word in French: apostrophes and hyphens taken off first ("l'avis" as
    "lavis").
    """
    return 1 if len(word) > LONGEST_WORD else _hyphenation(word)


@lru_cache(maxsize=50_000)
def _hyphenation(word: str) -> int:
    return len(_dictionary().positions(re.sub(r"\W", "", word.lower()))) + 1


COUNTERS: dict[str, Callable[[str], int]] = {"phonetic": phonetic, "hyphenation": hyphenation}


@cache
def _dictionary() -> Any:
    import pyphen  # type: ignore[import-untyped]

    return pyphen.Pyphen(lang="fr")


def _spoken_syllables(word: str) -> int:
    """Syllables of one run of letters or digits; 0 for what only leans on its neighbour ("l",
    "qu")."""
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    if word[0].isdigit():
        return 1
    if _is_mute_ent(word):
        word = word[:-3]
    for written, sounded in _SILENT_LETTERS:
        word = written.sub(sounded, word)
    shorter = _LAST_E.sub("", word)
    if _HAS_VOWEL.search(shorter):
        word = shorter
    return _nuclei(_FALLING_E.sub(_without_e, word))


def _is_mute_ent(word: str) -> bool:
    """Whether a final -ent is the mute ending of a verb: "couvrent", not "document" nor
    "souvent"."""
    if (
        not word.endswith("ent")
        or not _HAS_VOWEL.search(word[:-3].replace("qu", ""))
        or word in _HEARD_ENT
    ):
        return False
    if word.endswith("ment"):
        return _MUTE_MENT.search(word) is not None
    return _HEARD_IENT.search(word) is None


def _without_e(match: re.Match[str]) -> str:
    """The consonants without their e, but after an e that opens the word: "recevoir" keeps both."""
    word, place = match.string, match.start()
    follows_first_e = word[place - 1] == "e" and not _HAS_VOWEL.search(word[: place - 1])
    if follows_first_e and len(match["before"]) == 1:
        return match[0]
    return match[0][:-1]


def _nuclei(word: str) -> int:
    count = 0
    for match in _NUCLEUS.finditer(word):
        count += 1
        if _GLIDING.match(match[0]) and _CLUSTER.search(word[: match.start()]):
            count += 1  # "ouvrier", "influence": no glide after consonant + l or r
    return count
