"""The practice round: its meeting, notes with reference judgments, feedback. Leads only."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import practice_pair_for_lead, study_for_lead
from annotation.models import PracticeNote, Simplification
from annotation.selectors.practice.practice import (
    meeting_of,
    practice_done,
    practice_pairs,
    practice_voices,
)
from annotation.services.practice.practice import (
    meeting_close,
    meeting_open,
    meeting_set_names,
    practice_feedback_publish,
    practice_note_save,
    practice_pair_hold,
    practice_reference_adopt,
)
from api.etags import check_if_match
from api.idempotency import idempotent
from api.platform.serializers import Changed
from api.practice.serializers import (
    Adopted,
    MeetingFacts,
    MeetingNames,
    MeetingNew,
    NoteFacts,
    NoteNew,
    PracticeFacts,
    PracticePairFacts,
)
from api.resource import Resource, body_of
from api.schema import IF_MATCH


@extend_schema(tags=["practice"])
class Practice(Resource):
    @extend_schema(responses=PracticeFacts)
    def get(self, request: Request, study: str) -> Response:
        """Who is done, the latest meeting, the pairs with their notes."""
        led_study = study_for_lead(self.person, study)
        pairs = [
            {"pair": pair.pk, "item": pair.item.key, "judged": pair.judged, "note": _note(pair)}  # type: ignore[attr-defined]  # counted
            for pair in practice_pairs(led_study)
        ]
        facts = {
            "meeting": meeting_of(led_study),
            "answers_open": led_study.practice_answers_open,
            "people": practice_done(led_study),
            "pairs": pairs,
        }
        return Response(PracticeFacts(facts).data)


@extend_schema(tags=["practice"])
class Meeting(Resource):
    @extend_schema(request=MeetingNew, responses={201: MeetingFacts})
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Open the meeting: everybody's practice answers can be read. Before everybody has
        submitted, with a reason."""
        led_study = study_for_lead(self.person, study)
        meeting = meeting_open(actor=self.person, study=led_study, **body_of(MeetingNew, request))
        return Response(MeetingFacts(meeting).data, status=201)

    @extend_schema(request=MeetingNames, responses=MeetingFacts)
    @idempotent()
    def patch(self, request: Request, study: str) -> Response:
        """Names or pseudonyms."""
        led_study = study_for_lead(self.person, study)
        meeting = meeting_set_names(
            actor=self.person, study=led_study, **body_of(MeetingNames, request)
        )
        return Response(MeetingFacts(meeting).data)

    @extend_schema(request=None, responses={200: MeetingFacts})
    @idempotent()
    def delete(self, request: Request, study: str) -> Response:
        """End the meeting."""
        meeting = meeting_close(actor=self.person, study=study_for_lead(self.person, study))
        return Response(MeetingFacts(meeting).data)


def _note(pair: Simplification) -> PracticeNote | None:
    return getattr(pair, "practice_note", None)


def _note_facts(note: PracticeNote | None) -> Any:
    return NoteFacts(note or {"note": "", "reference": None, "published_at": None}).data


@extend_schema(tags=["practice"])
class PracticePair(Resource):
    @extend_schema(responses=PracticePairFacts)
    def get(self, request: Request, study: str, pair: int) -> Response:
        """One practice pair with its note, and everybody's answers once they may be read."""
        led_study, shown = practice_pair_for_lead(self.person, study, pair)
        facts = {
            "original": shown.item.original,
            "simplification": shown.text,
            "note": _note(shown),
            "voices": practice_voices(led_study, shown),
        }
        return Response(PracticePairFacts(facts).data)


@extend_schema(tags=["practice"])
class Note(Resource):
    @extend_schema(responses=NoteFacts)
    def get(self, request: Request, study: str, pair: int) -> Response:
        """The note on a practice pair; empty where nobody has written one."""
        return Response(_note_facts(_note(practice_pair_for_lead(self.person, study, pair)[1])))

    @extend_schema(request=NoteNew, responses=NoteFacts, parameters=[IF_MATCH])
    @idempotent()
    def put(self, request: Request, study: str, pair: int) -> Response:
        """Write the note, with a reference judgment or none. If-Match guards against another lead's
        words."""
        led_study, shown = practice_pair_for_lead(self.person, study, pair)
        wanted = body_of(NoteNew, request, stands=_note_facts(_note(shown)))
        with transaction.atomic():
            # Whoever writes a note holds its pair, so that it still is what the client has seen.
            practice_pair_hold(shown)
            _study, shown = practice_pair_for_lead(self.person, study, pair)
            check_if_match(request, _note_facts(_note(shown)))
            return Response(
                _note_facts(
                    practice_note_save(actor=self.person, study=led_study, pair=shown, **wanted)
                )
            )


@extend_schema(tags=["practice"])
class Reference(Resource):
    @extend_schema(request=Adopted, responses=NoteFacts)
    @idempotent()
    def put(self, request: Request, study: str, pair: int) -> Response:
        """Take what somebody decided as the reference, without a word of theirs; nothing says
        whose it was. Refused (422) where the protocol asks for a text beside it: write the
        reference with the note then."""
        led_study, shown = practice_pair_for_lead(self.person, study, pair)
        note = practice_reference_adopt(
            actor=self.person, study=led_study, pair=shown, **body_of(Adopted, request)
        )
        return Response(_note_facts(note))


@extend_schema(tags=["practice"])
class Feedback(Resource):
    @extend_schema(request=None, responses=Changed)
    @idempotent()
    def post(self, request: Request, study: str) -> Response:
        """Let annotators read the notes beside their own answers; how many are new to them."""
        number = practice_feedback_publish(
            actor=self.person, study=study_for_lead(self.person, study)
        )
        return Response(Changed({"changed": number}).data)
