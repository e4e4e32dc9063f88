"""While people judge: how far each person and each item is, remarks, hours, reminders. Leads
only."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import study_for_lead
from annotation.models import Judgment, Study, User
from annotation.selectors.watching.pay import Period, pay_lines
from annotation.selectors.watching.remarks import as_remarks, open_remarks, remark_of, remarks
from annotation.selectors.watching.reminders import remindables
from annotation.selectors.watching.watching import ORDERS, items_watch, study_watch
from annotation.services.platform.events import event_record
from annotation.services.platform.letters import link_to_hand_on, mail_configured
from annotation.services.watching.remarks import remark_answer, remark_settle
from annotation.services.watching.reminders import Reminded, chosen_people, reminders_send
from api.idempotency import idempotent
from api.resource import Download, Resource, body_of, page, query_of
from api.schema import IDEMPOTENCY_KEY, listing
from api.watching.serializers.watching import (
    ItemWatched,
    ItemWatchFilter,
    PayPeriod,
    PaySheet,
    RemarkAnswerFacts,
    RemarkAnswerNew,
    RemarkFacts,
    RemarkFilter,
    Reminders,
    RemindersNew,
    RemindersSent,
    StudyWatched,
)


@extend_schema(tags=["progress"])
class Watch(Resource):
    @extend_schema(responses=StudyWatched)
    def get(self, request: Request, study: str) -> Response:
        """How far everybody is in the open round, at what pace, and when it may end. A blind phase
        hides none of it: nothing here says what anybody answered."""
        led_study = study_for_lead(self.person, study)
        watch = study_watch(led_study, timezone.now())
        here = sum(person.annotator.withdrawn_at is None for person in watch.people)
        facts = vars(watch) | {
            "hours_budget": led_study.hours_budget * here,
            "open_remarks": open_remarks(led_study),
        }
        return Response(StudyWatched(facts).data)


@extend_schema(tags=["progress"])
class WatchItems(Resource):
    @listing(ItemWatched, parameters=[ItemWatchFilter])
    def get(self, request: Request, study: str) -> Response:
        """How many answers each item of a round has, and how many it will have."""
        led_study, wanted = study_for_lead(self.person, study), query_of(ItemWatchFilter, request)
        items = items_watch(
            led_study,
            round_=wanted.get("round", ""),
            short_of=wanted.get("short_of"),
            search=wanted.get("q", ""),
        )
        return page(self, items, ItemWatched, *ORDERS[wanted["order"]])


@extend_schema(tags=["pay"])
class Pay(Download):
    @extend_schema(responses=PaySheet, parameters=[PayPeriod])
    def get(self, request: Request, study: str) -> Response:
        """The pay sheet: whose active time falls into a period. Each reading is recorded, as each
        download is."""
        led_study, wanted = study_for_lead(self.person, study), query_of(PayPeriod, request)
        period = Period(wanted.get("first"), wanted.get("last"))
        lines = pay_lines(led_study, period)
        event_record(
            actor=self.person,
            study=led_study,
            verb="pay_sheet_downloaded",
            target=led_study,
            people=len(lines),
        )
        facts = {
            "first": period.first,
            "last": period.last,
            "time_zone": timezone.get_current_timezone_name(),
            "hours": sum(line.hours for line in lines),
            "judgments": sum(line.judgments for line in lines),
            "people": lines,
        }
        return Response(PaySheet(facts).data)


@extend_schema(tags=["remarks"])
class Remarks(Resource):
    @listing(RemarkFacts, parameters=[RemarkFilter])
    def get(self, request: Request, study: str) -> Response:
        """Comments and doubts, the newest first. During a blind phase, and before practice answers
        may be read, a comment's words are hidden; it can be answered all the same."""
        led_study, wanted = study_for_lead(self.person, study), query_of(RemarkFilter, request)
        rows = remarks(
            led_study,
            state=wanted.get("state", ""),
            kind=wanted.get("kind", ""),
            annotator=wanted.get("annotator", ""),
            search=wanted.get("q", ""),
        )
        return page(
            self,
            rows,
            RemarkFacts,
            "-submitted_at",
            "-judgment",
            shown=lambda part: as_remarks(led_study, part),
        )


