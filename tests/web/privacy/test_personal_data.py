"""One's own data as pages and commands: taken along with the password again, forgotten by
somebody's decision."""

from __future__ import annotations

import errno
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import IO

import pytest
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotation.management.commands import personal_data as command
from annotation.models import ErasureRequest, Event, User
from annotation.services.platform.access_records import access_records_expire
from annotation.services.privacy.erasure_requests import erasure_request
from tests.cast import Cast

pytestmark = pytest.mark.django_db
PASSWORD = {"download-password": "a-long-password"}
ERASE = {"action": "erase", "erase-password": "a-long-password", "erase-wish": "keep"}


class TestCorrectingOnesName:
    def test_it_is_corrected_and_said(self, cast: Cast):
        client = cast.client("annotator")
        assert cast.annotator.name in client.get("/account/data/").content.decode()
        form = {"action": "rename", "name": "Zeltane Brindamour"}
        answer = client.post("/account/data/", form, follow=True)
        assert answer.redirect_chain == [("/account/data/", 302)]
        page = answer.content.decode()
        assert "Zeltane Brindamour" in page
        assert User.objects.get(pk=cast.annotator.pk).name == "Zeltane Brindamour"

    @pytest.mark.parametrize("name", ["", "\u200b", "é" * 151])
    def test_what_is_no_name_is_refused(self, cast: Cast, name):
        answer = cast.client("annotator").post("/account/data/", {"action": "rename", "name": name})
        assert answer.status_code == 422
        assert User.objects.get(pk=cast.annotator.pk).name == cast.annotator.name


class TestTakingAlong:
    def test_a_zip_with_both_files(self, cast: Cast):
        User.objects.filter(pk=cast.annotator.pk).update(name="<script>alert(1)</script>")
        answer = cast.client("annotator").post("/account/data/", {"action": "download", **PASSWORD})
        assert answer["Content-Type"] == "application/zip"
        assert answer["Content-Disposition"].startswith("attachment")
        archive = zipfile.ZipFile(io.BytesIO(answer.content))
        person = json.loads(archive.read("donnees.json"))
        assert person["profile"]["email"] == cast.annotator.email
        assert person["annotates"][0]["study"] == "alpha"
        page = archive.read("donnees.html").decode()
        assert cast.annotator.email in page
        assert "<dt>taille du texte</dt>" in page
        assert "<script" not in page
        assert Event.objects.get(verb="personal_data_downloaded").actor == cast.annotator

    @pytest.mark.parametrize(
        ("name", "said"),
        [("", "is a folder"), ("file", "exists already"), ("file/x.zip", "not a folder")],
    )
    def test_a_command_says_what_to_name_instead(self, cast: Cast, tmp_path, name, said):
        (tmp_path / "file").touch()
        with pytest.raises(CommandError, match=rf"cannot be written: .*{said}.* Name a file"):
            call_command("personal_data", cast.annotator.email, output=str(tmp_path / name))

    def test_a_command_that_could_not_write_it_whole_leaves_nothing(
        self, cast: Cast, tmp_path, monkeypatch
    ):
        """Half of it would be personal data that nobody opens, in the way of the next attempt."""
        target = tmp_path / "held.zip"

        def full(*_: object, **__: object) -> None:
            assert target.stat().st_mode & 0o777 == 0o600, "nobody else reads it meanwhile"
            target.write_bytes(b"PK and the beginning")
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(command, "personal_archive_write", full)
        with pytest.raises(CommandError, match="No space left"):
            call_command("personal_data", cast.annotator.email, output=str(target))
        assert not target.exists()

    def test_what_could_not_be_written_is_not_recorded_as_taken(
        self, cast: Cast, tmp_path, monkeypatch
    ):
        @contextmanager
        def on_a_full_disk(target: Path) -> Iterator[IO[bytes]]:
            with Path("/dev/full").open("wb") as out:
                yield out

        monkeypatch.setattr(command, "_written", on_a_full_disk)
        with pytest.raises(CommandError, match="No space left"):
            call_command("personal_data", cast.annotator.email, output=str(tmp_path / "held.zip"))
        assert not Event.objects.filter(verb="personal_data_downloaded").exists()

    def test_not_without_the_password(self, cast: Cast):
        for password in ("", "wrong-password"):
            form = {"action": "download", "download-password": password}
            answer = cast.client("annotator").post("/account/data/", form)
            assert answer.status_code == 422
            assert answer["Content-Type"].startswith("text/html")
        assert not Event.objects.filter(verb="personal_data_downloaded").exists()

    def test_guesses_count_like_those_at_the_log_in(self, cast: Cast):
        client = cast.client("annotator")
        for _ in range(10):
            client.post(
                "/account/data/", {"action": "download", "download-password": "wrong-password"}
            )
        answer = client.post("/account/data/", {"action": "download", **PASSWORD})
        assert answer.status_code in (422, 429)
        assert answer["Content-Type"].startswith("text/html")

    def test_by_command(self, cast: Cast, tmp_path, capsys):
        target = tmp_path / "held.zip"
        call_command("personal_data", cast.annotator.email.upper(), output=str(target))
        assert target.stat().st_mode & 0o777 == 0o600
        assert set(zipfile.ZipFile(target).namelist()) == {"donnees.json", "donnees.html"}
        assert Event.objects.filter(verb="personal_data_downloaded", actor=None).count() == 1
        with pytest.raises(CommandError, match="cannot be written"):
            call_command("personal_data", cast.annotator.email, output=str(target))
        with pytest.raises(CommandError, match="No account has this address"):
            call_command("personal_data", "nobody@example.org", output=str(tmp_path / "b"))


