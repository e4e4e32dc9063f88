"""The scoring rule and every refusal across fields. The only home of both.

Source: Beauchemin et al. (2025), JUDGEBERT, section 3.2.3 («each error reduces the score by one
point, starting from the bracket's maximum»; floor of one); the crossing policies are this project's
ruling.
"""

from __future__ import annotations

from annotation.protocols.base import Answers, PairFacts, Problem, RatingValue, Settings, Wording
from annotation.protocols.legal_meaning.definition import (
    NO_SIMPLIFICATION,
    OTHERS,
    STEPS,
    legal_meaning,
)
from annotation.protocols.protocol import Protocol

POLICIES = ("ask", "fall_through", "clamp")


def score(bracket: int, deductions: int, policy: str = "ask") -> int:
    """Legal meaning score, 1 to 10: top of the bracket minus one point per error, never below 1.

    Under ``clamp`` it never leaves the bracket either. Raises ``KeyError`` for an unknown bracket
    and ``ValueError`` for a negative count or an unknown policy.
    """
    if deductions < 0:
        raise ValueError(f"a number of errors cannot be negative: {deductions}")
    if policy not in POLICIES:
        raise ValueError(f"unknown crossing policy {policy!r}: one of {', '.join(POLICIES)}")
    chosen = legal_meaning.bracket(bracket)
    floor = chosen.bottom if policy == "clamp" else legal_meaning.lowest
    return max(floor, chosen.top - deductions)


def crosses(bracket: int, deductions: int) -> bool:
    """Whether so many errors take the formula's value below the bottom of the bracket."""
    return score(bracket, deductions) < legal_meaning.bracket(bracket).bottom


def contradiction(answers: Answers, facts: PairFacts) -> Wording | None:
    """What a machine sees in the pair that contradicts the answer on simplicity, if anything."""
    chosen = answers["simplicity"]
    if chosen is None:
        return None
    if chosen == NO_SIMPLIFICATION and not facts.is_identical and not facts.is_other_language:
        return Wording(
            "Les deux textes diffèrent et la simplification est en français.",
            "The two texts differ and the simplification is in French.",
        )
    if chosen != NO_SIMPLIFICATION and facts.is_identical:
        return Wording(
            "La simplification est identique à l'original.",
            "The simplification is identical to the original.",
        )
    if chosen != NO_SIMPLIFICATION and facts.is_other_language:
        return Wording(
            "La simplification semble être dans une autre langue que le français.",
            "The simplification seems to be in another language than French.",
        )
    return None


def rate(answers: Answers, settings: Settings) -> list[RatingValue]:
    """The three ratings of a judgment without problems."""
    deductions = len(answers["errors"])
    bracket = answers["bracket"]
    return [
        RatingValue("simplicity", answers["simplicity"]),
        RatingValue("characterization", answers["characterization"]),
        RatingValue(
            "legal_meaning",
            score(bracket, deductions, settings.crossing_policy),
            derivation="derived",
            bracket=bracket,
            deductions=deductions,
            crossing_policy=settings.crossing_policy,
            crossing_answer=answers["crossing_answer"],
            moved_from=answers["moved_from"],
        ),
    ]


def running_score(answers: Answers, settings: Settings) -> int | None:
    """The score as it stands; None until a bracket is chosen."""
    if answers["bracket"] is None:
        return None
    return score(answers["bracket"], len(answers["errors"]), settings.crossing_policy)


def problems(answers: Answers, facts: PairFacts, settings: Settings) -> list[Problem]:
    """Every reason why these answers are no complete judgment, in the order of the steps."""
    return [
        *_simplicity_problems(answers, facts),
        *_characterization_problems(answers),
        *_bracket_problems(answers, settings),
        *_error_problems(answers, facts, settings),
    ]


def _simplicity_problems(answers: Answers, facts: PairFacts) -> list[Problem]:
    if answers["simplicity"] is None:
        return [
            Problem(
                "simplicity",
                "required",
                Wording("Choisissez l'un des quatre niveaux.", "Choose one of the four levels."),
            )
        ]
    finding = contradiction(answers, facts)
    if finding and not answers["simplicity_confirmed"]:
        return [
            Problem(
                "simplicity_confirmed",
                "contradiction",
                Wording(
                    f"{finding.fr} Changez votre réponse ou confirmez-la.",
                    f"{finding.en} Change your answer or confirm it.",
                ),
            )
        ]
    return []


