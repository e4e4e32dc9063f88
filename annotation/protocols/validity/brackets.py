"""Brackets of a scale, the marks that take points off it, and what becomes of a crossing. Said of
the field. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from annotation.protocols.base import Wording
from annotation.protocols.fault_words import quoted
from annotation.protocols.kinds import BracketedScale, Field, Keyword, Marks, Whole
from annotation.protocols.kinds.bracketed import CROSSING_WORDS, POLICIES
from annotation.protocols.protocol import Protocol


def bracket_faults(protocol: Protocol, f: BracketedScale) -> Iterator[Wording]:
    """What is wrong with its brackets and with the fields that it names."""
    yield from _tiling_faults(f)
    fields = {field.name: field for field in protocol.fields}
    if not isinstance(fields.get(f.deducts), Marks):
        yield Wording(
            f"déduit {quoted(f.deducts)}, qui n'est pas une liste de marques",
            f"deducts {f.deducts!r}, which is no list of marks",
        )
    if bool(f.crossing) != bool(f.moved_from):
        yield Wording(
            "ne nomme qu'un des champs qui répondent à un franchissement",
            "names only one of the fields that answer a crossing",
        )
    if f.crossing and f.moved_from:
        yield from _crossing_faults(f, fields.get(f.crossing), fields.get(f.moved_from))
    yield from _policy_faults(protocol, f)


def _policy_faults(protocol: Protocol, f: BracketedScale) -> Iterator[Wording]:
    name = f.policy_ruling
    french, english = f"demande une décision {quoted(name)}", f"asks for a ruling {name!r}"
    ruling = next((ruling for ruling in protocol.rulings if ruling.name == name), None)
    if name and ruling is None:
        yield Wording(
            f"{french} que le protocole ne laisse pas aux études",
            f"{english} that the protocol does not leave to studies",
        )
    if ruling is not None and not {word for word, _label in ruling.options} <= {*POLICIES}:
        yield Wording(
            f"{french} par d'autres mots que {_words(POLICIES)}",
            f"{english} of other words than {_words(POLICIES)}",
        )
    elif ruling is not None and not ruling.options:
        yield Wording(
            f"{french} par mots, et elle se prend par oui ou non",
            f"{english} of words, and it is one of yes or no",
        )


def _tiling_faults(f: BracketedScale) -> Iterator[Wording]:
    """Values that no bracket has, or two: no page could show whose they are."""
    for bracket in f.brackets:
        if not f.lowest <= bracket.bottom <= bracket.top <= f.highest:
            yield Wording(
                f"a une fourchette {quoted(bracket.key)} qui sort de son échelle",
                f"has a bracket {bracket.key!r} that leaves its scale",
            )
    for before, after in pairwise(f.brackets):
        if after.bottom != before.top + 1:
            yield Wording(
                f"a une fourchette {quoted(after.key)} à partir de {after.bottom}, et la "
                f"précédente finit à {before.top}\u00a0: chacune commence où finit la précédente, "
                "plus 1",
                f"has a bracket {after.key!r} from {after.bottom}, and the one before ends at "
                f"{before.top}: each begins where the one before ends, plus 1",
            )
    if (top := f.brackets[-1].top) != f.highest:
        yield Wording(
            f"a sa plus haute fourchette jusqu'à {top}, et l'échelle va jusqu'à "
            f"{f.highest}\u00a0: personne ne pourrait donner ce qui est au-dessus",
            f"has a highest bracket up to {top}, and the scale goes to {f.highest}: nobody could "
            "give what is above",
        )


def _crossing_faults(
    f: BracketedScale, answer: Field | None, moved_from: Field | None
) -> Iterator[Wording]:
    """What a page that asks what becomes of a crossing could not send, or a judgment not keep: its
    annotators would be stuck there."""
    if not (isinstance(answer, Keyword) and isinstance(moved_from, Whole)):
        yield Wording(
            f"demande son franchissement à {quoted(f.crossing)} et {quoted(f.moved_from)}, qui ne "
            "sont pas les champs qu'il faut\u00a0: un champ keyword et un champ whole",
            f"is crossed by {f.crossing!r} and {f.moved_from!r}, which are no such fields: a "
            "Keyword and a Whole",
        )
        return
    if set(answer.allowed) != {*CROSSING_WORDS}:
        yield Wording(
            f"demande son franchissement à {quoted(answer.name)}, qui permet "
            f"{_words(answer.allowed)}; sa page envoie {_words(CROSSING_WORDS)}\u00a0: écrivez "
            f"{_words(CROSSING_WORDS)} sous allowed, et sous words ce qu'ils disent aux gens",
            f"is crossed by {answer.name!r}, which allows {_words(answer.allowed)}; its page sends "
            f"{_words(CROSSING_WORDS)}: write allowed={CROSSING_WORDS!r}, and in words what they "
            "say to people",
        )
    for qualifying in (answer, moved_from):
        if qualifying.required or qualifying.required_when:
            yield Wording(
                f"demande son franchissement à {quoted(qualifying.name)}, qui exige une réponse "
                "même de qui ne franchit rien, et personne ne pourrait soumettre : n'en exigez "
                "pas",
                f"is crossed by {qualifying.name!r}, which requires an answer of those too who "
                "cross nothing, and nobody could submit: require none",
            )
        if qualifying.stored_with != f.name:
            yield Wording(
                f"demande son franchissement à {quoted(qualifying.name)}, qui est enregistré à "
                f"part\u00a0: écrivez {quoted(f.name)} sous son stored_with",
                f"is crossed by {qualifying.name!r}, which is stored apart from it: write "
                f"stored_with={f.name!r} there",
            )
    yield from _moving_faults(f, moved_from)


def _moving_faults(f: BracketedScale, moved_from: Whole) -> Iterator[Wording]:
    """Brackets between which nobody could move, or that cannot be stored as moved from."""
    values = [bracket.value for bracket in f.brackets]
    if len(values) == 1:
        yield Wording(
            "a une seule fourchette, et qui la franchit n'en a aucune où passer\u00a0: retirez "
            "crossing et moved_from",
            "has a single bracket, and who crosses it has none to move to: leave out crossing and "
            "moved_from",
        )
    elif values != [*range(values[0], values[0] + len(values))]:
        numbers = _words(map(str, values))
        yield Wording(
            f"a des fourchettes numérotées {numbers}, et qui en franchit une passe au numéro d'en "
            "dessous\u00a0: numérotez-les en montant de un en un",
            f"has brackets numbered {numbers}, and who crosses one moves to the number below: "
            "number them upward by ones",
        )
    elif (lowest := f.brackets[0]).bottom > f.lowest:
        yield Wording(
            f"a une fourchette {quoted(lowest.key)} qui peut être franchie et n'en a aucune "
            f"au-dessous\u00a0: faites-la commencer à {f.lowest}",
            f"has a bracket {lowest.key!r} that can be crossed and has none below it: let it begin "
            f"at {f.lowest}",
        )
    elif not (moved_from.lowest <= values[0] + 1 and values[-1] <= moved_from.highest):
        held = f"{moved_from.lowest}…{moved_from.highest}"
        # Of two brackets one alone can be left, and a number is asked between two.
        remedy = f"lowest={min(values[0] + 1, values[-1] - 1)}, highest={values[-1]}"
        yield Wording(
            f"a des fourchettes à quitter jusqu'à {values[-1]}, et son champ "
            f"{quoted(moved_from.name)} contient {held}\u00a0: écrivez {remedy}",
            f"is moved from brackets up to {values[-1]}, and its field {moved_from.name!r} holds "
            f"{held}: write {remedy}",
        )


def _words(words: Iterable[str]) -> str:
    return ", ".join(words)
