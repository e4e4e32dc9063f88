"""Every operation as every role in two studies; and what an annotator's program may never learn."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from django.urls import URLPattern, reverse

from annotation.corpus.glossary import Term
from annotation.generation.presets import PAPER
from annotation.models import (
    Annotator,
    Assignment,
    DatasetSnapshot,
    Job,
    Scorer,
    ScoringJob,
    Simplification,
    TrainingRun,
)
from annotation.selectors.documents import document_funnel
from annotation.services.generation_runs import run_create, system_add
from annotation.services.glossaries import glossary_replace
from annotation.services.invitations import invitation_create
from annotation.services.judgments import judgment_submit
from annotation.services.studies import guide_publish
from api.urls import urlpatterns
from tests.api.access_table import TABLE
from tests.cast import ROLES, SYSTEM, Cast
from tests.documents import make_document
from tests.factories import save

pytestmark = pytest.mark.walk

# Without a token: the description of the API, and the answer to addresses that there are not.
PUBLIC = {"schema", "docs", "nothing_here"}
PATTERNS: dict[str, URLPattern] = {str(pattern.name): pattern for pattern in urlpatterns}
OUTSIDERS = ("outsider", "other_lead", "withdrawn")
OPERATIONS = [
    (name, method)
    for name, pattern in PATTERNS.items()
    if name not in PUBLIC
    for method in ("get", "post", "put", "patch", "delete")
    if hasattr(pattern.callback.view_class, method)  # type: ignore[attr-defined]
]


@pytest.fixture
def values(cast: Cast, settings) -> dict[str, object]:
    """A real value for each part of an address, all of study «alpha»."""
    glossary_replace(actor=cast.lead, study=cast.alpha, terms=[Term("prime", "Un prix.")])
    exported = settings.DATA_DIR / "export.csv"
    exported.write_text("a\r\n")
    job = Job.objects.create(
        study=cast.alpha,
        kind="export",
        state="done",
        requested_by=cast.lead,
        result_name=exported.name,
        result_path=str(exported),
        parameters={"layout": "long", "format": "csv"},
    )
    publication = Job.objects.create(study=cast.alpha, kind="freeze", requested_by=cast.lead)
    run = run_create(actor=cast.lead, study=cast.alpha)
    system_add(actor=cast.lead, run=run, spec=PAPER)
    training = TrainingRun.objects.create(backend="lexical", data_path="a", data_sha256="b")
    scorer = Scorer.objects.create(
        training_run=training, version=1, target="t", backend="lexical", seed=1, lowest=1, highest=10, folder="a"
    )
    scoring = ScoringJob.objects.create(scorer=scorer)
    snapshot = DatasetSnapshot.objects.create(
        study=cast.alpha, number=run.number, content_digest="c", path="frozen", manifest={"files": {PAPER.name: {}}}
    )
    (settings.DATA_DIR / snapshot.path).mkdir()
    (settings.DATA_DIR / snapshot.path / PAPER.name).write_text("{}")
    remark = remarked(cast)  # before there is a guide to confirm
    guide_publish(actor=cast.lead, study=cast.alpha, body_fr="Lisez.")
    invitation, _token = invitation_create(actor=cast.lead, study=cast.alpha, email="new@example.org", role="annotator")
    document = make_document(cast.alpha, cast.lead)
    return {
        "assignment": remark.pk,
        "document": document.pk,
        "block": document_funnel(document).verdicts[0].key,
        "pair": Simplification.objects.get(item__study=cast.alpha, item__round="practice").pk,
        "simplification": Simplification.objects.filter(item__study=cast.alpha, item__round="main")[0].pk,
        "dimension": "legal_meaning",
        "study": "alpha",
        "position": 2,
        "item": "item-0002",
        "job": job.public_id,
        "number": run.number,
        "name": PAPER.name,
        "publication": publication.public_id,
        "scoring": scoring.public_id,
        "training": training.public_id,
        "step": "pause",
        "pseudonym": "A",
        "lead": cast.alpha.leads.get().pk,
        "invitation": invitation.pk,
        "person": cast.admin.pk,
        "key": "legal_meaning",
        "version": 1,
    }


def remarked(cast: Cast) -> Assignment:
    """A pair that somebody commented on who has left since: nobody else's turn needs it."""
    judge = Annotator.objects.filter(study=cast.alpha, user=cast.withdrawn)
    left = judge.get().withdrawn_at
    judge.update(withdrawn_at=None)
    found = Assignment.objects.select_related("annotator__study", "annotator__user", "simplification__item")
    assignment = found.filter(annotator__in=judge, simplification__item__round="main")[0]
    judgment_submit(actor=cast.withdrawn, assignment=assignment, save=save(comment="Quelle fourchette ?"))
    judge.update(withdrawn_at=left)
    return assignment


