"""The glossary: written by the study's leads, looked into by whoever judges in it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import annotator_for, study_for_lead
from annotation.bodies import whole
from annotation.corpus.glossary import FIELDS, Glossary, Term
from annotation.corpus.problems import TableError
from annotation.corpus.table_files import check_name
from annotation.errors import RuleError
from annotation.models import GlossaryEntry, Study
from annotation.reading import glossary_read
from annotation.selectors.guides.glossary import glossary_entries, glossary_shown
from annotation.services.guides.glossaries import (
    glossary_add,
    glossary_entry_change,
    glossary_entry_remove,
    glossary_replace,
)
from annotation.web.base.presenters import text
from annotation.web.guides.forms import MAX_BYTES, EntryForm, FileForm, terms_from, terms_text
from annotation.web.platform.csv_files import table_response
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest

SHOWN = 20


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_glossary(request: PersonRequest, study: str) -> HttpResponse:
    """Every entry; add, change and remove one; bring a file in after a look at it."""
    led_study = study_for_lead(request.user, study)
    if request.method == "POST":
        return _posted(request, led_study)
    edited = _edited(led_study, request.GET.get("entry", ""))
    return _page(
        request,
        led_study,
        entry=EntryForm(initial=_fields(edited) if edited else None),
        edited=edited,
    )


def _posted(request: PersonRequest, study: Study) -> HttpResponse:
    action = request.POST.get("action", "")
    if action == "look":
        return _looked_at(request, study)
    if action in ("replace", "add"):
        return _brought(request, study, action)
    edited = _edited(study, request.POST.get("entry", ""))
    form = EntryForm(request.POST)
    try:
        if action == "remove" and edited:
            glossary_entry_remove(actor=request.user, study=study, entry=edited.pk)
            return _done(request, study, _("The term was removed."))
        if action == "save" and form.is_valid():
            _save(request, study, edited, form.entry)
            return _done(request, study, _("Saved."))
    except RuleError as error:
        for problem in problems_in_words(error.problems):
            form.add_error(problem["field"], problem["message"])
    return _page(request, study, entry=form, edited=edited, status=422)


def _save(request: PersonRequest, study: Study, edited: GlossaryEntry | None, term: Term) -> None:
    if edited:
        glossary_entry_change(actor=request.user, study=study, entry=edited.pk, term=term)
    elif glossary_entries(study).filter(term_key=term.key).exists():
        raise RuleError.single(
            "term",
            "duplicate",
            "Ce terme est déjà défini : modifiez-le dans la liste.",
            "This term is defined already: change it in the list.",
        )
    else:
        glossary_add(actor=request.user, study=study, terms=[term])


def _looked_at(request: PersonRequest, study: Study) -> HttpResponse:
    """Read the file and show what it would bring; nothing is stored."""
    form = FileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, study, file=form, status=422)
    file = form.cleaned_data["file"]
    content = file.read()
    try:
        check_name(file.name, content)
        read = glossary_read(content, person=request.user.pk)
    except TableError as error:
        form.add_error("file", f"{text(error.problem.message)} {text(error.problem.remedy)}")
        return _page(request, study, file=form, status=422)
    except RuleError as error:
        form.add_error("file", [text(problem.message) for problem in error.problems])
        return _page(request, study, file=form, status=422)
    if read.fatal is not None:
        form.add_error("file", f"{text(read.fatal.message)} {text(read.fatal.remedy)}".strip())
        return _page(request, study, file=form, status=422)
    preview = _preview(study, read)
    if len(preview["terms"].encode()) > MAX_BYTES:
        form.add_error("file", _("The file is larger than 2 MB."))
        return _page(request, study, file=form, status=422)
    return _page(request, study, file=form, preview=preview)


def _preview(study: Study, read: Glossary) -> dict[str, Any]:
    standing = {
        entry.term_key: Term(entry.term, entry.definition, entry.source)
        for entry in glossary_entries(study)
    }
    keys = {term.key for term in read.terms}
    return {
        "count": len(read.terms),
        "new": sum(term.key not in standing for term in read.terms),
        "changed": sum(term.key in standing and standing[term.key] != term for term in read.terms),
        "missing": len(set(standing) - keys),
        "sample": read.terms[:SHOWN],
        "problems": [
            {
                "row": problem.row,
                "field": text(FIELDS[problem.field]) if problem.field in FIELDS else "",
                "message": text(problem.message),
            }
            for problem in read.problems
        ],
        "terms": terms_text(read.terms),
        "standing": len(standing),
    }


def _brought(request: PersonRequest, study: Study, action: str) -> HttpResponse:
    write = glossary_replace if action == "replace" else glossary_add
    try:
        write(actor=request.user, study=study, terms=terms_from(request.POST.get("terms", "")))
    except ValueError:
        messages.error(request, _("Choose the file again."))
    except RuleError as error:
        for message in {problem["message"] for problem in problems_in_words(error.problems)}:
            messages.error(request, message)
    else:
        return _done(request, study, _("The glossary was brought in."))
    return _page(request, study, status=422)


def _done(request: PersonRequest, study: Study, sentence: str) -> HttpResponse:
    messages.success(request, sentence)
    return redirect("study_glossary", study=study.key)


def _edited(study: Study, pk: str) -> GlossaryEntry | None:
    """The entry named. Raises ``Http404`` where it no longer stands."""
    if not pk:
        return None
    number = whole(pk, digits=18)
    entry = glossary_entries(study).filter(pk=number).first() if number else None
    if entry is None:
        raise Http404("no such entry")
    return entry


def _fields(entry: GlossaryEntry) -> dict[str, str]:
    return {name: getattr(entry, name) for name in FIELDS}


def _page(
    request: PersonRequest,
    study: Study,
    *,
    entry: EntryForm | None = None,
    edited: GlossaryEntry | None = None,
    file: FileForm | None = None,
    preview: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "study": study,
        "entries": glossary_entries(study),
        "entry_form": entry or EntryForm(),
        "edited": edited,
        "file_form": file or FileForm(),
        "preview": preview,
    }
    return render(request, "guides/study_glossary.html", context, status=status)


@never_cache
@login_required
@require_safe
def study_glossary_file(request: PersonRequest, study: str) -> HttpResponseBase:
    """The glossary in force as CSV, in the columns in which it can be brought in again."""
    led_study = study_for_lead(request.user, study)
    rows = glossary_entries(led_study).values_list(*FIELDS)
    name = f"{led_study.key}-glossary-{led_study.glossary_number}"
    back = reverse("study_glossary", args=[led_study.key])
    return table_response(request, name, list(FIELDS), rows, back=back)


@never_cache
@login_required
@require_safe
def glossary(request: PersonRequest, study: str) -> HttpResponse:
    """The glossary as a page. Where the study keeps it from view there is none."""
    annotator = annotator_for(request.user, study)
    if not glossary_shown(annotator.study):
        raise Http404("no glossary")
    entries = glossary_entries(annotator.study)
    return render(request, "guides/glossary.html", {"study": annotator.study, "entries": entries})


@never_cache
@login_required
@require_safe
def aids(request: PersonRequest, study: str) -> HttpResponse:
    """What the judging page fetches with the first use of an aid: the same for every pair of the
    study."""
    annotator = annotator_for(request.user, study)
    entries = glossary_entries(annotator.study) if glossary_shown(annotator.study) else []
    return render(request, "judging/_aids.html", {"entries": entries})
