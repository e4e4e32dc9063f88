"""What a form holds and a contract does not: rows of tables, blanks to fill in, labels of fields,
sentences that every form ends with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from annotation.accents import composed
from annotation.corpus.sentences import is_ended, split
from annotation.corpus.verbs import first_finite_verb, has_finite_verb, has_main_verb

STANDING_FROM = 5
"""How many times a sentence comes in one document before it is a mention, whatever it says."""
_FEWEST_CLAUSE_WORDS = 8
_LONGEST_CELL = 6
_LONGEST_LABEL = 6
_WORDS_FOR_A_BLANK, _SHORT, _TAIL = 6, 15, 20
_GAP = re.compile(r" {3,}|\t")
_BLANK = re.compile(r"_{2,}|\.{4,}|…(?: ?…)*|[☐□❏❑▢]|\[ ?\]")
_OPENS_BLANK = re.compile(r"(?:_{2,}|\.{3,}|…+|\[ ?\])[\s\u00a0\u202f]?(?:[$%,;]|[^\W\d_])")
_LABEL = re.compile(r"[^\W_][)»]?[ \u00a0\u202f]?:(?=\s|[_.…|]|$)")
_ENDS_IN_BOX = re.compile(r"(?:[☐□❏❑▢]|\[ ?\])(?: ?(?:oui|non))?$", re.IGNORECASE)
_INSTRUCTION = re.compile(
    r"(?:(?:note|nota|n\. ?b\.|important) ?: ?|\*+ ?|\()?"
    r"(?P<asked>s'il vous plaît,? ?|veuillez (?:donc )?)?"
    r"(?:inscri(?:re|vez)|indique[rz]|coche[rz]|rempli(?:r|ssez)|joi(?:ndre|gnez)|appose[rz]|encercle[rz]"
    r"|biffe[rz]|parafe[rz]|écri(?:re|vez) en (?:lettres|caractères))\b",
    re.IGNORECASE,
)
_TO_BE_FILLED_IN = re.compile(
    r"(?:tou(?:te)?s )?(?:chaque|[lc]es?|la|cette) (?:présente? )?"
    r"(?:sections?|cases?|champs|parties?|formulaires?|pages?)\b.*"
    r"\bdoi(?:ven)?t être (?:dûment )?(?:rempli|complété|coché|parafé)\w*\W*$",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:toutes|tous|les|toutes les|tous les) autres "
    r"(?:conditions|dispositions|clauses|termes|modalités|stipulations|garanties|articles)\b"
)
_CALLS_FOR_MORE = frozenset(
    [
        "à",
        "au",
        "aux",
        "de",
        "du",
        "des",
        "d'",
        "le",
        "la",
        "les",
        "l'",
        "un",
        "une",
        "par",
        "pour",
        "sur",
        "et",
        "ou",
    ]
)
_STAYS = re.compile(
    r"inchangé|plein effet|sans changement"
    r"|\b(?:sont|demeur\w+|rest\w+) les mêmes"
    r"|\b(?:demeur|rest|continu|maint)\w+ (?:\w+ ){0,3}en vigueur"
    # What comes after it says what a clause is about.
    r"|\bs'appliqu\w+(?: intégralement| pleinement| telles quelles| sans modification)?[ .]*$"
)


def cells(line: str) -> list[str]:
    """The cells of a line that is a row of a table; none where it is something else.

    Bars part cells, as they do in what is read of Word; so do wide gaps, where there are three
    short cells or more, and no sentence.
    """
    bare = line.strip()
    if "|" in bare:
        parts = [part.strip() for part in bare.split("|")]
        return [part for part in parts if part]
    if is_ended(bare):
        return []
    parts = [part.strip() for part in _GAP.split(bare)]
    parts = [part for part in parts if part]
    short = all(len(part.split()) <= _LONGEST_CELL for part in parts)
    if len(parts) < 3 or not short or not any(map(str.isalpha, bare)):
        return []
    return [] if _is_justified(bare, parts) else parts


def _is_justified(line: str, parts: list[str]) -> bool:
    """Whether the gaps of a line only fill it up to the margin: it is of a sentence, with a verb,
    or with "de" or "le" before a gap."""
    return has_finite_verb(line) or any(map(stops_short, parts))


def is_clause(cell: str) -> bool:
    """Whether a cell holds a sentence of the contract: tables are used to place paragraphs too."""
    return (
        len(cell.split()) >= _FEWEST_CLAUSE_WORDS
        and is_ended(cell)
        and not opens_in_blank(cell)
        and has_finite_verb(cell)
    )


def opens_in_blank(text: str) -> bool:
    """Whether a text goes on behind a blank that was left empty: "… $ par sinistre"."""
    return _OPENS_BLANK.match(text.lstrip()) is not None


def ends_in_blank(text: str) -> bool:
    """Whether a text stops at a blank that was left empty."""
    return text.rstrip().endswith(("…", "__", "....", "[ ]", "[]"))


def stops_short(text: str) -> bool:
    """Whether a text stops where a blank was: after "à", "de" or "la"."""
    *_, last = text.rstrip().lower().replace("’", "'").split(" ") or [""]
    return last in _CALLS_FOR_MORE


def is_filled_in(text: str) -> bool:
    """Whether a text is a form's: two labels of fields before a verb (a whole sentence may define
    a term under a title so, unless a blank stands in it), or more blanks than a sentence holds."""
    text = composed(text)
    verb = first_finite_verb(text)
    blanks, words = len(_BLANK.findall(text)), len(_BLANK.sub(" ", text).split())
    is_sentence = verb is not None and is_ended(text) and not blanks
    if not is_sentence and _is_labelled(text if verb is None else text[:verb]):
        return True
    if blanks * _WORDS_FOR_A_BLANK > words:
        return True
    left_open = not is_ended(text) and (words < _SHORT or _ENDS_IN_BOX.search(text[-_TAIL:]))
    return blanks > 0 and (verb is None or bool(left_open))


def asks(text: str) -> bool:
    """Whether a text only asks whoever fills the form in: "Avez-vous un quai?"."""
    return text.rstrip(' »”"\u00a0\u202f').endswith("?") and len(split(text)) == 1


def instructs(text: str) -> bool:
    """Whether a text says how to fill a form in: "Veuillez cocher une seule case.".

    An infinitive may be a subject: "Remplir ses obligations ne libère pas le vendeur.".
    """
    text = composed(text)
    match = _INSTRUCTION.match(text)
    if match is None:
        return len(split(text)) == 1 and _TO_BE_FILLED_IN.match(text) is not None
    is_imperative = match["asked"] is not None or match[0].lower().endswith("z")
    return is_imperative or not has_main_verb(text[match.end() :])


def _is_labelled(text: str) -> bool:
    """Whether two labels of fields stand close to each other; a definition's stand far apart."""
    *parts, _ = _LABEL.split(text)
    return any(len(part.split()) <= _LONGEST_LABEL for part in parts[1:])


def is_title(text: str) -> bool:
    """Whether a text names something and says nothing of it: no verb, no stop at its end."""
    return not is_ended(text) and text.rstrip()[-1:] not in (":", ";") and not has_finite_verb(text)


def is_closing(text: str) -> bool:
    """Whether a sentence leaves the rest of a contract as it is: the last one of every
    endorsement."""
    bare = " ".join(composed(text).lower().replace("’", "'").split())
    return len(bare) < 250 and _CLOSING.match(bare) is not None and _STAYS.search(bare) is not None


def standing(texts: Iterable[str]) -> frozenset[str]:
    """The sentences among some lines that come so often that each stands by itself, and those that
    close a form."""
    counts = Counter(
        text for text in texts if text[:1].isupper() and is_ended(text) and len(text.split()) > 3
    )
    return frozenset(
        text for text, count in counts.items() if count >= STANDING_FROM or is_closing(text)
    )
