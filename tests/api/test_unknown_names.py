"""What nobody knows is refused where it stands: a lead who writes «blind» for «is_blind» is told
so, and not that the study was made."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotation.models import Item, Job, PracticeNote, Simplification, Study, StudyPlan, TableReport
from tests.api.access_table import TABLE
from tests.api.planning.test_plan import led
from tests.api.test_access import OPERATIONS, address, asked
from tests.cast import Cast
from tests.factories import answers
from tests.planning import planned_study

pytestmark = pytest.mark.django_db
ALPHA = "/api/v1/studies/alpha/"
JSON = {"content_type": "application/json"}


def refused(answer: Any) -> list[tuple[str, str]]:
    assert answer.status_code == 400, answer.content
    assert answer.json()["type"] == "malformed"
    return [(problem["field"], problem["code"]) for problem in answer.json()["problems"]]


def test_a_misspelt_setting_makes_no_study(cast: Cast, program):
    body = {"key": "new", "title": "T", "blind": True, "is_blind_": True}
    answer = program("lead").post("/api/v1/studies/", body, **JSON)
    assert refused(answer) == [("blind", "unknown"), ("is_blind_", "unknown")]
    message = answer.json()["problems"][1]["message"]
    assert "Did you mean “is_blind”?" in message
    assert "protocol_version" in message
    assert not Study.objects.filter(key="new").exists()


def test_a_name_beside_what_is_missing_for_it(cast: Cast, program):
    body = {"key": "new", "titel": "T"}
    answer = program("lead").post("/api/v1/studies/", body, **JSON)
    assert refused(answer) == [("title", "required"), ("titel", "unknown")]


def test_in_the_reader_s_language(cast: Cast, program):
    headers = {"accept-language": "fr"}
    answer = program("lead").patch(ALPHA + "plan/", {"peritem": 2}, **JSON, headers=headers)
    assert refused(answer) == [("peritem", "unknown")]
    assert "Vouliez-vous dire «\u00a0per_item\u00a0»?" in answer.json()["problems"][0]["message"]
    assert not StudyPlan.objects.filter(study=cast.alpha, per_item=2).exists()


def test_an_export_that_was_to_be_anonymous(cast: Cast, program):
    body = {"layout": "long", "system": False}
    assert refused(program("lead").post(ALPHA + "exports/", body, **JSON)) == [
        ("system", "unknown")
    ]
    address = ALPHA + "exports/?systems=false"
    assert refused(program("lead").post(address, {"layout": "long"}, **JSON)) == [
        ("systems", "unknown")
    ]
    assert not Job.objects.filter(kind="export").exists()


def test_a_misspelt_column_of_a_row(cast: Cast, program):
    rows = [{"original": f"Une clause {n}.", "simplification": "a"} for n in range(3)]
    rows[1] |= {"sytem": "model-a"}
    answer = program("lead").post(ALPHA + "pairs/", {"pairs": rows}, **JSON)
    assert refused(answer) == [("sytem", "unknown")]
    (problem,) = answer.json()["problems"]
    assert problem["row"] == 2
    assert problem["remedy"] == "Correct the name, or leave it out."
    assert not Item.objects.filter(original__startswith="Une clause").exists()


def test_within_an_object(cast: Cast, program):
    run = {"questioning": {"langauge": "fr"}}
    answer = program("lead").post(ALPHA + "generation-runs/", run, **JSON)
    assert refused(answer) == [("questioning.langauge", "unknown")]
    terms = {"terms": [{"term": "prime", "definition": "Un prix.", "sources": "art. 1"}]}
    answer = program("lead").put(ALPHA + "glossary/", terms, **JSON)
    assert refused(answer) == [("terms.0.sources", "unknown")]


@pytest.mark.parametrize("place", ["draft", "judgment"])
def test_of_a_save(cast: Cast, program, place):
    address = f"/api/v1/my/studies/alpha/assignments/2/{place}/"
    body: dict[str, Any] = {"answers": answers(), "base_revision": 0}
    annotator = program("annotator")
    late = annotator.put(address, body | {"active_second": 9}, **JSON)
    assert refused(late) == [("active_second", "unknown")]
    aside = [{"answers": {}, "fuond": True}]
    assert refused(annotator.put(address, body | {"aside": aside}, **JSON)) == [
        ("aside.0.fuond", "unknown")
    ]


def test_in_an_address(cast: Cast, program):
    lead = program("lead")
    answer = lead.get(ALPHA + "agreement/?round=practice&dras=10")
    assert refused(answer) == [("dras", "unknown")]
    assert "Did you mean “draws”?" in answer.json()["problems"][0]["message"]
    assert refused(lead.get(ALPHA + "items/?page_sise=1")) == [("page_sise", "unknown")]
    assert refused(lead.get(ALPHA + "plan/?format=json")) == [("format", "unknown")]
    assert lead.head(ALPHA + "plan/?x=1").status_code == 400
    assert lead.get(ALPHA + "items/?page_size=1&cursor=&round=main&q=a").status_code == 200


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("plan/precision/?texts=20&annotators=3&learn_from=beta:legal_meaning", "learn_from"),
        ("beside/?other=beta", "other"),
        ("adjudication/?dimension=meening", "dimension"),
    ],
)
def test_what_a_parameter_names_and_its_reader_does_not_see(cast: Cast, program, query, field):
    assert refused(program("lead").get(ALPHA + query)) == [(field, "unknown")]


@pytest.mark.parametrize(
    ("study", "snapshot", "field"), [("none", 1, "study"), ("alpha", 7, "snapshot")]
)
def test_what_a_training_was_to_learn_from(cast: Cast, program, study, snapshot, field):
    body = {"study": study, "snapshot": snapshot, "backend": "lexical"}
    answer = program("admin").post("/api/v1/training-runs/", body, **JSON)
    assert refused(answer) == [(field, "unknown")]


def test_the_run_whose_questions_were_to_be_a_metric(cast: Cast, program):
    answer = program("lead").post(ALPHA + "metrics/questions/", {"run": 99}, **JSON)
    assert refused(answer) == [("run", "unknown")]


def test_of_two_values_of_one_parameter_neither_is_taken(cast: Cast, program):
    lead = program("lead")
    answer = lead.get(ALPHA + "agreement/?round=main&draws=0&round=practice")
    assert refused(answer) == [("round", "twice")]
    assert "“round” is given 2 times" in answer.json()["problems"][0]["message"]
    assert refused(lead.get(ALPHA + "agreement/?x=1&x=2")) == [("x", "unknown")]
    assert refused(lead.get(ALPHA + "items/?page_size=1&page_size=1")) == [("page_size", "twice")]


def test_of_two_values_of_one_field_of_a_form_neither_is_taken(cast: Cast, program):
    file = SimpleUploadedFile("notes.csv", b"human\n1\n")
    lead = program("lead")
    given = {"file": file, "human": ["ann", "bob"]}
    answer = lead.post("/api/v1/score-tables/", given, headers={"accept-language": "fr"})
    assert refused(answer) == [("human", "twice")]
    assert "est donné 2 fois" in answer.json()["problems"][0]["message"]
    files = [SimpleUploadedFile(name, b"original\na\n") for name in ("a.csv", "b.csv")]
    answer = lead.post(ALPHA + "pairs/file/", {"file": files})
    assert refused(answer) == [("file", "twice")]
    assert not TableReport.objects.exists()


def test_what_nobody_knows_is_shown_in_part_and_compared_to_nothing(cast: Cast, program):
    name = "is_blind" * 20_000
    answer = program("lead").patch(ALPHA, {name: True}, **JSON)
    (problem,) = answer.json()["problems"]
    assert len(problem["field"]) <= 60
    assert len(problem["message"]) < 1_000


def test_more_than_are_named_are_counted(cast: Cast, program):
    rows = [{"originl": "x"}] * 600
    answer = program("lead").post(ALPHA + "pairs/", {"pairs": rows}, **JSON)
    problems = answer.json()["problems"]
    assert (len(problems), answer.json()["problem_count"]) == (1000, 1200)
    assert [(p["row"], p["field"]) for p in problems[:3]] == [
        (1, "original"),
        (1, "originl"),
        (2, "original"),
    ]


class TestWhatWasRead:
    """Sent back as it stands it is taken: programs change one member of what they have read."""

    def sent_back(self, client: Any, method: str, url: str, **changed: Any) -> Any:
        read = client.get(url).json()
        return asked(client, method, url, read | changed)

    def test_of_a_study(self, cast: Cast, program):
        lead = program("lead")
        kept = self.sent_back(lead, "patch", ALPHA, title="Mine")
        assert (kept.status_code, kept.json()["title"]) == (200, "Mine")
        other = self.sent_back(lead, "patch", ALPHA, protocol_key="jades")
        assert refused(other) == [("protocol_key", "read_only")]
        assert "can only be read" in other.json()["problems"][0]["message"]
        assert refused(lead.patch(ALPHA, {"protocol_key": "jades"}, **JSON))

    @pytest.mark.parametrize(
        ("method", "place"),
        [("patch", "plan/"), ("put", "adjudication/rules/")],
    )
    def test_of_a_whole_resource(self, cast: Cast, program, method, place):
        answer = self.sent_back(program("lead"), method, ALPHA + place)
        assert answer.status_code == 200, answer.content

    def test_of_a_glossary(self, cast: Cast, program, values):
        more = [{"term": "franchise", "definition": "Ce qui reste à payer.", "source": ""}]
        kept = self.sent_back(program("lead"), "put", ALPHA + "glossary/", terms=more)
        assert (kept.status_code, kept.json()["number"]) == (200, 2)
        old = program("lead").put(ALPHA + "glossary/", {"number": 1, "terms": []}, **JSON)
        assert refused(old) == [("number", "read_only")]

    def test_of_a_drawn_part(self):
        study = planned_study(2, 4, opened=False)
        lead, url = led(study), f"/api/v1/studies/{study.key}/plan/part/"
        assert lead.put(url, {"passages": 2}, **JSON).status_code == 200
        kept = self.sent_back(lead, "put", url, passages=3)
        assert (kept.status_code, kept.json()["passages"]) == (200, 3)

    def test_of_criteria(self, cast: Cast, program, values):
        url = f"{ALPHA}documents/{values['document']}/criteria/"
        assert self.sent_back(program("lead"), "put", url).status_code == 200

    def test_of_a_note(self, cast: Cast, program):
        pair = Simplification.objects.filter(item__study=cast.alpha, item__round="practice")[0]
        lead, url = program("lead"), f"{ALPHA}practice/pairs/{pair.pk}/note/"
        assert lead.put(url, {"note": "Lisez."}, **JSON).status_code == 200
        PracticeNote.objects.update(published_at=timezone.now())
        kept = self.sent_back(lead, "put", url, note="Relisez.")
        assert (kept.status_code, kept.json()["note"]) == (200, "Relisez.")
        other = self.sent_back(lead, "put", url, published_at=None)
        assert refused(other) == [("published_at", "read_only")]

    def test_of_a_run_and_an_account(self, cast: Cast, program, values):
        run = f"{ALPHA}generation-runs/{values['number']}/"
        assert self.sent_back(program("lead"), "patch", run).status_code == 200
        person = f"/api/v1/people/{cast.lead.pk}/"
        kept = self.sent_back(program("admin"), "patch", person, reason="As it is.")
        assert kept.status_code == 200

    def test_of_a_version_that_is_made_anew(self, cast: Cast, program):
        body = {"body_fr": "Lisez.", "number": 7}
        answer = program("lead").post(ALPHA + "guides/", body, **JSON)
        assert refused(answer) == [("number", "read_only")]


@pytest.mark.walk
@pytest.mark.parametrize(("name", "method"), OPERATIONS)
def test_no_operation_passes_over_a_name(name: str, method: str, cast: Cast, values, program):
    """What is described of an operation is what it takes."""
    client = program("annotator" if name.startswith("my_") else "admin")
    url, rule = address(name, values), TABLE[name, method]
    query = f"{rule.query}&zzz=1" if rule.query else "?zzz=1"
    answer = asked(client, method, url + query, rule.body)
    assert refused(answer) == [("zzz", "unknown")]
    if method != "get" and (name, method) not in FORMS:
        body = (rule.body if isinstance(rule.body, dict) else {}) | {"zzz": 1}
        answer = asked(client, method, url + rule.query, body)
        if (name, method) in FILES:
            assert answer.status_code == 422
            assert any("zzz" in problem["message"] for problem in answer.json()["problems"])
        else:
            assert ("zzz", "unknown") in refused(answer), json.dumps(body)


# Bodies are a protocol's file, of which each member is named with its place among the others.
FILES = {("protocols", "post")}
# Bodies are forms with a file.
FORMS = {(name, method) for (name, method), rule in TABLE.items() if 415 in rule.outcomes.values()}


@pytest.mark.parametrize("method", ["TRACE", "PUT", "OPTIONS"])
def test_a_method_that_there_is_not_is_refused_as_such(cast: Cast, program, method):
    answer = program("lead").generic(method, ALPHA + "items/?zzz=1")
    assert answer.status_code == (200 if method == "OPTIONS" else 405)
