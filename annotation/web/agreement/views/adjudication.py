"""What disagrees, case by case, and the rulings on it. Leads only; names are hidden unless asked
for."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import case_for_lead, study_with_answers
from annotation.errors import RuleError
from annotation.models import Adjudication, Simplification, Study
from annotation.selectors.agreement.adjudication import (
    adjudication_queue,
    case_digest,
    counted_field,
    rules_of,
    ruling_of,
    seen_digest,
    voices,
)
from annotation.services.agreement.adjudications import (
    Ruling,
    adjudicate,
    adjudication_rules_set,
    adjudication_withdraw,
)
from annotation.web.agreement.adjudication_presenters import (
    case_context,
    case_row,
    reach_words,
    ruling_words,
)
from annotation.web.agreement.marks.consensus import consensus_context
from annotation.web.agreement.marks.ruling import RulingForm
from annotation.web.agreement.thresholds_form import ThresholdsForm
from annotation.web.base.presenters import dimension_label, text
from annotation.web.platform.problems import add_problems, problems_in_words
from annotation.web.platform.requests import PersonRequest

PAGE_SIZE = 50


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_adjudication(request: PersonRequest, study: str) -> HttpResponse:
    """The queue, and the thresholds by which it is made."""
    led_study = study_with_answers(request.user, study)
    post = request.POST if request.method == "POST" else None
    form = ThresholdsForm(led_study.protocol, rules_of(led_study), post)
    if form.is_valid() and _set(request, led_study, form):
        return redirect("study_adjudication", study=led_study.key)
    queue = adjudication_queue(led_study)
    wanted = {name: request.GET.get(name, "") for name in ("dimension", "state")}
    cases = [
        case
        for case in queue.cases
        if wanted["dimension"] in ("", case.dimension) and wanted["state"] in ("", case.state)
    ]
    page = Paginator(cases, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "study": led_study,
        "page": page,
        "cases": [case_row(led_study, case) for case in page],
        "form": form,
        "out_of_reach": [reach_words(led_study, reached) for reached in queue.out_of_reach],
        "withdrawn": queue.of_withdrawn._asdict() if queue.of_withdrawn.judgments else None,
        "counts": {state: queue.count(state) for state in ("open", "due_again", "ruled")},
        "dimensions": [
            (name, dimension_label(led_study.protocol, name))
            for name in led_study.protocol.dimensions
        ],
        **wanted,
    }
    return render(request, "agreement/queue.html", context, status=422 if form.errors else 200)


def _set(request: PersonRequest, study: Study, form: ThresholdsForm) -> bool:
    """Whether the thresholds were taken; else the form says what is wrong with each."""
    try:
        adjudication_rules_set(actor=request.user, study=study, rules=form.rules)
    except RuleError as error:
        add_problems(form, error)
    return not form.errors


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def adjudication_case(
    request: PersonRequest, study: str, simplification: int, dimension: str
) -> HttpResponse:
    """One disputed dimension of one pair: everybody's judgment, and the ruling."""
    led_study, pair = case_for_lead(request.user, study, simplification, dimension)
    named = request.GET.get("names") == "1"
    problems: list[dict[str, str]] = []
    refusal: RuleError | None = None
    heard = voices(led_study, pair, named=named)
    ruling = ruling_of(pair, dimension)
    field = counted_field(led_study, dimension)
    post = request.POST if request.method == "POST" else None
    form = RulingForm(pair, heard, field, ruling, post) if field else None
    status = 200
    if request.POST.get("action") == "add" and form:
        status = 200 if form.add() else 422
    elif request.method == "POST":
        try:
            _rule(request, led_study, pair, dimension, form, named=named)
        except RuleError as error:
            refusal, problems, status = error, _explained(error, form), 422
        else:
            return redirect("study_adjudication", study=led_study.key)
    former = Adjudication.objects.filter(
        simplification=pair, dimension=dimension, superseded_at__isnull=False
    ).select_related("decided_by")
    judged = case_digest(led_study, pair, heard, dimension)
    context: dict[str, Any] = {
        "study": led_study,
        "is_marked": field is not None,
        **(form.context() if form else {}),
        "consensus": consensus_context(led_study, pair, heard),
        "named": named,
        "problems": problems,
        "digest": _seen(seen_digest(judged, ruling), post, refusal),
        "ruling": ruling,
        "ruling_words": ruling_words(led_study, ruling) if ruling else "",
        "stale": ruling is not None and ruling.judgments_digest != judged,
        "former": [
            (former_ruling, ruling_words(led_study, former_ruling)) for former_ruling in former
        ],
        "typed": {name: request.POST.get(name, "") for name in ("outcome", "value", "reasons")},
        **case_context(led_study, pair, dimension, heard),
    }
    if field is not None:
        context["dimension_label"] = text(field.label)
    return render(request, "agreement/case.html", context, status=status)


def _rule(
    request: PersonRequest,
    study: Study,
    pair: Simplification,
    dimension: str,
    form: RulingForm | None,
    *,
    named: bool,
) -> None:
    if request.POST.get("action") == "withdraw":
        shown = request.POST.get("ruling", "")
        if adjudication_withdraw(
            actor=request.user,
            study=study,
            simplification=pair,
            dimension=dimension,
            shown=int(shown) if shown.isdecimal() else 0,
        ):
            messages.success(request, _("The ruling was taken back; it stays in the record."))
        else:
            messages.info(request, _("The ruling had been taken back already."))
        return
    value = _number(request.POST.get("value", ""))
    ruling = Ruling(
        outcome=request.POST.get("outcome", ""),
        value=int(value) if value is not None and value == int(value) else None,
        marks=form.marks if form else None,
        reasons=request.POST.get("reasons", ""),
        saw_pseudonyms=named,
        digest=request.POST.get("digest", ""),
    )
    adjudicate(
        actor=request.user, study=study, simplification=pair, dimension=dimension, ruling=ruling
    )
    messages.success(request, _("The ruling is recorded; the judgments stay as they are."))


def _seen(shown: str, post: QueryDict | None, refusal: RuleError | None) -> str:
    """The digest of what the person has seen: what came in meanwhile is not, until it was the
    reason of a refusal."""
    said = refusal is not None and any(problem.field == "digest" for problem in refusal.problems)
    return shown if post is None or said else post.get("digest", shown)


def _explained(error: RuleError, form: RulingForm | None) -> list[dict[str, str]]:
    """What was refused; of an edit, at its row and by the number that it has on the page."""
    at_rows = form.explain() if form else []
    own = f"{form.field.name}." if form else ""
    others = [
        problem for problem in error.problems if not (at_rows and problem.field.startswith(own))
    ]
    # What came in meanwhile is no control of the page that a link could lead to.
    said = [
        problem | {"field": ""} if problem["field"] == "digest" else problem
        for problem in problems_in_words(others)
    ]
    return [*said, *at_rows]


def _number(given: str) -> float | None:
    """A number as people type it, or None."""
    try:
        number = float(given.strip().replace(",", "."))
    except ValueError:
        return None
    return number if abs(number) < 1e6 else None
