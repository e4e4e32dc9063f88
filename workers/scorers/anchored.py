"""Changes of the law in a passage that was reworded: a point of law is compared with what the
original says of the same things, however much else differs.

``contradictions`` aligns the texts word by word and reads only what stands in unchanged text; here
the words around a negation, a modal, a joiner, a party or a thing say which passage of the original
speaks of the same. Where none does, nothing is said. French only, as the lists are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from workers.scorers.contradictions import Contradiction, Kind
from workers.scorers.law_terms import (
    AGAINST,
    ALLOWING,
    BINDING,
    BOUNDS,
    CONDITIONAL,
    CONTRARY,
    EXCEPTIONS,
    LIMITED,
    LIMITS,
    MAY,
    MUST,
    ONLY,
    OPPOSITE_STEMS,
    OR_MORE,
    REFUSING,
    WHEN,
)  # fmt: skip
from workers.scorers.passages import (
    Passage,
    Reading,
    has_cue,
    negators,
    only_follows,
    regions,
    restricts,
    said_of,
    share,
)  # fmt: skip
from workers.scorers.text import Text, is_number, number_value
from workers.scorers.things import changed_things


def anchored(original: Text, simplification: Text) -> list[Contradiction]:
    """Every change of law found by what stands around it; [] where nothing speaks against the
    original, or neither is French."""
    if original.language != "fr":
        return []
    before, after = Reading(original), Reading(simplification)
    if not before.content or not after.content:
        return []
    changes = [
        *changed_things(before, after),
        *_denied(before, after),
        *_affirmed(before, after),
        *_reversed(before, after),
        *_modals(before, after),
        *_joiners(before, after),
        *_unrestricted(before, after),
        *_contrary(before, after),
        *_opposable(before, after),
        *_opposites(before, after),
        *_bounds(before, after),
    ]
    return list(dict.fromkeys(changes))


def _denied(before: Reading, after: Reading) -> Iterator[Contradiction]:
    """A sentence that denies what the original affirms."""
    for sentence in after.sentences:
        if not sentence.denies or len(sentence.content) < 2:
            continue
        # "If it does not" may take up any of the original's denials.
        is_condition = sentence.words[0] in CONDITIONAL
        region = before.paragraphs if is_condition else regions(sentence, before.paragraphs)
        if region and not any(_denies(other, sentence) or _un(other, sentence) for other in region):
            yield Contradiction(Kind.NEGATION, "", " ".join(sentence.words[:8]))


def _denies(passage: Passage, sentence: Passage) -> bool:
    """Whether anything there may have become a negation in ``sentence``."""
    words = passage.words
    if negators(words) or any(word in AGAINST for word in words):
        return True
    has_limit = any(word in LIMITS for word in words) or restricts(words)
    return has_limit and any(word in LIMITED for word in sentence.words)


def _reversed(before: Reading, after: Reading) -> Iterator[Contradiction]:
    """An act that the original only ever denies, affirmed of the same things."""
    for act in ("couvrir", "payer", "appliquer"):
        paragraphs = [paragraph for paragraph in before.paragraphs if act in paragraph.keys]
        if not paragraphs or not all(
            act in said_of(paragraph, 3)
            and paragraph.keys.count(act) == 1
            and not _hangs(paragraph)
            for paragraph in paragraphs
        ):
            continue
        for sentence in after.sentences:
            if act not in sentence.keys or has_cue(sentence.words):
                continue
            about = sentence.content - {act}
            if len(about) >= 2 and any(share(about, _ruled(other)) >= 0.5 for other in paragraphs):
                yield Contradiction(Kind.NEGATION, act, " ".join(sentence.words[:8]))


def _hangs(passage: Passage) -> bool:
    """Whether a negation stands under a condition."""
    return any(
        word in CONDITIONAL
        for place in negators(passage.words)
        for word in passage.words[max(0, place - 6) : place]
    )


def _ruled(passage: Passage) -> frozenset[str]:
    """The content before an exception."""
    places = [place for place, word in enumerate(passage.words) if word in EXCEPTIONS]
    return frozenset(passage.keys[: places[0]] if places else passage.keys) - {""}


_UN = re.compile(r"^(?:in|im|ir|il|dé|més?|mal|dis)(?=\w{4})")


def _un(passage: Passage, other: Passage) -> bool:
    """Whether a word denies one of the other's by how it begins: "inopposable" and "opposée"."""
    begun = {word[:5] for word in other.words if len(word) > 4}
    return any(
        word[match.end() :][:5] in begun for word in passage.words if (match := _UN.match(word))
    )


