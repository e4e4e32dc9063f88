"""A study's pages for those who run it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import may_create_studies, study_for_lead
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import GuideVersion, Study
from annotation.protocols.first_guide import first_guide
from annotation.protocols.registry import published
from annotation.selectors.guides.acknowledgement import guide_in_force, yet_to_acknowledge
from annotation.selectors.planning.absence import judging
from annotation.selectors.planning.context_arm import pairs_opened
from annotation.selectors.watching.progress import annotators_progress, has_judgments, study_counts
from annotation.services.planning.assignments import assignments_fill
from annotation.services.platform.study_rows import study_row_lock
from annotation.services.studies.studies import (
    guide_publish,
    study_change_state,
    study_create,
    study_update,
)
from annotation.web.base.presenters import text
from annotation.web.platform.behind_login import post_behind_login
from annotation.web.platform.markdown import render_guide
from annotation.web.platform.problems import add_problems, problems_in_words
from annotation.web.platform.requests import PersonRequest
from annotation.web.platform.text_changes import text_changes
from annotation.web.studies.forms import GuideForm, StudyForm, StudySettingsForm
from annotation.web.studies.presenters import life_context

EVENTS_PAGE_SIZE = 50
# Of a version of the guide, by language.
BODIES = ("body_fr", "body_en")
RECENT_EVENTS = 8


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_new(request: PersonRequest) -> HttpResponse:
    """A new study, led by whoever makes it."""
    if not may_create_studies(request.user):
        raise Http404("no such page")
    initial = {"key": slugify(request.GET.get("title", ""))}
    if "protocol" in request.GET:
        initial["protocol"] = request.GET["protocol"]
    form = StudyForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            study = study_create(actor=request.user, **form.changes)
        except RuleError as error:
            add_problems(form, error)
        else:
            messages.success(request, _("The study is made. Bring in its pairs next."))
            return redirect("study", study=study.key)
    return render(request, "studies/new.html", {"form": form}, status=422 if form.errors else 200)


@never_cache
@login_required
@require_safe
def study(request: PersonRequest, study: str) -> HttpResponse:
    """Where the study stands and what comes next."""
    led_study = study_for_lead(request.user, study)
    return render(request, "studies/study.html", _overview(led_study))


def _overview(study: Study) -> dict[str, Any]:
    progress = annotators_progress(study)
    return {
        "study": study,
        "protocol_title": _("Protocol: %(title)s") % {"title": text(study.protocol.title)},
        "former": [(text(field.label) or field.name, field) for field in study.protocol.former],
        "counts": study_counts(study, progress),
        "progress": progress,
        "events": study.events.select_related("actor")[:RECENT_EVENTS],
        "guide": guide_in_force(study),
        **life_context(study),
    }


@post_behind_login("study")
def study_state(request: PersonRequest, study: str) -> HttpResponse:
    """Open, close or reopen a round; or give later arrivals their pairs."""
    led_study = study_for_lead(request.user, study)
    try:
        if request.POST.get("to") == "fill":
            added = assignments_fill(actor=request.user, study=led_study)
            words = ngettext("%(number)s assignment added.", "%(number)s assignments added.", added)
            messages.success(request, words % {"number": added})
        else:
            led_study = study_change_state(
                actor=request.user,
                study=led_study,
                to=request.POST.get("to", ""),
                reason=request.POST.get("reason", ""),
            )
            messages.success(
                request,
                _("The study is now: %(state)s.") % {"state": led_study.get_state_display()},
            )
    except RuleError as error:
        context = _overview(led_study) | {"problems": problems_in_words(error.problems)}
        return render(request, "studies/study.html", context, status=422)
    return redirect("study", study=led_study.key)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_settings(request: PersonRequest, study: str) -> HttpResponse:
    """The study's settings; some are fixed once judgments exist."""
    led_study = study_for_lead(request.user, study)
    ruled = has_judgments(led_study)
    if request.method == "POST":
        form = _settings_saved(request, led_study, is_ruled=ruled)
        if not form.errors:
            messages.success(request, _("Saved."))
            return redirect("study_settings", study=led_study.key)
    else:
        form = _settings_form(led_study, is_ruled=ruled)
    context = {
        "study": led_study,
        "form": form,
        "protocol_title": text(led_study.protocol.title),
        "locked": ruled and bool(led_study.protocol.rulings),
    }
    return render(request, "studies/settings.html", context, status=422 if form.errors else 200)