def _remarked(person: User, study: str, assignment: int) -> tuple[Study, Judgment]:
    led_study = study_for_lead(person, study)
    remark = remark_of(led_study, assignment)
    if remark is None:
        raise Http404("no such remark")
    return led_study, remark


@extend_schema(tags=["remarks"])
class RemarkAnswers(Resource):
    @extend_schema(request=RemarkAnswerNew, responses={201: RemarkAnswerFacts})
    @idempotent()
    def post(self, request: Request, study: str, assignment: int) -> Response:
        """Answer a remark. Its author reads it beside their own judgment, and nobody else who
        judges does."""
        led_study, remark = _remarked(self.person, study, assignment)
        wanted = body_of(RemarkAnswerNew, request)
        answer = remark_answer(
            actor=self.person, study=led_study, assignment=remark.assignment_id, **wanted
        )
        return Response(RemarkAnswerFacts(answer).data, status=201)


@extend_schema(tags=["remarks"])
class RemarkSettled(Resource):
    @extend_schema(request=None, responses=RemarkFacts)
    @idempotent()
    def put(self, request: Request, study: str, assignment: int) -> Response:
        """Mark a remark as settled. A later correction of the judgment opens it by itself."""
        return self._settle(study, assignment, is_settled=True)

    @extend_schema(request=None, responses={200: RemarkFacts})
    @idempotent()
    def delete(self, request: Request, study: str, assignment: int) -> Response:
        """Open a settled remark again."""
        return self._settle(study, assignment, is_settled=False)

    def _settle(self, study: str, assignment: int, *, is_settled: bool) -> Response:
        led_study, remark = _remarked(self.person, study, assignment)
        remark_settle(
            actor=self.person,
            study=led_study,
            assignment=remark.assignment_id,
            is_settled=is_settled,
        )
        (shown,) = as_remarks(led_study, remarks(led_study).filter(pk=remark.pk))
        return Response(RemarkFacts(shown).data)


@extend_schema(tags=["reminders"])
class StudyReminders(Resource):
    @extend_schema(responses=Reminders)
    def get(self, request: Request, study: str) -> Response:
        """Who has pairs left in the open round, since when they are quiet, and by which rule the
        study reminds; the rule is set with the study's other settings."""
        led_study = study_for_lead(self.person, study)
        facts = {
            "study": led_study,
            "mail": mail_configured(),
            "people": remindables(led_study, timezone.now()),
        }
        return Response(Reminders(facts).data)

    @extend_schema(request=RemindersNew, responses=RemindersSent, parameters=[IDEMPOTENCY_KEY])
    def post(self, request: Request, study: str) -> Response:
        """Remind the chosen people: by e-mail, or with texts to hand over where no mail is
        configured. Nobody is reminded more often than the study allows, and nobody who is done or
        has left; where a pseudonym is nobody's, nobody at all. An Idempotency-Key counts for texts;
        letters go by the study's gap alone: within it nobody is written to twice (`too_soon`)."""
        return (
            self._remind(request, study) if mail_configured() else self._remind_once(request, study)
        )

    def _remind(self, request: Request, study: str) -> Response:
        led_study, wanted = study_for_lead(self.person, study), body_of(RemindersNew, request)
        chosen = chosen_people(led_study, wanted["annotators"])
        address = link_to_hand_on(
            reverse("annotate_resume", args=[led_study.key]), request.build_absolute_uri
        )
        reminded = reminders_send(
            actor=self.person, study=led_study, annotators=chosen, address=address
        )
        return Response(RemindersSent(_by_pseudonym(reminded)).data)

    # Not for letters: the key's record would hold a transaction open, and on SQLite every
    # annotator's answer up, for as long as the mail server takes.
    _remind_once = idempotent()(_remind)


def _by_pseudonym(reminded: Reminded) -> dict[str, Any]:
    return {
        "sent": [annotator.pseudonym for annotator in reminded.mailed],
        "failed": [annotator.pseudonym for annotator in reminded.failed],
        "handed": reminded.handed,
        "too_soon": [
            {"pseudonym": annotator.pseudonym, "again_at": again}
            for annotator, again in reminded.too_soon
        ],
    }