def _affirmed(before: Reading, after: Reading) -> Iterator[Contradiction]:
    """What the original denies, said without any denial: in the sentence that says most of it, and
    in any that says nearly as much."""
    for clauses in before.clauses:
        for clause in clauses:
            said = said_of(clause) | _excluded(clause)
            if not said or len(clause.content) < 2:
                continue
            shares = [share(clause.content, sentence.content) for sentence in after.sentences]
            most = max(shares)
            near_sentences = [
                sentence
                for sentence, held in zip(after.sentences, shares, strict=True)
                if held >= 0.6 * most or (said & sentence.content and held >= 0.3)
            ]
            if (
                most >= 0.5
                and most * len(clause.content) >= 2
                and any(said & sentence.content for sentence in near_sentences)
                and not any(
                    has_cue(sentence.words) or _un(sentence, clause) for sentence in near_sentences
                )
            ):
                yield Contradiction(Kind.NEGATION, " ".join(clause.words[:8]), "")


def _excluded(passage: Passage) -> set[str]:
    """The content of a clause that denies without a negation."""
    denies = any(word in REFUSING for word in passage.words) and not passage.denies
    return set(passage.content) if denies else set()


def _opposable(before: Reading, after: Reading) -> Iterator[Contradiction]:
    """ "Inopposable" turned into "opposable"."""
    words = {word for word in after.words if len(word) > 5}
    for word in set(before.words) - words:
        match = re.match("in|im|ir|il", word)
        if match is None or len(word) < 9:
            continue
        for sentence in after.sentences:
            stated = [other for other in sentence.words if other[:5] == word[2:7]]
            if stated and not has_cue(sentence.words):
                yield Contradiction(Kind.NEGATION, word, stated[0])


def _opposites(before: Reading, after: Reading) -> Iterator[Contradiction]:
    """The other of two opposites, where the original's own is said less often."""
    for sides in OPPOSITE_STEMS:
        for mine, theirs in (sides, sides[::-1]):
            if _begin(before.words, mine):
                continue
            for sentence in after.sentences:
                said = _begin(sentence.words, mine)
                if not said or sentence.denies:
                    continue
                region = regions(sentence, before.paragraphs)
                was = [word for other in region for word in _begin(other.words, theirs)]
                if (
                    was
                    and not any(other.denies for other in region)
                    and len(_begin(after.words, theirs)) < len(_begin(before.words, theirs))
                ):
                    yield Contradiction(Kind.OPPOSITE, was[0], said[0])


def _begin(words: Sequence[str], stems: tuple[str, ...]) -> list[str]:
    return [
        word
        for place, word in enumerate(words)
        if word.startswith(stems) and (not place or words[place - 1] not in _WEAKENING)
    ]


_WEAKENING = frozenset(("moins", "plus", "non", "pas", "peu"))


def _bounds(before: Reading, after: Reading) -> Iterator[Contradiction]:
    """A number as the most where the original has it as the least, before for after."""
    was, now = _bounded(before), _bounded(after)
    for key, sides in now.items():
        other = was.get(key, set())
        if other and sides and sides.isdisjoint(other):
            yield Contradiction(Kind.NUMBER, f"{'/'.join(other)} {key[0]}", "/".join(sides))


def _bounded(read: Reading) -> dict[tuple[str, str], set[str]]:
    """Of each number, on which side of it ("bound"), and before or after what ("when")."""
    sides: dict[tuple[str, str], set[str]] = {}
    for sentence in read.sentences:
        words = sentence.words
        for place, word in enumerate(words):
            if not is_number(word):
                continue
            number, text = number_value(word), " ".join(words[max(0, place - 3) : place])
            if negators(words[max(0, place - 5) : place]):
                continue
            after = words[place + 1 : place + 6]
            bound = next((side for ends, side in BOUNDS if text.endswith(ends)), "")
            bound = bound or next((side for begins, side in OR_MORE if after[1:3] == begins), "")
            when = next((WHEN[w] for w in after if w in WHEN), "")
            # "Dans les vingt jours de l'accident".
            is_from = text.endswith(("dans les", "dans le")) and after[1:2] in (("de",), ("du",))
            when = when or ("after" if is_from else "")
            for kind, side in (("bound", bound), ("when", when)):
                if side:
                    sides.setdefault((number, kind), set()).add(side)
    return sides


def _modal_of(word: str) -> str:
    return "must" if word in MUST else "may" if word in MAY else ""


def _counted(passages: Sequence[Passage]) -> Counter[str]:
    """How often modal verbs bind and allow there; those denied forbid alike and are left out."""
    return Counter(
        "must" if word in BINDING else "may"
        for passage in passages
        for place, word in enumerate(passage.words)
        if (word in BINDING or word in ALLOWING)
        and not negators(passage.words[max(0, place - 3) : place + 3])
    )


