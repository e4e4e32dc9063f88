"""The requests that the judging page sends by itself: save the draft, submit the judgment, take it
back."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.access import (
    NoLongerTheirs,
    assignment_for,
    assignment_meant,
    assignment_ref,
    released_for,
)
from annotation.bodies import UnreadableBody
from annotation.errors import RuleError, StaleDraft, StudyClosed
from annotation.models import Assignment, Draft, User
from annotation.selectors.judging.queue import place
from annotation.services.judging.draft_versions import Aside, Origin
from annotation.services.judging.drafts import Save, Saved, draft_save
from annotation.services.judging.judgments import UNREAD, Refused, judgment_submit
from annotation.services.judging.taking_back import judgment_take_back
from annotation.web.base.presenters import text
from annotation.web.guides.views.acknowledgement import guide_read_url
from annotation.web.judging.own_presenters import pair_name
from annotation.web.platform.door import json_of
from annotation.web.platform.problems import login_required_response, problem_response, refusal
from annotation.web.platform.user_ref import is_ref_of

# A judgment is a few kilobytes; the limit keeps a broken client from filling the table.
MAX_BODY_BYTES = 256 * 1024


class Malformed(ValueError):
    """A body that is no save at all; the message says what is wrong with it."""


class OtherUser(Exception):
    """The page was opened by one person and sent by another, who has logged in since in the same
    browser."""


def read_save(request: HttpRequest) -> Save:
    """The save in a JSON body. Raises ``Malformed``, ``OtherUser``, and ``RuleError`` for an answer
    that holds a character which cannot be stored."""
    try:
        body = json_of(request)
    except UnreadableBody as error:
        if error.code == "character":
            raise _unstorable(error.path) from error
        raise Malformed(_("The body is not JSON that can be stored.")) from error
    if not isinstance(body, dict):
        raise Malformed(_("The body is not a JSON object."))
    try:
        key = uuid.UUID(str(body.get("key")))
    except ValueError as error:
        raise Malformed(_("“key” must be a UUID, a new one for each save.")) from error
    # Pages say whose answers they hold: two people may share a browser, and a study.
    if "user" in body and not is_ref_of(request.user, body["user"]):  # type: ignore[arg-type]  # logged in
        raise OtherUser
    return Save(
        answers=body.get("answers"),
        key=key,
        base_revision=whole_number(body, "base_revision"),
        active_seconds=whole_number(body, "active_seconds", 0),
        aside=_asides(body.get("aside")),
        aids=_aids(body.get("aids", {})),
        opened=whole_number(body, "opened") if "opened" in body else None,
    )


def _unstorable(path: tuple[str | int, ...]) -> Malformed | RuleError:
    if "answers" not in path[:-1]:
        return Malformed(
            _("The body holds NUL or half of a surrogate pair, which cannot be stored.")
        )
    field = path[path.index("answers") + 1 :]
    return RuleError.single(
        ".".join(map(str, field)),
        "character",
        "Ce texte contient un caractère qui ne peut pas être enregistré (un caractère nul, ou la "
        "moitié d'un caractère), comme il en vient parfois par copier-coller : effacez le passage "
        "collé et tapez-le.",
        "This text holds a character that cannot be stored (a null character, or half of one), as "
        "sometimes comes with what is pasted: delete the pasted passage and type it.",
    )


def whole_number(body: dict[str, Any], name: str, missing: int | None = None) -> int:
    """A whole number of the body that the database can hold. Raises ``Malformed``."""
    number = body.get(name, missing)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**31:
        raise Malformed(_("“%(name)s” must be a whole number from 0.") % {"name": name})
    return number


def _asides(received: Any) -> list[Aside] | None:
    """What was decided against: a list of objects with ``answers``, whether it was ``found`` on the
    computer, and when it was typed (``moment_typed``). None on the ordinary path."""
    if received is None:
        return None
    if not isinstance(received, list) or not all(isinstance(aside, dict) for aside in received):
        raise Malformed(_("“aside” must be a list of objects."))
    return [
        Aside(
            answers=aside.get("answers"),
            origin=Origin.FOUND if aside.get("found") else Origin.REFUSED,
            typed_at=moment_typed(aside, "typed") or timezone.now(),
        )
        for aside in received
    ]


def moment_typed(members: Mapping[str, Any], name: str) -> datetime | None:
    """When that was typed: ``<name>_ago``, in seconds, since clocks of computers may be wrong; or
    ``<name>_at``, as pages said it that were opened before. None where neither can be read."""
    ago = members.get(f"{name}_ago")
    if isinstance(ago, int) and not isinstance(ago, bool) and 0 <= ago < 2**31:
        return timezone.now() - timedelta(seconds=ago)
    return _moment_of(members.get(f"{name}_at"))


def _moment_of(text: object) -> datetime | None:
    """A moment as programs write it, with its zone; None for anything else."""
    try:
        moment = parse_datetime(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None


def _aids(given: Any) -> dict[str, int]:
    """Seconds by aid; pages send them only where one was opened. Raises ``Malformed``."""
    if isinstance(given, dict) and all(
        isinstance(n, int) and not isinstance(n, bool) for n in given.values()
    ):
        return {str(name): max(0, seconds) for name, seconds in given.items()}
    raise Malformed(_("“%(name)s” must give whole numbers of seconds by name.") % {"name": "aids"})


def no_such_pair(error: Http404) -> JsonResponse:
    """The pair is not theirs; or not any more, which they are told with the way to their data."""
    if isinstance(error, NoLongerTheirs):
        title = _(
            "You no longer take part in this study: nothing of this was stored. What you had "
            "submitted stays with the study, and your data are yours to read."
        )
        link = {"url": reverse("own_data"), "link": _("Your data")}
        return problem_response(404, "withdrawn", title, **link)
    return problem_response(404, "not_found", _("There is no such pair among yours."))


def _not_theirs(error: Http404, study: str) -> JsonResponse:
    """The same of answers that were sent, with the way on: the page that sent them stands open."""
    if isinstance(error, NoLongerTheirs):
        return no_such_pair(error)
    title = _(
        "This pair is not, or no longer, among yours: what you answered was not stored. Your copy "
        "stays on this computer, and can be downloaded."
    )
    link = {"url": reverse("annotate_resume", args=[study]), "link": _("On to the next pair")}
    return problem_response(404, "not_found", title, **link)


def clock_text(moment: Any) -> str:
    """The time of day as the reader writes it."""
    return date_format(timezone.localtime(moment), "TIME_FORMAT")


def stale(draft: Draft) -> JsonResponse:
    return problem_response(
        409,
        "stale",
        _(
            "Another window has saved a newer version. Nothing was overwritten: choose which one "
            "to keep."
        ),
        current={
            "revision": draft.revision,
            "answers": draft.answers,
            "saved_at": draft.saved_at.isoformat(),
            "saved_at_text": clock_text(draft.saved_at),
        },
    )


def saved_members(saved: Saved) -> dict[str, Any]:
    return {
        "revision": saved.revision,
        "saved_at": saved.saved_at.isoformat(),
        "saved_at_text": clock_text(saved.saved_at),
        "replayed": saved.replayed,
    }


def _answered(
    request: HttpRequest, study: str, position: int, write: Callable[..., Saved]
) -> HttpResponse:
    """Run a writing service for an annotator's own assignment and word whatever it refuses."""
    if not request.user.is_authenticated:
        return login_required_response()
    if int(request.headers.get("content-length") or 0) > MAX_BODY_BYTES:
        return problem_response(
            413, "too_large", _("These answers are too long to be saved (256 kB at most).")
        )
    try:
        there, assignment, save = _own(request, request.user, study, position)
        saved = write(actor=request.user, assignment=assignment, save=save)
    except Http404 as error:
        return _not_theirs(error, study)
    except OtherUser:
        title = _(
            "You are logged in as somebody else: these answers were not saved under that name."
        )
        return problem_response(403, "other_user", title)
    except Refused as error:
        is_unread = UNREAD in error.problems
        urls = {UNREAD.field: guide_read_url(assignment)} if is_unread else {}
        return refusal(error, urls=urls, **saved_members(error.saved))
    except (Malformed, RuleError, StaleDraft, StudyClosed) as error:
        return _refusal_response(error)
    study_ = assignment.annotator.study
    members = saved_members(saved) | {
        "score": study_.protocol.running_score(saved.answers, study_.rulings)
    }
    if assignment.standing == Assignment.Standing.HIDDEN and not assignment.is_parked:
        # It is in sight again, with its number.
        assignment.refresh_from_db(fields=["standing", "in_practice", "ordinal"])
    if write is judgment_submit:
        members |= _onward(assignment, there) | {
            "number": saved.number,
            "submission": saved.submission,
        }
    return JsonResponse(members)


