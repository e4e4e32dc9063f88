"""Pages' data from the protocol and the selectors: labels in the reader's language, what is
chosen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import get_language

from annotation.models import Study
from annotation.protocols.base import Answers, Option, PairFacts, Problem, Wording
from annotation.protocols.fields import BracketedScale, Choice, ErrorList, Field, Keyword, Whole
from annotation.protocols.protocol import Protocol, Step
from annotation.selectors.judging.blinded import BlindedPair


def text(wording: Wording) -> str:
    """The wording in the language of the page."""
    return wording.get(get_language() or "fr")


def dimension_label(protocol: Protocol, name: str) -> str:
    """The dimension as its question names it."""
    for field in protocol.fields:
        if name == field.name or (
            isinstance(field, BracketedScale) and name == field.dimension_name
        ):
            return text(field.label)
    return name


def value_labels(protocol: Protocol, name: str) -> dict[int, str]:
    """The words of each value of a dimension of classes; empty for a scale."""
    for field in protocol.fields:
        if isinstance(field, Choice) and field.name == name:
            return {option.value: text(option.label) for option in field.options}
    return {}


def option_labels(options: Iterable[Option]) -> dict[str, str]:
    """The word for each option's key."""
    return {option.key: text(option.label) for option in options}


def error_type_labels(protocol: Protocol) -> dict[str, str]:
    """The word for each type of error that the protocol knows."""
    lists = (field for field in protocol.fields if isinstance(field, ErrorList))
    return option_labels(option for field in lists for option in field.types)


def option_context(option: Option, chosen: object) -> dict[str, Any]:
    """An option as a radio button: both languages, because the help cards show both. ``name`` and
    ``more`` are the label before its brackets, and they themselves."""
    name, opened, more = text(option.label).partition(" (")
    return {
        "value": option.value,
        "key": option.key,
        "label": text(option.label),
        "name": name,
        "more": (opened + more).strip(),
        "label_fr": option.label.fr,
        "label_en": option.label.en,
        "help": text(option.help),
        "help_fr": option.help.fr,
        "help_en": option.help.en,
        "example": text(option.example),
        "example_fr": option.example.fr,
        "example_en": option.example.en,
        "checked": option.value == chosen,
    }


def field_context(field: Field, answers: Answers, problems: list[Problem]) -> dict[str, Any]:
    """A field as its template draws it; ``kind`` chooses the template's branch."""
    value = answers.get(field.name)
    context: dict[str, Any] = {
        "name": field.name,
        "kind": type(field).__name__,
        "label": text(field.label),
        "value": value,
        "problems": [text(p.message) for p in problems if p.field == field.name],
    }
    if isinstance(field, Choice):
        context["options"] = [option_context(option, value) for option in field.options]
    elif isinstance(field, BracketedScale):
        context["brackets"] = [
            {
                "value": b.value,
                "key": b.key,
                "bottom": b.bottom,
                "top": b.top,
                "label": text(b.label),
                "short": text(b.short),
                "checked": b.value == value,
            }
            for b in field.brackets
        ]
        context["scale"] = range(field.lowest, field.highest + 1)
    elif isinstance(field, ErrorList):
        context["types"] = [option_context(option, None) for option in field.types]
        context["rows"] = [
            error
            | {
                "index": index,
                "number": index + 1,
                "problems": [
                    text(p.message)
                    for p in problems
                    if p.field == f"{field.name}.{index}"
                    or p.field.startswith(f"{field.name}.{index}.")
                ],
            }
            for index, error in enumerate(value or [])
        ]
    elif isinstance(field, Keyword):
        context["allowed"] = field.allowed
    elif isinstance(field, Whole):
        context["bounds"] = (field.lowest, field.highest)
    return context


def steps_context(
    protocol: Protocol, answers: Answers, facts: PairFacts, problems: list[Problem]
) -> list[dict[str, Any]]:
    """Every step with its fields, also by name (``step.by_name.simplicity``)."""
    steps = [
        _step(step, number, answers, problems)
        for number, step in enumerate(protocol.steps, start=1)
    ]
    for step in steps:
        for field in step["fields"]:
            for option in field.get("options", ()):
                # The page shows the finding once this option is chosen, without knowing the rule.
                option["finding"] = finding_text(
                    protocol, {**answers, field["name"]: option["value"]}, facts
                )
    return steps


def untouched_steps(
    protocol: Protocol, pair: BlindedPair, answers: Answers, problems: list[Problem]
) -> str:
    """What the steps of a pair that nobody has answered yet depend on, besides the study and the
    language: a key to keep them by. "" for a pair that was answered, if only in part: its steps are
    its annotator's alone."""
    if problems or pair.submitted_at or answers != protocol.empty_answers():
        return ""
    choices = [
        field for step in protocol.steps for field in step.fields if isinstance(field, Choice)
    ]
    found = [
        finding_text(protocol, {**answers, field.name: option.value}, pair.facts)
        for field in choices
        for option in field.options
    ]
    return repr((finding_text(protocol, answers, pair.facts), found))


def finding_text(protocol: Protocol, answers: Answers, facts: PairFacts) -> str:
    """What a machine sees in the pair that contradicts these answers; "" for nothing."""
    found = protocol.finding(answers, facts)
    return text(found) if found else ""


def _step(step: Step, number: int, answers: Answers, problems: list[Problem]) -> dict[str, Any]:
    fields = [field_context(field, answers, problems) for field in step.fields]
    return {
        "key": step.key,
        "number": number,
        "question": text(step.question),
        "fields": fields,
        "by_name": {field["name"]: field for field in fields},
    }


def judge_state(study: Study, pair: BlindedPair, answers: Answers) -> dict[str, Any]:
    """What the page's scripts start from (a JSON data block): the answers, the scale's brackets,
    and the texts to the character, because an HTML parser folds line ends and would shift the
    offsets."""
    scales = [field for field in study.protocol.fields if isinstance(field, BracketedScale)]
    return {
        "answers": answers,
        "texts": {"original": pair.original, "simplification": pair.simplification},
        "brackets": [
            {
                "value": b.value,
                "key": b.key,
                "bottom": b.bottom,
                "top": b.top,
                "short": text(b.short),
            }
            for scale in scales
            for b in scale.brackets
        ],
    }
