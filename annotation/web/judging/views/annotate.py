"""The annotator's pages: one pair after the other, one's own list, the guide."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import annotator_for, assignment_for, assignment_meant, assignment_ref
from annotation.errors import RuleError, StaleDraft, StudyArchived, StudyClosed
from annotation.models import Assignment
from annotation.protocols.base import Answers, Problem
from annotation.protocols.kinds import Field, ShapeError
from annotation.protocols.protocol import Protocol
from annotation.selectors.guides.acknowledgement import guide_in_force
from annotation.selectors.guides.glossary import glossary_shown
from annotation.selectors.judging.blinded import BlindedPair, blinded_pair
from annotation.selectors.judging.own import own_list, own_recent
from annotation.selectors.judging.queue import counts, first_open, place, waiting_of
from annotation.selectors.practice.practice import feedback_announced
from annotation.selectors.watching.remarks import answers_to
from annotation.services.judging.drafts import Save, assignment_open, draft_save
from annotation.services.judging.judgments import UNREAD, Refused, judgment_submit
from annotation.services.judging.own_pairs import answers_read
from annotation.web.base.presenters import (
    field_context,
    judge_state,
    kind_files,
    own_headings,
    panels_context,
    steps_context,
    text,
    untouched_steps,
)
from annotation.web.guides.views.acknowledgement import guide_read_url, reading_url
from annotation.web.judging.forms.judging import apply_action, posted_save, settling
from annotation.web.judging.just_done import just_done, just_submitted
from annotation.web.judging.keeping import MARK_HEADER, pair_mark
from annotation.web.judging.late_posts import late_post, late_post_forget, late_posts_kept
from annotation.web.judging.own_presenters import (
    own_columns,
    own_filters,
    own_row,
    pair_name,
    recent_pair,
)
from annotation.web.judging.views.judging import onward_url
from annotation.web.judging.views.versions import side_by_side
from annotation.web.platform.keeping import KEEP_HEADER, is_for_keeping
from annotation.web.platform.markdown import guide_context
from annotation.web.platform.paging import Counted, Uncounted
from annotation.web.platform.problems import problem_response
from annotation.web.platform.requests import PersonRequest
from annotation.web.platform.sessions import session_seconds_at_least
from annotation.web.platform.user_ref import copy_key, former_refs, is_page_of_other, user_ref

OWN_PAGE_SIZE = 100
MOST_SEARCHED = 200


@login_required
@require_safe
def resume(request: PersonRequest, study: str) -> HttpResponse:
    """Where the annotator left off: their first pair without a judgment, else their own list."""
    return redirect(onward_url(study, first_open(annotator_for(request.user, study))))


@never_cache
@late_posts_kept
@login_required
@require_http_methods(["GET", "POST"])
def annotate(request: PersonRequest, study: str, position: int) -> HttpResponse:
    """One pair with its three steps."""
    # Before it is known whether the pair is theirs: the page that asks is to stop asking.
    if is_for_keeping(request) and is_page_of_other(request, KEEP_HEADER):
        return problem_response(403, "other_user", _("You are logged in as somebody else."))
    assignment = assignment_for(request.user, study, position)
    if request.method == "POST":
        return _posted(request, assignment, request.POST)
    if is_for_keeping(request):
        return _kept(request, assignment)
    if unread := reading_url(assignment):
        return redirect(unread)
    # In an archived study it is read, and not noted.
    with suppress(StudyArchived):
        assignment_open(assignment=assignment)
    if (late := late_post(request, assignment)) is not None:
        return _posted(request, assignment, late, is_late=True)
    done = just_done(request, assignment.annotator.study.key)
    return _page(request, assignment, done=done)


def _kept(request: PersonRequest, assignment: Assignment) -> HttpResponse:
    """The page for a browser that keeps it until its annotator comes to it
    (``static/js/judging/keeping.js``): the same, but nobody has looked at anything. Only of a pair
    that waits for its judgment, and that they may judge now."""
    pair = blinded_pair(assignment)
    if not pair.editable or reading_url(assignment):
        return problem_response(409, "study_closed", _("This round takes no answers now."))
    if pair.submitted_at and not pair.again:
        raise Http404("judged")
    context = page_context(request, assignment, pair, pair.answers, [])
    mark = pair_mark(request.user, assignment.annotator.study, assignment, context["place"].total)
    # What was to be told once is for a page that somebody looks at; so is how long their log-in
    # lasts.
    once: dict[str, Any] = {"messages": [], "session_seconds": "", "kept": mark}
    answer = render(request, "judging/judge.html", context | once)
    answer.headers[MARK_HEADER] = f"{mark} {pair.revision}"
    return answer


def _posted(
    request: PersonRequest, assignment: Assignment, posted: QueryDict, *, is_late: bool = False
) -> HttpResponse:
    """The plain form: save, submit, or change the rows of errors. What was typed is shown again
    whatever happens to it. ``is_late``: it came when nobody was logged in; it is saved then, and
    submitted by whoever sees it."""
    study = assignment.annotator.study
    action = posted.get("action", "save")
    meant, raw, save = _meant(request, assignment, posted, action)
    write = judgment_submit if action == "submit" and not is_late else draft_save
    try:
        saved = write(actor=request.user, assignment=meant, save=save)
    except RuleError as error:
        if meant.is_parked and isinstance(error, Refused):
            # It is kept where it belongs, and is not shown on what has taken its place.
            return redirect(request.path)
        return _page(request, assignment, raw=raw, problems=error.problems, status=422)
    except StaleDraft as error:
        messages.error(
            request,
            _(
                "Another window has saved a newer version. Both stand below: choose, then save "
                "again."
            ),
        )
        return _page(
            request, assignment, raw=raw, revision=error.current.revision, status=409, conflict=True
        )
    except StudyClosed:
        messages.error(
            request,
            _("This round takes no answers now. What you typed stands below and was not saved."),
        )
        return _page(request, assignment, raw=raw, status=409)
    late_post_forget(request, meant)
    if is_late:
        messages.success(request, _late_words(action))
        return redirect(request.path)
    if action == "submit":
        where = place(assignment)
        if not meant.is_parked:
            just_submitted(request, meant, where, saved)
        return redirect(onward_url(study.key, where.next_open))
    if action in ("save", "settle", "take_stored"):
        messages.success(request, _("Saved."))
        return redirect(request.path)
    return redirect(f"{request.path}#id_{action.split(':')[1]}" if ":" in action else request.path)


def _meant(
    request: PersonRequest, assignment: Assignment, posted: QueryDict, action: str
) -> tuple[Assignment, dict[str, Any], Save]:
    """Which pair the form is of, what was typed, and what of it is stored."""
    study = assignment.annotator.study
    save = posted_save(study.protocol, posted)
    # The page may be older than the silent repeat that stands there by now.
    meant = assignment_meant(
        assignment,
        request.user,
        study.key,
        assignment.position,
        ref=posted.get("assignment", ""),
        base_revision=save.base_revision,
        save_key=save.key,
    )
    raw = apply_action(study.protocol, save.answers, action)
    save = replace(save, answers=raw)
    if "settles" in posted:
        typed = shown_again(study.protocol, raw)
        save = settling(
            study.protocol,
            save,
            typed=typed,
            stored=blinded_pair(meant).answers,
            posted=posted,
        )
    return meant, raw, save


def _late_words(action: str) -> str:
    if action == "submit":
        return _("What you typed before your log-in ended is saved. It is not submitted yet.")
    return _("What you typed before your log-in ended is saved.")


def _page(
    request: PersonRequest,
    assignment: Assignment,
    *,
    raw: dict[str, Any] | None = None,
    problems: list[Problem] | None = None,
    revision: int | None = None,
    status: int = 200,
    conflict: bool = False,
    done: dict[str, Any] | None = None,
) -> HttpResponse:
    """The judging page. ``raw``: what was posted and stands in the form again; ``conflict``: beside
    what is stored; ``done``: what the page before did (``just_done``)."""
    # Re-read after a refused post: the draft may have been kept with a new revision.
    if raw is not None:
        assignment = assignment_for(
            request.user, assignment.annotator.study.key, assignment.position
        )
    pair = blinded_pair(assignment)
    protocol = assignment.annotator.study.protocol
    answers = pair.answers if raw is None else shown_again(protocol, raw)
    context = page_context(request, assignment, pair, answers, problems or [])
    if any(answer.read_at is None for answer in context["answers_of_lead"]):
        with suppress(StudyArchived):
            answers_read(assignment=assignment)
    if revision is not None:
        context["revision"] = revision
    if conflict:
        context["conflict"] = side_by_side(protocol, pair, answers, pair.answers)
    return render(request, "judging/judge.html", context | {"just_done": done}, status=status)


def page_context(
    request: PersonRequest,
    assignment: Assignment,
    pair: BlindedPair,
    answers: Answers,
    problems: list[Problem],
) -> dict[str, Any]:
    """Everything that the judging page draws, and what its scripts need to know of their reader."""
    return judge_context(assignment, pair, answers, problems) | {
        "state": judge_state(assignment.annotator.study.protocol, pair, answers)
        | {"advance": request.user.auto_advance, "keys": request.user.keys},
        "revision": pair.revision,
        "assignment_ref": assignment_ref(assignment),
        "user_ref": user_ref(request.user),
        "former_refs": " ".join(former_refs(request.user)),
        "copy_key": copy_key(request.user),
        "break_minutes": request.user.break_after_minutes,
        "session_seconds": session_seconds_at_least(request),
        "conflict": None,
        "kept": "",
    }


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
    where = place(assignment)
    # Lazy: for a pair that nobody has answered yet the template has them already.
    steps = SimpleLazyObject(
        lambda: steps_context(study.protocol, answers, pair.facts, problems, study.rulings)
    )
    return {
        "study": {
            "key": study.key,
            "title": study.title,
            "language": study.language,
            "is_demo": study.is_demo,
            "protocol": f"{study.protocol_key}-{study.protocol_version}",
            "rulings": repr(sorted(study.rulings.items())),
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
        **frame_context(study.protocol, steps),
        "panels": panels_context(study.protocol, pair),
        "own_headings": own_headings(study.protocol),
        "untouched": untouched_steps(study.protocol, pair, answers, problems),
        "answers": answers,
        "problems": [_problem_context(p, assignment) for p in problems],
        "score": study.protocol.running_score(answers, study.rulings),
        "save_key": uuid.uuid4(),
        # All that its scripts ask of the server stands under it.
        "pair_url": _position_url(study.key, assignment.position),
        "previous_url": _position_url(study.key, where.previous),
        "following_url": _position_url(study.key, where.following),
    }


def frame_context(protocol: Protocol, steps: Any) -> dict[str, Any]:
    """What stands around the steps: fields of the foot, the scale whose score it shows, the fields
    that mark the texts, the scripts of the kinds."""

    def drawn(wanted: Iterable[Field]) -> Any:
        names = {field.name for field in wanted}
        return SimpleLazyObject(
            lambda: [field for step in steps for field in step["fields"] if field["name"] in names]
        )

    return {
        "foot_fields": drawn(field for field in protocol.fields if field.in_foot),
        "score_fields": drawn(protocol.bracketed[:1]),
        "mark_fields": drawn(protocol.marked),
        "has_marks": any(not field.are_errors for field in protocol.marked),
        "kinds": kind_files(protocol),
    }


def _position_url(study: str, position: int | None) -> str:
    return "" if position is None else reverse("annotate", args=[study, position])


def _problem_context(problem: Problem, assignment: Assignment) -> dict[str, str]:
    """``url``: of the page on which it is mended, where that is another."""
    url = guide_read_url(assignment) if problem == UNREAD else ""
    said = text(problem.message)
    return {"field": problem.field, "code": problem.code, "message": said, "url": url}


@never_cache
@login_required
@require_safe
def mine(request: PersonRequest, study: str) -> HttpResponse:
    """The annotator's own judgments and drafts, in their own order."""
    annotator = annotator_for(request.user, study)
    shown, search = request.GET.get("state", ""), request.GET.get("q", "")[:MOST_SEARCHED]
    listing = own_list(annotator, state=shown, search=search)
    pages = (
        Uncounted(listing.rows, OWN_PAGE_SIZE)
        if listing.number is None
        else Counted(listing.rows, OWN_PAGE_SIZE, listing.number)
    )
    page = pages.get_page(request.GET.get("page"))
    done, total = counts(annotator)
    return render(
        request,
        "judging/mine.html",
        {
            "study": annotator.study,
            "just_done": just_done(request, study),
            "page": page,
            "rows": [
                own_row(annotator.study, assignment, assignment.ordinal) for assignment in page
            ],
            "columns": own_columns(annotator.study.protocol),
            "editable": bool(annotator.study.open_rounds),
            "is_installed": annotator.study.protocol.is_installed,
            "state": shown,
            "search": search,
            "filters": own_filters(shown),
            "waiting": waiting_of([annotator])[annotator.pk],
            "recent": [
                recent_pair(annotator.study, assignment, assignment.ordinal)
                for assignment in own_recent(annotator)
            ],
            "done": done,
            "total": total,
            "has_feedback": annotator.pk in feedback_announced([annotator], {annotator.pk: done}),
            "first_open": first_open(annotator),
            "user_ref": user_ref(request.user),
        },
    )