@transaction.atomic
def _settings_saved(request: PersonRequest, study: Study, *, is_ruled: bool) -> StudySettingsForm:
    """The form that was sent, stored unless it has errors. Whoever saves at the same moment waits,
    and is then compared with what was stored."""
    held = study_row_lock(study.pk)
    form = _settings_form(held, request.POST, is_ruled=is_ruled)
    if form.is_valid():
        try:
            study_update(actor=request.user, study=study, **form.changes)
        except RuleError as error:
            add_problems(form, error)
    return form


def _settings_form(
    study: Study, posted: QueryDict | None = None, *, is_ruled: bool
) -> StudySettingsForm:
    locked = (
        *(("context_arm",) if pairs_opened(study) else ()),
        *(("is_blind",) * study.hides_answers()),
    )
    # Of its own: a form writes what it reads into its instance, and the page shows the study.
    instance = Study.objects.get(pk=study.pk)
    return StudySettingsForm(posted, instance=instance, locked=locked, is_ruled=is_ruled)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_guide(request: PersonRequest, study: str) -> HttpResponse:
    """Write, preview and publish the guide; read its former versions."""
    led_study = study_for_lead(request.user, study)
    current = guide_in_force(led_study)
    drafted = "draft" in request.GET and current is None
    initial = _guide_initial(led_study, current, drafted=drafted)
    form = GuideForm(request.POST or None, initial=initial)
    preview: dict[str, Any] = {}
    if request.method == "POST" and form.is_valid():
        if request.POST.get("action") == "preview":
            preview = {
                f"preview_{body[-2:]}": render_guide(form.cleaned_data[body]) for body in BODIES
            }
        elif _guide_published(request, led_study, form):
            return redirect("study_guide", study=led_study.key)
    context = {
        "study": led_study,
        "form": form,
        "drafted": drafted,
        "awaited": yet_to_acknowledge(led_study),
        "judged_by": judging(led_study).exists(),
        **_guide_versions(request, led_study),
        **preview,
    }
    if request.method != "POST":
        # The version whose text stands in the form, and not one that came since it was read.
        context["builds_on"] = current.number if current else 0
    return render(request, "guides/study_guide.html", context, status=422 if form.errors else 200)


def _guide_initial(study: Study, current: GuideVersion | None, *, drafted: bool) -> dict[str, str]:
    """The version in force, or a first guide out of the protocol where one is asked for."""
    if drafted:
        return {body: first_guide(study.protocol, study.rulings, body[-2:]) for body in BODIES}
    return {body: getattr(current, body) for body in BODIES} if current else {}


def _guide_published(request: PersonRequest, study: Study, form: GuideForm) -> bool:
    """Publish what was typed; False where the form now says why not."""
    builds_on = whole(request.POST.get("builds_on", ""))
    try:
        guide = guide_publish(
            actor=request.user, study=study, builds_on=builds_on, **form.cleaned_data
        )
    except RuleError as error:
        add_problems(form, error)
        return False
    messages.success(request, _("Version %(number)s is published.") % {"number": guide.number})
    return True


def _guide_versions(request: PersonRequest, study: Study) -> dict[str, Any]:
    """The published versions, the one that is to be read, and what was published since whoever
    posts began."""
    versions = {guide.number: guide for guide in study.guides.select_related("published_by")}
    in_force = max(versions, default=0)
    began_with = whole(request.POST.get("builds_on", ""))
    shown = versions.get(whole(request.GET.get("version", "")) or 0)
    context: dict[str, Any] = {"versions": list(versions.values()), "builds_on": in_force}
    if shown:
        context |= {"shown": shown, "shown_html": render_guide(shown.body_fr)}
    if versions and began_with not in (None, in_force):
        former = versions.get(began_with or 0)
        context["meanwhile"] = versions[in_force]
        context["meanwhile_changes"] = [
            (body[-2:], changes)
            for body in BODIES
            if (
                changes := text_changes(
                    getattr(former, body, ""), getattr(versions[in_force], body)
                )
            )
        ]
    return context


@never_cache
@login_required
@require_safe
def study_events(request: PersonRequest, study: str) -> HttpResponse:
    """Everything that was done in the study, the newest first."""
    led_study = study_for_lead(request.user, study)
    verbs = list(led_study.events.order_by("verb").values_list("verb", flat=True).distinct())
    events = led_study.events.select_related("actor")
    verb = request.GET.get("verb", "")
    if verb in verbs:
        events = events.filter(verb=verb)
    # What a protocol leaves to studies is called by its name, also where it was just installed.
    published()
    page = Paginator(events, EVENTS_PAGE_SIZE).get_page(request.GET.get("page"))
    return render(
        request,
        "studies/events.html",
        {"study": led_study, "page": page, "verbs": verbs, "verb": verb},
    )
