"""The exports' pages: who may, what they offer, how a file is watched and fetched."""

from __future__ import annotations

import csv
import io
import uuid

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation import jobs
from annotation.models import Event, Job
from annotation.selectors.publishing.exports import LAYOUTS, export_spec, layouts_of
from annotation.services.publishing.export_files import export_folder
from annotation.services.publishing.exports import export_request, export_write
from tests.bulk import fill_study
from tests.cast import ROLES
from tests.exported import export_file

pytestmark = pytest.mark.django_db

LETS_IN = {"lead", "admin"}
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def queued(monkeypatch):
    messages: list[tuple[str, ...]] = []
    monkeypatch.setattr(jobs, "_send", lambda *message: messages.append(message))
    return messages


@pytest.fixture
def job(cast) -> Job:
    fill_study(_fresh(cast.alpha), pairs=2, annotators=2)
    return export_request(actor=cast.lead, study=cast.alpha, spec=export_spec("long", "csv"))


@pytest.fixture
def written(job) -> Job:
    assert export_write(job.public_id)
    job.refresh_from_db()
    return job


def _fresh(study):
    study.items.all().delete()
    return study


def address(name: str, job: Job | None = None, study: str = "alpha") -> str:
    return reverse(name, args=[study, job.public_id] if job else [study])


def content(answer) -> bytes:
    return b"".join(answer.streaming_content)


class TestWhoMay:
    @pytest.mark.parametrize("role", ROLES)
    def test_look_ask_watch_fetch_delete(self, cast, written, role):
        client = cast.client(role)
        refused = 302 if role == "anonymous" else 404
        form = {"layout": "wide", "format": "", "round": "main"}
        for name, subject in (
            ("study_exports", None),
            ("export_status", written),
            ("export_download", written),
        ):
            answer = client.get(address(name, subject))
            assert answer.status_code == (200 if role in LETS_IN else refused), name
            if answer.streaming:
                content(answer)  # reading it to the end closes the file
        before = Job.objects.count()
        assert client.post(address("study_exports"), form).status_code == (
            302 if role in LETS_IN else refused
        )
        assert Job.objects.count() == before + (role in LETS_IN)
        deleted = client.post(address("export_status", written), {"action": "delete"})
        assert deleted.status_code == (302 if role in LETS_IN else refused)
        assert Job.objects.filter(pk=written.pk).exists() == (role not in LETS_IN)

    def test_an_export_is_not_reached_through_another_study(self, cast, written):
        client = cast.client("other_lead")
        for name in ("export_status", "export_download"):
            assert client.get(address(name, written, study="beta")).status_code == 404
        assert (
            client.post(
                address("export_status", written, study="beta"), {"action": "delete"}
            ).status_code
            == 404
        )
        assert Job.objects.filter(pk=written.pk).exists()

    def test_a_forged_request_asks_for_nothing(self, cast):
        from django.test import Client

        client = Client(enforce_csrf_checks=True)
        client.force_login(cast.lead)
        assert (
            client.post(address("study_exports"), {"layout": "long", "round": "main"}).status_code
            == 403
        )
        assert not Job.objects.exists()


