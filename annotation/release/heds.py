"""The Human Evaluation Datasheet, filled in from what the study holds; the rest is marked for the
lead.

Belz and Thomson (2024), HEDS 3.0: The Human Evaluation Data Sheet Version 3.0, arXiv:2412.07940.
Sections as there; the questions are shortened, and numbered as FrJUDGE's authors answered them
(Beauchemin et al. 2025, appendix F).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from annotation.release.card import TO_COMPLETE, agreement_rows
from annotation.release.deviations import deviation_lines
from annotation.release.frozen import Frozen

FORM = "Human Evaluation Datasheet (HEDS) 3.0, arXiv:2412.07940"
SECTIONS = {
    "1": "Main reference and supplementary resources",
    "2": "Evaluated system(s)",
    "3": "Sample of system outputs, evaluators, experimental design",
    "4": "Quality criteria: definition and operationalisation",
    "5": "Ethics",
}


class Answer(NamedTuple):
    """One question. ``criterion`` is the dimension that section 4 is about; ``text`` None is for
    the lead."""

    number: str
    question: str
    text: str | None
    criterion: str = ""


def heds(frozen: Frozen) -> dict[str, Any]:
    """The datasheet as JSON-safe values: each answer "from the study" or "to be completed"."""
    answers = list(_answers(frozen))
    return {
        "form": FORM,
        "snapshot": frozen.name,
        "to_be_completed": [f"{a.number} {a.criterion}".strip() for a in answers if a.text is None],
        "answers": [
            {
                "section": SECTIONS[a.number[0]],
                "number": a.number,
                "criterion": a.criterion or None,
                "question": a.question,
                "answer": TO_COMPLETE if a.text is None else a.text,
                "status": "to be completed" if a.text is None else "from the study",
            }
            for a in answers
        ],
        "deviations": frozen.study.get("deviations"),
        "deviations_text": list(deviation_lines(frozen)),
    }


def heds_text(datasheet: dict[str, Any]) -> str:
    """The same, to be read."""
    lines = [f"# {datasheet['form']}", "", f"Snapshot {datasheet['snapshot']}."]
    section = criterion = None
    for answer in datasheet["answers"]:
        if answer["section"] != section:
            section = answer["section"]
            lines += ["", f"## {section}"]
        if answer["criterion"] != criterion:
            criterion = answer["criterion"]
            lines += ["", f"### Quality criterion: {criterion}"] if criterion else []
        shown = f"**{TO_COMPLETE}**" if answer["status"] == "to be completed" else answer["answer"]
        lines += ["", f"**{answer['number']}** {answer['question']}", "", shown]
    lines += ["", "## Deviations from the plan", "", *datasheet["deviations_text"]]
    return "\n".join(lines) + "\n"


def _answers(frozen: Frozen) -> Iterator[Answer]:
    yield from (Answer(number, question, None) for number, question in _REFERENCES)
    yield from _systems(frozen)
    yield from _sample(frozen)
    yield from _design(frozen)
    for dimension in frozen.dimensions:
        yield from _criterion(frozen, dimension)
    yield from (Answer(number, question, text) for number, question, text in _ETHICS)


_REFERENCES = (
    ("1.1", "Link to the paper that reports the evaluation, or 'for preregistration'."),
    ("1.2", "Link to resources used in the evaluation."),
    ("1.3", "Name, affiliation and e-mail of who completes this sheet, and of the contact author."),
)
_ETHICS: tuple[tuple[str, str, str | None], ...] = (
    ("5.1", "Which research ethics committee approved the evaluation?", None),
    (
        "5.2",
        "Does personal data (GDPR art. 4) occur in outputs or responses?",
        "In what is released: annotators appear by pseudonym only; names and e-mail addresses of "
        "the study's people that were typed into comments were replaced. Accounts (name, e-mail) "
        "stay on the server of the study.",
    ),
    ("5.3", "Does special category information (GDPR art. 9) occur in outputs or responses?", None),
    ("5.4", "Have impact assessments been carried out?", None),
)


def _systems(frozen: Frozen) -> Iterator[Answer]:
    yield Answer(
        "2.1",
        "Type of input of the evaluated system(s).",
        "Text: one to several sentences (a passage).",
    )
    yield Answer("2.2", "Type of output.", "Text: one to several sentences (its simplification).")
    yield Answer(
        "2.3",
        "Task that the system(s) perform.",
        "Paraphrasing / lossless simplification, of legal text.",
    )
    yield Answer("2.4", "Input language(s).", "French.")
    yield Answer("2.5", "Output language(s).", "French.")


def _sample(frozen: Frozen) -> Iterator[Answer]:
    main, practice = frozen.study["rounds"]["main"], frozen.study["rounds"]["practice"]
    systems = {row.get("system", "") for row in frozen.rows("simplifications")}
    named = f"{len(systems)} system(s)" if frozen.has_systems else "systems are not told"
    yield Answer(
        "3.1.1",
        "How many outputs are evaluated per system?",
        f"{main['simplifications']} simplifications of {main['items']} passages in all; {named}.",
    )
    yield Answer("3.1.2", "How are outputs selected for inclusion?", None)
    yield Answer("3.1.3", "Statistical power of the sample size.", None)
    kinds = [a["kind"] for a in frozen.study["annotators"] if a["judgments"]]
    yield Answer("3.2.1", "How many evaluators are there?", str(len(kinds)))
    yield Answer("3.2.2", "What kind of evaluators are they?", None)
    yield Answer("3.2.3", "How are evaluators recruited?", None)
    trained = (
        f"A practice round of {practice['items']} passages, kept apart from the data."
        if practice["items"]
        else None
    )
    yield Answer("3.2.4", "What training or practice are evaluators given?", trained)
    yield Answer("3.2.5", "What other characteristics do evaluators have?", None)


def _design(frozen: Frozen) -> Iterator[Answer]:
    """How it was conducted; of imported judgments only their publishers know."""
    yield Answer("3.3.1", "Has the design been preregistered?", None)
    for number, question, text in _conduct(frozen.study["study"]):
        yield Answer(number, question, text if frozen.judged_here else None)


_CONTEXT = {
    "none": "What stands before and after the passage in its source is not shown.",
    "all": "What stands before and after the passage in its source is shown beside it.",
    "half": "What stands before and after the passage in its source is shown for a half drawn by "
    "the study's seed, for each evaluator and passage (column context_shown).",
}


def _aids(study: dict[str, Any]) -> str:
    """What could be opened beside the texts; snapshots of before say nothing, and there was nothing
    then."""
    offered = []
    if study.get("aid_renderings"):
        offered.append(
            "terms that seem to be rendered by other words, pointed out on demand "
            "(renderings_used_at)"
        )
    if study.get("aid_glossary") and study.get("glossary_number"):
        offered.append("the study's glossary (glossary_used_at)")
    return (
        f" Aids, with the moment of their first use for each judgment: {'; '.join(offered)}."
        if offered
        else ""
    )


def _conduct(study: dict[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    yield (
        "3.3.2",
        "How are responses collected?",
        "With Barème, a web application for judging simplifications.",
    )
    yield (
        "3.3.3",
        "What quality assurance methods are used?",
        "Answers that break a rule of the protocol are refused by the server and by the database; "
        "a bracketed score is computed from bracket and errors and cannot be typed; an answer that "
        "contradicts what a program can see (identical texts, another language) has to be "
        "confirmed; every submission is kept.",
    )
    yield (
        "3.3.4",
        "What do evaluators see?",
        "The original and the simplification side by side, the questions step by step, the "
        "annotation guide. Never the "
        "system's name, another evaluator's answers or a program's score. "
        # Snapshots of before say nothing: nothing was shown then.
        f"{_CONTEXT[study.get('context_arm', 'none')]}{_aids(study)}",
    )
    yield (
        "3.3.5",
        "How free are evaluators regarding when and how quickly to evaluate?",
        f"Neither timed nor bound to one sitting: guidance of {study['guidance_seconds']} "
        "seconds per pair and "
        f"{study['hours_budget']} hours in all is shown and never enforced; work can be stopped "
        "and resumed.",
    )
    yield ("3.3.6", "Are evaluators told they can ask questions or give feedback?", None)
    yield (
        "3.3.7",
        "In which conditions do evaluators work?",
        "At a place of their own choosing, in a browser.",
    )
    yield (
        "3.3.8",
        "Range of conditions, unless of the evaluators' own choosing.",
        "Does not apply.",
    )


def _criterion(frozen: Frozen, dimension: dict[str, Any]) -> Iterator[Answer]:
    name = dimension["name"]

    def answer(number: str, question: str, text: str | None) -> Answer:
        return Answer(number, question, text, name)

    yield answer("4.1.1", "What type of quality is assessed?", None)
    yield answer("4.1.2", "Which aspect of outputs is assessed?", None)
    reference = "Relative to the input: the simplification is compared with its original."
    yield answer("4.1.3", "In its own right, or relative to a frame of reference?", reference)
    yield answer("4.2.1", "Objective or subjective?", "Subjective: a judgment of people.")
    yield answer("4.2.2", "Absolute or relative?", "Absolute: one output at a time.")
    yield answer("4.2.3", "Intrinsic or extrinsic?", "Intrinsic.")
    yield answer("4.3.1", "Name of the criterion in the interface.", _label(frozen, name))
    yield answer("4.3.2", "Definition given to evaluators.", None)
    yield answer("4.3.3", "Size of the scale.", str(len(dimension["scale"])))
    yield answer("4.3.4", "Possible values.", "; ".join(_values(dimension)))
    yield answer("4.3.5", "How is the scale presented?", _presented(dimension))
    yield answer("4.3.6", "Task, if there is no rating instrument.", "Does not apply.")
    yield answer("4.3.7", "Verbatim question.", f"«{_question(frozen, name)}»")
    yield answer(
        "4.3.8",
        "Form of response elicitation.",
        f"Direct quality estimation; {dimension['level']} values.",
    )
    rule = frozen.manifest["recipe"]["labels"]["rules"][name]
    yield answer(
        "4.3.9",
        "How are raw responses aggregated?",
        f"{rule}; the full distribution is released beside it.",
    )
    yield answer("4.3.10", "Methods for effect size and significance.", None)
    measured = [
        f"{row[1]} {row[2]} [{row[3]}] ({row[4]})"
        for row in agreement_rows(frozen)
        if row[0] == name
    ]
    yield answer(
        "4.3.11",
        "Inter-annotator agreement: method and scores.",
        "; ".join(measured) or "Not defined here.",
    )
    yield answer("4.3.12", "Intra-annotator agreement: method and scores.", None)


def _label(frozen: Frozen, name: str) -> str:
    """What a column of that name is called in the codebook, up to its colon."""
    columns = {c["name"]: c["description"] for c in frozen.codebook["layouts"]["long"]["columns"]}
    return " / ".join(
        columns[name][language].partition(":")[0].strip() for language in ("fr", "en")
    )


def _question(frozen: Frozen, name: str) -> str:
    return " ".join(
        str(q["fr"]) for q in frozen.study["protocol"]["questions"] if name in q["dimensions"]
    )


def _values(dimension: dict[str, Any]) -> list[str]:
    if dimension["options"]:
        return [f"{o['value']} {o['fr']} ({o['en']})" for o in dimension["options"]]
    return [f"{dimension['scale'][0]} to {dimension['scale'][-1]}, whole numbers"]


def _presented(dimension: dict[str, Any]) -> str:
    if not dimension["brackets"]:
        return "Multiple-choice options, one to be selected."
    brackets = "; ".join(f"{b['fr']} ({b['bottom']}–{b['top']})" for b in dimension["brackets"])
    return (
        f"A bracket is picked ({brackets}), then errors are listed; the score follows and is "
        "shown as it changes."
    )
