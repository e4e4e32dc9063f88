"""A model as judge: the protocol's steps as a prompt and a JSON schema, and its answer as a
person's answers.

Everything is derived from the protocol's fields, so a machine is asked what a person is asked, in
the same words, and its answer goes through the same rules. Offsets are the one difference: models
cannot count characters, so they quote the passage and the quotation is looked up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.generation.presets import SystemSpec
from annotation.protocols.base import Answers, Problem, Settings, Wording
from annotation.protocols.fields import (
    BracketedScale,
    Choice,
    ErrorList,
    Field,
    Flag,
    Keyword,
    Text,
    Whole,
)
from annotation.protocols.protocol import Protocol

JUDGE_PARAMETERS: Mapping[str, Any] = {"max_tokens": 1200, "temperature": 0.0}
JUDGE_PROMPT = (
    "Tu es juriste au Québec. Tu juges si la simplification d'un texte juridique dit encore le "
    "droit. Réponds aux étapes ci-dessous, dans l'ordre, et seulement par l'objet JSON demandé."
)
JUDGE = SystemSpec(
    name="juge-gpt-4.1",
    model="gpt-4.1-2025-04-14",
    prompt=JUDGE_PROMPT,
    parameters=JUDGE_PARAMETERS,
)

_QUOTES = ("original_quote", "simplification_quote")


class UnreadableAnswer(ValueError):
    """What came back is no object of the schema."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message.en)
        self.problem = problem


def instructions(protocol: Protocol, settings: Settings, prompt: str) -> str:
    """The system message: the lead's words, then each step's question with its options, in
    French."""
    parts = [prompt.strip()]
    for number, step in enumerate(protocol.steps, start=1):
        parts.append(f"\n## Étape {number}. {step.question.fr}")
        parts.extend(_described(field) for field in step.fields)
    parts.append(
        "\nCitations : recopie exactement, caractère pour caractère, le passage en cause ; "
        "chaîne vide s'il n'y en a pas."
    )
    if settings.span_required:
        parts.append("Chaque erreur exige au moins une citation.")
    if settings.crossing_policy == "ask":
        parts.append(
            "Si le nombre d'erreurs fait descendre le score sous le bas de la fourchette, réponds "
            "« kept » à crossing_answer pour la garder, ou choisis une fourchette plus basse. "
            "Sinon, laisse une chaîne vide."
        )
    return "\n".join(part for part in parts if part)


def question(original: str, simplification: str, problems: Sequence[str] = ()) -> str:
    """The user message: the pair, and after a refused answer what was wrong with it."""
    asked = f"Texte original :\n{original}\n\nTexte généré par le modèle :\n{simplification}"
    if problems:
        asked += "\n\nTa réponse précédente a été refusée :\n" + "\n".join(
            f"- {problem}" for problem in problems
        )
    return asked


def schema(protocol: Protocol) -> dict[str, Any]:
    """JSON Schema of a whole answer, as the API's structured output wants it (strict: every field
    required)."""
    properties = {field.name: _schema_of(field) for field in protocol.fields}
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

    A quotation that is nowhere in its text stands in the error's note and marks nothing. Raises
    ``UnreadableAnswer`` for anything but an object, ``ShapeError`` for a field of the wrong shape.
    """
    try:
        received = json.loads(raw)
        json.dumps(
            received, ensure_ascii=False
        ).encode()  # half a character can be escaped in JSON, and not stored
    except (ValueError, RecursionError) as error:
        raise UnreadableAnswer(_unreadable(str(error))) from error
    if not isinstance(received, dict):
        raise UnreadableAnswer(_unreadable(type(received).__name__))
    texts = {"original": original, "simplification": simplification}
    for field in protocol.fields:
        if isinstance(field, ErrorList) and isinstance(received.get(field.name), list):
            received[field.name] = [_located(error, texts) for error in received[field.name]]
    return protocol.clean(received)


def _located(error: Any, texts: Mapping[str, str]) -> Any:
    if not isinstance(error, dict):
        return error
    found = {name: value for name, value in error.items() if name not in _QUOTES}
    for side, text in texts.items():
        quote = str(error.get(f"{side}_quote") or "").strip()
        start = text.find(quote) if quote else -1
        if start >= 0:
            found[f"{side}_start"], found[f"{side}_end"] = start, start + len(quote)
        elif quote:
            found["note"] = f"{found.get('note') or ''} [« {quote} »]".strip()
    return found


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
    lines = [f"{field.name} — {field.label.fr}"]
    if isinstance(field, Choice):
        lines += [
            f"  {option.value} : {option.label.fr}. {option.help.fr}".rstrip()
            for option in field.options
        ]
    elif isinstance(field, BracketedScale):
        lines += [f"  {bracket.value} : {bracket.label.fr}" for bracket in field.brackets]
        lines.append("  Chaque erreur retire un point au haut de la fourchette.")
    elif isinstance(field, ErrorList):
        lines += [f"  {option.key} : {option.help.fr}" for option in field.types]
    elif isinstance(field, Keyword):
        lines.append(f"  {', '.join(field.allowed)}, ou chaîne vide")
    return "\n".join(lines)


def _schema_of(field: Field) -> dict[str, Any]:
    if isinstance(field, Choice):
        return {"type": "integer", "enum": [option.value for option in field.options]}
    if isinstance(field, BracketedScale):
        return {"type": "integer", "enum": [bracket.value for bracket in field.brackets]}
    if isinstance(field, Flag):
        return {"type": "boolean"}
    if isinstance(field, Text):
        return {"type": "string"}
    if isinstance(field, Keyword):
        return {"type": "string", "enum": ["", *field.allowed]}
    if isinstance(field, Whole):
        return {"type": ["integer", "null"]}
    if isinstance(field, ErrorList):
        return {"type": "array", "items": _error_schema(field)}
    raise TypeError(f"{type(field).__name__} cannot be asked of a model")


def _error_schema(field: ErrorList) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "type": {"type": "string", "enum": [option.key for option in field.types]},
        "note": {"type": "string"},
        **{quote: {"type": "string"} for quote in _QUOTES},
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
