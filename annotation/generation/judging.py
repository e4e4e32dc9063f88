"""A model as judge: the protocol's steps as a prompt and a JSON schema, and its answer as a
person's answers.

Everything is derived from the protocol's fields, so a machine is asked what a person is asked, in
the same words, and its answer goes through the same rules. Where a model cannot answer as people
do, the kind of field says how it does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.generation.presets import SystemSpec
from annotation.generation.review import object_text
from annotation.protocols.base import Answers, Problem, Rulings, Wording
from annotation.protocols.kinds import Field
from annotation.protocols.kinds.field import When
from annotation.protocols.protocol import Protocol

JUDGE_PARAMETERS: Mapping[str, Any] = {"max_tokens": 1200, "temperature": 0.0}
JUDGE_MODEL = "gpt-4.1-2025-04-14"


def judge_preset(protocol: Protocol) -> SystemSpec:
    """The judge that is offered for a protocol: its own words, a model that is known to answer."""
    return SystemSpec(
        name="juge-gpt-4.1",
        model=JUDGE_MODEL,
        prompt=protocol.judge.prompt,
        parameters=JUDGE_PARAMETERS,
    )


_EMPTY = "laisse vide (null, chaîne ou liste vide)"


class UnreadableAnswer(ValueError):
    """What came back is no object of the schema."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message.en)
        self.problem = problem


def instructions(protocol: Protocol, rulings: Rulings, prompt: str) -> str:
    """The system message: the lead's words, then each step's question with its options, in
    French."""
    parts = [prompt.strip()]
    for number, step in enumerate(protocol.steps, start=1):
        parts.append(f"\n## Étape {number}. {step.question.fr}")
        parts.extend(_described(field) for field in step.fields if not field.is_of_page)
    parts.extend(protocol.judge.hints(rulings))
    return "\n".join(part for part in parts if part)


def question(original: str, simplification: str, problems: Sequence[str] = ()) -> str:
    """The user message: the pair, and after a refused answer what was wrong with it."""
    message = f"Texte original :\n{original}\n\nTexte généré par le modèle :\n{simplification}"
    if problems:
        message += "\n\nTa réponse précédente a été refusée :\n" + "\n".join(
            f"- {problem}" for problem in problems
        )
    return message


def schema(protocol: Protocol) -> dict[str, Any]:
    """JSON Schema of a whole answer, as the API's structured output wants it (strict: every field
    required)."""
    properties = {
        field.name: field.model_schema() for field in protocol.fields if not field.is_of_page
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def response_format(protocol: Protocol) -> dict[str, Any]:
    """The API's parameter of that name."""
    return {
        "type": "json_schema",
        "json_schema": {
            "name": f"{protocol.key}_{protocol.version}",
            "strict": True,
            "schema": schema(protocol),
        },
    }


def answers_of(raw: str, protocol: Protocol, *, original: str, simplification: str) -> Answers:
    """The answers in a model's output, quotations turned into offsets (code points, end excluded).

    A thought that ended before the object is no part of it. A quotation that is nowhere in its text
    stands in the error's note and marks nothing. Raises ``UnreadableAnswer`` for anything but an
    object, ``ShapeError`` for a field of the wrong shape.
    """
    try:
        received = json.loads(object_text(raw))
        json.dumps(
            received, ensure_ascii=False
        ).encode()  # half a character can be escaped in JSON, and not stored
    except (ValueError, RecursionError) as error:
        raise UnreadableAnswer(_unreadable(str(error))) from error
    if not isinstance(received, dict):
        raise UnreadableAnswer(_unreadable(type(received).__name__))
    texts = {"original": original, "simplification": simplification}
    for field in protocol.fields:
        if field.name in received:
            received[field.name] = field.from_model(received[field.name], texts)
    return _without_hidden_ratings(protocol, protocol.clean(received))


def _without_hidden_ratings(protocol: Protocol, answers: Answers) -> Answers:
    """The answers without ratings that nobody was asked for: a schema asks for every field, and
    people have none where a condition hides it."""
    kept = dict(answers)
    for field in protocol.fields:
        if field.dimensions and not field.is_shown(kept):
            kept[field.name] = field.empty
    return kept


def _unreadable(what: str) -> Problem:
    return Problem(
        "answers",
        "unreadable",
        Wording(
            f"La réponse n'est pas un objet JSON ({what}).",
            f"The answer is no JSON object ({what}).",
        ),
    )


def _described(field: Field) -> str:
    lines = [f"{field.name} — {field.label.fr}", *field.model_lines()]
    if field.shown_when is not None:
        lines.append(f"  Seulement si {_said(field.shown_when)}; sinon, {_EMPTY}.")
    if field.required_when is not None and field.required_when != field.shown_when:
        lines.append(f"  Obligatoire si {_said(field.required_when)}.")
    return "\n".join(lines)


def _said(when: When) -> str:
    """A condition in words that name the field as the schema does."""
    if not when.values:
        return f"« {when.field} » a une réponse"
    words = {True: "oui", False: "non"}
    values = [words[value] if isinstance(value, bool) else str(value) for value in when.values]
    return f"« {when.field} » vaut ou contient {' ou '.join(values)}"