class TestAsking:
    @pytest.mark.parametrize(
        ("language", "said"),
        [
            ("fr", ("peut contenir des noms ou des adresses", "publiez son lot")),
            ("en", ("may hold names or addresses", "publish a release")),
        ],
    )
    def test_the_page_says_that_free_text_is_as_it_was_typed(self, cast, language, said):
        cast.lead.language = language
        cast.lead.save()
        page = " ".join(cast.client("lead").get(address("study_exports")).content.decode().split())
        assert all(words in page for words in said)

    def test_each_layout_says_what_it_is_for(self, cast):
        for language, part in (("fr", "fr"), ("en", "en")):
            cast.lead.language = language
            cast.lead.save()
            page = cast.client("lead").get(address("study_exports")).content.decode()
            for layout in layouts_of(cast.alpha.protocol).values():
                words = getattr(layout.explanation, part)
                assert words.replace("'", "&#x27;") in page

    def test_what_was_chosen_is_what_is_asked(
        self, cast, queued, django_capture_on_commit_callbacks
    ):
        ticked = dict.fromkeys(("withdrawn", "machines", "bom"), "on")
        chosen = {"layout": "long", "format": "tsv", "round": "all", **ticked}
        with django_capture_on_commit_callbacks(execute=True):
            answer = cast.client("lead").post(address("study_exports"), chosen)
        job = Job.objects.get()
        assert answer.url == address("study_exports") + f"#export-{job.public_id}"
        assert (job.study, job.requested_by) == (cast.alpha, cast.lead)
        assert job.parameters == {
            "layout": "long",
            "format": "tsv",
            "options": {
                "round": "all",
                "systems": False,
                "withdrawn": True,
                "coarse_times": False,
                "machines": True,
                "bom": True,
            },
        }
        assert queued == [("workers.tasks.export_write", str(job.public_id))]

    def test_without_a_format_the_usual_one(self, cast):
        client = cast.client("lead")
        for layout in LAYOUTS:
            client.post(address("study_exports"), {"layout": layout, "format": "", "round": "main"})
        formats = {job.parameters["layout"]: job.parameters["format"] for job in Job.objects.all()}
        assert formats == {
            "frjudge": "jsonl",
            "long": "csv",
            "wide": "csv",
            "soft_labels": "csv",
            "errors": "csv",
            "codebook": "json",
        }

    @pytest.mark.parametrize(
        ("wrong", "words"),
        [
            ({"layout": "frjudge", "format": "csv", "round": "main"}, "jsonl"),
            ({"layout": "square", "format": "", "round": "main"}, "square"),
            ({"layout": "", "format": "", "round": "main"}, "field--bad"),
            ({"layout": "long", "format": "", "round": "both"}, "both"),
        ],
    )
    def test_what_does_not_exist_is_named_and_nothing_is_asked(self, cast, wrong, words):
        answer = cast.client("lead").post(address("study_exports"), wrong)
        assert answer.status_code == 422
        assert words in answer.content.decode()
        assert not Job.objects.exists()

    def test_the_choice_survives_a_refusal(self, cast):
        wrong = {"layout": "frjudge", "format": "csv", "round": "practice"}
        answer = cast.client("lead").post(address("study_exports"), wrong)
        page = " ".join(answer.content.decode().split())
        assert 'value="frjudge" aria-describedby="layout-frjudge-help" checked' in page
        assert '<option value="practice" selected>' in page


