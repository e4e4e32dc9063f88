"""The Human Evaluation Datasheet, filled in from what the study holds; the rest is left to the
lead.

Belz and Thomson (2024), HEDS 3.0: The Human Evaluation Data Sheet Version 3.0, arXiv:2412.07940.
``heds.json`` is what the published form loads, ``heds_answers.json`` says of each answer whether it
is from the study, ``heds.md`` is to be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from annotation.corpus.sentences import split
from annotation.protocols.protocol import ASPECTS, ORIGINAL, QUALITIES, no_finding
from annotation.release.card import TO_COMPLETE, agreement_rows, guidance
from annotation.release.deviations import deviation_lines
from annotation.release.frozen import Frozen
from annotation.release.heds_form import (
    BY_NUMBER,
    LANGUAGES,
    OTHER_LANGUAGE,
    QUESTIONS,
    Filled,
    form_file,
)
from annotation.release.languages import named
from annotation.release.nouns import counted
from annotation.release.quality import NEITHER, had_neither, quality_said
from annotation.uncut import is_uncut

FORM = "Human Evaluation Datasheet (HEDS) 3.0, arXiv:2412.07940"
SECTIONS = {
    "1": "Main reference and supplementary resources",
    "2": "Evaluated system(s)",
    "3": "Sample of system outputs, evaluators, experimental design",
    "4": "Quality criteria: definition and operationalisation",
    "5": "Ethics",
}
_QUALITY_BOXES = tuple(
    {word: box for box, word in enumerate(words, 1)} for words in (QUALITIES, ASPECTS)
)


class Answer(NamedTuple):
    """What the study says to one question: words, checked boxes of the form, or both. ``criterion``
    is the dimension that section 4 is about."""

    number: str
    text: str = ""
    boxes: tuple[int, ...] = ()
    criterion: str = ""


def heds(frozen: Frozen) -> dict[str, Any]:
    """The datasheet as JSON-safe values: each answer "from the study" or "to be completed"."""
    rows = [_row(*question) for question in _questions(frozen)]
    return {
        "form": FORM,
        "snapshot": frozen.name,
        "to_be_completed": [
            " ".join(filter(None, (row["number"], row["criterion"])))
            for row in rows
            if row["status"] == "to be completed"
        ],
        "answers": rows,
        "deviations": frozen.study.get("deviations"),
        "deviations_text": list(deviation_lines(frozen)),
    }


def heds_file(frozen: Frozen) -> dict[str, Any]:
    """The file that the published form loads. What is left to the lead is empty there, as in a form
    that nobody filled in."""
    filled = {
        (answer.number, answer.criterion): Filled(answer.text, answer.boxes)
        for answer in _answers(frozen)
    }
    return form_file(filled, [dimension["name"] for dimension in frozen.rated])


def _questions(frozen: Frozen) -> Iterator[tuple[str, str, Answer | None]]:
    """Every question in the form's order; those of section 4 for one criterion after another."""
    known = {(answer.number, answer.criterion): answer for answer in _answers(frozen)}
    once = [question.number for question in QUESTIONS if not question.is_of_criterion]
    per_criterion = [question.number for question in QUESTIONS if question.is_of_criterion]
    names = [dimension["name"] for dimension in frozen.rated]
    order = [(number, "") for number in once if number < "4"]
    order += [(number, name) for name in names for number in per_criterion]
    order += [(number, "") for number in once if number > "4"]
    return ((number, name, known.get((number, name))) for number, name in order)


