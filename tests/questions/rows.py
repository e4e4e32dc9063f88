"""Rows as a pipeline leaves them, drawn by a seed: texts, faults, people who mostly agree with the
grade."""

from __future__ import annotations

from random import Random

from annotation.corpus.question_rows import QuestionRow

SYSTEMS = ("LED", "BART", "GPT-4")
VARIANTS = ("questions-en 1", "short 1")
TYPES = ("issue", "reason", "conclusion")


def rows(sources: int = 12, seed: int = 3) -> list[QuestionRow]:
    """For each source three questions, put to three systems' texts by two variants."""
    rng = Random(seed)
    return [
        _row(rng, f"case-{source:02}", system, number, variant)
        for source in range(sources)
        for system in SYSTEMS
        for number in range(1, 4)
        for variant in VARIANTS
    ]


def _row(rng: Random, source: str, system: str, number: int, variant: str) -> QuestionRow:
    fate = rng.random()
    missing = "not_json" if fate < 0.05 else ""
    is_in_text = fate > 0.2
    grade = rng.randint(0, 10) if is_in_text and not missing else None
    if grade is not None and rng.random() < 0.04:
        grade = None
    right = 0.15 + 0.07 * (grade if grade is not None else 0)
    people = {who: rng.random() < right for who in "ABCD" if rng.random() < 0.8}
    return QuestionRow(
        source=source,
        system=system,
        question=str(number),
        type=TYPES[number - 1],
        text=f"Question {number} of {source}?",
        expected="This.",
        reference_quotation="this",
        answer="That." if is_in_text else "",
        quotation="that" if is_in_text else "",
        is_in_text=is_in_text,
        beyond_text=is_in_text and rng.random() < 0.15,
        grade=grade,
        reason="Because.",
        missing=missing,
        variant=variant,
        model="gpt",
        people=people,
        captured={who: rng.random() < 0.9 for who in "AB"},
        correct=dict.fromkeys("AB", True),
        tokens=rng.randint(300, 900),
        usd=round(rng.random() / 1000, 6),
    )
