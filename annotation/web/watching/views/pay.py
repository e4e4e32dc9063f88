"""The pay sheet: whose active time falls into a period. Leads only; the one place where names stand
beside hours."""

from __future__ import annotations

from decimal import Decimal

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_safe

from annotation.access import study_for_lead
from annotation.models import Study
from annotation.selectors.watching.pay import PayLine, Period, full_day_margin, pay_lines
from annotation.services.platform.events import event_record
from annotation.web.platform.csv_files import table_response
from annotation.web.platform.requests import PersonRequest
from annotation.web.watching.forms import PeriodForm


@never_cache
@login_required
@require_safe
def study_pay(request: PersonRequest, study: str) -> HttpResponse:
    """The sheet on a page, and the period to choose."""
    return _page(request, study_for_lead(request.user, study), PeriodForm(request.GET))


@never_cache
@login_required
@require_GET  # no HEAD: what nobody got is not noted as taken out
def pay_file(request: PersonRequest, study: str) -> HttpResponseBase:
    """The sheet as a file; who took it stands in the audit trail."""
    led_study = study_for_lead(request.user, study)
    form = PeriodForm(request.GET)
    if not form.is_valid():
        return _page(request, led_study, form)
    period = form.period
    header = [
        *(_("study"), _("pseudonym"), _("name"), _("e-mail address"), _("from"), _("to")),
        *(
            _("active hours"),
            _("of these in practice"),
            _("active seconds"),
            _("judgments"),
            _("corrections"),
        ),
        *(_("first save"), _("last save"), _("withdrawn")),
        _("days with more active time than between their saves"),
    ]
    rows = [_row(led_study, line, period) for line in pay_lines(led_study, period)]
    event_record(
        actor=request.user,
        study=led_study,
        verb="pay_sheet_downloaded",
        target=led_study,
        people=len(rows),
    )
    back = reverse("study_pay", args=[led_study.key])
    return table_response(request, f"{led_study.key}-pay", header, rows, back=back)


def _page(request: PersonRequest, study: Study, form: PeriodForm) -> HttpResponse:
    lines = pay_lines(study, form.period) if form.is_valid() else []
    context = {
        "study": study,
        "form": form,
        "lines": lines,
        "hours": sum(line.hours for line in lines),
        "judgments": sum(line.judgments for line in lines),
        "full": [line for line in lines if line.full_days],
        "margin": full_day_margin(study).total_seconds() / 60,
        "query": request.GET.urlencode(),
        "zone": timezone.get_current_timezone_name(),
    }
    return render(request, "watching/pay.html", context, status=200 if form.is_valid() else 422)


def _hundredths(hours: float) -> Decimal:
    """A number, which a spreadsheet adds up in any language."""
    return Decimal(f"{hours:.2f}")


def _row(study: Study, line: PayLine, period: Period) -> list[object]:
    person = line.annotator.user
    return [
        study.key,
        line.annotator.pseudonym,
        person.name if person else "",
        person.email if person else "",
        period.first,
        period.last,
        _hundredths(line.hours),
        _hundredths(line.practice_hours),
        line.seconds,
        line.judgments,
        line.corrections,
        line.first_at and timezone.localtime(line.first_at).isoformat(timespec="seconds"),
        line.last_at and timezone.localtime(line.last_at).isoformat(timespec="seconds"),
        _("yes") if line.annotator.withdrawn_at else _("no"),
        " ".join(full.day.isoformat() for full in line.full_days),
    ]
