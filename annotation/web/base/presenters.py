"""Pages' data from the protocol and the selectors: labels in the reader's language, what is
chosen."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from annotation.protocols.base import Answers, Option, PairFacts, Problem, Rulings, Wording
from annotation.protocols.kinds import Field, When
from annotation.protocols.kinds.choice import MANY
from annotation.protocols.protocol import ORIGINAL, PANELS, SIMPLIFICATION, Protocol, Step
from annotation.selectors.judging.blinded import BlindedPair


def text(wording: Wording) -> str:
    """The wording in the language of the page."""
    return wording.get(get_language() or "fr")


def dimension_label(protocol: Protocol, name: str) -> str:
    """The dimension as its question names it."""
    return text(protocol.dimension(name).label) if name in protocol.dimensions else name


def value_labels(protocol: Protocol, name: str) -> dict[int, str]:
    """The words of each value of a dimension whose values have words; empty for the others."""
    if name not in protocol.dimensions:
        return {}
    return {option.value: text(option.label) for option in protocol.dimension(name).options}


def distribution_words(counts: Iterable[tuple[str, int]]) -> str:
    """Answers and how many people gave each, in the one notation for it: «8 (3 pers.), 9 (1
    pers.)»."""
    return ", ".join(
        ngettext("%(value)s (%(number)s person)", "%(value)s (%(number)s people)", number)
        % {"value": value, "number": number}
        for value, number in counts
    )


def class_choices(protocol: Protocol) -> list[tuple[str, str]]:
    """Every class of pairs as leads choose it: the value where one dimension has classes, with the
    dimension before it where several have."""
    return [
        (
            str(option.value) if len(protocol.classes) == 1 else f"{dimension.name}:{option.value}",
            class_label(protocol, dimension.name, option.value),
        )
        for dimension in protocol.classes
        for option in dimension.options
    ]


def class_label(protocol: Protocol, dimension: str, value: int) -> str:
    """A class in words: «7 · Obligations» where one dimension has classes, «Ajout : oui» where
    several have."""
    label = value_labels(protocol, dimension).get(value, "")
    if len(protocol.classes) == 1:
        return f"{value} · {label}"
    return _("%(dimension)s: %(value)s") % {
        "dimension": dimension_label(protocol, dimension),
        "value": label,
    }


def class_chosen(protocol: Protocol, choice: str) -> tuple[str, int]:
    """Dimension and value of one of ``class_choices``."""
    dimension, _colon, value = choice.rpartition(":")
    return dimension or protocol.classes[0].name, int(value)


def given_in_words(protocol: Protocol, given: Mapping[str, Sequence[int]]) -> str:
    """Classes that were given: their numbers where one dimension has classes, else in words."""
    if len(protocol.classes) == 1:
        return ", ".join(str(value) for values in given.values() for value in values)
    return "; ".join(
        class_label(protocol, dimension, value)
        for dimension, values in given.items()
        for value in values
    )


def option_labels(options: Iterable[Option]) -> dict[str, str]:
    """The word for each option's key."""
    return {option.key: text(option.label) for option in options}


def error_type_labels(protocol: Protocol) -> dict[str, str]:
    """The word for each type of mark that the protocol knows."""
    return option_labels(protocol.mark_types)


WORD_KEYS = ("a", "t", "y")
"""Letters that do something else with selected words: attach, find, look up."""


def mark_letters(protocol: Protocol) -> dict[str, dict[str, str]]:
    """The letter that marks selected words as each type, by the names of fields and types: the
    first of its key that is free; "" where none is, and only a digit does. The lists of a step are
    at hand together, so that no letter is two of theirs."""
    letters: dict[str, dict[str, str]] = {}
    for step in protocol.steps:
        taken = {*WORD_KEYS}
        for field in step.fields:
            if field.marks:
                letters[field.name] = _letters(field, taken)
    return letters


def _letters(field: Field, taken: set[str]) -> dict[str, str]:
    letters = {}
    for option in field.marks:
        free = (
            letter
            for letter in option.key
            if letter.isascii() and letter.isalpha() and letter not in taken
        )
        letters[option.key] = next(free, "") if field.has_letters else ""
        taken.add(letters[option.key])
    return letters


