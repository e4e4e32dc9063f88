"""What describes or labels a control of the judging page stands on it, whatever the protocol."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from annotation.protocols.registry import PROTOCOLS
from tests.factories import make_assignment, make_study

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("key", sorted({protocol.key for protocol in PROTOCOLS.values()}))
def test_what_is_named_is_there(key: str, client: Client) -> None:
    version = max(protocol.version for protocol in PROTOCOLS.values() if protocol.key == key)
    study = make_study("essai", state="main", protocol_key=key, protocol_version=version)
    assignment = make_assignment(study)
    client.force_login(assignment.annotator.user)
    page = client.get(f"/annotate/essai/{assignment.position}/").content.decode()
    ids = set(re.findall(r'\bid="([^"]+)"', page))
    named = re.findall(r'\baria-(?:describedby|labelledby|controls)="([^"]+)"', page)
    assert named
    assert [each for names in named for each in names.split() if each not in ids] == []
