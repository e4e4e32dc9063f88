"""A table of human scores by program, without a study."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import TableReport
from annotation.reading import ReadingBusy
from annotation.services.metrics.table_reports import table_report_write
from tests.cast import Cast
from tests.services.metrics.test_tables import table

pytestmark = pytest.mark.django_db
URL = "/api/v1/score-tables/"


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch) -> None:
    monkeypatch.setattr("annotation.jobs._send", lambda *_, **__: None)


def send(cast: Cast, **fields):
    file = SimpleUploadedFile("notes.csv", table())
    given = {"file": file, "human": "human", "draws": "100", "counts": "errors", **fields}
    return cast.client("lead").post(URL, given)


def test_from_the_table_to_the_report(cast):
    answer = send(cast, scores="bleu", told_apart_by="original", lowest="0", highest="10")
    assert answer.status_code == 202, answer.content
    order = answer.json()
    assert (order["state"], order["name"]) == ("queued", "notes.csv")
    assert order["asked"]["columns"]["counts"] == ["errors"]
    assert table_report_write(TableReport.objects.get().public_id)
    whole = cast.client("lead").get(f"{URL}{order['id']}/").json()
    assert whole["state"] == "done"
    assert whole["report"]["scale"] == [0, 10]
    assert whole["report"]["sources"] == 9
    assert whole["report"]["table"]["source"] == "original"
    assert "explained" in whole["report"]
    assert [row["id"] for row in cast.client("lead").get(URL).json()] == [order["id"]]
    assert cast.client("lead").delete(f"{URL}{order['id']}/").status_code == 204
    assert not TableReport.objects.exists()


def test_while_another_file_is_read_it_is_to_be_sent_again(cast, monkeypatch):
    def busy(*_args, **_kwargs):
        raise ReadingBusy([])

    monkeypatch.setattr("annotation.services.metrics.table_reports.table_read", busy)
    answer = send(cast)
    assert (answer.status_code, answer.json()["type"]) == (429, "busy")
    assert int(answer["Retry-After"]) > 0


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"human": "Z"}, "human"),
        ({"told_apart_by": "Z"}, "told_apart_by"),
        ({"scores": "bleu", "lower": "Z"}, "lower"),
        ({"counts": "human"}, "human"),
        ({"lowest": "5", "highest": "1"}, "highest"),
    ],
)
def test_where_no_row_is_meant_none_is_named_but_the_field_that_was_sent(cast, fields, field):
    (problem,) = send(cast, **fields).json()["problems"]
    assert problem["field"] == field
    assert "row" not in problem


def test_a_row_is_named_with_its_column(cast):
    (problem, *_rest) = send(cast, highest="8", lowest="1").json()["problems"]
    assert (problem["row"], problem["field"], problem["code"]) == (2, "human", "off_scale")
    assert problem["remedy"]


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({"human": "meaning"}, 422, "no_column"),
        ({"lowest": "1"}, 400, "highest"),
        ({"draws": "3"}, 400, "draws"),
        ({"encoders": "none"}, 422, "encoders"),
    ],
)
def test_what_is_wrong_is_named(cast, fields, status, said):
    answer = send(cast, **fields)
    assert answer.status_code == status
    assert said in answer.content.decode()
    assert not TableReport.objects.exists()
