"""Comments and doubts in one list: read, answered, settled. Leads only."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
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
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import study_for_lead
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import Item, Study
from annotation.selectors.base.remarked import KINDS
from annotation.selectors.watching.remarks import (
    ORDERS,
    STATES,
    Remark,
    as_remarks,
    hidden_rounds,
    remarks,
    remarks_number,
)
from annotation.services.platform.events import event_record
from annotation.services.watching.remarks import remark_answer, remark_settle, remarks_settle
from annotation.web.platform.csv_files import table_response
from annotation.web.platform.paging import Counted, Uncounted
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest

PAGE_SIZE = 25
MOST_CHOSEN = 200


@dataclass(frozen=True)
class Row:
    """A remark as the page shows it. ``after_settling`` and ``after_reopening``: the remark at
    which the page stays afterwards, the next one where this one leaves the list by it."""

    remark: Remark
    typed: str
    is_chosen: bool
    after_settling: int
    after_reopening: int


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_remarks(request: PersonRequest, study: str) -> HttpResponse:
    """The list, by what is asked for in the address; a POST answers or settles one of them.

    What was typed or ticked under the others comes along, and stands there again afterwards.
    """
    led_study = study_for_lead(request.user, study)
    typed, chosen = _typed(request), set(_chosen(request))
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        try:
            done = _act(request, led_study)
        except RuleError as error:
            problems = problems_in_words(error.problems)
        else:
            chosen -= done.settled
            typed.pop(done.answered, "")
            if not typed and not chosen:
                return redirect(request.get_full_path())
    wanted = _wanted(request)
    page = _pages(led_study, wanted).get_page(request.GET.get("page"))
    shown = as_remarks(led_study, page)
    # What was typed is shown also where its remark has just left the list or gone to another page.
    gone = set(typed) - {remark.assignment for remark in shown}
    shown += (
        as_remarks(led_study, remarks(led_study).filter(judgment__assignment__in=gone))
        if gone
        else []
    )
    context = {
        "study": led_study,
        "page": page,
        "rows": _rows(shown, typed, chosen, wanted["state"]),
        "any_open": any(not remark.settled for remark in shown),
        "problems": [problem | {"field": ""} for problem in problems],
        "people": led_study.annotators.filter(kind="person").values_list("pseudonym", flat=True),
        "wanted": wanted,
        "filtered": any(value for name, value in wanted.items() if name != "order"),
        "query": request.GET.urlencode(),
        "hidden": bool(hidden_rounds(led_study)),
    }
    return render(request, "watching/remarks.html", context, status=422 if problems else 200)


def _rows(
    shown: Sequence[Remark], typed: Mapping[int, str], chosen: Container[int], state: str
) -> list[Row]:
    following = [remark.assignment for remark in [*shown[1:], *shown[-1:]]]
    return [
        Row(
            remark=remark,
            typed=typed.get(remark.assignment, ""),
            is_chosen=remark.assignment in chosen,
            after_settling=after if state == "open" else remark.assignment,
            after_reopening=after if state == "settled" else remark.assignment,
        )
        for remark, after in zip(shown, following, strict=True)
    ]


@never_cache
@login_required
@require_safe
def remarks_file(request: PersonRequest, study: str) -> HttpResponseBase:
    """The same list as a file. During a blind phase it holds no comment."""
    led_study = study_for_lead(request.user, study)
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
        _row(led_study, remark)
        for remark in as_remarks(led_study, _remarks_matching(led_study, _wanted(request)))
    ]
    event_record(
        actor=request.user,
        study=led_study,
        verb="remarks_downloaded",
        target=led_study,
        remarks=len(rows),
    )
    back = reverse("study_remarks", args=[led_study.key])
    return table_response(request, f"{led_study.key}-remarks", header, rows, back=back)


@dataclass(frozen=True)
class Done:
    """The remark that an answer went to, 0 for none; those that were settled, if only to be settled
    anew."""

    answered: int = 0
    settled: frozenset[int] = frozenset()


def _act(request: PersonRequest, study: Study) -> Done:
    """What the pressed button asks for; a button's value is its remark."""
    actor = request.user
    for action in ("answer", "settle", "reopen"):
        if action not in request.POST:
            continue
        assignment = whole(request.POST[action]) or 0
        if action == "answer":
            text = request.POST.get(f"text-{assignment}", "")
            remark_answer(actor=actor, study=study, assignment=assignment, text=text)
            messages.success(request, _("Your answer stands beside the annotator's own judgment."))
            return Done(answered=assignment)
        is_settled = action == "settle"
        remark_settle(actor=actor, study=study, assignment=assignment, is_settled=is_settled)
        return Done(settled=frozenset({assignment}))
    if "settle_chosen" in request.POST:
        chosen = _chosen(request)
        number = remarks_settle(actor=actor, study=study, assignments=chosen)
        words = ngettext("%(number)s remark is settled.", "%(number)s remarks are settled.", number)
        messages.success(request, words % {"number": number})
        return Done(settled=frozenset(chosen))
    raise RuleError.single(
        "action", "unknown", "Action inconnue. Rechargez la page.", "Unknown. Reload the page."
    )


def _typed(request: PersonRequest) -> dict[int, str]:
    """Answers that were typed and not sent, by remark; blanks are nothing."""
    fields = ((whole(name.removeprefix("text-")), name) for name in request.POST)
    answers = ((number, request.POST.get(name, "")) for number, name in fields if number)
    return {number: text for number, text in answers if text.strip()}


def _chosen(request: PersonRequest) -> list[int]:
    """The remarks that were ticked; what is no number is none of them."""
    numbers = (whole(typed) for typed in request.POST.getlist("chosen")[:MOST_CHOSEN])
    return [number for number in numbers if number]


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


def _pages(study: Study, wanted: dict[str, str]) -> Paginator[Any]:
    rows, number = _remarks_matching(study, wanted), remarks_number(study, **wanted)
    return Uncounted(rows, PAGE_SIZE) if number is None else Counted(rows, PAGE_SIZE, number)


def _remarks_matching(study: Study, wanted: dict[str, str]) -> Any:
    return remarks(study, **wanted)


def _row(study: Study, remark: Remark) -> list[object]:
    yes, no = _("yes"), _("no")
    return [
        study.key,
        remark.annotator.pseudonym,
        remark.pair,
        Item(round=remark.round).get_round_display(),
        yes if remark.doubt else no,
        remark.comment,
        yes if remark.comment_hidden else no,
        remark.submitted_at
        and timezone.localtime(remark.submitted_at).isoformat(timespec="seconds"),
        yes if remark.settled else no,
        "\n\n".join(answer.text for answer in remark.answers),
    ]
