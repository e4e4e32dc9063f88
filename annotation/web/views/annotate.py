"""The annotator's pages: one pair after the other, one's own list, the guide."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotation.access import annotator_for, assignment_for
from annotation.errors import RuleError, StaleDraft, StudyClosed
from annotation.models import Assignment
from annotation.protocols.base import Answers, Problem
from annotation.protocols.fields import ShapeError
from annotation.protocols.protocol import Protocol
from annotation.selectors.acknowledgement import guide_in_force
from annotation.selectors.blinded import BlindedPair, blinded_pair
from annotation.selectors.glossary import glossary_shown
from annotation.selectors.own import own_judgments, own_recent
from annotation.selectors.queue import counts, first_open, ordinals, place, waiting_of
from annotation.selectors.remarks import answers_to
from annotation.services.judgments import assignment_open, draft_save, judgment_submit
from annotation.services.own_pairs import answers_read
from annotation.web.forms.judging import apply_action, posted_save, settling
from annotation.web.markdown import guide_context
from annotation.web.own_presenters import own_filters, own_row, pair_name, recent_pair
from annotation.web.presenters import finding_text, judge_state, steps_context, text, untouched_steps
from annotation.web.requests import PersonRequest
from annotation.web.sessions import session_seconds_at_least
from annotation.web.user_ref import copy_key, former_refs, user_ref
from annotation.web.views.acknowledgement import reading_url
from annotation.web.views.judging import onward_url
from annotation.web.views.versions import side_by_side

OWN_PAGE_SIZE = 100
MOST_SEARCHED = 200


@login_required
@require_GET
def resume(request: PersonRequest, study: str) -> HttpResponse:
    """Where the annotator left off: their first pair without a judgment, else their own list."""
    return redirect(onward_url(study, first_open(annotator_for(request.user, study))))


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def annotate(request: PersonRequest, study: str, position: int) -> HttpResponse:
    """One pair with its three steps."""
    assignment = assignment_for(request.user, study, position)
    if request.method == "POST":
        return _posted(request, assignment)
    if unread := reading_url(assignment):
        return redirect(unread)
    assignment_open(assignment=assignment)
    return _page(request, assignment)


def _posted(request: PersonRequest, assignment: Assignment) -> HttpResponse:
    """The plain form: save, submit, or change the rows of errors. What was typed is shown again
    whatever happens to it."""
    study = assignment.annotator.study
    action = request.POST.get("action", "save")
    save = posted_save(study.protocol, request.POST)
    raw = apply_action(save.answers, action)
    save = replace(save, answers=raw)
    if "settles" in request.POST:
        typed = shown_again(study.protocol, raw)
        save = settling(study.protocol, save, typed=typed, stored=blinded_pair(assignment).answers, posted=request.POST)
    write = judgment_submit if action == "submit" else draft_save
    try:
        write(actor=request.user, assignment=assignment, save=save)
    except RuleError as error:
        return _page(request, assignment, raw=raw, problems=error.problems, status=422)
    except StaleDraft as error:
        messages.error(
            request, _("Another window has saved a newer version. Both stand below: choose, then save again.")
        )
        return _page(request, assignment, raw=raw, revision=error.current.revision, status=409, conflict=True)
    except StudyClosed:
        messages.error(request, _("This round takes no answers now. What you typed stands below and was not saved."))
        return _page(request, assignment, raw=raw, status=409)
    if action == "submit":
        where = place(assignment.annotator, assignment.position, assignment.simplification.item.round)
        return redirect(onward_url(study.key, where.next_open))
    if action in ("save", "settle", "take_stored"):
        messages.success(request, _("Saved."))
        return redirect(request.path)
    return redirect(f"{request.path}#errors")


def _page(
    request: PersonRequest,
    assignment: Assignment,
    *,
    raw: dict[str, Any] | None = None,
    problems: list[Problem] | None = None,
    revision: int | None = None,
    status: int = 200,
    conflict: bool = False,
) -> HttpResponse:
    """The judging page. ``raw``: what was posted and stands in the form again; ``conflict``: beside what is stored."""
    # Re-read after a refused post: the draft may have been kept with a new revision.
    if raw is not None:
        assignment = assignment_for(request.user, assignment.annotator.study.key, assignment.position)
    pair = blinded_pair(assignment)
    protocol = assignment.annotator.study.protocol
    answers = pair.answers if raw is None else shown_again(protocol, raw)
    context = judge_context(assignment, pair, answers, problems or [])
    if any(answer.read_at is None for answer in context["answers_of_lead"]):
        answers_read(assignment=assignment)
    return render(
        request,
        "annotate/judge.html",
        context
        | {
            "state": judge_state(assignment.annotator.study, pair, answers)
            | {"advance": request.user.auto_advance, "keys": request.user.keys},
            "revision": pair.revision if revision is None else revision,
            "conflict": side_by_side(protocol, pair, answers, pair.answers) if conflict else None,
            "user_ref": user_ref(request.user),
            "former_refs": " ".join(former_refs(request.user)),
            "copy_key": copy_key(request.user),
            "break_minutes": request.user.break_after_minutes,
            "session_seconds": session_seconds_at_least(request),
        },
        status=status,
    )


def shown_again(protocol: Protocol, raw: dict[str, Any]) -> Answers:
    """What was posted, field by field: one unreadable answer must not blank the others."""
    answers = protocol.empty_answers()
    for field in protocol.fields:
        try:
            answers[field.name] = field.clean(raw.get(field.name))
        except ShapeError:
            answers[field.name] = field.empty
    return answers


def judge_context(
    assignment: Assignment, pair: BlindedPair, answers: Answers, problems: list[Problem]
) -> dict[str, Any]:
    """Everything that the judging page draws. Nothing here knows a system, a peer or a scorer."""
    study = assignment.annotator.study
    where = place(assignment.annotator, assignment.position, pair.round)
    # Lazy: for a pair that nobody has answered yet the template has them already.
    steps = SimpleLazyObject(lambda: steps_context(study.protocol, answers, pair.facts, problems))
    return {
        "study": {
            "key": study.key,
            "title": study.title,
            "language": study.language,
            "is_demo": study.is_demo,
            "protocol": f"{study.protocol_key}-{study.protocol_version}",
            "crossing_policy": study.crossing_policy,
            "span_required": study.span_required,
            "guidance_seconds": study.guidance_seconds,
            "aid_renderings": study.aid_renderings,
            "has_glossary": glossary_shown(study),
        },
        "pair": pair,
        "answers_of_lead": answers_to(assignment) if pair.submitted_at else [],
        "place": where,
        "pair_name": pair_name(pair.round, where.ordinal),
        "percent_done": where.done * 100 // where.total if where.total else 0,
        "steps": steps,
        "fields": SimpleLazyObject(lambda: {field["name"]: field for step in steps for field in step["fields"]}),
        "untouched": untouched_steps(study.protocol, pair, answers, problems),
        "answers": answers,
        "problems": [_problem_context(p) for p in problems],
        "score": study.protocol.running_score(answers, study.protocol_settings),
        "finding": finding_text(study.protocol, answers, pair.facts),
        "save_key": uuid.uuid4(),
        "previous_url": _position_url(study.key, where.previous),
        "following_url": _position_url(study.key, where.following),
    }


def _position_url(study: str, position: int | None) -> str:
    return "" if position is None else reverse("annotate", args=[study, position])


def _problem_context(problem: Problem) -> dict[str, str]:
    return {"field": problem.field, "code": problem.code, "message": text(problem.message)}


@never_cache
@login_required
@require_GET
def mine(request: PersonRequest, study: str) -> HttpResponse:
    """The annotator's own judgments and drafts, in their own order."""
    annotator = annotator_for(request.user, study)
    shown, search = request.GET.get("state", ""), request.GET.get("q", "")[:MOST_SEARCHED]
    found = own_judgments(annotator, state=shown, search=search)
    page = Paginator(found, OWN_PAGE_SIZE).get_page(request.GET.get("page"))
    done, total = counts(annotator)
    numbers = ordinals(annotator)
    return render(
        request,
        "annotate/mine.html",
        {
            "study": annotator.study,
            "page": page,
            "rows": [own_row(annotator.study, assignment, numbers[assignment.position]) for assignment in page],
            "editable": bool(annotator.study.open_rounds),
            "state": shown,
            "search": search,
            "filters": own_filters(shown),
            "waiting": waiting_of([annotator])[annotator.pk],
            "recent": [recent_pair(annotator.study, one, numbers[one.position]) for one in own_recent(annotator)],
            "done": done,
            "total": total,
            "first_open": first_open(annotator),
            "user_ref": user_ref(request.user),
        },
    )


@login_required
@require_GET
def guide(request: PersonRequest, study: str) -> HttpResponse:
    """The guide in force, as a page or (for the panel) as a fragment."""
    annotator = annotator_for(request.user, study)
    current = guide_in_force(annotator.study)
    template = "annotate/_guide.html" if request.GET.get("fragment") else "annotate/guide.html"
    return render(request, template, {"study": annotator.study, **guide_context(current)})
