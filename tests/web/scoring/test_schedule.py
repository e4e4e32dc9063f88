"""The page on which an admin sets when scorers are trained by themselves."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.models import DatasetSnapshot, TrainingSchedule
from tests.bulk import fill_study
from tests.cast import Cast
from tests.factories import make_study

pytestmark = pytest.mark.django_db
FORM = {"threshold": "4", "backend": "lexical", "seeds": "42-44", "augment": "on"}


def test_it_is_set_and_shown(cast: Cast):
    client, url = cast.client("admin"), reverse("training_schedule")
    assert 'class="badge badge--ok"' not in client.get(url).content.decode()
    assert client.post(url, FORM)["Location"] == url
    schedule = TrainingSchedule.objects.get()
    assert (schedule.threshold, schedule.seeds, schedule.augment, schedule.changed_by) == (
        4,
        [42, 43, 44],
        True,
        cast.admin,
    )
    shown = client.get(url).content.decode()
    assert 'class="badge badge--ok"' in shown
    assert 'value="42,43,44"' in shown
    assert client.post(url, FORM | {"threshold": ""}).status_code == 302
    schedule.refresh_from_db()
    assert schedule.threshold is None


@pytest.mark.parametrize(
    "bad", [{"threshold": "-1"}, {"threshold": "x"}, {"seeds": "a"}, {"backend": "none"}]
)
def test_what_cannot_be_set_is_said(cast: Cast, bad):
    answer = cast.client("admin").post(reverse("training_schedule"), FORM | bad)
    assert answer.status_code == 422
    assert not TrainingSchedule.objects.exists()


def test_each_study_shows_how_far_it_is(cast: Cast):
    study = make_study("judged", lead=cast.lead, state="main")
    fill_study(study, pairs=3, annotators=2)
    snapshot = DatasetSnapshot.objects.create(study=study, number=1, content_digest="d", path="p")
    TrainingSchedule.objects.create(
        threshold=1,
        seeds=[42],
        refusals={str(snapshot.pk): {"code": "x", "fr": "Abîmé.", "en": "Damaged."}},
    )
    shown = cast.client("admin").get(reverse("training_schedule")).content.decode()
    assert "judged-1" in shown
    assert '<td class="table__number">6</td><td class="table__number">0</td>' in shown
    assert "Abîmé." in shown


def test_a_frozen_demonstration_is_said_not_to_count(cast: Cast):
    study = make_study("shown", lead=cast.lead, state="main", is_demo=True)
    DatasetSnapshot.objects.create(study=study, number=1, content_digest="d", path="p")
    cast.admin.language = "en"
    cast.admin.save(update_fields=["language"])
    shown = cast.client("admin").get(reverse("training_schedule")).content.decode()
    assert "demonstrations and of archived studies never count" in shown
