"""Files that stopped sites of this kind, sent to the pages and to the API: answered, whatever is in
them."""

from __future__ import annotations

import fcntl
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import resolve, reverse

from annotation.models import ApiToken, Item, Job, PairsUpload, SourceDocument
from annotation.services.accounts.tokens import token_create
from annotation.services.intake.readings_work import reading_carry_out
from tests import hostile
from tests.factories import make_study
from tests.web.items.importing import CSV, page_text, send, sent


@pytest.fixture
def study(cast):
    return make_study("gamma", lead=cast.lead)


@pytest.fixture
def lead(cast, study):
    return cast.client("lead")


@pytest.fixture
def busy(cast, settings):
    """Another file of the lead's is being read."""
    folder = settings.DATA_DIR / "reading"
    folder.mkdir()
    with (folder / f"person-{cast.lead.pk}").open("a+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def documents(client, content, name="police.txt", **more):
    file = SimpleUploadedFile(name, content)
    return client.post(reverse("document_upload", args=["gamma"]), {"file": file, **more})


class TestHostileFiles:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        "name", ["far-row.xlsx", "keys.jsonl", "columns.csv", "accents-in-the-header.csv"]
    )
    def test_pairs(self, lead, name):
        answer = send(lead, hostile.FILES[name](), name=name)
        assert answer.status_code in (302, 422)
        if answer.status_code == 302:
            for job in Job.objects.filter(state="queued"):
                reading_carry_out(job.public_id)
            assert lead.get(answer.url, follow=True).status_code == 200

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "name", ["leaders.pdf", "one-line.txt", "spanning.docx", "paragraphs.docx"]
    )
    def test_documents(self, lead, name):
        answer = documents(lead, hostile.FILES[name](), name=name)
        assert answer.status_code in (302, 422)
        if answer.status_code == 302:
            for job in Job.objects.filter(state="queued"):
                reading_carry_out(job.public_id)
            assert lead.get(answer.url, follow=True).status_code == 200

    def test_a_file_that_asks_for_too_much_is_explained(self, lead, settings):
        from dataclasses import replace

        settings.READING_LIMITS = replace(settings.READING_LIMITS, wall_seconds=0)
        for sent_at, page in ((send, "pairs_mapping"), (documents, "reading")):
            place = sent_at(lead, b"Le preneur paie.").url
            job = Job.objects.get(state="queued")
            # A page gives up before a worker does.
            assert not reading_carry_out(job.public_id) or page == "pairs_mapping"
            assert resolve(place).url_name == page
            assert "demande plus de temps" in page_text(lead.get(place))
        assert not SourceDocument.objects.exists()

    def test_a_header_with_half_a_character_is_refused_with_its_row(self, lead):
        content = hostile.sheet(
            hostile.cells(1, "original", "_xD800_") + hostile.cells(2, "a", "b")
        )
        answer = send(lead, content, name="x.xlsx")
        assert answer.status_code == 422
        assert "moitié de caractère" in page_text(answer)

    def test_a_key_with_one_is_named_and_the_file_can_be_thrown_away(self, lead):
        lines = [{"original": "a", "simplification": "b"}, {"original": "c", "\ud800": "d"}]
        url = sent(lead, "\n".join(map(json.dumps, lines)), name="x.jsonl")
        assert "moitié de caractère" in page_text(lead.get(url))
        assert lead.get(url + "problems.csv").status_code == 200
        assert lead.post(url, {"action": "discard"}).status_code == 302
        assert not PairsUpload.objects.exists()


class TestOneAtATime:
    def test_a_second_file_is_refused_in_words(self, lead, busy):
        for answer in (send(lead, CSV), documents(lead, b"Le preneur paie.")):
            assert answer.status_code == 422
            assert "Un autre de vos fichiers" in page_text(answer)

    def test_so_is_the_page_of_an_upload(self, cast, lead, settings):
        url = sent(lead, CSV)
        with (settings.DATA_DIR / "reading" / f"person-{cast.lead.pk}").open("a+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for path in (url, url + "problems.csv"):
                answer = lead.get(path, follow=True)
                assert answer.redirect_chain == [(reverse("pairs_upload", args=["gamma"]), 302)]
                assert "Un autre de vos fichiers" in page_text(answer)
        assert lead.get(url).status_code == 200

    def test_the_api_says_when_to_try_again(self, cast, study, busy):
        _token, secret = token_create(
            actor=cast.lead, name="t", scopes=ApiToken.Scope.values, days=1
        )
        program = {"authorization": f"Bearer {secret}", "accept-language": "en"}
        for path in ("pairs/file/", "documents/"):
            answer = cast.client("anonymous").post(
                f"/api/v1/studies/gamma/{path}",
                {"file": SimpleUploadedFile("x", CSV.encode())},
                headers=program,
            )
            assert answer.status_code == 429, answer.content
            assert int(answer["Retry-After"]) > 0
            assert answer.json()["problems"][0]["code"] == "one_at_a_time"
        assert not Item.objects.filter(study=study).exists()

    def test_the_api_takes_encodings_of_the_list_only(self, cast, study):
        _token, secret = token_create(
            actor=cast.lead, name="t", scopes=ApiToken.Scope.values, days=1
        )
        answer = cast.client("anonymous").post(
            "/api/v1/studies/gamma/documents/",
            {"file": SimpleUploadedFile("x.txt", b"abc"), "encoding": "punycode"},
            headers={"authorization": f"Bearer {secret}"},
        )
        assert answer.status_code == 400
        assert answer.json()["problems"][0]["field"] == "encoding"
