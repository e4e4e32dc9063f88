"""What a machine sees wrong with an output before anybody judges it, and the text without its
trappings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from annotation.accents import composed
from annotation.corpus.language import FRENCH, detect_language, is_identical
from annotation.generation.presets import PLACEHOLDER
from annotation.generation.refusals import is_refusal
from annotation.protocols.base import Wording
from annotation.protocols.characters import shows_nothing

TRUNCATED = "truncated"
FILTERED = "filtered"
EMPTY = "empty"
REFUSAL = "refusal"
IDENTICAL = "identical"
LANGUAGE = "language"
PREAMBLE = "preamble"
ECHO = "echo"
MARKDOWN = "markdown"
LONG = "long"

FLAGS: dict[str, Wording] = {
    TRUNCATED: Wording("coupée à la limite de jetons", "cut off at the token cap"),
    FILTERED: Wording("interrompue par le filtre de contenu", "stopped by the content filter"),
    EMPTY: Wording("vide", "empty"),
    REFUSAL: Wording("refus du modèle", "refusal by the model"),
    IDENTICAL: Wording("identique à l'original", "identical to the original"),
    LANGUAGE: Wording("dans une autre langue", "in another language"),
    PREAMBLE: Wording("avec un préambule", "with a preamble"),
    ECHO: Wording("répète l'invite", "echoes the prompt"),
    MARKDOWN: Wording("avec une mise en forme Markdown ou HTML", "with Markdown or HTML"),
    LONG: Wording("bien plus longue que l'original", "far longer than the original"),
}
_CUT_BY = {"length": TRUNCATED, "content_filter": FILTERED}
CLEANABLE = frozenset({PREAMBLE, MARKDOWN, ECHO})
"""Flags after which the text can be kept without what was flagged."""

# An output that is this much longer, and by at least so many characters, is rarely a
# simplification.
_LONGER, _LONGER_BY = 2.0, 80
_ECHOED_WORDS = 5

# «Voici une version simplifiée : …», "Phrase simple: …", «Bien sûr! …»: it tells a model from a
# person.
_PREAMBLE = re.compile(
    r"""^\s*(?:
        (?:bien\s+s[ûu]r|certainement|d['’]accord|absolument|volontiers|avec\s+plaisir|sure|certainly|of\s+course)
            \s*[!.,:…]+\s*
        | (?:voici|voilà|here\s+is|here['’]s|here\s+are)\b[^.\n:]{0,120}:\s*
        | (?:en\s+)?(?:version|phrases?|simplifi[ée]e?s?|r[ée]ponse|texte|traduction
            |r[ée][ée]criture|simplification
            |simplified|simple|complexe|r[ée][ée]crit[es]*)(?:\s+(?:plus\s+)?(?:simples?|simplifi[ée]e?s?|r[ée][ée]crite?s?|version|text
            |finale?))*\s*:\s*
    )+""",
    re.IGNORECASE | re.VERBOSE,
)
# What a model that reasons writes before its answer; services that begin the thought themselves
# leave its end alone.
_THOUGHT = re.compile(
    r"\A(?:.*?</think(?:ing)?>|\s*<think(?:ing)?>.*\Z)\s*", re.IGNORECASE | re.DOTALL
)
_ENDED_THOUGHT = re.compile(r"\A.*?</think(?:ing)?>", re.IGNORECASE | re.DOTALL)
_FENCE = "```"
_FENCED_AS = re.compile(r"\A\s*json\b", re.IGNORECASE)
_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>a|answer|b|blockquote|br|code|div|em|h[1-6]|hr|i|li|ol|p|pre|span|strong|sub"
    r"|sup|table|tbody|td|th|thead|tr|u|ul)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_ENDS_A_LINE = re.compile(r"br|hr|blockquote|div|h[1-6]|li|p|pre|tr", re.IGNORECASE)
_MARKDOWN = re.compile(
    r"""(?m)
        ^\s{0,3}\#{1,6}\s+\S          # heading
        | \*\*[^*\n]+\*\* | __[^_\n]+__   # bold
        | ^\s{0,3}(?:[*+]|-{1})\s+\S   # bullet
        | ^\s{0,3}>\s+\S               # quotation
        | ```                          # code
        | \[[^\]\n]+\]\([^)\n]+\)      # link
    """,
    re.VERBOSE,
)
_WORD = re.compile(r"[^\W_]+")


def flags(
    *,
    original: str,
    raw: str,
    finish_reason: str,
    prompt: str = PLACEHOLDER,
    language: str = FRENCH,
) -> list[str]:
    """Every flag that an output raises, in a fixed order.

    ``finish_reason`` as the API gave it; ``prompt`` is the template, whose own words an echo
    repeats; ``language``: in which outputs should be, "" for that of their original.
    """
    text, original, prompt = tidy(raw), composed(original), composed(prompt)
    raised = [_CUT_BY[finish_reason]] if finish_reason in _CUT_BY else []
    if not text:
        return [*raised, EMPTY]
    answer = text[_thought_end(text, original) :]
    if is_refusal(answer, original):
        raised.append(REFUSAL)
    if is_identical(original, answer):
        raised.append(IDENTICAL)
    elif (expected := language or detect_language(original)) and (
        detect_language(answer) not in (expected, "")
    ):
        raised.append(LANGUAGE)
    if _preamble_end(text, original):
        raised.append(PREAMBLE)
    if _echoes(answer, prompt, original):
        raised.append(ECHO)
    if any(form.search(answer) and not form.search(original) for form in (_MARKDOWN, _TAG)):
        raised.append(MARKDOWN)
    if len(answer) > _LONGER * len(original) and len(answer) - len(original) > _LONGER_BY:
        raised.append(LONG)
    return raised


def tidy(raw: str) -> str:
    """The output as it is judged: composed characters (NFC), nothing that is no character, no space
    around; "" where nobody would see anything of it."""
    lines = raw.replace("\r\n", "\n").replace("\r", "\n")
    # First this, then NFC: a control character may have stood between a letter and its accent. Cs:
    # half a character, which JSON can hold and no database.
    kept = "".join(
        c for c in lines if c in {"\n", "\t"} or unicodedata.category(c) not in {"Cc", "Cs"}
    )
    text = re.sub(r"(?<![ \t])[ \t]+\n", "\n", composed(kept)).strip()
    return "" if shows_nothing(text) else text


def storable(text: str) -> str:
    """Without what no database stores and nobody can read: zero characters, halves of
    characters."""
    return "".join(c for c in text if c != "\x00" and not "\ud800" <= c <= "\udfff")


def object_text(reply: str) -> str:
    """A reply that should be a JSON object, without the thought that ended before it and the fence
    of Markdown around it, in which models put an object that no schema binds them to."""
    if reply.lstrip().startswith("{"):
        return reply
    answer = _ENDED_THOUGHT.sub("", reply, count=1)
    before, _fence, after = answer.partition(_FENCE)
    inside, _fence, behind = after.rpartition(_FENCE)
    # Two objects stay unreadable: nobody says which of them is the answer.
    if not inside or "{" in before or "{" in behind:
        return answer
    return _FENCED_AS.sub("", inside, count=1)


def cleaned(raw: str, *, original: str, prompt: str = PLACEHOLDER) -> str:
    """The output without thought, preamble, echo, Markdown, tags and quotation marks around the
    whole; for a lead to accept."""
    text, original, prompt = tidy(raw), composed(original), composed(prompt)
    text = _without_echo(text[_thought_end(text, original) :], prompt, original)
    if _TAG.search(text) and not _TAG.search(original):
        text = re.sub(r"\n{3,}", "\n\n", _TAG.sub(_without_tag, text)).strip()
    text = text[_preamble_end(text, original) :].strip()
    if not _MARKDOWN.search(original):
        text = _plain(text)
    for left, right in (("«", "»"), ("“", "”"), ('"', '"')):
        inner = text[1:-1]
        if (
            text.startswith(left)
            and text.endswith(right)
            and left not in inner
            and right not in inner
        ):
            text = inner.strip()
    return "" if shows_nothing(text) else text


def _preamble_end(text: str, original: str) -> int:
    """Where the thought and the preamble end, 0 where there is none. What the source says itself
    is no preamble."""
    start = _thought_end(text, original)
    match = _PREAMBLE.match(text[start:])
    if not match or tidy(original).startswith(match.group().strip()):
        return start
    return start + match.end()


def _thought_end(text: str, original: str) -> int:
    match = _THOUGHT.match(text)
    return match.end() if match and not _THOUGHT.match(original) else 0


def _without_tag(tag: re.Match[str]) -> str:
    """Nothing, or the line that it ends."""
    ends = tag["end"] or tag["name"].lower() in ("br", "hr")
    return "\n" if ends and _ENDS_A_LINE.fullmatch(tag["name"]) else ""


def _echoes(text: str, prompt: str, original: str) -> bool:
    """Whether the output repeats five words in a row of the prompt that are not in the source."""
    said = _runs(text)
    return bool(said & (_runs(prompt.replace(PLACEHOLDER, " \n ")) - _runs(original)))


def _without_echo(text: str, prompt: str, original: str) -> str:
    """Without the sentences of the prompt at the start."""
    instruction = prompt.partition(PLACEHOLDER)[0].strip()
    for said in (instruction + " " + original.strip(), instruction):
        if said and text.casefold().startswith(said.casefold()):
            return text[len(said) :].lstrip(" .:\n")
    return text


def _runs(text: str) -> set[Sequence[str]]:
    words = [word.casefold() for word in _WORD.findall(text)]
    return {tuple(words[i : i + _ECHOED_WORDS]) for i in range(len(words) - _ECHOED_WORDS + 1)}


def _plain(text: str) -> str:
    text = re.sub(r"(?m)^\s{0,3}(?:#{1,6}|[*+]|-|>)\s+", "", text.replace("```", ""))
    text = re.sub(r"\*\*([^*\n]+)\*\*|__([^_\n]+)__", lambda match: match[1] or match[2], text)
    return re.sub(r"\[([^\]\n]+)\]\([^)\n]+\)", r"\1", text).strip()
