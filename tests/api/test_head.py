"""A HEAD is answered as the GET is, without the body; nothing is noted as taken out by one, which
gives nobody anything."""

from __future__ import annotations

import pytest
from django.conf import settings

from annotation.models import Event
from tests.factories import make_study

PLACES = ("pay/", "exports/{job}/file/", "snapshots/1/bundle/")


@pytest.mark.django_db
@pytest.mark.parametrize("place", PLACES)
def test_a_download_knows_no_head(cast, program, place):
    make_study("gamma", lead=cast.lead)
    address = "/api/v1/studies/gamma/" + place.format(job="7" * 8 + "-7777-4777-8777-" + "7" * 12)
    lead, before = program("lead"), Event.objects.count()
    assert lead.head(address).status_code == 405
    assert Event.objects.count() == before


@pytest.mark.django_db
def test_a_read_s_head_is_the_read_s(cast, program):
    lead, address = program("lead"), "/api/v1/studies/alpha/"
    read, head = lead.get(address), lead.head(address)
    assert (head.status_code, head.content) == (200, b"")
    for name in ("ETag", "Cache-Control", "Vary", "Content-Type"):
        assert head[name] == read[name], name
    same = lead.head(address, headers={"if-none-match": read["ETag"]})
    assert (same.status_code, same["ETag"]) == (304, read["ETag"])


def test_what_answers_no_head_is_named():
    documented = (settings.BASE_DIR / "docs/api.md").read_text(encoding="utf-8")
    etags = documented[documented.index("- **ETag.**") : documented.index("- **Idempotency-Key.**")]
    for place in PLACES:
        assert f"`{place.replace('/1/', '/{number}/')}`" in etags
