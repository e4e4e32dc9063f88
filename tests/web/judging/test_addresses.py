"""Where the judging page sends what: each address of its scripts is the one that Django knows."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import User
from tests.factories import make_assignment

pytestmark = pytest.mark.django_db

OF_A_PAIR = ("note", "ahead", "draft", "submit", "take_back", "compare")
OF_A_STUDY = ("aids", "guide")


def shown(client: Client, path: str) -> dict[str, str]:
    page = client.get(path).content.decode()
    return dict(re.findall(r'data-([a-z-]+)-url="([^"]*)"', page)) | {
        "later": re.findall(r'id="later-form"\s+action="([^"]*)"', page)[0]
    }


def test_addresses_of_two_studies_and_two_pairs_are_their_own(client: Client):
    """What is kept of one study's page is not shown on another's."""
    for _ in range(2):
        assignment = make_assignment()
        key, position = assignment.annotator.study.key, assignment.position
        client.force_login(assignment.annotator.user)
        addresses = shown(client, reverse("annotate", args=[key, position]))
        for name in OF_A_PAIR:
            expected = reverse(f"annotate_{name}", args=[key, position])
            assert addresses[name.replace("_", "-")] == expected
        assert addresses["later"] == reverse("annotate_later", args=[key, position])
        for name in OF_A_STUDY:
            assert addresses[name] == reverse(f"annotate_{name}", args=[key])
        assert addresses["options"] == reverse("annotate_options", args=[key, "field"])
        assert addresses["keys"].startswith(f"{reverse('keys')}?protocol=")
        for name in ("session", "login", "preferences"):
            assert addresses[name] == reverse(name)
        assert addresses["worker"] == reverse("annotate_keeping")


def test_the_frame_is_each_reader_s_own(client: Client):
    """The column of the frame is kept by what it depends on: who reads, where and in which
    language."""
    for is_admin in (False, True, False):
        user = User.objects.create_user(f"{User.objects.count()}@example.org", is_admin=is_admin)
        client.force_login(user)
        home = client.get(reverse("home")).content.decode()
        assert 'href="/" aria-current="page"' in " ".join(home.split())
        assert (f'href="{reverse("system")}"' in home) is is_admin
        assert str(user) in home
        elsewhere = client.get(reverse("preferences")).content.decode()
        assert 'aria-current="page">Mes études' not in " ".join(elsewhere.split())
        assert "Mes études" in elsewhere
        client.post(reverse("preferences"), {"language": "en"})
        assert "My studies" in client.get(reverse("home")).content.decode()
    client.logout()
    assert "logout" not in client.get(reverse("login")).content.decode()
