"""The blocks of a long document, by the API: 202 with a place to look at, and nothing stored too
early."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import SourceDocument
from tests.documents import CONTRACT
from tests.documents_long import blocks_worker  # noqa: F401  (a fixture)
from tests.factories import make_study

pytestmark = pytest.mark.django_db


def test_from_bringing_in_to_the_draw(cast, program, blocks_worker):  # noqa: F811
    study, lead = make_study("gamma", lead=cast.lead), program("lead")
    file = SimpleUploadedFile("contrat.txt", CONTRACT.encode())
    upload = lead.post(
        "/api/v1/studies/gamma/documents/", {"file": file}, headers={"Idempotency-Key": "one"}
    )
    place = upload["Location"]
    document = SourceDocument.objects.get()
    assert (upload.status_code, place) == (202, f"/api/v1/studies/gamma/documents/{document.pk}/")
    for address in (place, f"{place}blocks/?show=kept", f"{place}draw/?practice=2&main=3&seed=7"):
        early = lead.get(address)
        assert (early.status_code, early["Location"], early["Retry-After"]) == (202, address, "2")
        assert early.json() == {"location": address}
    wanted = {"practice": 2, "main": 3, "seed": 7}
    refused = lead.post(f"{place}draw/", wanted, content_type="application/json")
    assert (refused.status_code, refused.json()["type"]) == (429, "busy")
    assert refused["Retry-After"]
    assert not study.items.exists()
    assert blocks_worker.work() == [True]
    response = lead.get(place)
    assert (response.status_code, response.json()["kept"]) == (200, 5)
    criteria = response.json()["criteria"] | {"most_sentences": 3}
    stored = lead.put(f"{place}criteria/", criteria, content_type="application/json")
    assert (stored.status_code, stored["Location"]) == (202, place)
    assert blocks_worker.work() == [True]
    assert lead.get(place).json()["criteria"]["most_sentences"] == 3
    assert lead.post(f"{place}draw/", wanted, content_type="application/json").status_code == 201
    assert study.items.count() == 5