def field_context(
    field: Field, answers: Answers, problems: list[Problem], rulings: Rulings | None = None
) -> dict[str, Any]:
    """A field as its template draws it. ``shown_when`` and ``required_when`` as the page's scripts
    read them: JSON, "" for none. ``rulings``: what the study decided; without them the field is
    drawn as it is anywhere."""
    value = answers.get(field.name)
    context: dict[str, Any] = {
        "name": field.name,
        "kind": field.kind,
        "template": f"judging/kinds/{field.kind}.html",
        "label": text(field.label),
        "help": text(field.help),
        "helps": text(field.helps),
        "required": field.required,
        "shown_when": _condition(field.shown_when),
        "required_when": _condition(field.required_when),
        "stored_with": field.stored_with,
        "value": value,
        "problems": [text(p.message) for p in problems if p.field == field.name],
        **field.context(value, text),
        **({} if rulings is None else field.ruled(rulings)),
    }
    if options := context.get("options"):
        _number(context, options)
    if field.marks:
        context["rows"] = _rows(field, value, problems)
    return context


def _condition(when: When | None) -> str:
    return "" if when is None else json.dumps({"field": when.field, "values": when.values})


def _number(context: dict[str, Any], options: list[dict[str, Any]]) -> None:
    """What is typed for each option, by ``digits``: its value, or its place where values are no
    digits. Many stand in columns and have a filter."""
    context["many"] = len(options) > MANY
    context["has_help"] = any(option.get("help") for option in options)
    longest = 99 if context["many"] else 9
    values = [option["value"] for option in options]
    typed = all(isinstance(value, int) and 0 <= value <= longest for value in values)
    for place, option in enumerate(options, start=1):
        number = option["value"] if typed else place
        option["digits"] = f"{number:02}" if context["many"] else str(number)


def _rows(field: Field, value: Any, problems: list[Problem]) -> list[dict[str, Any]]:
    return [
        mark
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
        for index, mark in enumerate(value or [])
    ]


def steps_context(
    protocol: Protocol,
    answers: Answers,
    facts: PairFacts,
    problems: list[Problem],
    rulings: Rulings,
) -> list[dict[str, Any]]:
    """Every step with its fields as they are drawn, in ``wide`` one below the other, in ``lists``
    those that mark the texts, and in ``beside`` what follows on these.

    ``fields`` has all of them: also those at the foot of the page.
    """
    contexts = {
        field.name: field_context(field, answers, problems, rulings) for field in protocol.fields
    }
    for field in protocol.fields:
        for name, template in field.draws.items():
            path = f"judging/kinds/{template}.html" if template else ""
            contexts[name] |= {"template": path, "of": contexts[field.name]}
            contexts[field.name].setdefault("drawn", {})[name] = contexts[name]
    for marked in protocol.marked:
        _mark_context(protocol, marked, contexts)
    filtered = [context for context in contexts.values() if context.get("many")]
    for context in filtered:
        context["filter_id"] = "class-filter" + (
            "" if context is filtered[0] else f"-{context['name']}"
        )
    _findings(protocol, contexts, answers, facts)
    return [
        _step(protocol, step, number, contexts)
        for number, step in enumerate(protocol.steps, start=1)
    ]


def _mark_context(protocol: Protocol, field: Field, contexts: dict[str, Any]) -> None:
    """What only a whole protocol knows of a field that marks: whether each mark costs a point, and
    its place among such fields."""
    contexts[field.name] |= {
        "suffix": "" if field is protocol.marked[0] else f"-{field.name}",
        "is_deducted": any(scale.deducts == field.name for scale in protocol.bracketed),
        "are_errors": field.are_errors,
        "is_one_of_several": len(protocol.marked) > 1,
        "headings": {panel.side: text(panel.heading) for panel in protocol.panels},
    }
    letters = mark_letters(protocol)[field.name]
    contexts[field.name]["has_type_help"] = any(text(option.help) for option in field.marks)
    for mark_type in contexts[field.name]["types"]:
        mark_type["letter"] = letters[mark_type["key"]]


def _findings(
    protocol: Protocol, contexts: dict[str, Any], answers: Answers, facts: PairFacts
) -> None:
    """What a machine sees in the pair, for each option of a field that a flag confirms: the page
    shows it once the option is chosen, without knowing the rule."""
    for flag in contexts.values():
        confirmed = contexts.get(flag.get("confirms", ""))
        if not confirmed:
            continue
        flag["finding"] = finding_text(protocol, answers, facts)
        flag["upholds"] = confirmed["value"]
        for option in confirmed.get("options", ()):
            option["finding"] = finding_text(
                protocol, {**answers, confirmed["name"]: option["value"]}, facts
            )


