"""Erasure: what goes, what stays, who decides; and that nothing anywhere still names the person
afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import models
from django.http import Http404
from django.test import Client
from django.utils import timezone

from annotation.access import erasure_to_decide, erasures_to_decide
from annotation.errors import RuleError
from annotation.models import (
    Annotator,
    ApiToken,
    Assignment,
    Draft,
    ErasureRequest,
    ErrorDeduction,
    Event,
    IdempotencyRecord,
    Invitation,
    Job,
    Judgment,
    JudgmentRevision,
    Lead,
    PracticeNote,
    User,
)
from annotation.privacy.names import Person
from annotation.selectors.privacy.erasure_places import edits
from annotation.selectors.privacy.identity import Identity
from annotation.selectors.privacy.personal import personal_data
from annotation.selectors.studies.readiness import readiness
from annotation.selectors.watching.progress import annotators_progress
from annotation.services.accounts.accounts import user_update_preferences
from annotation.services.accounts.tokens import token_create
from annotation.services.base.standings import positions_check
from annotation.services.guides.rejudging import rejudge_request
from annotation.services.judging.drafts import draft_save
from annotation.services.judging.judgments import judgment_submit
from annotation.services.people.invitations import invitation_create
from annotation.services.people.people import (
    annotator_add,
    annotator_withdraw,
    lead_add,
    lead_remove,
    user_set_active,
)
from annotation.services.people.removal import annotator_remove
from annotation.services.planning.assignments import assignments_fill
from annotation.services.platform.events import event_record
from annotation.services.platform.idempotency import Answer, answered_once
from annotation.services.privacy.erasure import erasure_grant
from annotation.services.privacy.erasure_requests import (
    erasure_cancel,
    erasure_refuse,
    erasure_request,
)
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from tests.composing import installed
from tests.factories import make_annotator, make_pair, make_study, make_user, save

pytestmark = pytest.mark.django_db
NAME, EMAIL = "Éloïse Planté-Témoin", "eloise.temoin@example.org"
SAID = f"Demandez à {NAME} ({EMAIL}), dit Éloïse."


class Planted:
    """Somebody who has left traces wherever one can."""

    def __init__(self) -> None:
        self.lead, self.admin = make_user("lead"), make_user("admin", is_admin=True)
        self.user = make_user(email=EMAIL)
        User.objects.filter(pk=self.user.pk).update(name=NAME)
        self.user.refresh_from_db()
        self.study = make_study("alpha", lead=self.lead, state="main")
        pairs = [make_pair(self.study, system="s") for _ in range(3)]
        practice = make_pair(self.study, round="practice")
        self.part, self.peer = make_annotator(self.study, self.user), make_annotator(self.study)
        assignments_fill(actor=None, study=self.study)
        errors = [{"type": "omission", "note": SAID}]
        for annotator in (self.part, self.peer):
            for pair in pairs[:2]:
                self._judge(annotator, pair, comment=SAID, errors=errors)
        draft_save(
            actor=self.user, assignment=self._of(self.part, pairs[2]), save=save(comment=SAID)
        )
        draft_save(
            actor=self.peer.user, assignment=self._of(self.peer, pairs[2]), save=save(comment=SAID)
        )
        PracticeNote.objects.create(simplification=practice, note=SAID, reference={"comment": SAID})
        event_record(
            actor=self.lead,
            study=self.study,
            verb="study_updated",
            reason=SAID,
            after={"title": SAID},
        )
        event_record(actor=self.user, verb="password_changed", target=self.user)
        invitation_create(actor=self.lead, study=make_study("other"), email=EMAIL, role="annotator")
        token_create(actor=self.user, name=f"script of {NAME}", scopes=["read"], days=3)
        body = {"email": EMAIL, "name": NAME}
        answered_once(
            actor=self.lead,
            key="k",
            request_digest="d",
            write=lambda: Answer(201, body),
            may_read=int,
        )
        answered_once(
            actor=self.user,
            key="k",
            request_digest="d",
            write=lambda: Answer(201, body),
            may_read=int,
        )
        self.browser = Client()
        self.browser.force_login(self.user)
        self._access()

    def _of(self, annotator: Annotator, pair) -> Assignment:
        return Assignment.objects.select_related("annotator__study", "simplification__item").get(
            annotator=annotator, simplification=pair
        )

    def _judge(self, annotator: Annotator, pair, **answers) -> None:
        judgment_submit(
            actor=annotator.user, assignment=self._of(annotator, pair), save=save(**answers)
        )

    def _access(self) -> None:
        common = {
            "username": EMAIL,
            "ip_address": "203.0.113.9",
            "user_agent": "Firefox",
            "path_info": "/login",
        }
        AccessLog.objects.create(**common, http_accept="*")
        AccessFailureLog.objects.create(**common, http_accept="*")
        AccessAttempt.objects.create(
            **common, post_data=f"username={EMAIL}", failures_since_start=1
        )

    def exported(self, settings) -> Job:
        job = Job.objects.create(
            study=self.study, kind="export", state="done", requested_by=self.lead
        )
        folder = settings.DATA_DIR / "exports" / str(job.public_id)
        folder.mkdir(parents=True)
        (folder / "long.csv").write_text(SAID)
        return job

    def erased(self, judgments: str = "keep", **kwargs) -> ErasureRequest:
        request = erasure_request(actor=self.user, user=self.user, wish=judgments)
        return erasure_grant(
            actor=self.admin,
            request=request,
            judgments=judgments,
            reason="Consent withdrawn",
            **kwargs,
        )


@pytest.fixture
def planted() -> Planted:
    return Planted()


def stored_texts() -> Iterator[tuple[str, str]]:
    """Every text in every column of every table, as Python reads it and as JSON writes it."""
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(
                field,
                models.CharField
                | models.TextField
                | models.JSONField
                | models.GenericIPAddressField,
            ):
                for value in model._default_manager.values_list(field.name, flat=True):
                    text = (
                        value
                        if isinstance(value, str)
                        else json.dumps(value, ensure_ascii=False, default=str)
                    )
                    yield f"{model.__name__}.{field.name}", text


def traces(folder: Path) -> list[str]:
    """Where the name, a telling part of it or the address still stands, in tables and files."""
    signs = [EMAIL, NAME, "Éloïse", "Planté-Témoin", "eloise.temoin"]
    places = [
        place for place, text in stored_texts() for sign in signs if sign.lower() in text.lower()
    ]
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes().lower()
            escaped = [json.dumps(sign)[1:-1].lower().encode() for sign in signs]
            places += [
                str(path)
                for sign in [*(s.lower().encode() for s in signs), *escaped]
                if sign in content
            ]
    return places


class TestErasure:
    def test_nothing_names_the_person_any_more(
        self, planted, settings, django_capture_on_commit_callbacks
    ):
        planted.exported(settings)
        study_freeze(actor=planted.lead, study=planted.study, reason="for later")
        before = set(traces(settings.DATA_DIR))
        assert {
            "User.email", "User.name", "SideAnswer.value", "ErrorDeduction.note", "Draft.answers", "Event.details",  # noqa: E501
            "JudgmentRevision.answers", "PracticeNote.note", "PracticeNote.reference", "Invitation.email",  # noqa: E501
            "ApiToken.name", "IdempotencyRecord.answer", "AccessLog.username", "AccessFailureLog.username",  # noqa: E501
            "AccessAttempt.post_data",
        } <= before  # fmt: skip
        assert any("long.csv" in place for place in before)
        modelled = Job.objects.create(study=planted.study, kind="models", state="done")
        with django_capture_on_commit_callbacks(execute=True):
            planted.erased()
        assert traces(settings.DATA_DIR) == []
        assert not Job.objects.filter(pk=modelled.pk).exists(), "figures of each annotator"
        assert "203.0.113.9" not in [text for _place, text in stored_texts()]

    def test_the_account_is_an_empty_row_that_nobody_logs_in_to(self, planted):
        # What somebody needs to read with says something about them.
        user_update_preferences(user=planted.user, spacing="wide", typeface="opendyslexic")
        planted.erased()
        user = User.objects.get(pk=planted.user.pk)
        assert (user.spacing, user.typeface) == ("normal", "standard")
        assert user.email.endswith("@erased.invalid")
        assert (user.name, user.is_active, user.has_usable_password(), user.last_login) == (
            "",
            False,
            False,
            None,
        )
        assert not Session.objects.exists()
        assert not ApiToken.objects.exists()
        assert not IdempotencyRecord.objects.filter(user=user).exists()
        assert not Invitation.objects.exists()
        assert planted.browser.get("/").status_code == 302
        with pytest.raises(RuleError, match="cannot be reopened"):
            user_set_active(actor=planted.admin, user=user, is_active=True, reason="please")

    def test_judgments_stay_under_the_pseudonym_with_their_values(self, planted):
        before = list(
            Judgment.objects.order_by("pk").values_list(
                "pk", "submitted_at", "ratings__value", "sides__field"
            )
        )
        request = planted.erased("keep")
        part = Annotator.objects.get(pk=planted.part.pk)
        assert (part.user, part.pseudonym, part.withdrawn_at) == (None, "A", None)
        assert (
            list(
                Judgment.objects.order_by("pk").values_list(
                    "pk", "submitted_at", "ratings__value", "sides__field"
                )
            )
            == before
        )
        assert (
            ErrorDeduction.objects.values_list("note", flat=True).distinct().get()
            == "Demandez à […] ([…]), dit […]."
        )
        assert JudgmentRevision.objects.filter(assignment__annotator=part).count() == 2
        assert request.statement["kept"] == [
            {"study": "alpha", "pseudonym": "A", "judgments": 2, "left_out": False, "snapshots": []}
        ]
        names = [row["annotator"] for row in _frozen_annotators(planted)]
        assert names == ["A", "B"]

    def test_or_are_left_out_of_later_snapshots_while_earlier_ones_are_named(self, planted):
        before = study_freeze(actor=planted.lead, study=planted.study, reason="published")
        request = planted.erased("leave_out")
        assert request.statement["kept"][0] | {"study": ""} == {
            "study": "", "pseudonym": "A", "judgments": 2, "left_out": True, "snapshots": [before.name],  # noqa: E501
        }  # fmt: skip
        assert [row["annotator"] for row in _frozen_annotators(planted)] == ["B"]

    def test_a_part_that_was_withdrawn_keeps_its_moment(self, planted):
        gone = annotator_withdraw(
            actor=planted.lead, annotator=planted.part, reason="ill"
        ).withdrawn_at
        assert planted.erased("leave_out").statement["kept"][0]["left_out"]
        assert Annotator.objects.get(pk=planted.part.pk).withdrawn_at == gone

    def test_what_was_not_submitted_goes_and_does_not_come_back(self, planted):
        planted.erased()
        assert not Draft.objects.filter(
            assignment__annotator=planted.part, assignment__judgment__isnull=True
        ).exists()
        assignments_fill(actor=None, study=planted.study)
        assert Assignment.objects.filter(annotator=planted.part).count() == 2

    @pytest.mark.parametrize("judgments", ["keep", "leave_out"])
    def test_a_correction_that_was_not_submitted_goes(self, planted, judgments):
        """Of a pair that is judged the submission stands, and the seconds of its draft, which the
        hours of an erased account are counted from."""
        judged = planted.part.assignments.filter(judgment__isnull=False).first()
        begun = save(judged.draft.revision, active_seconds=40, comment="nobody else's")
        draft_save(actor=planted.user, assignment=judged, save=begun)
        seconds = Draft.objects.get(assignment=judged).active_seconds
        planted.erased(judgments)
        left = Draft.objects.get(assignment=judged)
        assert (left.answers, left.active_seconds) == ({}, seconds)
        assert judged.revisions.get().answers["comment"].startswith("Demandez")

    @pytest.mark.parametrize("judgments", ["keep", "leave_out"])
    def test_what_was_sent_back_is_awaited_of_nobody(self, planted, judgments):
        """Nobody can judge as them, and what was judged stays as it is."""
        keys = list(planted.study.items.filter(round="main").values_list("key", flat=True))
        rejudge_request(actor=planted.lead, study=planted.study, keys=keys, reason="le guide")
        assert readiness_of(planted.study) == 4
        assert planted.erased(judgments).statement["removed"]["sent_back"] == 2
        assert readiness_of(planted.study) == 2  # the peer's
        progress = {row.annotator.pk: row for row in annotators_progress(planted.study)}
        row = progress[planted.part.pk]
        assert (row.main_done, row.main_total) == (2, 2)
        assert list(positions_check()) == []

    def test_the_trail_says_what_happened_and_not_to_whom(self, planted):
        request = planted.erased()
        event = Event.objects.get(verb="erasure_granted")
        assert (event.actor, event.target_id, event.details) == (
            planted.admin,
            str(request.pk),
            {"judgments": "keep"},
        )
        assert Event.objects.get(verb="study_updated").details == {
            "reason": "Demandez à […] ([…]), dit […].",
            "after": {"title": "Demandez à […] ([…]), dit […]."},
        }
        removed = request.statement["removed"]
        assert removed["sessions"] == removed["api_tokens"] == removed["invitations"] == 1
        assert removed["access_records"] == 4
        assert removed["mentions"] > 8

    @pytest.mark.parametrize("is_own", [True, False])
    def test_nor_does_what_was_done_outside_of_studies(self, planted, is_own):
        """By the person about another, and by an admin about the person: no study leads there."""
        actor, target = planted.user if is_own else planted.admin, planted.peer.user
        event = event_record(
            actor=actor,
            verb="account_closed",
            target=target if is_own else planted.user,
            reason=SAID,
        )
        planted.erased()
        event.refresh_from_db()
        assert event.details == {"reason": "Demandez à […] ([…]), dit […]."}

    def test_the_same_person_can_be_invited_again_as_somebody_new(self, planted):
        planted.erased()
        assert make_user(email=EMAIL).pk != planted.user.pk

    def test_everything_or_nothing(self, planted, monkeypatch):
        monkeypatch.setattr(
            "annotation.services.privacy.erasure.mentions_remove", lambda places: 1 / 0
        )
        request = erasure_request(actor=planted.user, user=planted.user, wish="keep")
        with pytest.raises(ZeroDivisionError):
            erasure_grant(actor=planted.admin, request=request, judgments="keep", reason="x")
        assert User.objects.get(pk=planted.user.pk).email == EMAIL
        assert ErasureRequest.objects.get(pk=request.pk).state == "open"

    def test_a_lead_leaves_the_study_to_another(self, planted):
        Lead.objects.create(study=make_study("led"), user=planted.user)
        request = erasure_request(actor=planted.user, user=planted.user, wish="keep")
        with pytest.raises(RuleError, match="only lead of the study led"):
            erasure_grant(actor=planted.admin, request=request, judgments="keep", reason="x")
        Lead.objects.create(study=Lead.objects.get(user=planted.user).study, user=planted.lead)
        erasure_grant(actor=planted.admin, request=request, judgments="keep", reason="x")
        assert not Lead.objects.filter(user=planted.user).exists()


def readiness_of(study) -> int:
    """How many judgments the step that closes the study says were sent back and not made again."""
    (check,) = [check for check in readiness(study, "closed") if check.key == "again"]
    return check.missing


def _frozen_annotators(planted: Planted) -> list[dict[str, object]]:
    made = study_freeze(actor=planted.lead, study=planted.study, reason="now")
    return json.loads((snapshot_folder(made) / "study.json").read_text())["annotators"]


class TestDeciding:
    def test_one_request_at_a_time(self, planted):
        request = erasure_request(actor=planted.user, user=planted.user, wish="keep")
        with pytest.raises(RuleError, match="waits for a decision"):
            erasure_request(actor=planted.user, user=planted.user, wish="leave_out")
        erasure_cancel(actor=planted.user, request=request)
        with pytest.raises(RuleError, match="does not wait"):
            erasure_cancel(actor=planted.user, request=request)
        assert (
            erasure_request(actor=planted.user, user=planted.user, wish="leave_out").state == "open"
        )

    @pytest.mark.parametrize("wish", ["", "everything"])
    def test_an_unknown_wish(self, planted, wish):
        with pytest.raises(RuleError, match="becomes of the judgments"):
            erasure_request(actor=planted.user, user=planted.user, wish=wish)
        request = erasure_request(actor=planted.user, user=planted.user, wish="keep")
        with pytest.raises(RuleError, match="becomes of the judgments"):
            erasure_grant(actor=planted.admin, request=request, judgments=wish, reason="x")

    def test_a_refusal_changes_nothing_and_says_why(self, planted):
        request = erasure_request(actor=planted.user, user=planted.user, wish="keep")
        with pytest.raises(RuleError, match="Give a reason"):
            erasure_refuse(actor=planted.admin, request=request, reason=" ")
        refused = erasure_refuse(actor=planted.admin, request=request, reason="An audit runs")
        assert (refused.state, refused.reason, refused.decided_by) == (
            "refused",
            "An audit runs",
            planted.admin,
        )
        assert User.objects.get(pk=planted.user.pk).email == EMAIL
        with pytest.raises(RuleError, match="does not wait"):
            erasure_grant(actor=planted.admin, request=request, judgments="keep", reason="x")

    def test_a_lead_decides_on_those_who_have_parts_in_their_studies_only(self, planted):
        request = erasure_request(actor=planted.user, user=planted.user, wish="keep")
        assert erasure_to_decide(planted.lead, request.pk) == request
        make_annotator(make_study("elsewhere", lead=make_user()), planted.user)
        with pytest.raises(Http404):
            erasure_to_decide(planted.lead, request.pk)
        with pytest.raises(RuleError, match="somebody else's"):
            erasure_refuse(actor=planted.lead, request=request, reason="x")
        assert erasure_to_decide(planted.admin, request.pk) == request

    @pytest.mark.parametrize("part", ["led", "removed", "acted"])
    def test_nor_on_whoever_once_had_a_part_elsewhere(self, planted, part):
        """It would take them out of the texts of a study that the lead does not see."""
        request = erasure_request(actor=planted.user, user=planted.user, wish="keep")
        elsewhere = make_study("elsewhere", lead=make_user())
        if part == "led":
            lead_add(actor=None, study=elsewhere, user=planted.user)
            lead_remove(actor=None, lead=Lead.objects.get(user=planted.user))
        elif part == "removed":
            annotator = annotator_add(actor=None, study=elsewhere, user=planted.user)
            annotator_remove(actor=None, annotator=annotator)
        else:
            event_record(actor=planted.user, study=elsewhere, verb="study_updated")
        with pytest.raises(Http404):
            erasure_to_decide(planted.lead, request.pk)
        with pytest.raises(RuleError, match="somebody else's"):
            erasure_grant(actor=planted.lead, request=request, judgments="keep", reason="x")
        Lead.objects.create(study=elsewhere, user=planted.lead)
        assert erasure_to_decide(planted.lead, request.pk) == request

    def test_words_of_a_protocol_are_shown_to_be_edited(self, planted):
        lead = make_user("composing")
        label = {"fr": f"Écrivez à {EMAIL}", "en": "Write"}
        own = installed(lead, title=label)
        identity = Identity.of(planted.user)
        assert edits(identity) == [], "no study of theirs follows it"
        study = make_study("beta", protocol_key=own.key, protocol_version=own.version)
        make_annotator(study, planted.user)
        identity = Identity.of(planted.user)
        (edit,) = edits(identity)
        assert (edit.column, edit.study, edit.title) == (
            "publishedprotocol.file",
            "beta",
            "clarity 1",
        )
        assert edit.mention == EMAIL
        assert edits(identity, frozenset({planted.study.pk})) == []
        request = erasure_request(actor=planted.user, user=planted.user, wish="keep")
        erased = erasure_grant(actor=None, request=request, judgments="keep", reason="x")
        assert erased.statement["to_edit"] == [
            {"column": "publishedprotocol.file", "pk": str(own.pk), "study": "beta"}
        ]

    def test_so_are_those_of_one_that_the_person_installed(self):
        lead = make_user("composing", email="composing@univ.example")
        installed(lead, title={"fr": "De composing@univ.example", "en": "T"})
        (edit,) = edits(Identity.of(lead))
        assert (edit.study, edit.column) == ("clarity 1", "publishedprotocol.file")

    def test_nobody_decides_on_themselves_and_an_admin_is_unmade_first(self, planted):
        request = erasure_request(actor=planted.admin, user=planted.admin, wish="keep")
        assert not erasures_to_decide(planted.admin).exists()
        with pytest.raises(RuleError, match="somebody else's"):
            erasure_grant(actor=planted.admin, request=request, judgments="keep", reason="x")
        with pytest.raises(RuleError, match="take that role"):
            erasure_grant(actor=None, request=request, judgments="keep", reason="x")

    @pytest.mark.parametrize("who", ["user", "peer", "outsider"])
    def test_nobody_else_sees_a_request(self, planted, who):
        erasure_request(actor=planted.user, user=planted.user, wish="keep")
        person = {"user": planted.user, "peer": planted.peer.user, "outsider": make_user()}[who]
        assert not erasures_to_decide(person).exists()


class TestIdentity:
    def test_a_name_of_one_word_that_is_a_word(self):
        identity = Identity(Person("Rose", "a@example.org"))
        assert (
            identity.cleaned("Rose, rose, Roseline, A@EXAMPLE.ORG") == "Rose, rose, Roseline, […]"
        )
        assert identity.cleaned("Mme Rose") == "Mme […]"

    def test_parts_of_a_name(self):
        identity = Identity(Person("Anne de La Tour", "a@example.org"))
        assert identity.cleaned("Anne, ANNE DE LA TOUR, de la tour") == "[…], […], de la tour"
        assert identity.cleaned("Anne, la Tour") == "[…], la […]"

    def test_no_name_at_all(self):
        assert Identity(Person("", "a@example.org")).cleaned("le ciel") == "le ciel"


class TestPersonalData:
    def test_everything_held_and_no_secret(self, planted):
        personal = personal_data(planted.user)
        assert personal["profile"]["email"] == EMAIL
        [part] = personal["annotates"]
        assert (part["study"], part["pseudonym"], len(part["pairs"])) == ("alpha", "A", 3)
        assert [len(pair["submissions"]) for pair in part["pairs"]].count(1) == 2
        assert all(pair["draft"]["answers"]["comment"] == SAID for pair in part["pairs"])
        assert personal["api_tokens"][0]["name"] == f"script of {NAME}"
        assert len(personal["sessions"]) == len(personal["invitations"]) == 1
        assert len(personal["access"]) == 4
        assert {"password_changed", "judgment_submitted"} <= {
            event["verb"] for event in personal["events"]
        }
        text = json.dumps(personal, default=str)
        secrets = [
            ApiToken.objects.get().digest,
            Invitation.objects.get().token_digest,
            Session.objects.get().session_key,
            planted.user.password,
        ]
        assert not [secret for secret in secrets if secret in text]
        assert planted.peer.user.email not in text

    def test_what_was_done_with_their_part_is_told(self, planted):
        annotator_withdraw(actor=planted.lead, annotator=planted.part, reason="ill")
        event = next(
            event
            for event in personal_data(planted.user)["events"]
            if event["verb"] == "annotator_withdrawn"
        )
        assert event["details"] == {"reason": "ill"}


def test_a_session_that_cannot_be_read_disturbs_nobody(planted):
    Session.objects.create(
        session_key="x" * 32, session_data="broken", expire_date=timezone.now() - timedelta(days=1)
    )
    assert len(personal_data(planted.user)["sessions"]) == 1
