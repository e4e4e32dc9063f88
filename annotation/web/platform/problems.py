"""One shape for every refusal that a program reads: problem details (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import JsonResponse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.errors import RuleError
from annotation.protocols.base import Problem


def problem_response(status: int, kind: str, title: str, **members: Any) -> JsonResponse:
    """An ``application/problem+json`` answer; ``kind`` is its type, for programs."""
    body = {"type": kind, "title": title, "status": status, **members}
    return JsonResponse(body, status=status, content_type="application/problem+json")


def problems_in_words(problems: list[Problem]) -> list[dict[str, str]]:
    """The problems in the language of the reader."""
    language = get_language() or "fr"
    return [
        {"field": p.field, "code": p.code, "message": p.message.get(language)} for p in problems
    ]


def add_problems(form: Any, error: RuleError) -> None:
    """A service's refusal at the fields that it names."""
    for problem in problems_in_words(error.problems):
        form.add_error(
            problem["field"] if problem["field"] in form.fields else None, problem["message"]
        )


def refusal(
    error: RuleError, *, status: int = 422, urls: Mapping[str, str] | None = None, **members: Any
) -> JsonResponse:
    """A broken rule, with each field's message; ``urls``: by field, the page on which it is
    mended, where that is another."""
    problems = problems_in_words(error.problems)
    for problem in problems:
        if url := (urls or {}).get(problem["field"]):
            problem["url"] = url
    return problem_response(
        status,
        "refused",
        _("Something has to be mended."),
        problems=problems,
        **members,
    )


def login_required_response(**members: Any) -> JsonResponse:
    """For a program whose session has ended."""
    title = _("Your session has ended. Log in again: nothing is lost.")
    return problem_response(401, "login_required", title, **members)