def untouched_steps(
    protocol: Protocol, pair: BlindedPair, answers: Answers, problems: list[Problem]
) -> str:
    """What the steps of a pair that nobody has answered yet depend on, besides the study and the
    language: a key to keep them by. "" for a pair that was answered, if only in part: its steps are
    its annotator's alone."""
    if problems or pair.submitted_at or answers != protocol.empty_answers():
        return ""
    findings = [
        finding_text(protocol, {**answers, field.name: option.value}, pair.facts)
        for field in protocol.fields
        for dimension in field.dimensions
        if dimension.name == field.name
        for option in dimension.options
    ]
    return repr((finding_text(protocol, answers, pair.facts), findings))


def finding_text(protocol: Protocol, answers: Answers, facts: PairFacts) -> str:
    """What a machine sees in the pair that contradicts these answers; "" for nothing."""
    finding = protocol.finding(answers, facts)
    return text(finding) if finding else ""


def _step(protocol: Protocol, step: Step, number: int, contexts: dict[str, Any]) -> dict[str, Any]:
    fields = [contexts[field.name] for field in step.fields]
    drawn = [
        contexts[field.name]
        for field in step.fields
        if not field.in_foot and contexts[field.name]["template"]
    ]
    place = next((n for n, context in enumerate(drawn) if "rows" in context), len(drawn))
    lists = [context for context in drawn if "rows" in context]
    rated = [field.name for field in step.fields if field.dimensions]
    for context in drawn:
        # A step that rates one thing asks for it by its question: a label would say it again.
        context["asked"] = number if [context["name"]] == rated[:1] == rated else 0
    return {
        "key": step.key,
        "number": number,
        "template": step_template(protocol, step),
        "question": text(step.question),
        "sides": " ".join(step.sides),
        "fields": fields,
        "drawn": drawn,
        "wide": drawn[:place],
        "lists": lists,
        "beside": [context for context in drawn[place:] if context not in lists],
        "by_name": {field["name"]: field for field in fields},
    }


def step_template(protocol: Protocol, step: Step) -> str:
    """``templates/protocols/<key>/<step>.html`` where a protocol has one of its own, else the one
    for all."""
    own = f"protocols/{protocol.key}/{step.key}.html"
    return own if has_template(own) else "judging/_step.html"


@lru_cache(maxsize=1000)
def has_template(name: str) -> bool:
    try:
        get_template(name)
    except TemplateDoesNotExist:
        return False
    return True


def kind_files(protocol: Protocol) -> dict[str, list[str]]:
    """``scripts`` and ``styles`` of the kinds that the protocol uses, each once, by their places
    among the static files."""
    drawn = {name for field in protocol.fields for name in field.draws}
    own = [field for field in protocol.fields if field.name not in drawn]
    scripts = dict.fromkeys(name for field in own for name in field.scripts)
    styles = dict.fromkeys(name for field in own for name in field.styles)
    return {
        "scripts": [f"js/judging/kinds/{name}.js" for name in scripts],
        "styles": [f"css/judging/kinds/{name}.css" for name in styles],
    }


def said_language(language: str) -> SafeString:
    """The attribute by which a page says it; empty for one that is not known."""
    return format_html('lang="{}"', language) if language else SafeString()


def side_heading(protocol: Protocol, side: str) -> str:
    """How the protocol heads the texts of this side."""
    headings = (text(panel.heading) for panel in protocol.panels if panel.side == side)
    return next(headings, "")


def own_headings(protocol: Protocol) -> dict[str, str]:
    """By side, how the protocol heads its texts, to be spoken of so; empty where they are called
    original and simplification."""
    if {panel.heading for panel in protocol.panels} <= {panel.heading for panel in PANELS}:
        return {}
    return {panel.side: text(panel.heading) for panel in protocol.panels}


def panels_context(protocol: Protocol, pair: BlindedPair) -> list[dict[str, str]]:
    """The texts beside the questions, as the protocol orders and heads them."""
    texts = {ORIGINAL: pair.original, SIMPLIFICATION: pair.simplification}
    return [
        {
            "side": panel.side,
            "heading": text(panel.heading),
            "text": texts[panel.side],
            "language": pair.languages[panel.side],
        }
        for panel in protocol.panels
    ]


def judge_state(protocol: Protocol, pair: BlindedPair, answers: Answers) -> dict[str, Any]:
    """What the page's scripts start from (a JSON data block): the answers, and the texts to the
    character, because an HTML parser folds line ends and would shift the offsets."""
    return {
        "answers": answers,
        "texts": {panel["side"]: panel["text"] for panel in panels_context(protocol, pair)},
    }