def _own(
    request: HttpRequest, user: User, study: str, position: int
) -> tuple[Assignment | None, Assignment, Save]:
    """The pair that stands there, the pair that is meant, and the save of it. A page that a browser
    had kept may have been answered where nobody was told of it, and the pair released meanwhile, or
    another have taken its place: its answers are taken all the same, as its own."""
    there = assignment_there(user, study, position)
    try:
        save, ref = read_save(request), read_ref(request)
    except (Malformed, RuleError, OtherUser):
        if there is None:
            # What is no save says nothing of a pair that is not theirs.
            raise Http404("no such pair") from None
        raise
    try:
        meant = assignment_meant(
            there,
            user,
            study,
            position,
            ref=ref,
            base_revision=save.base_revision,
            save_key=save.key,
        )
    except Http404:
        if save.opened is None or there is not None:
            raise
        meant = released_for(user, study, position)
        if ref and ref != assignment_ref(meant):
            raise
    return there, meant, save


def assignment_there(user: User, study: str, position: int) -> Assignment | None:
    """What the user is shown at this position; None where that is nothing. Raises
    ``NoLongerTheirs`` where they have withdrawn."""
    try:
        return assignment_for(user, study, position)
    except NoLongerTheirs:
        raise
    except Http404:
        return None


def read_ref(request: HttpRequest) -> str:
    """Which assignment the page that sends shows (``access.assignment_ref``); "" where it does not
    say, as earlier versions did. The body was read as an object already. Raises ``Malformed``."""
    ref = json_of(request).get("assignment", "")
    if not isinstance(ref, str):
        raise Malformed(_("“%(name)s” must be a text.") % {"name": "assignment"})
    return ref


