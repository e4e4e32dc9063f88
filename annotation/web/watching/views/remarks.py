"""Comments and doubts in one list: read, answered, settled. Leads only."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import study_for_lead
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import Study
from annotation.selectors.watching.remarks import (
    KINDS,
    ORDERS,
    STATES,
    Remark,
    as_remarks,
    hidden_rounds,
    remarks,
)
from annotation.services.platform.events import event_record
from annotation.services.watching.remarks import remark_answer, remark_settle
from annotation.web.platform.csv_files import table_response
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest

PAGE_SIZE = 25


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_remarks(request: PersonRequest, study: str) -> HttpResponse:
    """The list, by what is asked for in the address; a POST answers or settles one of them."""
    found = study_for_lead(request.user, study)
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        try:
            _act(request, found)
        except RuleError as error:
            problems = problems_in_words(error.problems)
        else:
            return redirect(request.get_full_path())
    wanted = _wanted(request)
    page = Paginator(_remarks_matching(found, wanted), PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "study": found,
        "page": page,
        "remarks": as_remarks(found, page),
        "problems": [one | {"field": ""} for one in problems],
        "typed": {
            "assignment": whole(request.POST.get("assignment")),
            "text": request.POST.get("text", ""),
        },
        "people": found.annotators.filter(kind="person").values_list("pseudonym", flat=True),
        "wanted": wanted,
        "filtered": any(value for name, value in wanted.items() if name != "order"),
        "query": request.GET.urlencode(),
        "hidden": bool(hidden_rounds(found)),
    }
    return render(request, "watching/remarks.html", context, status=422 if problems else 200)


@never_cache
@login_required
@require_safe
def remarks_file(request: PersonRequest, study: str) -> HttpResponseBase:
    """The same list as a file. During a blind phase it holds no comment."""
    found = study_for_lead(request.user, study)
    header = [
        *(
            _("study"),
            _("pseudonym"),
            _("pair"),
            _("round"),
            _("doubt"),
            _("comment"),
            _("comment hidden"),
        ),
        *(_("submitted"), _("settled"), _("answers")),
    ]
    rows = [
        _row(found, one) for one in as_remarks(found, _remarks_matching(found, _wanted(request)))
    ]
    event_record(
        actor=request.user, study=found, verb="remarks_downloaded", target=found, remarks=len(rows)
    )
    back = reverse("study_remarks", args=[found.key])
    return table_response(request, f"{found.key}-remarks", header, rows, back=back)


def _act(request: PersonRequest, study: Study) -> None:
    assignment, action = whole(request.POST.get("assignment")) or 0, request.POST.get("action", "")
    if action == "answer":
        remark_answer(
            actor=request.user,
            study=study,
            assignment=assignment,
            text=request.POST.get("text", ""),
        )
        messages.success(request, _("Your answer stands beside the annotator's own judgment."))
    elif action in ("settle", "reopen"):
        remark_settle(
            actor=request.user, study=study, assignment=assignment, is_settled=action == "settle"
        )
    else:
        raise RuleError.single(
            "action", "unknown", "Action inconnue. Rechargez la page.", "Unknown. Reload the page."
        )


def _wanted(request: PersonRequest) -> dict[str, str]:
    """What the address asks for; a value that nobody offered is as good as none."""
    state, kind = request.GET.get("state", ""), request.GET.get("kind", "")
    order = request.GET.get("order", "")
    return {
        "state": state if state in STATES else "",
        "kind": kind if kind in KINDS else "",
        "annotator": request.GET.get("annotator", ""),
        "search": request.GET.get("q", "").strip(),
        "order": order if order in ORDERS else "",
    }


def _remarks_matching(study: Study, wanted: dict[str, str]) -> Any:
    return remarks(study, **wanted)


def _row(study: Study, one: Remark) -> list[object]:
    yes, no = _("yes"), _("no")
    return [
        study.key,
        one.annotator.pseudonym,
        one.pair,
        one.round,
        yes if one.doubt else no,
        one.comment,
        yes if one.comment_hidden else no,
        one.submitted_at and timezone.localtime(one.submitted_at).isoformat(timespec="seconds"),
        yes if one.settled else no,
        "\n\n".join(answer.text for answer in one.answers),
    ]
