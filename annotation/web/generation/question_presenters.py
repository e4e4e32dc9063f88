"""Questions, answers and grades as their pages show them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.corpus.question_rows import QuestionRow
from annotation.metrics.report.estimate import Drawn
from annotation.models import GenerationRun, Question
from annotation.questions.calls import FOLLOWS, Questioning
from annotation.questions.lengths import BORDERS, Border
from annotation.questions.report import questions_report
from annotation.questions.values import NOT_IN_TEXT_REASON, THRESHOLD, TYPES
from annotation.selectors.generation.questions import has_replies
from annotation.web.base.presenters import text
from annotation.web.generation.presenters import problem_words

ENDED = (GenerationRun.State.FINISHED, GenerationRun.State.CANCELLED)


def type_label(key: str) -> str:
    """A type of question in words."""
    return text(TYPES[key].label) if key in TYPES else key


def questioning_facts(run: GenerationRun) -> list[tuple[str, str]]:
    """How the run asks, line by line."""
    questioning = Questioning.of(run.questioning)
    facts = [
        (
            _("Language of the questions"),
            _("English") if questioning.language == "en" else _("French"),
        )
    ]
    if run.purpose not in FOLLOWS:
        facts += [
            (_("Types of questions"), ", ".join(type_label(key) for key in questioning.types)),
            (
                _("Questions of a text"),
                _("%(least)s to %(most)s") % {"least": questioning.least, "most": questioning.most},
            ),
        ]
    if questioning.window:
        longer = (
            _("cut %(where)s") % {"where": text(BORDERS[Border(questioning.border)])}
            if questioning.border
            else _("listed as refused")
        )
        limit = _("%(number)s tokens; a longer one is %(longer)s")
        facts.append((_("Text, at most"), limit % {"number": questioning.window, "longer": longer}))
    return facts


def next_step(run: GenerationRun) -> str:
    """What can be prepared after the run; "" for nothing, before it has ended, and where nothing
    came back that the next could be about."""
    follows = {before: purpose for purpose, before in FOLLOWS.items()}
    return follows.get(run.purpose, "") if run.state in ENDED and has_replies(run) else ""


def question_rows(questions: Iterable[Question], run: GenerationRun) -> list[dict[str, Any]]:
    """Questions with what may be done with each."""
    return [
        {
            "question": question,
            "item": question.generation.item.key,
            "system": question.generation.system.name,
            "type": type_label(question.type),
            "is_asked": question.is_asked,  # type: ignore[attr-defined]  # annotated
            "edit": reverse("generation_question", args=[run.study.key, run.number, question.pk]),
        }
        for question in questions
    ]


def answer_rows(rows: Iterable[QuestionRow]) -> list[dict[str, Any]]:
    """Answers with their grades and how each counts."""
    return [
        {
            "row": row,
            "type": type_label(row.type),
            "reason": _("by rule: the text does not say")
            if row.reason == NOT_IN_TEXT_REASON
            else row.reason,
            "missing": missing_words(row.missing),
            "label": _label(row),
            "badge": {"YES": "badge--ok", "NO": "badge--bad"}.get(_label(row), "badge--warn"),
        }
        for row in rows
    ]


def system_figures(rows: list[QuestionRow]) -> list[dict[str, Any]]:
    """Of each chain and system of texts: how many rows, how many count, the share of YES in
    percent, the mean grade, what is not in the text or beyond it, what is missing and why."""
    report = questions_report(rows, drawn=Drawn(draws=0))
    return [
        {
            "variant": figures["variant"],
            "model": figures["model"],
            "system": figures["system"],
            "n": figures["n"],
            "answered": figures["answered"],
            "yes": _percent(figures["yes"]["value"]),
            "mean": figures["mean"]["value"],
            "not_in_text": _percent(figures["not_in_text"]["value"]),
            "beyond_text": _percent(figures["beyond_text"]["value"]),
            "missing": [
                (missing_words(missing["reason"]), missing["n"]) for missing in figures["missing"]
            ],
        }
        for figures in report["systems"]
        if not figures["type"]
    ]


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _label(row: QuestionRow) -> str:
    """How the answer counts; "" where it does not yet."""
    if row.missing:
        return ""
    if not row.is_in_text or row.beyond_text:
        return "NO"
    return "" if row.grade is None else "YES" if row.grade >= THRESHOLD else "NO"


def missing_words(reason: str) -> str:
    """Why something is missing: what of, and what became of it."""
    kind, _divider, problem = reason.partition(": ")
    kinds = {"answer": _("no answer"), "grade": _("no grade"), "no_grade": _("no grade yet")}
    words = {"waiting": _("waiting"), "running": _("under way"), "cancelled": _("cancelled"),
             "not asked": _("not asked for")}  # fmt: skip
    if not reason:
        return ""
    if not problem:
        return kinds[kind]
    return f"{kinds[kind]} ({words.get(problem) or problem_words(problem)})"
