"""The practice round for its lead (meeting, notes, references), and its feedback for each
annotator."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import annotator_for, practice_pair_for_lead, study_for_lead
from annotation.bodies import whole
from annotation.errors import RuleError
from annotation.models import Simplification, Study
from annotation.selectors.practice.practice import (
    everybody_submitted,
    meeting_of,
    own_feedback,
    practice_done,
    practice_pairs,
    practice_voices,
)
from annotation.services.practice.practice import (
    meeting_close,
    meeting_open,
    meeting_set_names,
    practice_answers_to_adopt,
    practice_feedback_publish,
    practice_note_save,
    practice_reference_adopt,
)
from annotation.web.judging.views.annotate import shown_again
from annotation.web.platform.problems import problems_in_words
from annotation.web.platform.requests import PersonRequest
from annotation.web.practice.forms import (
    posted_reference,
    posted_rows,
    posted_unread,
    reference_rows,
)
from annotation.web.practice.presenters import (
    feedback_row,
    note_of,
    pair_context,
    reference_form,
    texts_of,
)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_practice(request: PersonRequest, study: str) -> HttpResponse:
    """Who is done, the meeting, the pairs with their notes, and the feedback."""
    led_study = study_for_lead(request.user, study)
    problems: list[dict[str, str]] = []
    if request.method == "POST":
        try:
            _change(request, led_study)
        except RuleError as error:
            problems = problems_in_words(error.problems)
        else:
            return redirect("study_practice", study=led_study.key)
    pairs = practice_pairs(led_study)
    context = {
        "study": led_study,
        "problems": problems,
        "people": practice_done(led_study),
        "meeting": meeting_of(led_study),
        "answers_open": led_study.practice_answers_open,
        "everybody": everybody_submitted(led_study),
        "pairs": [(pair, note_of(pair)) for pair in pairs],
        "unpublished": sum(
            note is not None and note.published_at is None for note in map(note_of, pairs)
        ),
        "reason": request.POST.get("reason", ""),
    }
    return render(request, "practice/practice.html", context, status=422 if problems else 200)


def _change(request: PersonRequest, study: Study) -> None:
    action = request.POST.get("action", "")
    names = request.POST.get("names") == "1"
    if action == "open":
        meeting_open(
            actor=request.user,
            study=study,
            shows_names=names,
            reason=request.POST.get("reason", ""),
        )
        messages.success(
            request, _("The meeting is open: everybody's practice answers can be read here.")
        )
    elif action == "names":
        meeting_set_names(actor=request.user, study=study, shows_names=names)
    elif action == "close":
        meeting_close(actor=request.user, study=study)
        messages.success(request, _("The meeting is closed."))
    elif action == "publish":
        number = practice_feedback_publish(actor=request.user, study=study)
        messages.success(
            request,
            ngettext(
                "Annotators can now read %(number)s note.",
                "Annotators can now read %(number)s notes.",
                number,
            )
            % {"number": number},
        )
    else:
        raise RuleError.single(
            "action", "unknown", "Choisissez ce qu'il faut faire.", "Choose what to do."
        )


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def practice_item(request: PersonRequest, study: str, pair: int) -> HttpResponse:
    """One practice pair at the meeting: everybody's answers, the lead's note, the reference."""
    led_study, shown = practice_pair_for_lead(request.user, study, pair)
    problems: list[dict[str, str]] = []
    typed: dict[str, Any] = {}
    if request.method == "POST":
        try:
            _write(request, led_study, shown)
        except RuleError as error:
            problems = problems_in_words(error.problems)
            typed = _typed(request, led_study, shown)
            if {problem.field for problem in error.problems} <= _fields(led_study):
                typed |= _adopted(request, led_study, shown)
        else:
            return redirect("practice_item", study=led_study.key, pair=shown.pk)
    note = note_of(shown)
    keys = [practice_pair.pk for practice_pair in practice_pairs(led_study)]
    place = keys.index(shown.pk)
    context = {
        "study": led_study,
        "problems": problems,
        "answers_open": led_study.practice_answers_open,
        "meeting": meeting_of(led_study),
        "ordinal": place + 1,
        "total": len(keys),
        "previous": keys[place - 1] if place else None,
        "following": keys[place + 1] if place + 1 < len(keys) else None,
        **pair_context(led_study, shown, practice_voices(led_study, shown)),
        "form": reference_form(led_study, shown, typed),
        "typed_note": typed.get("note", note.note if note else ""),
        "builds_on": note.version if note else "",
    }
    return render(request, "practice/item.html", context, status=422 if problems else 200)


def _write(request: PersonRequest, study: Study, pair: Simplification) -> None:
    action = request.POST.get("action", "")
    if action.startswith("adopt_"):
        judgment = whole(action.removeprefix("adopt_"), digits=18) or 0
        practice_reference_adopt(
            actor=request.user,
            study=study,
            pair=pair,
            judgment=judgment,
            note=request.POST.get("note"),
            builds_on=request.POST.get("builds_on"),
        )
    elif action in ("save", "drop_reference"):
        reference, problems = posted_reference(study.protocol, request.POST, texts_of(pair))
        if problems and action == "save":
            raise RuleError(problems)
        practice_note_save(
            actor=request.user,
            study=study,
            pair=pair,
            note=request.POST.get("note", ""),
            reference=reference if action == "save" else None,
            builds_on=request.POST.get("builds_on"),
        )
    else:
        raise RuleError.single(
            "action", "unknown", "Choisissez ce qu'il faut faire.", "Choose what to do."
        )
    messages.success(request, _("Saved."))


def _fields(study: Study) -> set[str]:
    return {field.name for field in study.protocol.fields}


def _adopted(request: PersonRequest, study: Study, pair: Simplification) -> dict[str, Any]:
    """What a judgment says that is no reference before the lead has added words of their own:
    in the form, where they add them. Nothing where none was to be taken."""
    action = request.POST.get("action", "")
    if not action.startswith("adopt_"):
        return {}
    judgment = whole(action.removeprefix("adopt_"), digits=18) or 0
    answers = practice_answers_to_adopt(study=study, pair=pair, judgment=judgment)
    return {
        "answers": answers,
        "rows": reference_rows(study.protocol, answers, texts_of(pair)),
        "unread": {},
    }


def _typed(request: PersonRequest, study: Study, pair: Simplification) -> dict[str, Any]:
    """What was typed, to be shown again beside what is wrong with it."""
    raw, _problems = posted_reference(study.protocol, request.POST, texts_of(pair))
    return {
        "answers": shown_again(study.protocol, raw or {}),
        "rows": posted_rows(study.protocol, request.POST),
        "unread": posted_unread(study.protocol, request.POST),
        "note": request.POST.get("note", ""),
    }


@never_cache
@login_required
@require_safe
def feedback(request: PersonRequest, study: str) -> HttpResponse:
    """An annotator's own practice answers, each beside the lead's note and the reference."""
    annotator = annotator_for(request.user, study)
    rows = [feedback_row(annotator.study, own) for own in own_feedback(annotator)]
    return render(request, "practice/feedback.html", {"study": annotator.study, "rows": rows})