class TestBeingForgotten:
    def test_from_the_request_to_the_statement(self, cast: Cast):
        client, admin = cast.client("annotator"), cast.client("admin")
        assert client.post("/account/data/", ERASE).status_code == 302
        erasure = ErasureRequest.objects.get()
        assert 'value="cancel"' in client.get("/account/data/").content.decode()
        assert f"/erasures/{erasure.pk}/" in admin.get("/erasures/").content.decode()
        form = {"action": "grant", "judgments": "leave_out", "reason": "Consent withdrawn"}
        answer = admin.post(f"/erasures/{erasure.pk}/", form, follow=True)
        page = answer.content.decode()
        assert answer.status_code == 200
        assert 'id="statement"' in page
        assert cast.annotator.email not in page
        assert client.get("/account/data/").status_code == 302
        erasure.refresh_from_db()
        assert (erasure.state, erasure.decided_by) == ("granted", cast.admin)

    def test_a_lead_reads_the_statement_once_and_the_way_is_cut(self, cast: Cast):
        erasure = erasure_request(actor=cast.annotator, user=cast.annotator, wish="keep")
        form = {"action": "grant", "judgments": "keep", "reason": "Consent withdrawn"}
        answer = cast.client("lead").post(f"/erasures/{erasure.pk}/", form)
        assert (answer.status_code, 'id="statement"' in answer.content.decode()) == (200, True)
        assert cast.client("lead").get(f"/erasures/{erasure.pk}/").status_code == 404

    def test_without_password_or_wish_nothing_is_asked(self, cast: Cast):
        for form in (
            ERASE | {"erase-password": "wrong"},
            ERASE | {"erase-wish": "x"},
            {"action": "none"},
        ):
            assert cast.client("annotator").post("/account/data/", form).status_code == 422
        assert not ErasureRequest.objects.exists()

    def test_a_second_request_is_refused_in_words(self, cast: Cast):
        client = cast.client("annotator")
        client.post("/account/data/", ERASE)
        answer = client.post("/account/data/", ERASE, headers={"accept-language": "fr"})
        assert answer.status_code == 422
        assert "attend déjà" in answer.content.decode()

    def test_taken_back_by_its_owner_alone(self, cast: Cast):
        erasure = erasure_request(actor=cast.annotator, user=cast.annotator, wish="keep")
        form = {"action": "cancel", "request": erasure.pk}
        assert cast.client("peer").post("/account/data/", form).status_code == 404
        assert cast.client("annotator").post("/account/data/", form).status_code == 302
        erasure.refresh_from_db()
        assert erasure.state == "cancelled"

    def test_a_refusal_is_read_by_who_asked(self, cast: Cast):
        erasure = erasure_request(actor=cast.annotator, user=cast.annotator, wish="keep")
        admin = cast.client("admin")
        assert (
            admin.post(
                f"/erasures/{erasure.pk}/", {"action": "grant", "judgments": "keep"}
            ).status_code
            == 422
        )
        assert (
            admin.post(f"/erasures/{erasure.pk}/", {"action": "grant", "reason": "x"}).status_code
            == 422
        )
        form = {"action": "refuse", "reason": "An <b>audit</b> runs"}
        assert admin.post(f"/erasures/{erasure.pk}/", form).status_code == 302
        page = cast.client("annotator").get("/account/data/").content.decode()
        assert "An &lt;b&gt;audit&lt;/b&gt; runs" in page
        assert (
            "An &lt;b&gt;audit&lt;/b&gt; runs"
            in admin.get(f"/erasures/{erasure.pk}/").content.decode()
        )

    def test_an_empty_body_decides_nothing(self, cast: Cast):
        """The token of the form may come by a header, and then the body may be empty."""
        erasure = erasure_request(actor=cast.annotator, user=cast.annotator, wish="keep")
        assert cast.client("admin").post(f"/erasures/{erasure.pk}/").status_code == 422
        erasure.refresh_from_db()
        assert erasure.state == "open"

    def test_nobody_to_decide_on(self, cast: Cast):
        assert 'class="muted"' in cast.client("admin").get("/erasures/").content.decode()

    def test_by_command(self, cast: Cast, capsys):
        call_command("erase_person", cast.annotator.email, judgments="keep", reason="By letter")
        statement = json.loads(capsys.readouterr().out)
        assert statement["kept"][0]["pseudonym"] == "A"
        assert User.objects.get(pk=cast.annotator.pk).erased_at
        with pytest.raises(CommandError, match="take that role"):
            call_command("erase_person", cast.admin.email, judgments="keep", reason="By letter")
        assert not ErasureRequest.objects.filter(user=cast.admin).exists()

    def test_a_person_without_mentions_is_said_to_have_none(self, cast: Cast, capsys):
        call_command("erase_person", cast.annotator.email, show=True)
        shown = capsys.readouterr()
        assert (shown.out, "mentioned in no text" in shown.err) == ("", True)

    def test_a_command_answers_the_request_that_waits(self, cast: Cast):
        erasure = erasure_request(actor=cast.annotator, user=cast.annotator, wish="leave_out")
        call_command("erase_person", cast.annotator.email, judgments="keep", reason="By letter")
        erasure.refresh_from_db()
        assert (erasure.state, erasure.wish, erasure.decision) == ("granted", "leave_out", "keep")


def test_records_of_log_ins_have_their_time(settings):
    common = {
        "username": "a@example.org",
        "ip_address": "203.0.113.9",
        "user_agent": "x",
        "path_info": "/",
    }
    days_old = (100, 80, 0)
    for days in days_old:
        for model in (AccessLog, AccessFailureLog):
            row = model.objects.create(**common, http_accept="*")
            model.objects.filter(pk=row.pk).update(
                attempt_time=timezone.now() - timedelta(days=days)
            )
        row = AccessAttempt.objects.create(
            **common | {"user_agent": str(days)}, failures_since_start=1
        )
        AccessAttempt.objects.filter(pk=row.pk).update(
            attempt_time=timezone.now() - timedelta(days=days)
        )
    assert access_records_expire() == 3
    settings.ACCESS_RECORD_DAYS = 0
    assert access_records_expire() == 5
    assert AccessAttempt.objects.count() == 1  # a lockout that may still hold


def test_nobody_reaches_it_without_a_log_in():
    assert Client().get("/account/data/").status_code == 302
