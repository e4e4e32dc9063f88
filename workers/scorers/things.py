"""Another thing, another party or another owner than the original's, in a passage that was
reworded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from workers.scorers.contradictions import Contradiction, Kind
from workers.scorers.law_terms import (
    ACT_OF,
    ACTORS,
    ALLOWING,
    BINDING,
    CLASS_OF,
    NARROWER,
    OWN,
    SENSE_OF,
)
from workers.scorers.passages import Passage, Reading, named, negators


def changed_things(before: Reading, after: Reading) -> Iterator[Contradiction]:
    """Every such change found."""
    yield from _things(before, after)
    yield from _swapped(before, after)
    yield from _owners(before, after)
    yield from _actors(before, after)


def _acts(sense: str, other: str, words: Sequence[str]) -> bool:
    """Whether both are who acts, whatever they are; a plural may be an example of a kind."""
    return {CLASS_OF[sense], CLASS_OF[other]} <= ACTORS and any(
        SENSE_OF.get(word) == sense and not word.endswith("s") for word in words
    )


def _related(sense: str, other: str) -> bool:
    return (sense, other) in NARROWER or (other, sense) in NARROWER


def _things(before: Reading, after: Reading) -> Iterator[Contradiction]:
    """A thing that the original does not name, where one of its class is named less often."""
    for sense in after.named:
        # What it may be called is another word for it; a case of it is less than it.
        if sense in before.named or any((other, sense) in NARROWER for other in before.named):
            continue
        instead = [
            other
            for other in before.named
            if (CLASS_OF[other] == CLASS_OF[sense] or _acts(sense, other, after.words))
            and after.named[other] < before.named[other]
        ]
        if instead:
            kind = Kind.PARTY if CLASS_OF[sense] in ACTORS else Kind.OBJECT
            yield Contradiction(kind, ", ".join(instead), sense)


_NEAR = 6


def _around(passage: Passage, place: int) -> Counter[str]:
    keys = passage.keys
    own = CLASS_OF.get(SENSE_OF.get(passage.words[place], ""), "")
    neighbours: Counter[str] = Counter()
    for other in range(max(0, place - _NEAR), min(len(keys), place + _NEAR + 1)):
        key = keys[other]
        if other != place and key and CLASS_OF.get(key) != own:
            neighbours[key] += 1
    return neighbours


def _swapped(before: Reading, after: Reading) -> Iterator[Contradiction]:
    """A thing beside the words that the original has beside another of its class."""
    spots = [
        (sense, set(_around(sentence, place)))
        for sentence in before.sentences
        for place, sense in named(sentence.words)
    ]
    for sentence in after.sentences:
        for place, sense in named(sentence.words):
            near = set(_around(sentence, place))
            if len(near) < 2 or sense not in before.named:
                continue
            best: dict[str, float] = {}
            for other, around in spots:
                if CLASS_OF[other] == CLASS_OF[sense]:
                    best[other] = max(best.get(other, 0), len(near & around) / len(near))
            mine = best.pop(sense, 0.0)
            for other, held in best.items():
                if (
                    not _related(sense, other)
                    and other not in {s for _, s in named(sentence.words)}
                    and held >= 0.7
                    and held - mine >= 0.5
                    and held * len(near) >= 3
                ):
                    yield Contradiction(
                        Kind.PARTY if CLASS_OF[sense] in ACTORS else Kind.OBJECT, other, sense
                    )


_US = frozenset(("nous", "assureur", "assureurs", "compagnie", "on"))


def _owners(before: Reading, after: Reading) -> Iterator[Contradiction]:
    owned: dict[str, set[str]] = {}
    for sentence in before.sentences:
        for place, word in enumerate(sentence.words[:-1]):
            if word in OWN:
                owned.setdefault(sentence.keys[place + 1], set()).add(OWN[word])
    theirs = {OWN[word] for word in before.words if word in OWN}
    for sentence in after.sentences:
        for place, word in enumerate(sentence.words[:-1]):
            key = sentence.keys[place + 1]
            if OWN.get(word) == "us" and theirs == {"you"} and not _US & set(before.words):
                yield Contradiction(Kind.PARTY, "", f"{word} {sentence.words[place + 1]}")
            if word in OWN and key and owned.get(key, {OWN[word]}).isdisjoint({OWN[word]}):
                yield Contradiction(Kind.PARTY, "", f"{word} {sentence.words[place + 1]}")


def _actors(before: Reading, after: Reading) -> Iterator[Contradiction]:
    """An act done by one party that the original has done by another."""
    done: dict[str, set[str]] = {}
    for sentence in before.sentences:
        keys = sentence.keys
        for place, key in enumerate(keys):
            if key and not negators(sentence.words[max(0, place - 3) : place]):
                near = [*_parties(sentence, max(0, place - 8), place), *_by(sentence, place)]
                done.setdefault(key, set()).update(near)
    for sentence in after.sentences:
        for place, party in _acting(sentence):
            act = next((key for key in sentence.keys[place + 1 : place + 6] if key), "")
            known = done.get(act)
            if (
                act
                and known
                and party not in known
                and not any(_related(party, other) for other in known)
            ):
                yield Contradiction(Kind.PARTY, ", ".join(sorted(known)), f"{party} {act}")


_PRONOUNS = {"vous": "vous", "nous": "nous"}


def _parties(passage: Passage, start: int, end: int) -> list[str]:
    named_here = [
        sense
        for place, sense in named(passage.words)
        if start <= place < end and CLASS_OF[sense] in ACTORS
    ]
    return [*named_here, *(_PRONOUNS[w] for w in passage.words[start:end] if w in _PRONOUNS)]


def _by(passage: Passage, place: int) -> list[str]:
    words = passage.words
    return [
        party
        for at in range(place + 1, min(len(words), place + 8))
        if words[at] == "par"
        for party in _parties(passage, at, at + 4)
    ]


def _acting(passage: Passage) -> Iterator[tuple[int, str]]:
    """Parties before "peut", "doit" or an act, not after a preposition."""
    for place, (word, following) in enumerate(pairwise(passage.words)):
        is_verb = following in BINDING or following in ALLOWING or following in ACT_OF
        if word in _PRONOUNS and is_verb:
            yield place, _PRONOUNS[word]
    for place, sense in named(passage.words):
        if CLASS_OF[sense] not in ACTORS or place + 1 >= len(passage.words):
            continue
        following = passage.words[place + 1]
        if following in BINDING or following in ALLOWING or following in ACT_OF:
            former = passage.words[max(0, place - 2) : place]
            if not {"à", "au", "aux", "de", "d", "du", "des", "par", "pour"} & set(former):
                yield place, sense