def _characterization_problems(answers: Answers) -> list[Problem]:
    if answers["characterization"] is None:
        return [
            Problem(
                "characterization",
                "required",
                Wording("Choisissez l'une des 18 qualifications.", "Choose one of the 18 classes."),
            )
        ]
    if answers["characterization"] == OTHERS and not answers["explanation"].strip():
        return [
            Problem(
                "explanation",
                "required",
                Wording(
                    "Expliquez pourquoi aucune des 17 autres qualifications ne convient.",
                    "Explain why none of the 17 other classes fits.",
                ),
            )
        ]
    return []


def _bracket_problems(answers: Answers, settings: Settings) -> list[Problem]:
    bracket, answer, moved_from = (
        answers["bracket"],
        answers["crossing_answer"],
        answers["moved_from"],
    )
    if bracket is None:
        return [
            Problem(
                "bracket",
                "required",
                Wording("Choisissez l'une des trois fourchettes.", "Choose one of the brackets."),
            )
        ]
    if (answer == "moved") != (moved_from is not None) or (
        moved_from is not None and moved_from <= bracket
    ):
        return [
            Problem(
                "crossing_answer",
                "inconsistent",
                Wording(
                    (
                        "Un changement de fourchette part d'une fourchette plus haute : répondez "
                        "de nouveau."
                    ),
                    "A move starts from a higher bracket: answer again.",
                ),
            )
        ]
    crossed = crosses(bracket, len(answers["errors"]))
    if settings.crossing_policy != "ask":
        return [_needless_answer()] if answer else []
    if crossed and not answer:
        return [_crossing_question(bracket, len(answers["errors"]))]
    if answer == "kept" and not crossed:
        return [_needless_answer()]
    return []


def _needless_answer() -> Problem:
    return Problem(
        "crossing_answer",
        "needless",
        Wording(
            "Le score ne sort pas de la fourchette : il n'y a rien à garder ni à changer.",
            "The score does not leave the bracket: there is nothing to keep or move.",
        ),
    )


def _crossing_question(bracket: int, deductions: int) -> Problem:
    chosen = legal_meaning.bracket(bracket)
    value = score(bracket, deductions)
    return Problem(
        "crossing_answer",
        "required",
        Wording(
            f"{deductions} erreurs donnent {value}, sous le bas de la fourchette "
            f"({chosen.bottom}) : "
            "gardez la fourchette ou changez-la.",
            f"{deductions} errors give {value}, below the bottom of the bracket ({chosen.bottom}): "
            "keep the bracket or move it.",
        ),
    )


def _error_problems(answers: Answers, facts: PairFacts, settings: Settings) -> list[Problem]:
    found = []
    for index, error in enumerate(answers["errors"]):
        name = f"errors.{index}"
        if not error["type"]:
            found.append(
                Problem(
                    f"{name}.type",
                    "required",
                    Wording(
                        f"Choisissez le type de l'erreur {index + 1} ou retirez-la.",
                        f"Choose the type of error {index + 1} or remove it.",
                    ),
                )
            )
        spans = [
            _span_problem(name, "original", error, facts.original_length),
            _span_problem(name, "simplification", error, facts.simplification_length),
        ]
        found += [problem for problem in spans if problem]
        if (
            settings.span_required
            and error["original_start"] is None
            and error["simplification_start"] is None
        ):
            found.append(
                Problem(
                    name,
                    "span_required",
                    Wording(
                        (
                            f"Marquez dans l'un des textes le passage de l'erreur {index + 1} : "
                            "cette étude l'exige."
                        ),
                        (
                            f"Mark the passage of error {index + 1} in one of the texts: this "
                            "study requires it."
                        ),
                    ),
                )
            )
    return found


def _span_problem(name: str, side: str, error: Answers, length: int) -> Problem | None:
    start, end = error[f"{side}_start"], error[f"{side}_end"]
    if start is None and end is None:
        return None
    if start is not None and end is not None and 0 <= start < end <= length:
        return None
    return Problem(
        f"{name}.{side}_start",
        "span",
        Wording(
            (
                f"Le passage marqué ({start}–{end}) sort du texte (0–{length}) : marquez-le de "
                "nouveau."
            ),
            f"The marked span ({start}–{end}) is outside the text (0–{length}): mark it again.",
        ),
    )


PROTOCOL = Protocol(
    key="legal_meaning",
    version="1",
    title=Wording("Sens légal (FrJUDGE)", "Legal meaning (FrJUDGE)"),
    steps=STEPS,
    rules=problems,
    rate=rate,
    running_score=running_score,
    finding=contradiction,
)
