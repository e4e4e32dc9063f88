"""What a protocol's own functions say, tried: its rules, its finding, its hints to models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from annotation.protocols.base import Answers, PairFacts, Problem, Rulings, Wording
from annotation.protocols.fault_words import failed, quoted
from annotation.protocols.protocol import Protocol
from annotation.protocols.shapes import tried
from annotation.protocols.trials.samples import FACTS


def function_faults(protocol: Protocol, samples: Mapping[str, list[Any]]) -> Iterator[Wording]:
    """What its functions say of no answers, and of the samples of each field."""
    base = {name: values[0] for name, values in samples.items()}
    each = [base | {name: value} for name, values in samples.items() for value in values]
    for rulings in _ruled(protocol):
        yield from tried(
            partial(_hint_faults, protocol, rulings),
            partial(failed, "ses hints échouent", "its hints fail"),
        )
        for answers in (protocol.empty_answers(), *each):
            for facts in FACTS:
                yield from _rules_of(protocol, answers, facts, rulings)


def _hint_faults(protocol: Protocol, rulings: Rulings) -> Iterator[Wording]:
    hints = protocol.judge.hints(rulings)
    if isinstance(hints, str) or not all(isinstance(hint, str) for hint in hints):
        yield Wording(
            "ses hints aux modèles ne sont pas des textes", "its hints to models are no texts"
        )


def _rules_of(
    protocol: Protocol, answers: Answers, facts: PairFacts, rulings: Rulings
) -> Iterator[Wording]:
    is_empty = answers == protocol.empty_answers()
    shown = (
        Wording("sans aucune réponse", "on no answers")
        if is_empty
        else Wording("sur des réponses d'essai", "on sample answers")
    )
    names = {f.name for f in protocol.fields}

    def rule_faults() -> Iterator[Wording]:
        for problem in protocol.rules(dict(answers), facts, rulings):
            if not isinstance(problem, Problem) or not isinstance(problem.message, Wording):
                yield Wording(
                    f"ses rules disent {quoted(problem)}\u00a0: elles disent un Problem(field, "
                    "code, Wording(fr, en))",
                    f"its rules say {problem!r}: they say a Problem(field, code, Wording(fr, en))",
                )
            elif problem.field.split(".")[0] not in names:
                yield Wording(
                    f"ses rules nomment {quoted(problem.field)}, qui n'est pas l'un de ses champs",
                    f"its rules name {problem.field!r}, which is no field of it",
                )

    def finding_faults() -> Iterator[Wording]:
        finding = protocol.finding(dict(answers), facts)
        if finding is not None and not isinstance(finding, Wording):
            yield Wording(
                f"son finding dit {quoted(finding)}\u00a0: il dit un Wording(fr, en), ou None",
                f"its finding says {finding!r}: it says a Wording(fr, en), or None",
            )

    yield from tried(
        rule_faults,
        partial(failed, f"ses rules échouent {shown.fr}", f"its rules fail {shown.en}"),
    )
    yield from tried(
        finding_faults,
        partial(failed, f"son finding échoue {shown.fr}", f"its finding fails {shown.en}"),
    )


def _ruled(protocol: Protocol) -> Iterator[Rulings]:
    """The default rulings, and each in every way that a study may decide it."""
    default = protocol.clean_rulings({})
    yield default
    for ruling in protocol.rulings:
        for word in [word for word, _label in ruling.options] or (True, False):
            yield default | {ruling.name: word}
