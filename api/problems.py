"""Every refusal in one shape: problem details (RFC 9457), with one entry for each field that is
wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.core.exceptions import PermissionDenied, RequestDataTooBig, TooManyFilesSent
from django.http import Http404
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.fields import DateTimeField
from rest_framework.response import Response
from rest_framework.views import set_rollback

from annotation.corpus.problems import RowProblem, TableError
from annotation.errors import AnswersHidden, RuleError, StaleDraft, StudyArchived, StudyClosed
from annotation.protocols.base import Problem
from annotation.reading import ReadingBusy
from annotation.services.judging.judgments import Refused
from api.etags import PreconditionFailed
from api.fields import Path, RowNumber
from api.known import Unknown, UnknownNames
from api.parsers import UnstorableText
from api.permissions import MissingScope, SecondStepDue
from api.taken import place_in_body

CONTENT_TYPE = "application/problem+json"
# Rows that are named in one answer; a file may have a hundred thousand bad ones.
SHOWN_ROWS = 1000
_BUSY_SECONDS = 10


class TooLarge(Exception):
    """More than this operation reads; the message says how much it reads."""


def problem(status: int, kind: str, title: str, **members: Any) -> Response:
    """A refusal; ``kind`` is its type, for programs."""
    body = {"type": kind, "title": title, "status": status, **members}
    return Response(body, status=status, content_type=CONTENT_TYPE)


def problems_in_words(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """The problems in the language of the reader; those of a row with its number and what to do,
    those of a whole file with what to do alone."""
    language = get_language() or "fr"
    entries: list[dict[str, Any]] = []
    for refusal in problems:
        entry: dict[str, Any] = {
            "field": refusal.field,
            "code": refusal.code,
            "message": refusal.message.get(language),
        }
        if isinstance(refusal, RowProblem):
            entry |= {"row": refusal.row} if refusal.row else {}
            entry["remedy"] = refusal.remedy.get(language)
        entries.append(entry)
    return entries


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """The answer to whatever a view raised; None for what nobody foresaw, which is a defect and
    becomes a 500."""
    answer = next(
        (answer_to(error) for kind, answer_to in _ANSWERS.items() if isinstance(error, kind)), None
    )
    if answer is not None:
        set_rollback()
    return answer


_MOMENT = DateTimeField(required=False)


def _moment(moment: datetime) -> str:
    """As every other answer says it: with the offset of the installation's time zone."""
    return str(_MOMENT.to_representation(moment))


def _rule(error: RuleError) -> Response:
    members: dict[str, Any] = {"problems": problems_in_words(error.problems[:SHOWN_ROWS])}
    if len(error.problems) > SHOWN_ROWS:
        members["problem_count"] = len(error.problems)
    if isinstance(error, Refused):
        members |= {"revision": error.saved.revision, "saved_at": _moment(error.saved.saved_at)}
    elif all(refusal.code == "shape" for refusal in error.problems):
        return problem(
            400,
            "malformed",
            _("The answers do not have the form that the protocol asks for."),
            **members,
        )
    return problem(422, "refused", _("Something has to be mended."), **members)


def _busy(error: ReadingBusy) -> Response:
    answer = problem(
        429,
        "busy",
        _("A file cannot be read now. Try again later."),
        problems=problems_in_words(error.problems),
    )
    answer["Retry-After"] = str(_BUSY_SECONDS)
    return answer


def _stale(error: StaleDraft) -> Response:
    draft = error.current
    current = {
        "revision": draft.revision,
        "answers": draft.answers,
        "saved_at": _moment(draft.saved_at),
    }
    title = _(
        "A newer version was saved in the meantime. Nothing was overwritten: choose which one to "
        "keep."
    )
    return problem(409, "stale", title, current=current)


def _invalid(error: exceptions.ValidationError) -> Response:
    wrong: list[_Wrong | Unknown] = list(_wrong(error.get_full_details(), ()))
    if isinstance(error, UnknownNames):
        wrong.extend(error.unknown)
    # What is no row's first, then row by row: a misspelt name beside what is missing for it.
    wrong.sort(key=lambda refusal: _row(refusal.path) or 0)
    members: dict[str, Any] = {"problems": [_entry(refusal) for refusal in wrong[:SHOWN_ROWS]]}
    if len(wrong) > SHOWN_ROWS:
        members["problem_count"] = len(wrong)
    title = _("The request does not have the form that is asked for.")
    return problem(400, "malformed", title, **members)


def _unstorable(error: UnstorableText) -> Response:
    place = place_in_body(error.context["view"], str(error.context["request"].method), error.path)
    message = _("A text or a name holds NUL or half of a surrogate pair, which cannot be stored.")
    wrong = _Wrong(place, "character", message)
    return problem(400, "malformed", str(error.detail), problems=[_entry(wrong)])


class _Wrong(NamedTuple):
    """One of DRF's details, and where it stands."""

    path: Path
    code: str
    message: str


def _row(path: Path) -> RowNumber | None:
    return next((part for part in path if isinstance(part, RowNumber)), None)