class TestWatching:
    def test_a_waiting_export_asks_for_itself_and_reloads_without_scripts(self, cast, job):
        exports = address("study_exports")
        page = cast.client("lead").get(exports).content.decode()
        assert f'hx-get="{address("export_status", job)}"' in page
        # By its address: one with a part after "#" would not be loaded anew.
        assert (
            f'<noscript><meta http-equiv="refresh" content="3; url={exports}"></noscript>' in page
        )
        assert '"includeIndicatorStyles": false' in page
        assert '"allowEval": false' in page

    def test_nothing_to_watch_nothing_to_load(self, cast, written):
        page = cast.client("lead").get(address("study_exports")).content.decode()
        assert "htmx" not in page
        assert "http-equiv" not in page

    def test_progress(self, cast, job):
        Job.objects.update(state="running", done=3, total=4)
        answer = cast.client("lead").get(address("export_status", job), headers=HTMX)
        piece = answer.content.decode()
        assert '<progress class="progress" max="4" value="3">' in piece
        assert "<html" not in piece
        assert 'hx-trigger="every 1s"' in piece
        assert "no-store" in answer.headers["cache-control"]

    def test_the_end_is_announced_once_and_the_asking_stops(self, cast, written):
        piece = (
            cast.client("lead")
            .get(address("export_status", written), headers=HTMX)
            .content.decode()
        )
        assert "hx-trigger" not in piece
        assert 'role="status" class="visually-hidden" hx-swap-oob="true"' in piece
        assert address("export_download", written) in piece
        assert written.result["sha256"] in piece
        page = cast.client("lead").get(address("export_status", written)).content.decode()
        assert "hx-swap-oob" not in page
        assert "<html" in page

    def test_rows_and_size_are_shown_and_a_document_has_no_rows(self, cast, written):
        shown = cast.client("lead").get(address("export_status", written)).context["export"]
        assert (shown["rows"], shown["size"]) == (4, written.result["size"])
        codebook = export_request(actor=cast.lead, study=cast.alpha, spec=export_spec("codebook"))
        assert export_write(codebook.public_id)
        assert (
            cast.client("lead").get(address("export_status", codebook)).context["export"]["rows"]
            is None
        )

    @pytest.mark.parametrize(
        "problem",
        ["disk_full", "disk", "worker_lost", "too_many_rows", "cell_too_long", "defect"],
    )
    def test_a_failure_says_what_to_do(self, cast, job, problem):
        Job.objects.update(state="failed", problem=problem)
        page = cast.client("lead").get(address("export_status", job)).content.decode()
        assert "notice--bad" in page
        assert problem not in page
        assert cast.client("lead").get(address("export_download", job)).status_code == 409

    def test_what_differs_from_the_usual_is_said(self, cast, job):
        options = {
            "round": "practice",
            "systems": False,
            "withdrawn": False,
            "coarse_times": True,
            "bom": True,
        }
        spec = export_spec("long", "csv", options)
        both = export_spec("long", "csv", {"round": "all"})
        client = cast.client("lead")
        for chosen, number in ((spec, 5), (both, 1), (export_spec("long", "csv"), 0)):
            export = export_request(actor=cast.lead, study=cast.alpha, spec=chosen)
            said = client.get(address("export_status", export)).context["export"]["options"]
            assert len([words for words in said.split(", ") if words]) == number

    def test_a_request_without_a_purpose_changes_nothing(self, cast, written):
        assert cast.client("lead").post(address("export_status", written)).status_code == 302
        assert export_file(written) is not None

    def test_the_page_costs_as_many_queries_for_one_export_as_for_thirty(
        self, cast, written, django_assert_max_num_queries
    ):
        client = cast.client("lead")
        client.get(address("study_exports"))
        for _ in range(30):
            Job.objects.create(
                study=cast.alpha,
                kind="export",
                parameters=written.parameters,
                requested_by=cast.lead,
            )
        with django_assert_max_num_queries(8):
            client.get(address("study_exports"))


class TestFetching:
    def test_the_file_as_it_was_written(self, cast, written):
        answer = cast.client("lead").get(address("export_download", written))
        body = content(answer)
        assert body == export_file(written).read_bytes()
        assert len(list(csv.reader(io.StringIO(body.decode(), newline="")))) == 5
        assert (
            answer.headers["content-disposition"] == f'attachment; filename="{written.result_name}"'
        )
        assert answer.headers["content-type"] == "text/csv; charset=utf-8"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "no-store" in answer.headers["cache-control"]
        assert Event.objects.get(verb="export_downloaded").actor == cast.lead
        assert cast.client("lead").head(address("export_download", written)).status_code == 405
        assert Event.objects.filter(verb="export_downloaded").count() == 1, (
            "nobody has got it by a HEAD"
        )

    def test_compressed_on_the_way_it_is_the_same(self, cast, written):
        import gzip

        answer = cast.client("lead").get(
            address("export_download", written), headers={"accept-encoding": "gzip"}
        )
        assert gzip.decompress(content(answer)) == export_file(written).read_bytes()

    def test_not_yet_and_no_longer_are_said(self, cast, job):
        client = cast.client("lead")
        assert client.get(address("export_download", job)).status_code == 409
        assert export_write(job.public_id)
        Job.objects.update(result_path="", finished_at=timezone.now())
        answer = client.get(address("export_download", job))
        assert answer.status_code == 410
        assert "30" in answer.content.decode()
        assert not Event.objects.filter(verb="export_downloaded").exists()

    def test_deleting_takes_the_file(self, cast, written, django_capture_on_commit_callbacks):
        with django_capture_on_commit_callbacks(execute=True):
            answer = cast.client("lead").post(
                address("export_status", written), {"action": "delete"}, follow=True
            )
        assert "notice--ok" in answer.content.decode()
        assert not export_folder(written.public_id).exists()
        assert cast.client("lead").get(address("export_download", written)).status_code == 404

    def test_an_export_that_never_was(self, cast):
        assert (
            cast.client("lead")
            .get(reverse("export_status", args=["alpha", uuid.uuid4()]))
            .status_code
            == 404
        )
