"""Leaving a study by oneself."""

from __future__ import annotations

import pytest
from django.core import mail

from annotation.errors import RuleError
from annotation.models import Event
from annotation.services.people.leaving import annotator_leave
from tests.cast import Cast
from tests.planning import seen, submit

pytestmark = pytest.mark.django_db


def test_it_is_a_withdrawal_that_says_whose_wish_it_was(cast: Cast):
    left = annotator_leave(actor=cast.annotator, annotator=cast.judge, reason="Un autre emploi")
    assert left.withdrawn_at
    event = Event.objects.get(verb="annotator_withdrawn", target_id=str(left.pk))
    assert (event.actor, event.details["said"]) == (cast.annotator, "Un autre emploi")
    assert "emploi" not in event.details["reason"], (
        "it may be published with the study's deviations"
    )


def test_no_reason_has_to_be_given(cast: Cast):
    annotator_leave(actor=cast.annotator, annotator=cast.judge)
    assert "said" not in Event.objects.get(verb="annotator_withdrawn").details


def test_nobody_leaves_for_somebody_else(cast: Cast):
    with pytest.raises(RuleError):
        annotator_leave(actor=cast.peer, annotator=cast.judge)
    cast.judge.refresh_from_db()
    assert cast.judge.withdrawn_at is None


def test_the_leads_are_written_to(
    cast: Cast, settings, django_capture_on_commit_callbacks, monkeypatch
):
    settings.EMAIL_HOST = "smtp.example.org"
    monkeypatch.setattr(
        "annotation.services.platform.letters.letter_send_later", lambda letter: letter.send()
    )
    with django_capture_on_commit_callbacks(execute=True):
        annotator_leave(actor=cast.annotator, annotator=cast.judge, reason="Un autre emploi")
    assert [letter.to for letter in mail.outbox] == [[cast.lead.email]]
    assert "Annotator" in mail.outbox[0].subject
    assert "Un autre emploi" in mail.outbox[0].body


def test_without_a_mail_server_nobody_is_written_to(cast: Cast, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks() as waiting:
        annotator_leave(actor=cast.annotator, annotator=cast.judge)
    assert mail.outbox == []
    assert waiting is not None


def test_by_the_page_with_what_it_means(cast: Cast):
    client, url = cast.client("annotator"), "/annotate/alpha/leave/"
    submit(next(row for row in seen(cast.judge) if row.simplification.item.round == "main"))
    assert url in client.get("/annotate/alpha/work/").content.decode()
    page = client.get(url).content.decode()
    assert "La paire que vous avez soumise" in page
    assert "feuille de paie" in page
    # Why one leaves, which nothing feminine stands for.
    assert "dirigent l'étude le lisent" in page.replace("&#x27;", "'")
    assert client.post(url, {"reason": "x"}).status_code == 422
    cast.judge.refresh_from_db()
    assert cast.judge.withdrawn_at is None
    done = client.post(url, {"is_meant": "on"}, follow=True)
    assert "Vous avez quitté l'étude" in done.content.decode().replace("&#x27;", "'")
    assert client.get("/annotate/alpha/mine/").status_code == 404
