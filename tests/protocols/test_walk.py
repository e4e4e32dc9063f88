"""Every page, operation and file that there is, with a study of every protocol that there is.

What is walked is found from the URL configuration and the registries, so that a new page, layout
or protocol is walked from its first day. What each page says in particular, other tests say.
"""

from __future__ import annotations

import html
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.test import Client

from annotation.corpus.glossary import Term
from annotation.generation.judging import judge_preset
from annotation.models import (
    Annotator,
    ErasureRequest,
    Job,
    Judgment,
    PairsImport,
    PairsUpload,
    User,
)
from annotation.protocols.base import Answers, Passages, Wording
from annotation.protocols.files import protocol_read, protocol_text
from annotation.protocols.kinds import Field
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import PROTOCOLS
from annotation.scoring.errors import ScoringError
from annotation.selectors.documents.documents import document_funnel
from annotation.selectors.generation.orders import order_of
from annotation.selectors.publishing.exports import (
    export_chunks,
    export_spec,
    layouts_of,
)
from annotation.services.composing.installing import draft_install
from annotation.services.generation.calls import generation_claim, generation_store
from annotation.services.generation.runs import run_create, run_start
from annotation.services.generation.systems import system_add
from annotation.services.guides.glossaries import glossary_replace
from annotation.services.people.invitations import invitation_create
from annotation.services.privacy.archive import JSON_NAME, personal_archive
from annotation.services.privacy.erasure import erasure_grant
from annotation.services.publishing.releases import release_zip
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from annotation.services.scoring.sources import set_of_snapshot
from annotation.services.studies.studies import study_change_state
from annotation.web.agreement.dashboard.chart_set import BUILDERS
from annotation.web.platform.chart_files import CHART_FORMATS
from api.throttling import PersonThrottle
from tests import worlds
from tests.api import access_table as api_table
from tests.api.conftest import bearer
from tests.api.test_access import OPERATIONS, PATTERNS, asked
from tests.api.test_access import address as api_address
from tests.composing import draft_of
from tests.documents import make_document
from tests.factories import make_user
from tests.protocols.answered import JUDGES, address, answered, typed
from tests.protocols.judged import Judged, judged
from tests.services.generation.generating import broker, reply
from tests.services.generation.questioning import addresses
from tests.web import access_table as web_table
from tests.web.test_access_matrix import URLS, whole
from tests.web.test_access_matrix import address as page_address

__all__ = ["broker"]
pytestmark = [pytest.mark.django_db, pytest.mark.walk]

OF_A_STUDY = [name for name, url in URLS.items() if "study" in url.pattern.converters]
OPERATIONS_OF_A_STUDY = [
    (name, method) for name, method in OPERATIONS if "study" in PATTERNS[name].pattern.converters
]
# Of a study that is over: there is nothing left to judge, and its round is not for whoever asks.
ELSEWHERE = {204, 302, 303, 403, 404, 405, 409, 415, 422}


# -- what is walked: one study of each protocol, made once ----------------------------------------


def _worlds_of(number: int, protocol: Protocol) -> dict[str, Any]:
    """The study in its main round, with a value for each part of an address (which closes it), and
    closed."""
    running, addressed, closed = (f"{name}_{number}" for name in ("running", "addressed", "closed"))
    return {
        running: worlds.named(running, lambda: _judged(protocol)),
        addressed: worlds.named(
            addressed, lambda judged_study: (judged_study, values_of(judged_study)), running
        ),
        closed: worlds.named(closed, closing, running),
    }


def closing(judged_study: Judged) -> Judged:
    study = study_change_state(
        actor=judged_study.lead, study=judged_study.study, to="closed", reason="essai"
    )
    return replace(judged_study, study=study)


def _composed() -> Protocol:
    """One that a lead has composed and installed: every test begins with a process that has not
    heard of it (``tests.conftest``)."""
    return protocol_read(
        protocol_text(PROTOCOLS["bracketed", "1"]).replace('"bracketed"', '"composed"', 1)
    )


WALKED = (*PROTOCOLS.values(), _composed())


def _judged(protocol: Protocol) -> Judged:
    if (protocol.key, protocol.version) not in PROTOCOLS:
        draft = draft_of(make_user("composes"), protocol_text(protocol))
        draft_install(actor=draft.owner, draft=draft, seen=draft.revision)
    return judged(protocol, closed=False)


for _number, _protocol in enumerate(WALKED):
    globals().update(_worlds_of(_number, _protocol))


