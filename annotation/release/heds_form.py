"""The published HEDS 3.0 form (nlp-heds.github.io): its questions, the ids of its fields, and the
file that its "upload json" button takes.

The form keeps one entry per field: a text by criterion ("" outside section 4), or for each box of a
question whether it is checked and, where it is, its label. A field left empty is one that the form
itself marks for completion. Questions in our own short words; the labels are the form's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

CRITERION = "heds-criteria-criterion"
_SAMPLE = "heds-sample_evaluators_design-sample"
_PEOPLE = "heds-sample_evaluators_design-evaluators"
_DESIGN = "heds-sample_evaluators_design-experimental_design"
_NAMES = "heds-paper_and_resources-names_and_affiliations"
_QUALITY = "heds-criteria-criterion-criteria"
_MODE = "heds-criteria-criterion-evaluation_mode"
_RESPONSE = "heds-criteria-criterion-response_elicitation"
LANGUAGES = {
    "en": (42, "41. English"),
    "fr": (49, "48. French"),
    "de": (56, "55. German"),
    "it": (77, "76. Italian"),
    "nl": (40, "39. Dutch, Flemish"),
    "pt": (130, "129. Portuguese"),
    "es": (150, "149. Spanish, Castilian"),
}
"""By language as it is told of texts: the number of its box and its label."""
OTHER_LANGUAGE = 185
_LANGUAGE_LABELS = dict(LANGUAGES.values()) | {OTHER_LANGUAGE: "184. Other (please describe)"}
_TEXTS = {5: "5. Text: sentence", 6: "6. Text: multiple sentences"}


class Question(NamedTuple):
    """``key``: the id of its field, or what the ids of its boxes begin with. ``boxes``: how many it
    has, 0 for a text; ``labels`` of those that are checked here, by number."""

    number: str
    key: str
    text: str
    boxes: int = 0
    labels: Mapping[int, str] = {}

    @property
    def is_of_criterion(self) -> bool:
        """Whether each criterion answers it for itself."""
        return self.key.startswith(CRITERION)


class Filled(NamedTuple):
    """What a study says to a question: words, checked boxes, or both. Nothing: for the lead."""

    text: str = ""
    boxes: tuple[int, ...] = ()


QUESTIONS = (
    Question("1.1.1", "heds-paper_and_resources-paper-link", "Where is the main reference?", 4),
    Question(
        "1.1.2",
        "heds-paper_and_resources-paper-experiment_identification",
        "Which experiment is this sheet about?",
    ),
    Question("1.2", "heds-paper_and_resources-resources-links", "Where are the resources?", 2),
    *(
        Question(
            f"1.3.{place}.{at}", f"{_NAMES}-{who}-{what}", f"{what.capitalize()} of the {name}."
        )
        for place, who, name in (
            (1, "person_completing_this_sheet", "person completing this sheet"),
            (2, "contact_author", "contact author"),
        )
        for at, what in enumerate(("name", "affiliation", "email"), start=1)
    ),
    Question("2.1", "heds-system-input_types", "Type of input of the system(s).", 15, _TEXTS),
    Question("2.2", "heds-system-output_types", "Type of output.", 14, _TEXTS),
    Question(
        "2.3",
        "heds-system-tasks",
        "Task that the system(s) perform.",
        20,
        {13: "13. Paraphrasing/lossless simplification"},
    ),
    Question("2.4", "heds-system-input_languages", "Input language(s).", 185, _LANGUAGE_LABELS),
    Question("2.5", "heds-system-output_languages", "Output language(s).", 185, _LANGUAGE_LABELS),
    Question("3.1.1", f"{_SAMPLE}-number_of_system_outputs", "Outputs evaluated per system."),
    Question("3.1.2", f"{_SAMPLE}-system_output_selection", "How were they selected?", 6),
    Question("3.1.3.1", f"{_SAMPLE}-statistical_power-method", "Method of the power analysis."),
    Question("3.1.3.2", f"{_SAMPLE}-statistical_power-value", "Statistical power of the sample."),
    Question("3.1.3.3", f"{_SAMPLE}-statistical_power-script", "Where is its code?"),
    Question("3.2.1", f"{_PEOPLE}-number_of_evaluators", "How many evaluators are there?"),
    Question("3.2.2.1", f"{_PEOPLE}-evaluators-expertise", "Are they domain experts?", 3),
    Question(
        "3.2.2.2",
        f"{_PEOPLE}-evaluators-payment",
        "Were they paid?",
        4,
        {1: "1. Paid (monetary compensation)"},
    ),
    Question("3.2.2.3", f"{_PEOPLE}-evaluators-known_to_authors", "Known to the authors?", 3),
    Question("3.2.2.4", f"{_PEOPLE}-evaluators-are_authors", "Researchers among them?", 3),
    Question("3.2.3", f"{_PEOPLE}-recruitment_method", "How were they recruited?"),
    Question("3.2.4", f"{_PEOPLE}-training_practice", "Training or practice before it."),
    Question("3.2.5", f"{_PEOPLE}-characteristics", "Other characteristics of theirs."),
    Question("3.3.1", f"{_DESIGN}-preregistered", "Was the design preregistered?", 2),
    Question("3.3.2", f"{_DESIGN}-collection_method", "By which medium are responses collected?"),
    Question(
        "3.3.3.1",
        f"{_DESIGN}-quality_assurance-method",
        "Types of quality assurance.",
        7,
        {2: "2. Automatic quality checking methods are used during and/or after evaluation"},
    ),
    Question("3.3.3.2", f"{_DESIGN}-quality_assurance-description", "Methods of each type."),
    Question("3.3.4.1", f"{_DESIGN}-what_evaluators_see-link", "Where can the form be viewed?"),
    Question("3.3.4.2", f"{_DESIGN}-what_evaluators_see-description", "What do evaluators see?"),
    Question(
        "3.3.5",
        f"{_DESIGN}-evaluator_freedom",
        "How free are they in when and how quickly they evaluate?",
        5,
        {5: "5. None of the above (please describe)"},
    ),
    Question(
        "3.3.6",
        f"{_DESIGN}-evaluators_can_ask_questions",
        "Are they told that they can ask or give feedback?",
        5,
        {4: "4. Other (please describe)"},
    ),
    Question(
        "3.3.7",
        f"{_DESIGN}-experimental_conditions",
        "In which conditions do they evaluate?",
        8,
        {1: "1. Evaluators carry out assessments at a place of their own choosing"},
    ),
    Question("3.3.8", f"{_DESIGN}-evaluators_place_of_choosing", "How do conditions vary?"),
    Question(
        "4.1.1",
        f"{_QUALITY}-quality_type",
        "Type of quality.",
        3,
        {1: "1. Correctness", 2: "2. Goodness", 3: "3. Feature"},
    ),
    Question(
        "4.1.2",
        f"{_QUALITY}-output_aspect",
        "Aspect of outputs.",
        3,
        {
            1: "1. Form of output",
            2: "2. Content of output",
            3: "3. Both form and content of output",
        },
    ),
    Question(
        "4.1.3",
        f"{_QUALITY}-self_vs_external_frame",
        "In its own right, or relative to a frame of reference?",
        3,
        {
            1: "1. Quality of output in its own right",
            2: "2. Quality of output relative to the input",
        },
    ),
    Question(
        "4.2.1",
        f"{_MODE}-objective_or_subjective",
        "Objective or subjective?",
        2,
        {2: "2. Subjective"},
    ),
    Question(
        "4.2.2", f"{_MODE}-absolute_or_relative", "Absolute or relative?", 2, {1: "1. Absolute"}
    ),
    Question(
        "4.2.3",
        f"{_MODE}-intrinsic_or_extrinsic",
        "Intrinsic or extrinsic?",
        2,
        {1: "1. Intrinsic"},
    ),
    Question(
        "4.3.1.1",
        f"{_RESPONSE}-qc_name-participant_criterion_name",
        "Name of the criterion in the interface.",
    ),
    Question(
        "4.3.1.2", f"{_RESPONSE}-qc_name-mapped_criterion_name", "Its standardised name (QCET)."
    ),
    # The form's own spelling.
    Question(
        "4.3.2",
        f"{_RESPONSE}-participant_criterion_definiiton",
        "Definition given to evaluators.",
    ),
    Question("4.3.3", f"{_RESPONSE}-size_of_scale", "Size of the scale."),
    Question("4.3.4", f"{_RESPONSE}-list_or_range", "Possible values."),
    Question(
        "4.3.5",
        f"{_RESPONSE}-scale_presented_as",
        "How is the scale presented?",
        5,
        {5: "5. Other (please describe)"},
    ),
    Question("4.3.6", f"{_RESPONSE}-task_description", "Task, if there is no rating instrument."),
    Question("4.3.7", f"{_RESPONSE}-verbatim_question", "Verbatim question."),
    Question(
        "4.3.8",
        f"{_RESPONSE}-form_of_response",
        "Form of response elicitation.",
        11,
        {2: "2. Direct quality estimation", 7: "7. Output classification or labelling"},
    ),
    Question("4.3.9", f"{_RESPONSE}-response_aggregation", "How are responses aggregated?"),
    Question("4.3.10", f"{_RESPONSE}-effect_size_method", "Methods for effect size, significance."),
    Question("4.3.11.1", f"{_RESPONSE}-inter_annotator-agreement", "Inter-annotator: method."),
    Question("4.3.11.2", f"{_RESPONSE}-inter_annotator-agreement_score", "Inter-annotator: score."),
    Question(
        "4.3.12.1",
        f"{_RESPONSE}-intra_annotator-intra_annotator_agreement",
        "Intra-annotator: method.",
    ),
    Question(
        "4.3.12.2",
        f"{_RESPONSE}-intra_annotator-intra_annotator_agreement_score",
        "Intra-annotator: score.",
    ),
    Question("5.1", "heds-ethics-review_body", "Which ethics committee approved it?"),
    Question("5.2", "heds-ethics-personal_data", "Personal data (GDPR art. 4)?", 2),
    Question("5.3", "heds-ethics-special_category_data", "Special categories (GDPR art. 9)?", 2),
    Question("5.4", "heds-ethics-impact_assessments", "Impact assessments."),
)
BY_NUMBER = {question.number: question for question in QUESTIONS}


def form_file(
    filled: Mapping[tuple[str, str], Filled], criteria: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """The form's file: every key that it has. ``filled`` by (number of the question, criterion),
    "" for a question that is asked once. Raises ``KeyError`` for a box whose label is not known."""
    file: dict[str, dict[str, Any]] = {
        CRITERION: {
            "data": dict.fromkeys(criteria[:1], ""),
            "control": {name: place == 0 for place, name in enumerate(criteria)},
            "text": {},
            "number": "",
        }
    }
    for question in QUESTIONS:
        own_criteria = criteria if question.is_of_criterion else ("",)
        answers = {
            criterion: filled.get((question.number, criterion), Filled())
            for criterion in own_criteria
        }
        file |= _boxes(question, answers) if question.boxes else _text(question, answers)
    return file


def _text(question: Question, answers: Mapping[str, Filled]) -> dict[str, dict[str, Any]]:
    data = {criterion: answer.text for criterion, answer in answers.items()}
    return {question.key: {"data": data, "control": {}, "number": question.number}}


def _boxes(question: Question, answers: Mapping[str, Filled]) -> dict[str, dict[str, Any]]:
    file: dict[str, dict[str, Any]] = {}
    for box in range(1, question.boxes + 1):
        checked = {criterion: box in answer.boxes for criterion, answer in answers.items()}
        file[f"{question.key}-{box}"] = {
            "data": checked,
            "control": {},
            "text": {
                criterion: question.labels[box] if at else "" for criterion, at in checked.items()
            },
            "number": question.number,
        }
    described = {criterion: answer.text for criterion, answer in answers.items()}
    file[f"{question.key}-other_text"] = {"data": described, "control": {}, "number": None}
    return file