def _refusal_response(error: Malformed | RuleError | StaleDraft | StudyClosed) -> JsonResponse:
    match error:
        case Malformed():
            return problem_response(400, "malformed", str(error))
        case RuleError():
            return refusal(error, status=400)
        case StaleDraft():
            return stale(error.current)
        case _:
            return problem_response(
                409,
                "study_closed",
                _("This round takes no answers now. Your copy stays on this computer."),
            )


def _onward(assignment: Assignment, there: Assignment | None) -> dict[str, Any]:
    # One whose place was taken has no number of its own any more.
    where = place(there if there is not None and assignment.is_parked else assignment)
    return {
        "done": where.done,
        "total": where.total,
        "next_url": onward_url(assignment.annotator.study.key, where.next_open),
    }


def onward_url(study: str, position: int | None) -> str:
    """The next pair without a judgment, or one's own list when there is none."""
    if position is None:
        return reverse("annotate_mine", args=[study])
    return reverse("annotate", args=[study, position])


@require_POST
def draft(request: HttpRequest, study: str, position: int) -> HttpResponse:
    """Save the answers as they stand."""
    return _answered(request, study, position, draft_save)


@require_POST
def submit(request: HttpRequest, study: str, position: int) -> HttpResponse:
    """Make the answers the judgment in force."""
    return _answered(request, study, position, judgment_submit)


@require_POST
def take_back(request: HttpRequest, study: str, position: int) -> HttpResponse:
    """Take back a submission of a moment ago; the body says which by ``number`` and
    ``submission``. A form of a page without scripts is led back to the pair."""
    if "submission" in request.POST:
        return _take_back_plainly(request, study, position)
    if not request.user.is_authenticated:
        return login_required_response()
    try:
        assignment = assignment_for(request.user, study, position)
        body = json_of(request)
        number = body["number"]
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number < 2**31:
            raise Malformed(_("“%(name)s” must be a whole number from 0.") % {"name": "number"})
        if "user" in body and not is_ref_of(request.user, body["user"]):
            return problem_response(403, "other_user", _("You are logged in as somebody else."))
        submission = body.get("submission", "")
        if not isinstance(submission, str):
            raise Malformed(_("The body is not JSON that can be stored."))
        taken = judgment_take_back(
            actor=request.user, assignment=assignment, number=number, submission=submission
        )
    except Http404 as error:
        return no_such_pair(error)
    except (UnreadableBody, KeyError, TypeError):
        return problem_response(400, "malformed", _("The body is not JSON that can be stored."))
    except RuleError as error:
        return refusal(error, status=409)
    except (Malformed, StudyClosed) as error:
        return _refusal_response(error)
    return JsonResponse({"taken_back": taken, "url": reverse("annotate", args=[study, position])})


def _take_back_plainly(request: HttpRequest, study: str, position: int) -> HttpResponse:
    """The pair's page says how it went."""
    url = reverse("annotate", args=[study, position])
    if not request.user.is_authenticated:
        return redirect_to_login(url)
    assignment = assignment_for(request.user, study, position)
    number = request.POST.get("number", "")
    if not re.fullmatch("[1-9][0-9]{0,8}", number):
        return render(request, "400.html", status=400)
    try:
        taken = judgment_take_back(
            actor=request.user,
            assignment=assignment,
            number=int(number),
            submission=request.POST["submission"],
        )
    except RuleError as error:
        messages.error(request, text(error.problems[0].message))
    except StudyClosed:
        messages.error(request, _("This round takes no answers now."))
    else:
        if taken:
            pair = pair_name(assignment.simplification.item.round, place(assignment).ordinal)
            said = _("{pair}: submission taken back. Submit it again when you are done.")
            messages.success(request, said.format(pair=pair))
        else:
            messages.warning(request, _("It could not be taken back."))
    return redirect(url)