def _every_protocol(world: str) -> pytest.MarkDecorator:
    """By turns of protocols, not of tests: what they begin with stays."""
    return pytest.mark.parametrize(
        "protocol",
        [
            pytest.param(protocol, id=protocol.key, marks=pytest.mark.world(f"{world}_{number}"))
            for number, protocol in enumerate(WALKED)
        ],
        scope="module",
    )


every_running = _every_protocol("running")
every_addressed = _every_protocol("addressed")
every_closed = _every_protocol("closed")


@pytest.fixture
def world(request: pytest.FixtureRequest) -> Any:
    """What the test's mark names."""
    return request.getfixturevalue(request.node.get_closest_marker("world").args[0])


@pytest.fixture(autouse=True)
def _no_requests_yet() -> None:
    """A program may ask only so often."""
    cache.clear()
    PersonThrottle.forget()


def french(wording: Wording) -> str:
    return wording.fr


def texts_of(protocol: Protocol, who: str) -> list[str]:
    """What this judge typed that a reader must find again."""
    answers, texts = answered(protocol, who), []
    for field in protocol.fields:
        if (field.name,) in field.free_members:
            texts.append(typed(field.name, who))
        if field.marks:
            texts += [typed("note", who)] if answers[field.name] else []
    return texts


def rated(protocol: Protocol, judged_study: Judged, who: str) -> dict[str, int]:
    answers = answered(protocol, who)
    return {r.dimension: r.value for r in protocol.ratings(answers, judged_study.study.rulings)}


# -- pages ----------------------------------------------------------------------------------------


def values_of(judged_study: Judged) -> dict[str, object]:
    """A real value for each part of the addresses of pages and operations of a study, which is
    closed once it has them all."""
    study, lead = judged_study.study, judged_study.lead
    glossary_replace(actor=lead, study=study, terms=[Term("prime", "Un prix.")])
    job = Job.objects.create(
        study=study,
        kind="export",
        requested_by=lead,
        parameters={"layout": "long", "format": "csv"},
    )
    publication = Job.objects.create(study=study, kind="freeze", requested_by=lead)
    reading = Job.objects.create(
        study=study, kind="reading", requested_by=lead, parameters={"what": "document"}
    )
    run = run_create(actor=lead, study=study, purpose="judge")
    spec = judge_preset(study.protocol)
    system_add(actor=lead, run=run, spec=spec)
    content = b"original,simplification\nUne clause.,Une phrase.\n"
    upload = PairsUpload.objects.create(
        study=study,
        uploaded_by=lead,
        name="a.csv",
        size=len(content),
        file=ContentFile(content, "a.csv"),
    )
    document = make_document(study, lead)
    invitation, _token = invitation_create(
        actor=lead, study=study, email="new@example.org", role="annotator"
    )
    study_change_state(actor=lead, study=study, to="closed", reason="essai")
    snapshot = study_freeze(actor=lead, study=study, recipe={"draws": 100})
    row = judged_study.pair.assignments.get(annotator__pseudonym="A")
    return {
        "study": study.key,
        "position": row.position,
        "item": judged_study.pair.item.key,
        "chart": "overview",
        "drawing": "shares",
        "picture": "scatter",
        "table": "means",
        "sheet": "agreement",
        "upload": upload.pk,
        "document": document.pk,
        "block": document_funnel(document).verdicts[0].key,
        "job": job.public_id,
        "publication": publication.public_id,
        "reading": reading.public_id,
        "number": snapshot.number,
        **addresses(study),
        "name": spec.name,
        "simplification": judged_study.pair.pk,
        "dimension": study.protocol.dimensions[0],
        "field": study.protocol.fields[0].name,
        "pair": judged_study.practice.pk,
        "pseudonym": "A",
        "lead": study.leads.get().pk,
        "invitation": invitation.pk,
        "assignment": row.pk,
        "step": "pause",
        "brought": PairsImport.objects.create(study=study, name="a.csv").pk,
        "rank": 0,
        "together": "0" * 16,
    }


def shown(client: Client, url: str) -> tuple[int, str]:
    answer = client.get(url)
    return answer.status_code, html.unescape(whole(answer).decode(errors="replace"))


