"""Texts cut into tokens, once per definition. Every signature names its own."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacremoses import MosesTokenizer  # type: ignore[import-untyped]

Tokens = tuple[str, ...]
# rouge-score's own takes a–z alone: "l'élève" would be l, l, ve.
_WORDS = re.compile(r"\w+")


@lru_cache(maxsize=64)
def plain_words(text: str) -> Tokens:
    r"""Lower-case runs of ``\w``: words and numbers, accents kept whole, no punctuation."""
    return tuple(_WORDS.findall(text.lower()))


@lru_cache(maxsize=64)
def lower_13a(text: str) -> Tokens:
    """Lower case, mteval's 13a tokens as sacrebleu cuts them: EASSE's default."""
    return tuple(_mteval()(text.lower()).split())


@lru_cache(maxsize=64)
def cased_moses(text: str) -> Tokens:
    """Moses's tokens (sacremoses), case kept, nothing escaped: those of Simplicity-DA."""
    return tuple(_moses().tokenize(text, escape=False))


@cache
def _mteval() -> Tokenizer13a:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    return Tokenizer13a()  # type: ignore[no-untyped-call]


@cache
def _moses() -> MosesTokenizer:
    from sacremoses import MosesTokenizer

    return MosesTokenizer()
