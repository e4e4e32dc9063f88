"""Getting pairs in: a file, then how to read it and what it would add, then the import. Leads
only."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import study_for_lead
from annotation.corpus.judged_columns import labels_of
from annotation.corpus.peers import PEERS
from annotation.corpus.problems import RowProblem, TableError
from annotation.corpus.table_files import check_name
from annotation.errors import RuleError
from annotation.models import PairsUpload, Study
from annotation.reading import Pace, ReadingBusy, ReadLater, pairs_file_read, refused_file
from annotation.services.intake.readings import (
    takes_long_to_store,
    upload_import_later,
    upload_read_again,
)
from annotation.services.intake.uploads import (
    upload_choose,
    upload_discard,
    upload_import,
    upload_store,
)
from annotation.services.items.items import RowsRefused
from annotation.web.base.presenters import text
from annotation.web.items.forms import MappingForm, UploadForm
from annotation.web.items.judged_forms import value_groups
from annotation.web.items.judged_presenters import judged_facts
from annotation.web.items.presenters import (
    SHOWN_PROBLEMS,
    facts,
    outcome_text,
    problem_row,
    problems_csv,
    promise,
    sample,
    uneven,
)
from annotation.web.items.preview import (
    JUDGMENTS,
    PAIRS,
    Preview,
    StillReading,
    preview,
    reading_choices,
)
from annotation.web.platform.requests import PersonRequest

# What another choice about reading may solve; anything else is said at once and the file is not
# kept.
_MAY_BE_SOLVED = {"no_rows", "bad_quotes"}


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def upload(request: PersonRequest, study: str) -> HttpResponse:
    """Choose a file."""
    led_study = study_for_lead(request.user, study)
    form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
    if form.is_valid():
        try:
            stored = _store(request, led_study, form.cleaned_data["file"])
        except TableError as error:
            form.add_error("file", f"{text(error.problem.message)} {text(error.problem.remedy)}")
        except RuleError as error:
            form.add_error(None, [text(problem.message) for problem in error.problems])
        else:
            return redirect("pairs_mapping", study=led_study.key, upload=stored.pk)
    context = {
        "study": led_study,
        "form": form,
        "peers": ", ".join(peer.title for peer in PEERS),
        "unfinished": led_study.uploads.filter(consumed_at__isnull=True).select_related(
            "uploaded_by"
        ),
    }
    return render(
        request, "items/import_upload.html", context, status=422 if form.is_bound else 200
    )


def _store(request: PersonRequest, study: Study, file: Any) -> PairsUpload:
    options, content = None, file.read()
    check_name(file.name, content)
    try:
        read = pairs_file_read(content, person=request.user.pk, pace=Pace.AT_ONCE)
    except ReadLater:
        options = reading_choices(study, file.name, {})
    else:
        unread = read.table is None and read.scores is None
        if unread and (read.fatal is None or read.fatal.code not in _MAY_BE_SOLVED):
            raise refused_file(read.fatal)
    file.seek(0)
    return upload_store(
        actor=request.user, study=study, name=file.name, content=file, read_later=options
    )


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def mapping(request: PersonRequest, study: str, upload: uuid.UUID) -> HttpResponse:
    """How the file is read, what it would add, what is wrong with it; then import it or throw it
    away."""
    led_study = study_for_lead(request.user, study)
    stored = get_object_or_404(
        PairsUpload.objects.select_related("reading"), pk=upload, study=led_study
    )
    if stored.consumed_at:
        messages.info(
            request, _("This file has been imported already: nothing was added a second time.")
        )
        return redirect("study_items", led_study.key)
    if request.POST.get("action") == "discard":
        try:
            upload_discard(actor=request.user, upload=stored)
        except RuleError as error:
            messages.warning(request, text(error.problems[0].message))
            return redirect("study_items", led_study.key)
        messages.success(request, _("The file was thrown away; nothing was imported."))
        return redirect("pairs_upload", study=led_study.key)
    if request.POST.get("action") == "preview":
        # What a worker could not read is tried again.
        upload_read_again(upload=stored)
    try:
        shown = preview(stored, stored.choices, request.user)
        return (
            _posted(request, stored, shown)
            if request.method == "POST"
            else _page_of(request, stored, shown)
        )
    except StillReading as error:
        return redirect("reading", study=led_study.key, reading=error.job.public_id)
    except ReadingBusy as error:
        return _busy(request, stored, error)


def _form(stored: PairsUpload, shown: Preview, *posted: Any) -> MappingForm:
    return MappingForm(*posted, shown=shown, protocol=stored.study.protocol)


def _page_of(request: PersonRequest, stored: PairsUpload, shown: Preview) -> HttpResponse:
    return _page(request, stored, shown, _form(stored, shown))


def _busy(request: PersonRequest, stored: PairsUpload, error: ReadingBusy) -> HttpResponse:
    """Say so, and stay out of the way: the page of an upload reads its file each time."""
    for problem in error.problems:
        messages.warning(request, text(problem.message))
    return redirect("pairs_upload", study=stored.study.key)


def _posted(request: PersonRequest, stored: PairsUpload, shown: Preview) -> HttpResponse:
    """Keep the choices; import where what was chosen is what was shown, else show it first."""
    form = _form(stored, shown, request.POST)
    if not form.is_valid():
        return _page(request, stored, shown, form, status=422)
    choices = {
        **form.layout_choices,
        "round": form.cleaned_data.get("round", shown.round),
        "skip_duplicates": form.cleaned_data.get("skip_duplicates", shown.skip_duplicates),
    }
    reread = form.rereads
    # Columns of a file that is now read differently would mean something else.
    if shown.content == JUDGMENTS:
        choices |= {} if reread else form.judged_choices
    elif not reread and form.columns:
        choices["mapping"] = form.mapping
    upload_choose(upload=stored, choices=choices)
    if request.POST.get("action") == "import" and not reread and not form.changes:
        if choices["round"] != shown.round:
            shown = preview(stored, choices, request.user)
        shown.choices = choices
        return _import(request, stored, shown)
    if request.POST.get("action") == "import":
        messages.warning(
            request, _("The file is now read differently. Check the preview, then import.")
        )
    return redirect("pairs_mapping", study=stored.study.key, upload=stored.pk)


def _import(request: PersonRequest, stored: PairsUpload, shown: Preview) -> HttpResponse:
    if shown.brought is None:
        return _page(request, stored, shown, _form(stored, shown), status=422)
    choices: dict[str, Any] = {"round": shown.round, "skip_duplicates": shown.skip_duplicates}
    try:
        if takes_long_to_store(shown.row_count) and not shown.refused:
            # A mapping that was found out is what was shown: it is kept as it was.
            options = reading_choices(stored.study, stored.name, shown.choices)
            if shown.judged is None:
                options["mapping"] = shown.mapping or None
            job = upload_import_later(
                actor=request.user, upload=stored, options=options, choices=choices
            )
            return redirect("reading", study=stored.study.key, reading=job.public_id)
        outcome = upload_import(actor=request.user, upload=stored, brought=shown.brought, **choices)
    except ReadingBusy:
        raise
    except RowsRefused as error:
        shown.problems = error.rows
        return _page(request, stored, shown, _form(stored, shown), status=422)
    except RuleError as error:
        for problem in error.problems:
            messages.error(request, text(problem.message))
        return redirect("pairs_mapping", study=stored.study.key, upload=stored.pk)
    messages.success(request, outcome_text(outcome))
    return redirect("study_items", stored.study.key)


def _page(
    request: PersonRequest,
    stored: PairsUpload,
    shown: Preview,
    form: MappingForm,
    *,
    status: int = 200,
) -> HttpResponse:
    problems = _all_problems(shown)
    labels = labels_of(stored.study.protocol)
    context = {
        "study": stored.study,
        "upload": stored,
        "shown": shown,
        "form": form,
        "facts": facts(stored, shown),
        "sample": sample(shown),
        "promise": promise(shown),
        "uneven": uneven(shown),
        "problem_count": len(problems),
        "problems": [problem_row(problem, labels) for problem in problems[:SHOWN_PROBLEMS]],
        "needs_a_look": shown.table is None
        or shown.table.confidence != "certain"
        or "unmapped" in _codes(problems),
        "is_pairs": shown.content == PAIRS,
        "is_frjudge": shown.released is not None,
        "judged": judged_facts(stored.study, shown),
        "value_groups": value_groups(form, shown, stored.study.protocol),
    }
    return render(request, "items/import_mapping.html", context, status=status)


def _all_problems(shown: Preview) -> list[RowProblem]:
    return [shown.fatal] if shown.fatal else shown.problems


def _codes(problems: list[RowProblem]) -> set[str]:
    return {problem.code for problem in problems}


@never_cache
@login_required
@require_safe
def problems(request: PersonRequest, study: str, upload: uuid.UUID) -> HttpResponse:
    """Every problem of the file under the choices made so far, as CSV."""
    stored = get_object_or_404(
        PairsUpload, pk=upload, study=study_for_lead(request.user, study), consumed_at=None
    )
    try:
        shown = preview(stored, stored.choices, request.user)
    except StillReading as error:
        return redirect("reading", study=stored.study.key, reading=error.job.public_id)
    except ReadingBusy as error:
        return _busy(request, stored, error)
    return HttpResponse(
        problems_csv(_all_problems(shown), labels_of(stored.study.protocol)),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{stored.study.key}-problems.csv"'},
    )