def dimensioned(name: str, protocol: Protocol, converters: dict[str, Any]) -> Iterator[dict]:
    """The values of an address for each dimension and each drawing, where it names them."""
    dimensions = protocol.dimensions if "dimension" in converters else ("",)
    charts = tuple(BUILDERS) if "chart" in converters else ("",)
    for dimension in dimensions:
        for chart in charts:
            named = {"dimension": dimension, "chart": chart}
            yield {part: value for part, value in named.items() if value}


@every_addressed
def test_every_page_of_a_study(protocol: Protocol, world: tuple[Judged, dict[str, object]]) -> None:
    walked, values = world
    lead, judge = walked.client(walked.lead), walked.client(walked.judges[0])
    for name in OF_A_STUDY:
        rule = web_table.TABLE[name]
        is_judge = rule.get["annotator"] == 200 or rule.post["annotator"] not in (404, 405)
        for own in dimensioned(name, protocol, URLS[name].pattern.converters):
            url = page_address(name, values, **own)
            client = judge if is_judge and rule.get["lead"] == 404 else lead
            answer = client.get(url)
            whole(answer)
            expected = rule.get["annotator" if client is judge else "lead"]
            assert answer.status_code in {expected} | ELSEWHERE, url
            posted = client.post(url, rule.form)
            assert posted.status_code < 500, url


@every_closed
def test_who_leads_reads_every_answer(protocol: Protocol, world: Judged) -> None:
    lead, study = world.client(world.lead), world.study.key
    _status, page = shown(
        lead, page_address("study_agreement_item", {"study": study, "item": world.pair.item.key})
    )
    for dimension in protocol.dimensions:
        values = {"study": study, "simplification": world.pair.pk, "dimension": dimension}
        page += shown(lead, page_address("adjudication_case", values))[1]
    missing = [text for who in JUDGES for text in texts_of(protocol, who) if text not in page]
    assert missing == []
    for field in protocol.fields:
        for who in JUDGES if field.dimensions else ():
            assert said_in(page, field.lines(answered(protocol, who)[field.name], french))


@every_closed
def test_who_judged_reads_every_answer_again(protocol: Protocol, world: Judged) -> None:
    for who, user in zip(JUDGES, world.judges, strict=True):
        row = world.pair.assignments.get(annotator__pseudonym=who)
        values = {"study": world.study.key, "position": row.position}
        status, page = shown(world.client(user), page_address("annotate_history", values))
        assert status == 200
        assert [text for text in texts_of(protocol, who) if text not in page] == []
        answers = answered(protocol, who)
        for field in protocol.fields:
            if (
                not field.marks
                and (field.name,) not in field.free_members
                and not field.stored_with
            ):
                assert said_in(page, field.lines(answers[field.name], french)), field.name


def said_in(page: str, lines: list[str]) -> bool:
    """Whether a page says these lines, whatever stands between their words; an option may be named
    without its number."""
    there = words(re.sub(r"<[^>]+>", " ", page))
    return all(words(line.rpartition(" · ")[2]) <= there for line in lines)


def words(text: str) -> set[str]:
    return set(re.findall(r"[\w-]+", text))


@every_closed
def test_every_drawing_is_there_for_every_dimension(protocol: Protocol, world: Judged) -> None:
    lead = world.client(world.lead)
    for chart in BUILDERS:
        for kind in CHART_FORMATS:
            url = page_address("study_agreement_chart", {"study": world.study.key, "chart": chart})
            for dimension in protocol.dimensions:
                answer = lead.get(url, {"format": kind, "dimension": dimension})
                assert answer.status_code in (200, 404), (chart, dimension)
    assert lead.get(url, {"format": "svg", "dimension": "gone"}).status_code < 500


# -- the API --------------------------------------------------------------------------------------


@every_addressed
def test_every_operation_on_a_study(
    protocol: Protocol, world: tuple[Judged, dict[str, object]]
) -> None:
    walked, values = world
    lead, judge = bearer(walked.lead), bearer(walked.judges[0])
    for name, method in OPERATIONS_OF_A_STUDY:
        rule = api_table.TABLE[name, method]
        client = judge if rule.outcomes["annotator"] != 404 or name.startswith("my_") else lead
        for own in dimensioned(name, protocol, PATTERNS[name].pattern.converters):
            # The table's other study is this one.
            query = rule.query.replace("other=alpha", f"other={walked.study.key}")
            url = api_address(name, values, **own) + query
            answer = asked(client, method, url, rule.body)
            assert answer.status_code < 500, (method, url)
            if method == "get":
                assert answer.status_code in {200, rule.outcomes["lead"], *ELSEWHERE}, url