@login_required
@require_safe
def guide(request: PersonRequest, study: str) -> HttpResponse:
    """The guide in force, as a page or (for the panel) as a fragment."""
    annotator = annotator_for(request.user, study)
    current = guide_in_force(annotator.study)
    template = "judging/_guide.html" if request.GET.get("fragment") else "judging/guide.html"
    return render(request, template, {"study": annotator.study, **guide_context(current)})


# It says nothing of anybody, and changes with the program alone.
@cache_control(private=True, max_age=24 * 3600)
@login_required
@require_safe
def options(request: PersonRequest, study: str, field: str) -> HttpResponse:
    """What each option of a field covers, in the language that is not the page's: asked for when
    somebody looks."""
    protocol = annotator_for(request.user, study).study.protocol
    return option_cards(request, protocol, field)


def option_cards(request: PersonRequest, protocol: Protocol, field: str) -> HttpResponse:
    """The cards of a field's options, in the language that is asked for. Raises ``Http404``."""
    try:
        protocol_field = protocol.field(field)
    except KeyError:
        raise Http404(field) from None
    context = {
        "options": field_context(protocol_field, protocol.empty_answers(), []).get("options", []),
        "language": "fr" if request.GET.get("language") == "fr" else "en",
    }
    return render(request, "judging/_option_cards.html", context)
