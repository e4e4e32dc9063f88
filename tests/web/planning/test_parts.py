"""A part for people on the plan's page: drawn, said, taken back; a refusal keeps what was typed."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.models import PeoplePart
from tests.factories import make_pair
from tests.planning import open_main, planned_study
from tests.web.planning.test_plan import led

pytestmark = pytest.mark.django_db


def section(client, url):
    page = client.get(url).content.decode()
    return " ".join(page[page.index('id="part"') : page.index('id="rules"')].split())


def test_drawn_and_taken_back(client):
    study = planned_study(2, 10, opened=False)
    url, part = led(client, study), reverse("study_part", args=[study.key])
    assert f'value="{study.seed}"' in section(client, url)
    drawn = client.post(part, {"passages": "4", "part_seed": "11"}, follow=True)
    assert "4 passages of 10 drawn for people." in drawn.content.decode()
    shown = section(client, url)
    assert "4 of 10" in shown
    assert "Draw again" in shown
    back = client.post(part, {"action": "undo"}, follow=True)
    assert "6 items are people&#x27;s again" in back.content.decode()
    assert not PeoplePart.objects.exists()


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"passages": "10", "part_seed": "1"}, "fewer than 10"),
        ({"passages": "deux", "part_seed": "1"}, "Enter a whole number"),
        ({"passages": "2", "part_seed": "-1"}, "greater than or equal to 0"),
        ({"action": "undo", "passages": "3", "part_seed": "1"}, "No part was drawn"),
    ],
)
def test_what_cannot_be_is_said_and_keeps_what_was_typed(client, form, said):
    study = planned_study(2, 10, opened=False)
    led(client, study)
    answer = client.post(reverse("study_part", args=[study.key]), form)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert said in page
    assert f'value="{form["passages"]}"' in page


def test_once_a_round_is_open_it_only_says_so(client):
    study = planned_study(2, 10, opened=False)
    url, part = led(client, study), reverse("study_part", args=[study.key])
    client.post(part, {"passages": "4", "part_seed": "11"})
    make_pair(study)
    assert "no longer the one that chance has chosen" in section(client, url)
    open_main(study)
    shown = section(client, url)
    assert "4 of 10" in shown
    assert "<form" not in shown
    assert client.post(part, {"action": "undo"}).status_code == 422
    other = planned_study(2, 3)
    client.force_login(client.get(url).wsgi_request.user)
    other.leads.create(user=client.get(url).wsgi_request.user)
    assert "before a round opens" in section(client, reverse("study_plan", args=[other.key]))
