"""What came back from the models, output by output, and the log of the calls. Leads only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.db.models.functions import Length
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import run_for_lead
from annotation.bodies import whole
from annotation.cells import Sheet
from annotation.errors import RuleError
from annotation.generation.review import FLAGS
from annotation.models import GenerationCall, GenerationRun, Output
from annotation.selectors.base.outputs import newest_outputs
from annotation.services.generation.review import outputs_decide
from annotation.web.base.presenters import text
from annotation.web.generation.presenters import output_rows
from annotation.web.generation.views.runs import decided
from annotation.web.platform.csv_files import table_response
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest

PAGE_SIZE = 25
ORDERS: dict[str, tuple[Any, ...]] = {
    "": ("generation__item__position",),
    "shortest": (Length("text"),),
    "longest": (Length("text").desc(),),
    "newest": ("-created_at",),
}
CALL_COLUMNS = (
    "generation__item__key",
    "generation__system__name",
    "output_number",
    "started_at",
    "outcome",
    "http_status",
    "model",
    "response_id",
    "request_id",
    "fingerprint",
    "finish_reason",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "latency_ms",
    "retry_after",
)
CALL_HEADER = ("item", "system", *CALL_COLUMNS[2:])


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def generation_outputs(request: PersonRequest, study: str, number: int) -> HttpResponse:
    """The outputs in force, all or those with a flag; decisions on those that are chosen."""
    run = run_for_lead(request.user, study, number)
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        chosen = [
            pk
            for typed in request.POST.getlist("output")
            if (pk := whole(typed, digits=18)) is not None
        ]
        try:
            done = outputs_decide(
                actor=request.user,
                run=run,
                decision=request.POST.get("decision", ""),
                outputs=chosen,
            )
        except RuleError as error:
            problems = problems_in_words(error.problems)
        else:
            messages.success(request, decided(done))
            return redirect(request.get_full_path())
    wanted = _wanted(request)
    page = Paginator(_outputs(run, wanted), PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "study": run.study,
        "run": run,
        "page": page,
        "outputs": output_rows(page),
        **wanted,
        "systems": list(run.systems.values_list("name", flat=True)),
        "flags": [(key, text(label)) for key, label in FLAGS.items()],
        "problems": problems,
        "judging": run.purpose == GenerationRun.Purpose.JUDGE,
    }
    return render(request, "generation/outputs.html", context, status=422 if problems else 200)


@never_cache
@login_required
@require_safe
def outputs_file(request: PersonRequest, study: str, number: int) -> HttpResponseBase:
    """The outputs that the list shows, as a file: all of its pages."""
    run = run_for_lead(request.user, study, number)
    header = [
        *(
            _("item"),
            _("system"),
            _("output number"),
            _("findings"),
            _("decision"),
            _("in the study"),
        ),
        *(_("end of the answer"), _("original"), _("output"), _("as it came")),
    ]
    yes, no = _("yes"), _("no")
    rows = (
        [
            *(row["item"], row["system"], row["number"], ", ".join(row["flags"]), row["decision"]),
            *(yes if row["adopted"] else no, row["finish_reason"], row["original"]),
            *(row["text"], row["raw"]),
        ]
        for row in output_rows(_outputs(run, _wanted(request)))
    )
    back = reverse("generation_outputs", args=[run.study.key, run.number])
    return table_response(
        request, f"{run.study.key}-run-{run.number}-outputs", header, rows, back=back
    )


def _wanted(request: PersonRequest) -> dict[str, str]:
    return {name: request.GET.get(name, "") for name in ("flag", "system", "order")}


def _outputs(run: GenerationRun, wanted: Mapping[str, str]) -> QuerySet[Output]:
    """The outputs in force that the address asks for, in its order."""
    outputs = newest_outputs(run).select_related("generation__item", "generation__system")
    flag, system, order = wanted["flag"], wanted["system"], wanted["order"]
    if flag in FLAGS:
        # A list in a JSON column: both databases are asked the same by its text.
        outputs = outputs.filter(flags__icontains=f'"{flag}"')
    elif flag == "undecided":
        outputs = outputs.exclude(flags=[]).filter(decision="")
    if system:
        outputs = outputs.filter(generation__system__name=system)
    return outputs.order_by(*ORDERS.get(order, ORDERS[""]), "pk")


@never_cache
@login_required
@require_safe
def generation_calls(request: PersonRequest, study: str, number: int) -> HttpResponseBase:
    """Every call with how it ended, as CSV. It holds no text."""
    run = run_for_lead(request.user, study, number)
    response = StreamingHttpResponse(_lines(run), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = (
        f'attachment; filename="{run.study.key}-run-{run.number}-calls.csv"'
    )
    response["X-Content-Type-Options"] = "nosniff"
    return response


class _Line:
    """What a sheet writes to, so that each row can be sent as it is made."""

    def write(self, line: str) -> str:
        return line


def _lines(run: GenerationRun) -> Iterator[str]:
    writer = Sheet(_Line())
    yield writer.writerow(CALL_HEADER)
    calls = (
        GenerationCall.objects.filter(generation__run=run).order_by("pk").values_list(*CALL_COLUMNS)
    )
    for row in calls.iterator(chunk_size=2000):
        yield writer.writerow(row)