def _row(number: str, criterion: str, answer: Answer | None) -> dict[str, Any]:
    question = BY_NUMBER[number]
    checked = [question.labels[box].partition(". ")[2] for box in answer.boxes] if answer else []
    words = "; ".join([*checked, *([answer.text] if answer and answer.text else [])])
    return {
        "section": SECTIONS[number[0]],
        "number": number,
        "criterion": criterion or None,
        "question": question.text,
        "answer": words or TO_COMPLETE,
        "status": "from the study" if words else "to be completed",
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
    """What the study holds; nothing else is answered."""
    yield from _systems(frozen)
    yield from _sample(frozen)
    if frozen.judged_here:
        # Of imported judgments only their publishers know how they were made.
        yield from _sample_size(frozen)
        yield from _payment(frozen)
        yield from _design(frozen)
    for dimension in frozen.rated:
        yield from _criterion(frozen, dimension)


def _systems(frozen: Frozen) -> Iterator[Answer]:
    originals = (row["original"] for row in frozen.rows("items"))
    yield Answer("2.1", boxes=_lengths(originals))
    outputs = (row["simplification"] for row in frozen.rows("simplifications"))
    yield Answer("2.2", boxes=_lengths(outputs))
    domain = frozen.about.domain.en
    yield Answer("2.3", f"Of {domain} text." if domain else "", (13,))
    if frozen.languages:
        # A simplification is in the language of its original.
        boxes = {LANGUAGES.get(code, (OTHER_LANGUAGE, ""))[0] for code in frozen.languages}
        others = [code for code in frozen.languages if code not in LANGUAGES]
        for number in ("2.4", "2.5"):
            yield Answer(number, named(others) if others else "", tuple(sorted(boxes)))


def _lengths(texts: Iterator[str]) -> tuple[int, ...]:
    """The form's boxes for single sentences (5) and for several (6), as there are among these.
    Those that are not cut into words by spaces are left to the lead: where their sentences end is
    not known here."""
    kept = (text for text in texts if not is_uncut(text))
    return tuple(sorted({5 if len(split(text)) < 2 else 6 for text in kept}))


def _sample(frozen: Frozen) -> Iterator[Answer]:
    practice = frozen.study["rounds"]["practice"]
    outputs = [
        row for row in frozen.rows("simplifications") if row["simplification_key"] in frozen.judged
    ]
    systems = {row.get("system", "") for row in outputs} - {""}
    by = f"{len(systems)} system(s)" if frozen.has_systems else "systems are not told"
    yield Answer(
        "3.1.1",
        f"{_material(frozen, len(outputs))} in all; {by}.",
    )
    yield Answer("3.2.1", _evaluators(frozen))
    if practice["items"]:
        passages = counted(practice["items"], "passage")
        yield Answer("3.2.4", f"A practice round of {passages}, kept apart from the data.")


def _material(frozen: Frozen, outputs: int) -> str:
    if not frozen.headed:
        passages = counted(frozen.sources, "distinct passage")
        return f"{counted(outputs, 'simplification')} of {passages}"
    beside, judged = (heading.en for heading in frozen.headed)
    sources = counted(frozen.sources, "distinct text")
    return f"{counted(outputs, 'text')} (“{judged}”) beside {sources} (“{beside}”)"


def _evaluators(frozen: Frozen) -> str:
    people = len(frozen.judges) - len(frozen.means)
    if not frozen.means:
        return str(people)
    averaged = "not known: published means of what several people answered"
    return f"{people}, and others {averaged}" if people else averaged


_TARGETS = {
    "difference": "the difference between two systems' means",
    "mean": "a system's mean",
    "pair": "the mean of one output",
}


_PARTS = ("sources", "outputs", "annotators", "rest")


def _sample_size(frozen: Frozen) -> Iterator[Answer]:
    """The form asks for power; what was computed is how wide an interval will be, and is called so.
    Nothing where nobody chose a design by it: whether there was an analysis elsewhere is not
    known."""
    design = frozen.study.get("sample_size")
    if design is None:
        return
    yield Answer("3.1.3.1", " ".join(_size_method(design)))
    yield Answer("3.1.3.2", " ".join(_size_value(design)))
    yield Answer(
        "3.1.3.3",
        f"Barème, annotation/agreement/precision.py ({design['method']}): the assumptions and the "
        "seed of 3.1.3.1 give the same numbers again.",
    )


def _size_method(design: dict[str, Any]) -> Iterator[str]:
    assumed = design["assumed"]
    variances = assumed["variances"]
    parts = ", ".join(f"{name} {variances[name]:g}" for name in _PARTS if name in variances)
    scale = assumed["scale"]
    yield (
        "Precision, not power: the half-width that the study's own "
        f"{design['confidence']:.0%} interval may be expected to have, by simulation of a two-way "
        f"random model (Brennan 2001, Generalizability Theory, chapter 4; {_student(design)}); "
        f"{design['method']}, {design['teams']} teams of annotators × {design['sets']} sets of "
        f"texts, seed {design['seed']}."
    )
    yield f"Assumed: mean {assumed['mean']:g}, variances in points² ({parts})" + (
        f", on a scale from {scale[0]:g} to {scale[-1]:g}." if scale else "."
    )
    learned = design["learned"]
    yield (
        f"Learned from {learned['ratings']} ratings of {learned['items']} outputs by "
        f"{learned['annotators']} annotators ({learned['dimension']})."
        if learned
        else "These are the lead's own assumptions."
    )
    when = f"with {design['judged']} judgments in" if design["judged"] else "before any judgment"
    yield f"Chosen on {design['chosen_on']}, {when}."


def _student(design: dict[str, Any]) -> str:
    """How wide Student's t made it, by the method of the day."""
    if design["method"] in {f"bareme-precision/{version}" for version in (1, 2, 3)}:
        return "degrees of freedom after Satterthwaite 1946"
    return "Student's t of texts and of annotators, weighed after Cochran 1964"


def _size_value(design: dict[str, Any]) -> Iterator[str]:
    yield (
        f"No statistical power was computed. Expected half-width, in points, of the interval of "
        f"{_TARGETS[design['target']]}: {_widths(design)}; wanted was at most ± "
        f"{design['half_width']:g}."
    )
    yield (
        f"With {design['texts']} texts, an output of each of {design['systems']} system(s), "
        f"{design['per_pair']} of {design['annotators']} annotators judging each output."
    )
    carried_out = design["plan_per_pair"]
    yield (
        "The plan carried out asks everybody to judge each output."
        if carried_out is None
        else f"The plan carried out asks for {carried_out} judgments of each output."
    )


def _widths(design: dict[str, Any]) -> str:
    these, others = design["widths"]["these"], design["widths"]["others"]
    for_others = "no interval can be given" if others is None else f"± {others:.2f}"
    if design["target"] == "pair":
        return f"{for_others} for other annotators of the same kind"
    own = "no interval can be given" if these is None else f"± {these:.2f}"
    return f"{own} for these annotators, {for_others} for other annotators too"


def _payment(frozen: Frozen) -> Iterator[Answer]:
    """What the study's settings state. No pay there, or none by the hour, says nothing: it may be
    paid otherwise."""
    pay = frozen.study.get("pay")
    if pay is not None and float(pay["per_active_hour"]) > 0:
        yield Answer("3.2.2.2", f"{pay['per_active_hour']} {pay['currency']} an active hour.", (1,))


def _guided(study: dict[str, Any]) -> str:
    lengths = " and ".join(guidance(study))
    return f"guidance of {lengths} is shown and never enforced; " if lengths else ""


def _design(frozen: Frozen) -> Iterator[Answer]:
    study, both = frozen.study["study"], frozen.both_texts
    yield Answer("3.3.2", "Barème, a web application for judging simplifications.")
    yield Answer("3.3.3.1", boxes=(2,))
    yield Answer("3.3.3.2", _quality(frozen))
    yield Answer(
        "3.3.4.2",
        f"{both[:1].upper()}{both[1:]} side by side, the questions step by step, the "
        "annotation guide. Never the system's name, another evaluator's answers or a program's "
        # Snapshots of before say nothing: nothing was shown then.
        f"score. {_CONTEXT[study.get('context_arm', 'none')]}{_aids(study)}{frozen.shown_alone}",
    )
    yield Answer(
        "3.3.5",
        f"Neither timed nor bound to one sitting: {_guided(study)}work can be stopped and resumed.",
        (5,),
    )
    asking = _asking(frozen)
    if asking:
        yield Answer("3.3.6", asking, (4,))
    yield Answer("3.3.7", boxes=(1,))
    yield Answer(
        "3.3.8",
        "Place, time, device and screen are each evaluator's own; pages, questions and guide are "
        "the same for all.",
    )


def _asking(frozen: Frozen) -> str:
    """How evaluators reach the leads within a judgment, where the protocol provides for it."""
    fields = (
        [field for step in frozen.protocol.steps for field in step.fields]
        if (frozen.protocol)
        else []
    )
    said = []
    if any(getattr(field, "is_remark", False) for field in fields):
        said.append("a remark to the leads")
    if any(getattr(field, "is_doubt", False) for field in fields):
        said.append("a doubt that the leads are asked to settle")
    return f"Each judgment has room for {' and for '.join(said)}." if said else ""


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


def _quality(frozen: Frozen) -> str:
    measures = [
        "Answers that break a rule of the protocol are refused by the server and by the database"
    ]
    if any(dimension["brackets"] for dimension in frozen.dimensions):
        measures.append("a bracketed score is computed from bracket and errors and cannot be typed")
    if frozen.protocol is None or frozen.protocol.finding is not no_finding:
        measures.append(
            "an answer that contradicts what a program can see (identical texts, another language) "
            "has to be confirmed"
        )
    said = [sentence.en for sentence in quality_said(frozen)]
    if said:
        said.append(
            "A program compares these answers with what they must be or were; they are not part of "
            "the data, and none of the data is left out because of them. Whether the leads did "
            f"anything about them: {TO_COMPLETE}."
        )
    elif had_neither(frozen):
        said.append(NEITHER.en)
    return " ".join(["; ".join([*measures, "every submission is kept."]), *said])


def _criterion(frozen: Frozen, dimension: dict[str, Any]) -> Iterator[Answer]:
    name = dimension["name"]
    nominal = dimension["level"] == "nominal"

    def answer(number: str, text: str = "", *boxes: int) -> Answer:
        return Answer(number, text, boxes, name)

    for number, said, boxes in zip(
        ("4.1.1", "4.1.2"), frozen.about.quality.get(name, ()), _QUALITY_BOXES, strict=False
    ):
        if said in boxes:
            yield answer(number, "", boxes[said])
    yield answer("4.1.3", "", 2 if _is_compared(frozen, name) else 1)
    yield from (
        answer(number, "", box) for number, box in (("4.2.1", 2), ("4.2.2", 1), ("4.2.3", 1))
    )
    yield answer("4.3.1.1", _label(frozen, name))
    if frozen.protocol is not None:
        yield answer("4.3.2", _definition(frozen, name) or "no definition given")
        yield answer("4.3.5", frozen.protocol.field_of(name).presented, 5)
    yield answer("4.3.3", str(len(dimension["scale"])))
    yield answer("4.3.4", "; ".join(_values(dimension)))
    yield answer("4.3.6", "N/A")
    yield answer("4.3.7", f"“{_question(frozen, name)}”")
    yield answer("4.3.8", f"{dimension['level']} values", 7 if nominal else 2)
    rule = frozen.manifest["recipe"]["labels"]["rules"][name]
    yield answer("4.3.9", f"{rule}; the full distribution is released beside it.")
    if compared := _compared(frozen, name):
        yield answer("4.3.10", compared)
    yield from _agreed(frozen, name)


def _compared(frozen: Frozen, name: str) -> str:
    """Effect sizes and tests between systems; nothing where systems are not compared: what is done
    elsewhere is not known."""
    if not frozen.compares_systems:
        return ""
    compared = frozen.systems["dimensions"][name]["comparisons"]
    if not any(comparison["test"] for comparison in compared):
        return ""
    effects = (
        "Cliff's delta and probability of superiority"
        if any(comparison["cliffs_delta"]["value"] is not None for comparison in compared)
        else "differences of shares"
    )
    return (
        f"Effect sizes: {effects}, over the texts on which both systems were judged. Significance: "
        "two-sided sign-flip tests over source texts, Holm's correction over all pairs of systems "
        "on all dimensions. Tables system_pairs and system_pair_shares."
    )


def _agreed(frozen: Frozen, name: str) -> Iterator[Answer]:
    rows = [row for row in agreement_rows(frozen) if row[0] == name]
    methods = "; ".join(f"{row[1]}: {row[4]}" for row in rows)
    scores = "; ".join(f"{row[1]} {row[2]} [{row[3]}]" for row in rows)
    yield Answer("4.3.11.1", methods or "InterAA not assessed", (), name)
    yield Answer("4.3.11.2", scores or "InterAA not assessed", (), name)
    repeats = frozen.agreement.get("repeats")
    if repeats is None:
        # A snapshot of before, or judgments from elsewhere: not known.
        return
    repeated = repeats["dimensions"].get(name)
    if not repeated:
        yield Answer("4.3.12.1", "IntraAA not assessed", (), name)
        yield Answer("4.3.12.2", "IntraAA not assessed", (), name)
        return
    yield Answer(
        "4.3.12.1",
        "Silent repeats: pairs offered again to the same evaluator without being marked; the share "
        "that gets the same answer.",
        (),
        name,
    )
    share = 100 * repeated["same"] / repeated["pairs"]
    yield Answer(
        "4.3.12.2",
        f"{share:.2f} % of {repeated['pairs']} repeated judgments by {repeated['annotators']} "
        "evaluators.",
        (),
        name,
    )


def _definition(frozen: Frozen, name: str) -> str:
    """What the interface says of the question and of its answers, verbatim."""
    field = frozen.protocol.field_of(name) if frozen.protocol else None
    if field is None:
        return ""
    options = frozen.protocol.dimension(name).options if frozen.protocol else ()
    said = [field.help.fr, *(f"{o.label.fr}\u00a0: {o.help.fr}" for o in options if o.help.fr)]
    return "\n".join(f"“{text}”" for text in said if text)


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


def _is_compared(frozen: Frozen, dimension: str) -> bool:
    if frozen.protocol is None:
        return True
    field = frozen.protocol.field_of(dimension)
    return any(field in step.fields and ORIGINAL in step.sides for step in frozen.protocol.steps)