@every_running
def test_a_program_answers_every_question_and_reads_its_answers_back(
    protocol: Protocol, world: Judged
) -> None:
    row = world.pair.assignments.get(annotator__pseudonym="A")
    client = bearer(world.judges[0])
    place = {"study": world.study.key, "position": row.position}
    read = asked(client, "get", api_address("my_assignment", place)).json()
    assert read["answers"] == answered(protocol, "A")
    body = {"answers": answered(protocol, "B"), "base_revision": read["revision"]}
    given = asked(client, "put", api_address("my_judgment", place), body)
    assert given.status_code == 200, given.whole
    again = asked(client, "get", api_address("my_assignment", place)).json()
    assert again["answers"] == answered(protocol, "B")


# -- files ----------------------------------------------------------------------------------------


def layouts_for(protocol: Protocol) -> Iterator[tuple[str, str]]:
    """Each layout in each format, but those that are another protocol's own."""
    for key, layout in layouts_of(protocol).items():
        yield from ((key, kind) for kind in layout.formats)


def written(judged_study: Judged, layout: str, kind: str, **options: Any) -> bytes:
    spec = export_spec(layout, kind, options)
    return b"".join(chunk.content for chunk in export_chunks(judged_study.study, spec))


def exported(judged_study: Judged, layout: str, kind: str, **options: Any) -> str:
    return written(judged_study, layout, kind, **options).decode()


@every_closed
def test_every_layout_in_every_format(protocol: Protocol, world: Judged) -> None:
    for layout, kind in layouts_for(protocol):
        for round_ in ("main", "practice", "all"):
            content = written(world, layout, kind, round=round_)
            assert content or layout == "errors", (layout, kind)


@every_closed
def test_the_long_table_holds_every_answer(protocol: Protocol, world: Judged) -> None:
    rows = [json.loads(line) for line in exported(world, "long", "jsonl").splitlines()]
    assert len(rows) == 2 * len(JUDGES)
    for row in rows:
        who = row["annotator"]
        for dimension, value in rated(protocol, world, who).items():
            assert row[dimension] == value, dimension
        for name, value in beside(protocol, who).items():
            assert row[name] == value, name
        line = json.dumps(row, ensure_ascii=False)
        assert [text for text in texts_of(protocol, who) if text not in line] == []


def beside(protocol: Protocol, who: str) -> Answers:
    """The answers that are no ratings and no marks."""
    answers = answered(protocol, who)
    return {field.name: answers[field.name] for field in protocol.beside}


@every_closed
def test_the_wide_table_holds_every_rating(protocol: Protocol, world: Judged) -> None:
    rows = [json.loads(line) for line in exported(world, "wide", "jsonl").splitlines()]
    assert len(rows) == 2
    for row in rows:
        for who in JUDGES:
            for dimension, value in rated(protocol, world, who).items():
                assert row[f"{dimension}_{who}"] == value


@every_closed
def test_the_codebook_explains_every_column_of_the_long_table(
    protocol: Protocol, world: Judged
) -> None:
    described = exported(world, "codebook", "json")
    header = exported(world, "long", "csv").splitlines()[0].split(",")
    assert [name for name in header if f'"{name}"' not in described] == []


# -- frozen, released, learned from ---------------------------------------------------------------


@every_closed
def test_a_freeze_holds_every_answer_and_nobody_s_address(
    protocol: Protocol, world: Judged
) -> None:
    snapshot = study_freeze(actor=world.lead, study=world.study, recipe={"draws": 100})
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for path in snapshot_folder(snapshot).iterdir()
        if path.is_file()
    }
    everything = "\n".join(texts.values())
    for who in JUDGES:
        assert [text for text in texts_of(protocol, who) if text not in everything] == []
        assert address(who) not in everything
    labels = [json.loads(line) for line in texts["labels.jsonl"].splitlines()]
    assert {row["dimension"] for row in labels} == set(protocol.dimensions)
    ratings = [json.loads(line) for line in texts["ratings.jsonl"].splitlines()]
    assert {(row["annotator"], row["dimension"], row["value"]) for row in ratings} == {
        (who, dimension, value)
        for who in JUDGES
        for dimension, value in rated(protocol, world, who).items()
    }


