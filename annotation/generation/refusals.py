"""How a model says that it will not, or cannot, do what it was asked: an apology, its inability,
what it is, or a question in place of an answer.

A clause may forbid, be impossible and speak in the first person («Je ne peux pas céder mon bail»):
what tells a refusal is that it speaks of the model's own work (to simplify, to help, your request).
What the source says as well is no refusal.
"""

from __future__ import annotations

import re

# Where a sentence may begin.
_START = r"""(?:^|(?<=[.!?:…\n]))\s?["«“'*_-]{0,3}\s?"""

_WORK_FR = r"""
    (?:vous|t['’])\s?(?:aider|assister
        |fournir\s(?:une|la|de)\s(?:simplification|r[ée][ée]criture|reformulation|r[ée]ponse))
    | (?:simplifier|r[ée][ée]crire|reformuler|paraphraser)\b
    | (?:r[ée]pondre|donner\ssuite|acc[ée]der|satisfaire|proc[ée]der)\s[àa]\s
        (?:votre|cette|ta|ce\stype\sde|la)\s(?:demande|requ[êe]te|question|t[âa]che)
    | (?:traiter|effectuer|accomplir|r[ée]aliser|ex[ée]cuter)\s
        (?:votre|cette|ta|ce\stype\sde|la)\s(?:demande|requ[êe]te|t[âa]che|simplification)
    | (?:fournir|donner|proposer|produire|g[ée]n[ée]rer|offrir)\s(?:une?|de|des|la|d['’])\s?
        (?:version|simplification|r[ée][ée]criture|reformulation|contenu
            |(?:conseils?|avis|assistance)\sjuridiques?)
"""
_WORK_EN = r"""
    (?:assist|help)\s(?:you|with|in)\b
    | (?:simplify|rewrite|rephrase|paraphrase|translate)\b
    | (?:answer|fulfil+|process|complete|comply\swith|respond\sto|do
        |(?:continue|proceed)\swith)\s
        (?:your|this|that|the)\s(?:requests?|questions?|task|text|sentence)
    | (?:provide|give|offer|generate|produce|create)\s(?:you\swith\s)?(?:an?|any|the|this|that)?
        \s?(?:simplif\w+|simpler|rewrit\w+|legal\sadvice|content|translation|response)
    | (?:assist|help|comply|answer)\s?[.!]?\s?$
"""
_CANNOT_FR = r"""
    (?:(?:malheureusement|d[ée]sol[ée]e?|navr[ée]e?)\s?[,.]?\s?(?:mais\s)?)?
    (?:
        je\s(?:regrette|crains)[^.!?\n]{0,60}?\s(?:ne|n['’])\b[^.!?\n]{0,40}?
        | je\s(?:ne\s)?(?:peux|puis|pourrai|saurais|suis)\s(?:malheureusement\s)?(?:pas\s)?
            (?:(?:en\smesure|capable|autoris[ée]e?|habilit[ée]e?|programm[ée]e?|con[çc]ue?|incapable
                |dans\sl['’]incapacit[ée])\s(?:de|d['’]|[àa]|pour)\s?)?
        | je\s(?:refuse|pr[ée]f[èe]re\sne\spas|dois\s(?:d[ée]cliner|refuser))\s?(?:de|d['’])?\s?
        | il\s(?:m['’]est|ne\sm['’]est\spas)\s(?:malheureusement\s)?(?:im)?possible\sde\s
    )
"""
_CANNOT_EN = r"""
    (?:(?:unfortunately|sorry|regrettably)\s?[,.]?\s?(?:but\s)?)?
    I\s?(?:['’]m|\sam)?\s?(?:really\s|afraid\s(?:that\s)?I\s)?
    (?:can\s?not|can['’]?t|could\s?n['’]t|(?:am\s)?unable\sto|(?:am\s)?not\sable\sto
        |will\snot|won['’]t|must\sdecline\sto|refuse\sto
        |do(?:\snot|n['’]t)\sfeel\scomfortable)
    \s(?:to\s)?
"""
_REFUSAL = re.compile(
    rf"""
    # An apology that opens the answer, the person who gives it being the one who speaks.
    \A\W{{0,5}}(?:
        (?:je\ssuis\s(?:vraiment\s|sinc[èe]rement\s)?)?(?:d[ée]sol[ée]e?|navr[ée]e?)\b
            (?=\s?[,.!:;…–—-]|\s(?:mais|de|pour|je)\b|\s?$)
        | je\s(?:m['’]excuse|vous\sprie\sde\sm['’]excuser|vous\spr[ée]sente\smes\sexcuses)\b
        | (?:toutes\s)?mes\s(?:plus\splates\s)?excuses\s?[,.!]
        | (?:I\s?['’]?\s?a?m\s(?:so\s|very\s|really\s)?)?sorry\b
            (?=\s?[,.!:;…–—-]|\s(?:but|for|I|that)\b|\s?$)
        | (?:I\sapologi[sz]e|my\sapologies|apologies)\b
    )
    # What it cannot do, where a sentence begins.
    | {_START}(?:{_CANNOT_FR})(?:{_WORK_FR})
    | {_START}(?:{_CANNOT_EN})(?:{_WORK_EN})
    # What it is.
    | \ben\stant\squ['’]?\s?(?:e\s)?(?:mod[èe]le\s(?:de\slangage|linguistique|d['’]IA)|IA\b
        |intelligence\sartificielle|assistante?\s(?:virtuel|IA|num[ée]rique))
    | \bas\san?\s
        (?:AI\b|artificial\sintelligence|(?:large\s)?language\smodel|virtual\sassistant)
    # A question in place of an answer.
    | (?:veuillez|pourriez-vous|pouvez-vous|merci\sde|n['’]h[ée]sitez\spas\s[àa])\s(?:me\s)?
        (?:fournir|donner|indiquer|partager|envoyer|pr[ée]ciser|copier)\b[^.!?\n]{{0,60}}\b
        (?:[àa]|pour\sque\sje\s(?:la|le)
            |que\svous\s(?:voulez|souhaitez|voudriez|souhaiteriez)(?:\sque\sje)?)\s
        (?:simplifier|simplifie|r[ée][ée]crire|r[ée][ée]crive|reformuler|reformule)\b
    | (?:please|could\syou|can\syou)\s(?:provide|share|give|send|paste|specify)\b
        [^.!?\n]{{0,60}}\bto\s(?:be\s)?(?:simplif|rewrit|rephras)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_refusal(text: str, original: str) -> bool:
    """Whether a model refused, instead of answering, in French or in English."""
    return bool(_REFUSAL.search(_spaced(text))) and not _REFUSAL.search(_spaced(original))


def _spaced(text: str) -> str:
    """With one space where there were several, as the pattern expects: it asks for no repetition of
    what may stand there ten thousand times."""
    return "\n".join(" ".join(line.split()) for line in text.splitlines())