def address(name: str, values: dict[str, object], **changed: object) -> str:
    wanted = PATTERNS[name].pattern.converters
    unknown = set(wanted) - set(values)
    assert not unknown, f"{name}: give the test a value for {', '.join(unknown)}"
    own = {"job": values["publication"]} if name == "publication" else {}
    return reverse(f"api:{name}", kwargs={part: (values | own | changed)[part] for part in wanted})


def asked(client: Client, method: str, url: str, body: object = None):
    sent = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
    answer = getattr(client, method)(url, **sent)
    answer.whole = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer


def test_every_operation_is_in_the_table():
    assert set(OPERATIONS) == set(TABLE), "declare the new operation (or drop the old one) in tests/api/access_table.py"


@pytest.mark.parametrize(("name", "method"), OPERATIONS)
def test_each_role_gets_what_is_declared(name: str, method: str, cast: Cast, values, program):
    rule, url = TABLE[name, method], address(name, values)
    got = {}
    for role in ROLES:
        answer = asked(program(role), method, url + rule.query, rule.body)
        got[role] = answer.status_code
        if answer.status_code >= 400:
            assert answer["Content-Type"] == "application/problem+json"
            assert answer.json()["status"] == answer.status_code
    assert got == rule.outcomes, f"{method.upper()} {url}"


@pytest.mark.parametrize(
    ("name", "method"), [one for one in OPERATIONS if "study" in PATTERNS[one[0]].pattern.converters]
)
def test_what_is_not_theirs_looks_like_what_is_not_there(name: str, method: str, cast: Cast, values, program):
    """An outsider cannot even learn which studies exist."""
    body = TABLE[name, method].body
    for role in ("anonymous", *OUTSIDERS):
        client = program(role)
        real, made_up = (
            asked(client, method, address(name, values, study=key), body) for key in ("alpha", "no-such-study")
        )
        assert real.status_code in (401, 404), role
        assert (real.status_code, real.whole) == (made_up.status_code, made_up.whole)


def test_nothing_that_an_annotator_s_program_can_fetch_names_a_system_or_a_peer(cast: Cast, values, program):
    hidden = (SYSTEM, cast.peer.email, cast.withdrawn.email, cast.lead.email, cast.admin.email, PAPER.model)
    client, seen = program("annotator"), []
    for name, method in OPERATIONS:
        for position in (1, 2, 3):
            answer = asked(client, method, address(name, values, position=position), TABLE[name, method].body)
            everything = answer.whole.decode() + str(answer.headers)
            assert not [secret for secret in hidden if secret in everything], name
            seen.append(answer.status_code)
    assert seen.count(200) > 20


def test_a_lead_s_program_does_see_the_system(cast: Cast, values, program):
    """So that the test above looks for something that is there."""
    assert SYSTEM in program("lead").get(address("items", values)).content.decode()


def test_a_row_of_another_study_is_not_reached_through_one_s_own(cast: Cast, values, program):
    client = program("other_lead")
    rows = {"job", "number", "pseudonym", "lead", "invitation", "document", "pair", "simplification", "assignment"}
    values = values | {"pseudonym": "B", "item": "none"}
    tried = 0
    for name, method in OPERATIONS:
        converters = set(PATTERNS[name].pattern.converters)
        if "study" in converters and converters & rows:
            assert asked(client, method, address(name, values, study="beta")).status_code == 404, name
            tried += 1
    assert tried > 30


def test_an_address_that_there_is_not_is_said_in_the_same_form(db):
    answer = Client().get("/api/v1/nowhere/")
    assert answer.status_code == 404
    assert answer.json()["type"] == "not_found"