@every_closed
def test_a_release_can_be_read(protocol: Protocol, world: Judged, tmp_path: Path) -> None:
    snapshot = study_freeze(actor=world.lead, study=world.study, recipe={"draws": 100})
    release = release_zip(actor=world.lead, snapshot=snapshot, path=tmp_path / "bundle.zip")
    with zipfile.ZipFile(release.path) as bundle:
        files = {name.rsplit("/", 1)[-1]: bundle.read(name) for name in bundle.namelist()}
    everything = b"\n".join(files.values()).decode(errors="replace")
    for who in JUDGES:
        assert address(who) not in everything
    card = files["README.md"].decode()
    assert protocol.about.source in card
    if protocol.key != "legal_meaning":
        for word in ("legal characterization", "insurance", "FrJUDGE"):
            assert word not in card, "another protocol's words"


@every_closed
def test_a_scorer_can_learn_where_a_dimension_is_predicted(
    protocol: Protocol, world: Judged
) -> None:
    snapshot = study_freeze(actor=world.lead, study=world.study, recipe={"draws": 100})
    if not protocol.predicted:
        with pytest.raises(ScoringError):
            set_of_snapshot(snapshot)
        return
    learned = set_of_snapshot(snapshot)
    scale = protocol.dimension(protocol.predicted)
    assert learned.target == f"{protocol.key}/{protocol.predicted}"
    assert (learned.lowest, learned.highest) == (scale.lowest, scale.highest)
    assert {tuple(sorted(pair.ratings.items())) for pair in learned.pairs} == {
        tuple((who, float(rated(protocol, world, who)[scale.name])) for who in JUDGES)
    }


# -- privacy --------------------------------------------------------------------------------------


@every_closed
def test_a_person_s_own_archive_holds_all_that_they_answered(
    protocol: Protocol, world: Judged
) -> None:
    user = world.judges[0]
    held = zipfile.ZipFile(io.BytesIO(personal_archive(actor=user, user=user)))
    text = held.read(JSON_NAME).decode()
    assert [typed_text for typed_text in texts_of(protocol, "A") if typed_text not in text] == []


@every_closed
def test_an_erasure_leaves_no_address_in_any_answer(protocol: Protocol, world: Judged) -> None:
    user, admin = world.judges[0], User.objects.create_user("a@b.example", "x", is_admin=True)
    request = ErasureRequest.objects.create(user=user, wish="keep")
    erasure_grant(actor=admin, request=request, judgments="keep", reason="asked")
    left = [
        f"{model.__name__}.{name}"
        for model in apps.get_app_config("annotation").get_models()
        for row in model._default_manager.all().values()
        for name, value in row.items()
        if address("A").lower() in str(value).lower()
    ]
    assert left == []
    assert Judgment.objects.filter(assignment__annotator__study=world.study).count() == 9


# -- models as judges -----------------------------------------------------------------------------


def told_to_a_model(protocol: Protocol, judged_study: Judged, who: str) -> str:
    """The same answers, as a model gives them: it quotes what people mark."""
    answers: dict[str, Any] = answered(protocol, who)
    sides = {"original": judged_study.pair.item.original, "simplification": judged_study.pair.text}
    for field in protocol.marked:
        answers[field.name] = [
            {
                "type": mark.type,
                "note": mark.note,
                **{
                    name: said
                    for side, text in sides.items()
                    for name, said in quoted(field, mark, side, text).items()
                },
            }
            for mark in field.passages(answers[field.name])
        ]
    return json.dumps(answers)


def quoted(field: Field, mark: Passages, side: str, text: str) -> dict[str, object]:
    quotes = [text[start:end] for start, end in mark.spans(side)]
    if field.has_several_spans:
        return {f"{side}_quotes": quotes}
    return {f"{side}_quote": "".join(quotes)}


@every_running
def test_a_model_judges_by_it(
    protocol: Protocol, world: Judged, broker: Callable[..., Any]
) -> None:
    run = run_create(actor=None, study=world.study, purpose="judge", ceiling=Decimal(5))
    system_add(actor=None, run=run, spec=judge_preset(protocol))
    run = run_start(actor=None, run=run)
    generation = run.generations.select_related(
        "run__study", "system__judge", "item", "simplification"
    ).get(simplification=world.pair)
    order = order_of(generation)
    assert generation_claim(order, "m")
    assert generation_store(order, "m", reply(told_to_a_model(protocol, world, "B")))
    judge = Annotator.objects.get(study=world.study, kind="machine")
    judgment = Judgment.objects.get(assignment__annotator=judge)
    assert dict(judgment.ratings.values_list("dimension", "value")) == rated(protocol, world, "B")
