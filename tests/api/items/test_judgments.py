"""Judgments made elsewhere by the API: all of a file or nothing, read by the study's protocol."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation import jobs
from annotation.models import ApiToken, Item, Job, Judgment
from annotation.services.accounts.tokens import token_create
from annotation.services.intake.readings_work import reading_carry_out
from tests.corpus.peers import samples
from tests.factories import make_study

LONG = (
    "texte;sortie;qui;fluency;meaning;simplicity\n"
    "La prime est due.;Payez.;A;4;4;bien\nLa prime est due.;Payez.;B;4;3;4\n"
)
SINGLE = (
    "original;simplification;annotator;fluency;meaning;simplicity\n"
    "La prime est due.;Payez.;A;4;4;4\n"
)
COLUMNS = {"original": "texte", "simplification": "sortie"}
VALUES = {"simplicity": {"bien": "3"}}


@pytest.fixture
def ask(cast, monkeypatch):
    monkeypatch.setattr(jobs, "_send", lambda *message: None)
    make_study("gamma", lead=cast.lead, protocol_key="jades")
    _token, secret = token_create(actor=cast.lead, name="t", scopes=ApiToken.Scope.values, days=1)
    client = cast.client("anonymous")

    def send(content, **choices):
        content = content if isinstance(content, bytes) else content.encode()
        body = {"file": SimpleUploadedFile("notes.csv", content)}
        body |= {name: json.dumps(value) for name, value in choices.items()}
        return client.post(
            "/api/v1/studies/gamma/judgments/file/",
            body,
            headers={"authorization": f"Bearer {secret}", "accept-language": "en"},
        )

    return send


@pytest.mark.parametrize("path", ["judgments/file/", "pairs/file/"])
def test_text_that_is_called_a_workbook_is_said_to_be_text(cast, path):
    make_study("gamma", lead=cast.lead, protocol_key="jades")
    _token, secret = token_create(actor=cast.lead, name="t", scopes=ApiToken.Scope.values, days=1)
    answer = cast.client("anonymous").post(
        f"/api/v1/studies/gamma/{path}",
        {"file": SimpleUploadedFile("notes.xlsx", LONG.encode())},
        headers={"authorization": f"Bearer {secret}", "accept-language": "en"},
    )
    assert (answer.status_code, answer.json()["problems"][0]["code"]) == (422, "not_a_workbook")


@pytest.mark.parametrize("path", ["judgments/file/", "pairs/file/"])
@pytest.mark.parametrize(
    ("name", "content", "code", "row", "said"),
    [
        ("a.json", '{"pairs": [1,2', "not_json", 1, "line 1, column 15"),
        ("a.json", '{\n  "pairs": [\n', "not_json", 3, "line 3, column 1"),
        ("a.json", '[{"original": "a"}', "not_json", 1, "line 1, column 19"),
        ("a.json", "pairs: 1", "not_json", 1, "line 1, column 1"),
        ("a.jsonl", "original;simplification\na;b\n", "not_json", 1, "line 1, column 1"),
        ("a.csv", 'original,simplification\n"Non fermé,Simple\na,b\n', "bad_quotes", 2, "mark"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(
    cast, path, name, content, code, row, said
):
    study = make_study("gamma", lead=cast.lead, protocol_key="jades")
    _token, secret = token_create(actor=cast.lead, name="t", scopes=ApiToken.Scope.values, days=1)
    answer = cast.client("anonymous").post(
        f"/api/v1/studies/gamma/{path}",
        {"file": SimpleUploadedFile(name, content.encode())},
        headers={"authorization": f"Bearer {secret}", "accept-language": "en"},
    )
    assert answer.status_code == 422
    [problem] = answer.json()["problems"]
    assert (problem["code"], problem["row"]) == (code, row)
    assert said in problem["message"]
    assert not study.items.exists()


@pytest.mark.parametrize("path", ["judgments/file/", "pairs/file/"])
@pytest.mark.parametrize(
    "columns", ["[" * 100_000, '{"a": ' * 60 + "1" + "}" * 60, "9" * 5000, "NaN", '"\\ud800"', "{"]
)
def test_json_in_a_form_is_read_as_a_body_is(cast, path, columns):
    """It is a text beside the file, which no parser of bodies has seen."""
    make_study("gamma", lead=cast.lead, protocol_key="jades")
    _token, secret = token_create(actor=cast.lead, name="t", scopes=ApiToken.Scope.values, days=1)
    client = cast.client("anonymous")
    client.raise_request_exception = False
    answer = client.post(
        f"/api/v1/studies/gamma/{path}",
        {"file": SimpleUploadedFile("notes.csv", LONG.encode()), "columns": columns},
        headers={"authorization": f"Bearer {secret}", "accept-language": "en"},
    )
    assert answer.status_code == 400
    assert "columns" in str(answer.json())


UNKNOWN = "départ;arrivée;qui;note\n" + "".join(
    f"{text};Payez.;{who};{note}\n"
    for text in ("La prime est due.", "La prime est due au premier jour de chaque mois. " * 2)
    for who, note in (("A", "4"), ("B", "bien"))
)
"""Its first row is known for names by those alone who name its columns: texts are short and long
below, and grades no numbers."""
NAMED = {"original": "départ", "simplification": "arrivée", "simplicity": "note"}


def test_whoever_names_columns_says_that_there_is_a_row_of_names(ask):
    as_jades = NAMED | {"fluency": "note 1", "meaning": "note 2"}
    content = UNKNOWN.replace(";note\n", ";note;note 1;note 2\n")
    content = content.replace(";4\n", ";4;4;4\n").replace(";bien\n", ";bien;3;3\n")
    answer = ask(content, columns=as_jades, values=VALUES)
    assert answer.status_code == 201, answer.json()
    assert answer.json()["judgments"] == 4


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"original": "départ", "simplification": "arrivée"}, ["duplicate_in_file"] * 2),
        ({"original": "1", "simplification": "2"}, ["duplicate_in_file"] * 2),
        ({"original": "départ", "simplification": "rien"}, ["no_such_column"]),
    ],
)
def test_pairs_too_go_by_the_names_of_columns(cast, columns, said):
    """By a number a column is called whether or not there is such a row."""
    study = make_study("gamma", lead=cast.lead, protocol_key="jades")
    _token, secret = token_create(actor=cast.lead, name="t", scopes=ApiToken.Scope.values, days=1)
    answer = cast.client("anonymous").post(
        "/api/v1/studies/gamma/pairs/file/",
        {
            "file": SimpleUploadedFile("notes.csv", UNKNOWN.encode()),
            "columns": json.dumps(columns),
        },
        headers={"authorization": f"Bearer {secret}", "accept-language": "en"},
    )
    assert [problem["code"] for problem in answer.json()["problems"]] == said
    assert not study.items.exists()


def test_a_file_goes_in_with_its_columns_and_values(ask):
    answer = ask(LONG, columns=COLUMNS, values=VALUES)
    assert answer.status_code == 201, answer.json()
    assert answer.json() == {
        "items": 1,
        "simplifications": 1,
        "skipped": 0,
        "judgments": 2,
        "judges": 2,
        "attached": 0,
        "columns_left_out": [],
        "encoding_guessed": "",
        "rows_hidden": [],
    }
    assert Judgment.objects.filter(origin="imported").count() == 2


def test_onto_the_pairs_of_the_study(ask):
    ask(LONG, columns=COLUMNS, values=VALUES)
    again = ask(LONG, columns=COLUMNS, values=VALUES)
    assert again.status_code == 422
    assert {problem["code"] for problem in again.json()["problems"]} == {"judged_here"}
    more = LONG.replace(";A;", ";C;").replace(";B;", ";D;")
    answer = ask(more, columns=COLUMNS, values=VALUES)
    assert answer.status_code == 201, answer.json()
    counts = answer.json()
    assert (counts["items"], counts["judgments"], counts["attached"]) == (0, 2, 2)


def test_each_bad_row_is_named_and_nothing_stored(ask):
    answer = ask(LONG, columns=COLUMNS)
    assert answer.status_code == 422
    (problem,) = answer.json()["problems"]
    assert (problem["row"], problem["field"], problem["code"]) == (2, "simplicity", "unknown_value")
    assert problem["remedy"]
    assert not Item.objects.filter(study__key="gamma").exists()


def test_a_worker_does_the_same(ask, monkeypatch):
    monkeypatch.setattr("annotation.services.intake.judgments.takes_long_to_store", bool)
    answer = ask(samples.LABEL_STUDIO, same_scale=["simplicity"])
    assert answer.status_code == 202, answer.json()
    job = Job.objects.get()
    reading_carry_out(job.public_id)
    job.refresh_from_db()
    assert (job.state, job.result["judgments"]) == ("done", 2)
    assert Judgment.objects.filter(origin="imported").count() == 2


@pytest.mark.parametrize(
    ("name", "value"),
    [("columns", ["a"]), ("values", {"a": "b"}), ("values", []), ("same_scale", {"a": 1}),
     ("columns", {"original": "\u0000"}), ("columns", {"original": "nowhere"})],
)  # fmt: skip
def test_what_is_no_choice_is_refused(ask, name, value):
    answer = ask(LONG, **{name: value})
    assert answer.status_code in (400, 422)
    assert not Item.objects.filter(study__key="gamma").exists()


@pytest.mark.parametrize(
    ("name", "value", "field", "near"),
    [
        ("columns", {"orignal": "texte"}, "orignal", "original"),
        ("columns", {"anotator": "qui"}, "anotator", "annotator"),
        ("columns", {"quality": None}, "quality", ""),
        ("values", {"simplcity": {"bien": "3"}}, "simplcity", "simplicity"),
        ("values", {"annotator": {"A": "B"}}, "annotator", ""),
        ("same_scale", ["meanin"], "meanin", "meaning"),
    ],
)
def test_a_name_that_is_no_field_is_refused(ask, name, value, field, near):
    answer = ask(SINGLE, **{name: value})
    assert answer.status_code == 400, answer.json()
    (problem,) = answer.json()["problems"]
    assert (problem["field"], problem["code"]) == (f"{name}.{field}", "unknown")
    assert (f"Did you mean “{near}”?" in problem["message"]) == bool(near)
    assert "simplicity" in problem["message"], "what is known there"
    assert not Item.objects.filter(study__key="gamma").exists()


class TestLayout:
    """As of a file of pairs (``test_pairs_file``)."""

    @pytest.fixture
    def ask_as(self, cast, monkeypatch):
        monkeypatch.setattr(jobs, "_send", lambda *message: None)
        make_study("gamma", lead=cast.lead, protocol_key="jades")
        _token, secret = token_create(
            actor=cast.lead, name="t", scopes=ApiToken.Scope.values, days=1
        )
        client = cast.client("anonymous")

        def send(content: bytes, **options):
            body = {"file": SimpleUploadedFile("notes.csv", content)} | options
            return client.post(
                "/api/v1/studies/gamma/judgments/file/",
                body,
                headers={"authorization": f"Bearer {secret}", "accept-language": "en"},
            )

        return send

    def test_the_encoding(self, ask_as):
        rows = SINGLE.replace("due", "d\u00fbe").encode("cp850")
        assert ask_as(rows, encoding="cp850").status_code == 201
        assert Item.objects.get(study__key="gamma").original == "La prime est d\u00fbe."

    def test_the_separator_and_plain_quotation_marks(self, ask_as):
        rows = SINGLE.replace(";", "^").replace("La prime", '"La prime').encode()
        answer = ask_as(rows, separator="^", quoted="false")
        assert answer.status_code == 201, answer.json()
        assert Item.objects.get(study__key="gamma").original == '"La prime est due.'

    def test_rows_without_a_header(self, ask_as):
        names = SINGLE.partition("\n")[0].split(";")
        columns = json.dumps({name: str(at) for at, name in enumerate(names, 1)})
        rows = SINGLE.partition("\n")[2].encode()
        answer = ask_as(rows, columns=columns, header="false")
        assert (answer.status_code, answer.json().get("judgments")) == (201, 1), answer.json()

    def test_null_says_that_there_is_no_column(self, ask_as):
        rows = SINGLE.replace("\n", ";system\n", 1).replace(";4\n", ";4;gpt\n").encode()
        answer = ask_as(rows, columns=json.dumps({"system": None}))
        assert answer.status_code == 201, answer.json()
        assert answer.json()["columns_left_out"] == ["system"]
        assert Item.objects.get(study__key="gamma").simplifications.get().system == ""

    @pytest.mark.parametrize(
        ("options", "code"),
        [
            ({"encoding": "utf-8"}, "wrong_encoding"),
            ({"separator": "ab"}, "bad_separator"),
            ({"sheet": "notes"}, "no_sheets"),
        ],
    )
    def test_what_cannot_be_is_refused_by_its_name(self, ask_as, options, code):
        answer = ask_as(SINGLE.replace("due", "d\u00fbe").encode("cp850"), **options)
        refused = [(refusal["field"], refusal["code"]) for refusal in answer.json()["problems"]]
        assert (answer.status_code, refused) == (422, [(*options, code)])

    def test_what_an_earlier_version_ordered_says_nothing_of_it(self, ask_as, monkeypatch):
        monkeypatch.setattr("annotation.services.intake.readings.STORED_AT_ONCE", 0)
        assert ask_as(SINGLE.encode()).status_code == 202
        job = Job.objects.get()
        del job.parameters["layout"]
        job.save()
        reading_carry_out(job.public_id)
        assert Judgment.objects.filter(assignment__annotator__study__key="gamma").count() == 1

    def test_a_worker_reads_it_so_too(self, ask_as, monkeypatch):
        monkeypatch.setattr("annotation.services.intake.readings.STORED_AT_ONCE", 0)
        answer = ask_as(SINGLE.replace(";", "^").encode(), separator="^")
        assert answer.status_code == 202, answer.json()
        reading_carry_out(Job.objects.get().public_id)
        assert Judgment.objects.filter(assignment__annotator__study__key="gamma").count() == 1


OPERATIONS = "id,system,original,simplification,annotator,operations\n"


def test_a_value_that_is_no_answer_is_none_where_several_may_be_chosen(cast, monkeypatch):
    """It was stored as the answer that no operation was made, which nobody gave."""
    monkeypatch.setattr(jobs, "_send", lambda *message: None)
    make_study("op2", lead=cast.lead, protocol_key="operations")
    _token, secret = token_create(actor=cast.lead, name="t", scopes=ApiToken.Scope.values, days=1)

    def post(*cells, **meant):
        rows = [f"c{n},s,Une clause {n}.,Simple {n}.,A,{cell}\n" for n, cell in enumerate(cells)]
        return cast.client("anonymous").post(
            "/api/v1/studies/op2/judgments/file/",
            {
                "file": SimpleUploadedFile("o.csv", (OPERATIONS + "".join(rows)).encode()),
                "values": json.dumps({"operations": meant}),
            },
            headers={"authorization": f"Bearer {secret}", "accept-language": "en"},
        )

    refused = post("skip", "", "delete; split", "delete; skip", "delete; No operation", skip="")
    assert refused.status_code == 422
    codes = {(problem["row"], problem["code"]) for problem in refused.json()["problems"]}
    assert codes == {(2, "missing_answer"), (3, "missing_answer"), (6, "none_and_others")}
    taken = post("none", "rien", "delete; skip", "No operation", skip="", rien="none")
    assert taken.status_code == 201
    made = {
        judgment.assignment.simplification.item.original: sum(
            rating.value for rating in judgment.ratings.all()
        )
        for judgment in Judgment.objects.all()
    }
    assert made == {f"Une clause {n}.": int(n == 2) for n in range(4)}
