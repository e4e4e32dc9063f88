"""A first guide for a study: what its protocol fixes, in words that a lead goes on from. Pure.

Questions, answers and what they mean come from the protocol's own definition, for every protocol
there is; around them stands what holds wherever people judge pairs. Markdown, in French or English.
"""

from __future__ import annotations

from collections.abc import Iterator

from annotation.protocols.base import Ruling, Rulings, Wording
from annotation.protocols.kinds import Field, When
from annotation.protocols.kinds.field import Say
from annotation.protocols.protocol import Protocol

_TITLE = Wording("Guide de jugement : {title}", "Judging guide: {title}")
_STEP = Wording("Étape {number}. {question}", "Step {number}. {question}")
_BEFORE = Wording("Avant de commencer", "Before you begin")
_READ_BOTH = Wording(
    "Lisez les deux textes en entier avant de répondre.",
    "Read both texts to the end before you answer.",
)
# Where a step shows one text alone, the other is not to be looked for.
_READ_WHAT_IS_SHOWN = Wording(
    "Lisez en entier ce que l'étape montre avant de répondre.",
    "Read all that the step shows before you answer.",
)
_HABITS = (
    Wording(
        "Jugez d'après les textes montrés seulement, sans chercher d'où vient la simplification.",
        "Judge by the texts shown alone, without looking for where the simplification comes from.",
    ),
    Wording(
        "Jugez seul(e) : ne parlez d'aucune paire avec les autres, et ne la soumettez à aucun "
        "outil.",
        "Judge alone: talk about no pair with the others, and give it to no tool.",
    ),
    Wording(
        "Répondez aux étapes dans l'ordre, chacune pour elle-même : une phrase peut être simple et "
        "fausse.",
        "Answer the steps in order, each on its own: a sentence can be simple and wrong.",
    ),
    Wording(
        "Arrêtez-vous quand vous voulez : tout est conservé. Une réponse se corrige tant que "
        "l'étude n'est pas fermée.",
        "Stop whenever you want: everything is kept. An answer can be corrected until the study is "
        "closed.",
    ),
)
_DOUBT = Wording(
    "Dans le doute, répondez quand même, et cochez « {label} ».",
    "When in doubt, answer all the same, and tick “{label}”.",
)
_REMARK = Wording(
    "Ce que vous voulez dire à qui dirige l'étude s'écrit sous « {label} ».",
    "What you want to tell those who run the study goes under “{label}”.",
)
_RULED = Wording("Dans cette étude", "In this study")
_ONLY_IF = Wording(
    "À répondre selon ce que vous avez répondu sous « {label} ».",
    "To be answered depending on what you answered under “{label}”.",
)
_QUESTIONS = Wording("Questions à prévoir", "Questions to expect")
_EMPTY = Wording(
    "(À compléter : cas limites de vos textes, avec la réponse attendue et pourquoi.)",
    "(To be completed: borderline cases of your texts, with the answer expected and why.)",
)


def first_guide(protocol: Protocol, rulings: Rulings, language: str) -> str:
    """The guide in ``language`` ("fr" or "en"); "" for a protocol that is no longer installed."""
    if not protocol.is_installed:
        return ""

    def say(wording: Wording) -> str:
        return wording.get(language)

    parts = [
        f"# {say(_TITLE).format(title=say(protocol.title))}",
        *([say(protocol.about.summary)] if protocol.about.summary.fr else ()),
        f"## {say(_BEFORE)}",
        "\n".join(f"- {line}" for line in _habits(protocol, say)),
    ]
    for number, step in enumerate(protocol.steps, start=1):
        question = say(step.question)
        parts.append(f"## {say(_STEP).format(number=number, question=question)}")
        for field in step.fields:
            parts.extend(_field(protocol, field, say, alone=say(field.label) == question))
    if protocol.rulings:
        lines = "\n".join(f"- {_ruled(ruling, rulings, say)}" for ruling in protocol.rulings)
        parts += [f"## {say(_RULED)}", lines]
    parts += [f"## {say(_QUESTIONS)}", say(_EMPTY)]
    return "\n\n".join(parts) + "\n"


def _habits(protocol: Protocol, say: Say) -> Iterator[str]:
    one_alone = any(len(step.sides) == 1 for step in protocol.steps)
    yield say(_READ_WHAT_IS_SHOWN if one_alone else _READ_BOTH)
    yield from map(say, _HABITS)
    for sentence, names in ((_DOUBT, protocol.doubts), (_REMARK, protocol.remarks)):
        for name in names:
            # A label that stands before its field may end in a colon.
            yield say(sentence).format(label=say(protocol.field(name).label).rstrip(" :"))


def _field(protocol: Protocol, field: Field, say: Say, *, alone: bool) -> Iterator[str]:
    """What is asked, what its answers mean, and when it is asked; nothing of a field that only
    qualifies another, that the page alone asks, or that the first part has told of."""
    is_told = field.name in (*protocol.doubts, *protocol.remarks)
    if field.stored_with or field.is_of_page or is_told:
        return
    if not alone:
        yield f"**{say(field.label)}**"
    if field.help.fr:
        yield say(field.help)
    if field.shown_when is not None:
        yield _condition(protocol, field.shown_when, say)
    if lines := field.explained(say):
        yield "\n".join(f"- {line}" for line in lines)


def _condition(protocol: Protocol, when: When, say: Say) -> str:
    return say(_ONLY_IF).format(label=say(protocol.field(when.field).label))


def _ruled(ruling: Ruling, rulings: Rulings, say: Say) -> str:
    colon = say(Wording(" : ", ": "))
    chosen = ruling.said(rulings.get(ruling.name, ruling.default))
    return f"{say(ruling.label)}{colon}{say(chosen)}"
