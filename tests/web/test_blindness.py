"""A blind phase: nothing that a lead can open tells what anybody answered, until the round is
closed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from django.http import HttpResponse

from annotation.errors import AnswersHidden, RuleError
from annotation.models import Assignment, DatasetSnapshot, Job, Study
from annotation.selectors.publishing.exports import export_spec
from annotation.services.judging.judgments import judgment_submit
from annotation.services.publishing.exports import export_request
from annotation.services.publishing.snapshots import study_freeze
from annotation.services.studies.studies import study_change_state, study_update
from annotation.web.studies.blindness import BlindnessMiddleware
from tests.cast import Cast
from tests.factories import save
from tests.services.studies.test_studies import code

pytestmark = pytest.mark.django_db
WORDS = "Mot-que-seul-un-commentaire-contient"


@pytest.fixture
def blind(cast: Cast) -> Study:
    """Everybody has judged every pair of «alpha», which is blind and whose main round is open."""
    for assignment in Assignment.objects.filter(
        annotator__study=cast.alpha,
        annotator__withdrawn_at=None,
        simplification__item__round="main",
    ).select_related("annotator__study", "annotator__user", "simplification__item"):
        given = save(active_seconds=60, comment=WORDS, characterization=7)
        judgment_submit(actor=assignment.annotator.user, assignment=assignment, save=given)
    Study.objects.filter(pk=cast.alpha.pk).update(is_blind=True)
    return Study.objects.get(pk=cast.alpha.pk)


def pair(study: Study) -> int:
    return study.items.filter(round="main")[0].simplifications.get().pk


def addresses(study: Study) -> Iterator[str]:
    yield from ("agreement/", "agreement/figures/", "agreement/charts/overview/?format=csv")
    yield f"agreement/items/{study.items.filter(round='main')[0].key}/"
    yield "adjudication/"
    yield f"adjudication/{pair(study)}/legal_meaning/"


@pytest.mark.parametrize("role", ["lead", "admin"])
def test_every_page_with_answers_says_why_it_is_empty(cast, blind, role):
    client = cast.client(role)
    for address in addresses(blind):
        page = client.get(f"/studies/alpha/{address}")
        assert page.status_code == 403, address
        assert "/studies/alpha/watch/" in page.content.decode()
        assert WORDS not in page.content.decode()
    study_change_state(actor=cast.lead, study=blind, to="closed", reason="fini")
    for address in addresses(blind):
        assert client.get(f"/studies/alpha/{address}").status_code == 200, address


def test_an_outsider_learns_nothing_of_it(cast, blind):
    assert cast.client("outsider").get("/studies/alpha/agreement/").status_code == 404


def test_practice_has_a_rule_of_its_own(cast, blind):
    assert cast.client("lead").get("/studies/alpha/agreement/?round=practice").status_code == 200


def test_the_pages_that_stay_open_tell_no_answer(cast, blind):
    client = cast.client("lead")
    for address in (
        "",
        "watch/",
        "remarks/",
        "remarks.csv",
        "people.csv",
        "pay/",
        "events/",
        "items/",
        "people/",
        "guide/rejudge/",
    ):
        page = client.get(f"/studies/alpha/{address}")
        assert page.status_code == 200
        assert WORDS not in page.content.decode(), address
    assert client.get("/studies/alpha/remarks/?q=" + WORDS).context["rows"] == []


def test_sending_back_shows_no_class_and_filters_by_none(cast, blind):
    page = cast.client("lead").get("/studies/alpha/guide/rejudge/?class=3")
    assert page.context["classes"] == []
    assert page.context["page"].paginator.count == 2, "filtering by class would tell the class"
    seventh = re.compile(r"<td>\s*7\s*</td>")
    assert not seventh.search(page.content.decode())
    Study.objects.update(is_blind=False)
    page = cast.client("lead").get("/studies/alpha/guide/rejudge/")
    assert seventh.search(page.content.decode())


class TestFiles:
    @pytest.mark.parametrize("layout", ["long", "wide", "errors", "frjudge"])
    def test_none_with_answers_is_written(self, cast, blind, layout):
        with pytest.raises(RuleError) as refused:
            export_request(
                actor=cast.lead, study=blind, spec=export_spec(layout, "", {"round": "all"})
            )
        assert code(refused) == "blind"
        answer = cast.client("lead").post(
            "/studies/alpha/exports/", {"layout": layout, "round": "main"}
        )
        assert (answer.status_code, list(answer.context["form"].errors)) == (422, ["round"])
        assert not Job.objects.exists()

    def test_codebook_and_practice_are(self, cast, blind):
        export_request(actor=cast.lead, study=blind, spec=export_spec("codebook"))
        export_request(
            actor=cast.lead, study=blind, spec=export_spec("long", "", {"round": "practice"})
        )
        assert Job.objects.count() == 2

    def test_one_that_was_written_before_is_not_handed_out(self, cast, blind, settings):
        written = settings.DATA_DIR / "export.csv"
        written.write_text("a\r\n")
        job = Job.objects.create(
            study=blind,
            kind="export",
            state="done",
            requested_by=cast.lead,
            result_name=written.name,
            result_path=str(written),
            parameters={"layout": "long", "format": "csv"},
        )
        client = cast.client("lead")
        for address in (
            f"/studies/alpha/exports/{job.public_id}/download/",
            f"/api/v1/studies/alpha/exports/{job.public_id}/file/",
        ):
            assert client.get(address).status_code == 403
        job.parameters = {"layout": "codebook", "format": "csv"}
        job.save()
        for address in (
            f"/studies/alpha/exports/{job.public_id}/download/",
            f"/api/v1/studies/alpha/exports/{job.public_id}/file/",
        ):
            answer = client.get(address)
            assert (answer.status_code, b"".join(answer.streaming_content)) == (200, b"a\r\n")

    def test_no_snapshot_is_made_and_none_from_before_is_handed_out(self, cast, blind):
        with pytest.raises(RuleError) as refused:
            study_freeze(actor=cast.lead, study=blind, reason="par curiosité")
        assert code(refused) == "blind"
        Study.objects.update(is_blind=False)
        study_freeze(actor=cast.lead, study=blind, reason="avant")
        Study.objects.update(is_blind=True)
        assert DatasetSnapshot.objects.count() == 1
        client = cast.client("lead")
        for address in (
            "/studies/alpha/releases/1.zip",
            "/api/v1/studies/alpha/snapshots/1/bundle/",
            "/api/v1/studies/alpha/snapshots/1/files/labels.jsonl/",
        ):
            assert client.get(address).status_code == 403, address


def test_the_api_says_so_too(cast, blind):
    client = cast.client("lead")
    answer = client.get("/api/v1/studies/alpha/agreement/")
    assert answer.status_code == 403
    assert json.loads(answer.content)["type"] == "answers_hidden"
    assert client.get("/api/v1/studies/alpha/agreement/?round=practice").status_code == 200
    assert client.get("/api/v1/studies/alpha/progress/").status_code == 200


class TestSetting:
    def test_it_is_no_peephole_while_the_round_is_open(self, cast, blind):
        with pytest.raises(RuleError) as refused:
            study_update(actor=cast.lead, study=blind, is_blind=False)
        assert code(refused) == "round_open"
        page = cast.client("lead").get("/studies/alpha/settings/")
        assert page.context["form"].fields["is_blind"].disabled

    def test_it_may_be_set_at_any_time_and_taken_back_once_closed(self, cast, blind):
        study_change_state(actor=cast.lead, study=blind, to="closed", reason="fini")
        assert not study_update(actor=cast.lead, study=blind, is_blind=False).is_blind
        assert study_update(actor=cast.lead, study=blind, is_blind=True).is_blind


def test_other_errors_pass(rf):
    middleware = BlindnessMiddleware(lambda request: HttpResponse())
    assert middleware.process_exception(rf.get("/"), ValueError()) is None
    assert "closed" in AnswersHidden(None).message