def _modals(before: Reading, after: Reading) -> Iterator[Contradiction]:
    for sentence in after.sentences:
        for mine in _counted([sentence]):
            other = "may" if mine == "must" else "must"
            region = [
                passage
                for passage in before.sentences
                if share(sentence.content, passage.content) >= 0.4
            ]
            beside = [
                passage
                for passage in after.sentences
                if any(share(passage.content, known.content) >= 0.4 for known in region)
            ]
            theirs = {
                _modal_of(word)
                for passage in before.paragraphs
                if share(sentence.content, passage.content) >= 0.4
                for word in passage.words
            }
            if mine in theirs or other not in _counted(region):
                continue
            if _counted(beside)[other] < _counted(region)[other]:
                yield Contradiction(Kind.MODALITY, other, mine)


_JOINERS = frozenset(("et", "ou"))


def _joiners(before: Reading, after: Reading) -> Iterator[Contradiction]:
    for sentence in after.sentences:
        for place, word in enumerate(sentence.words):
            # Under a negation, both can say the same.
            if (
                word not in _JOINERS
                or not _binds(sentence.words)
                or _near_denial(sentence.words, place)
            ):
                continue
            left = [key for key in sentence.keys[max(0, place - 4) : place] if key][-1:]
            right = [key for key in sentence.keys[place + 1 : place + 5] if key][:1]
            if not left or not right or left == right:
                continue
            theirs = {
                joiner
                for passage in before.paragraphs
                if _binds(passage.words)
                for joiner in _joined(passage, left[0], right[0])
            }
            if theirs and word not in theirs:
                yield Contradiction(Kind.JOINER, f"{left[0]} / {right[0]}", word)


def _binds(words: Sequence[str]) -> bool:
    """Whether a condition or a duty is stated: in a list of what is covered, "et" and "ou" say the
    same."""
    return any(word in BINDING or word in CONDITIONAL for word in words)


def _near_denial(words: Sequence[str], place: int) -> bool:
    return bool(negators(words[max(0, place - 6) : place + 3]))


def _joined(passage: Passage, left: str, right: str) -> Iterator[str]:
    keys = passage.keys
    for at, key in enumerate(keys):
        if key != left:
            continue
        for to, other in enumerate(keys):
            if other == right and abs(to - at) <= 14:
                first, last = sorted((at, to))
                yield from (
                    passage.words[place]
                    for place in range(first, last)
                    if passage.words[place] in _JOINERS and not _near_denial(passage.words, place)
                )


def _unrestricted(before: Reading, after: Reading) -> Iterator[Contradiction]:
    for sentence in before.sentences:
        for place, word in enumerate(sentence.words):
            is_only = word in ONLY or (word in ("ne", "n") and only_follows(sentence.words, place))
            # "Un seul" counts.
            if not is_only or (place and sentence.words[place - 1] in ("un", "une", "d")):
                continue
            near = {key for key in sentence.keys[max(0, place - 4) : place + 14] if key}
            near_sentences = [
                other
                for other in after.sentences
                if len(near & other.content) >= 2 and share(near, other.content) >= 0.4
            ]
            is_narrowed = any(
                _narrows(other.words) and near & other.content for other in after.sentences
            )
            if (
                near_sentences
                and not is_narrowed
                and not any(has_cue(other.words) for other in near_sentences)
            ):
                yield Contradiction(Kind.RESTRICTION, word, "")


def _narrows(words: Sequence[str]) -> bool:
    """Whether it says "only", or what has to be done first."""
    return (
        any(word in ONLY for word in words)
        or restricts(words)
        or ("pour" in words and any(word in BINDING for word in words))
    )


def _contrary(before: Reading, after: Reading) -> Iterator[Contradiction]:
    was, now = set(before.words), set(after.words)
    for word in now - was:
        other = CONTRARY.get(word)
        if other in was and other not in now and _beside(before, other) & _beside(after, word):
            yield Contradiction(Kind.OPPOSITE, other, word)


def _beside(read: Reading, word: str) -> set[str]:
    """The content words next to it, where nothing is denied."""
    return {
        key
        for sentence in read.sentences
        for place, other in enumerate(sentence.words)
        if other == word and not negators(sentence.words[max(0, place - 4) : place + 4])
        for key in (
            *[key for key in sentence.keys[max(0, place - 3) : place] if key][-1:],
            *[key for key in sentence.keys[place + 1 : place + 4] if key][:1],
        )
    }