_REMEDIES = {
    "required": gettext_lazy("Give it in this row, or leave the row out."),
    "null": gettext_lazy("Give it a value; where it may be missing, leave it out."),
    "unknown": gettext_lazy("Correct the name, or leave it out."),
}


def _entry(wrong: _Wrong | Unknown) -> dict[str, Any]:
    """With a dotted name, as in ``questioning.types.3``; of an import with its row, from which on
    names are counted, and what to do."""
    row = _row(wrong.path)
    path = wrong.path if row is None else wrong.path[wrong.path.index(row) + 1 :]
    entry: dict[str, Any] = {
        "field": ".".join(map(str, path)),
        "code": wrong.code,
        "message": wrong.message,
    }
    if row is not None:
        remedy = _REMEDIES.get(wrong.code, _("Correct this row, then send all of them again."))
        entry |= {"row": int(row), "remedy": str(remedy)}
    return entry


def _wrong(details: Any, path: Path) -> Iterator[_Wrong]:
    """DRF's nested details one by one."""
    if _is_message(details):
        yield _Wrong(path, str(details["code"]), str(details["message"]))
        return
    if isinstance(details, dict):
        named: list[tuple[Path, Any]] = [
            (() if name == "non_field_errors" else (_part(name),), inner)
            for name, inner in details.items()
        ]
    else:
        named = [
            (() if _is_message(inner) else (str(number),), inner)
            for number, inner in enumerate(details)
        ]
    for name, inner in named:
        yield from _wrong(inner, path + name)


def _part(name: Any) -> str | RowNumber:
    return name if isinstance(name, RowNumber) else str(name)


def _is_message(details: Any) -> bool:
    return isinstance(details, dict) and set(details) == {"message", "code"}


def _throttled(error: exceptions.Throttled) -> Response:
    answer = problem(429, "throttled", _("Too many requests. Wait a little, then try again."))
    answer["Retry-After"] = str(max(1, round(getattr(error, "wait", None) or 1)))
    return answer


def _not_logged_in(error: exceptions.APIException) -> Response:
    answer = problem(401, "login_required", str(error.detail))
    answer["WWW-Authenticate"] = getattr(error, "auth_header", 'Bearer realm="Bareme"')
    return answer


def _scope(error: MissingScope) -> Response:
    title = _("This API token does not allow that: it lacks the scope “%(scope)s”.") % {
        "scope": error.scope
    }
    return problem(403, "missing_scope", title, scope=error.scope)


def _second_step(error: SecondStepDue) -> Response:
    title = _(
        "Set up the second step of your log-in in the browser, then make a new token: older ones "
        "are refused."
    )
    return problem(403, "second_step_due", title)


BY_STATUS = {
    400: "malformed",
    403: "forbidden",
    405: "no_such_method",
    406: "not_acceptable",
    415: "unsupported",
}
"""The types of what the framework refuses."""


def _other(error: exceptions.APIException) -> Response:
    kind = BY_STATUS.get(error.status_code, "refused")
    return problem(error.status_code, kind, str(error.detail))


def _not_found(error: Exception) -> Response:
    return problem(404, "not_found", _("There is nothing here, or nothing that you may see."))


def _closed(error: StudyClosed) -> Response:
    return problem(409, "study_closed", _("This round takes no answers now."))


def _archived(error: StudyArchived) -> Response:
    title = _("This study is archived: bring it back to change something.")
    return problem(409, "study_archived", title)


def _hidden(error: AnswersHidden) -> Response:
    return problem(403, "answers_hidden", error.words.get(get_language() or "fr"))


def _changed(error: PreconditionFailed) -> Response:
    title = _("It was changed since you read it. Read it again, then decide.")
    return problem(412, "changed", title, etag=error.etag)


def _too_large(error: Exception) -> Response:
    return problem(413, "too_large", str(error) or _("This is more than can be read at once."))


def _forbidden(error: PermissionDenied) -> Response:
    return problem(403, "forbidden", _("You may not do that."))


# The first that fits answers, so the particular stand before the general.
_ANSWERS: dict[type[Exception], Callable[[Any], Response]] = {
    ReadingBusy: _busy,
    RuleError: _rule,
    StaleDraft: _stale,
    StudyClosed: _closed,
    StudyArchived: _archived,
    AnswersHidden: _hidden,
    TableError: lambda error: _rule(RuleError([error.problem])),
    PreconditionFailed: _changed,
    MissingScope: _scope,
    SecondStepDue: _second_step,
    TooLarge: _too_large,
    RequestDataTooBig: _too_large,
    TooManyFilesSent: _too_large,
    Http404: _not_found,
    exceptions.NotFound: _not_found,
    PermissionDenied: _forbidden,
    exceptions.ValidationError: _invalid,
    UnstorableText: _unstorable,
    exceptions.Throttled: _throttled,
    exceptions.NotAuthenticated: _not_logged_in,
    exceptions.AuthenticationFailed: _not_logged_in,
    exceptions.APIException: _other,
}
