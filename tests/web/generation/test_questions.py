"""A lead's way from questions to grades, through pages alone; nothing of it for anybody else."""

from __future__ import annotations

import json

import pytest

from annotation.corpus.question_rows import COLUMNS, read_question_rows
from annotation.models import GenerationRun, Question
from annotation.web.generation.views import questions as views
from tests.factories import make_study
from tests.services.generation.generating import broker
from tests.services.generation.questioning import (
    QUESTIONS,
    all_replied,
    answer,
    begun,
    graded,
    make_texts,
    prepared,
    questions,
)

__all__ = ["broker"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def study(cast, broker):
    study = make_study("droit", lead=cast.lead, state="main")
    make_texts(study)
    return study


@pytest.fixture
def lead(client, cast):
    client.force_login(cast.lead)
    return client


def page(run: GenerationRun, rest: str = "") -> str:
    return f"/studies/{run.study.key}/generation/{run.number}/{rest}"


def shown(response) -> str:
    return response.content.decode()


NEW = {"endpoint": "openai", "mode": "live", "round": "all", "ceiling": "5"}


def test_the_whole_way(study, lead):
    runs = "/studies/droit/generation/"
    assert 'value="answer"' not in shown(lead.get(runs)), "it is prepared after its questions"
    lead.post(runs, NEW | {"purpose": "question"})
    run = GenerationRun.objects.get()
    assert "Délai" in shown(lead.get(page(run)))
    typed = {"types": ["deadline", "exception"], "least": "2", "most": "4", "language": "fr",
             "window": "900", "border": "sentence"}  # fmt: skip
    assert lead.post(page(run), typed | {"action": "questioning"}).status_code == 302
    run.refresh_from_db()
    assert run.questioning["types"] == ["deadline", "exception"]
    assert (run.questioning["window"], run.questioning["border"]) == (900, "sentence")
    form = lead.get(page(run)).context["form"].initial
    system = {"name": form["name"], "model": form["model"], "prompt": form["prompt"],
              "max_tokens": "900"}  # fmt: skip
    assert lead.post(page(run), system | {"action": "add_system"}).status_code == 302
    assert lead.post(page(run), {"action": "start"}).status_code == 302
    assert "Préparer les réponses" not in shown(lead.get(page(run)))
    assert lead.get(page(run)).context["next_step"] == ""
    all_replied(run, questions())
    assert lead.get(page(run)).context["next_step"] == "answer"
    response = lead.post(page(run), {"action": "follow"})
    answering = GenerationRun.objects.get(purpose="answer")
    assert response["Location"] == page(answering)
    assert (answering.after, answering.ceiling) == (run, run.ceiling)
    assert lead.get(page(answering)).context["setting"].fields.keys() == {
        "language", "window", "border",
    }  # fmt: skip
    assert lead.post(
        page(answering), {"action": "questioning", "language": "fr", "window": "0", "border": ""}
    ).status_code == 302  # fmt: skip


@pytest.mark.parametrize(
    "wrong", [{"types": []}, {"least": "x"}, {"least": "9", "most": "2"}, {"window": "3"}]
)
def test_what_is_wrong_with_the_setting_is_said(study, lead, wrong):
    run = prepared(study)
    typed = {"types": ["deadline"], "least": "1", "most": "4", "language": "fr", "window": "0",
             "border": ""}  # fmt: skip
    response = lead.post(page(run), typed | wrong | {"action": "questioning"})
    assert response.status_code == 422
    assert response.context["problems"]
    assert GenerationRun.objects.get().questioning == run.questioning


def test_nothing_follows_what_has_not_ended(study, lead):
    run = begun(study)
    assert lead.post(page(run), {"action": "follow"}).status_code == 422


class TestQuestions:
    def test_they_are_read_edited_dropped(self, study, lead):
        run = all_replied(begun(study), questions())
        text = shown(lead.get(page(run, "questions/")))
        assert QUESTIONS[0]["question"].replace("'", "&#x27;") in text
        first, second = Question.objects.all()
        url = page(run, f"questions/{first.pk}/")
        form = {"type": "condition", "text": "Sous quel délai ?", "expected": first.expected,
                "quotation": first.quotation}  # fmt: skip
        assert "soixante jours" in shown(lead.get(url))
        assert lead.post(url, form).status_code == 302
        first.refresh_from_db()
        assert (first.text, first.type) == ("Sous quel délai ?", "condition")
        wrong = lead.post(url, form | {"quotation": "nulle part ici"})
        assert wrong.status_code == 422
        assert wrong.context["form"].errors["quotation"]
        for action, dropped in [("drop", True), ("restore", False), ("drop", True)]:
            body = {"action": action, "question": str(second.pk)}
            assert lead.post(page(run, "questions/"), body).status_code == 302
            second.refresh_from_db()
            assert (second.dropped_at is not None) is dropped
        begun(study, "answer", after=run)
        assert lead.post(url, form).status_code == 422
        body = {"action": "drop", "question": str(first.pk)}
        assert lead.post(page(run, "questions/"), body).status_code == 422

    def test_what_is_not_there(self, study, lead):
        run = all_replied(begun(study), questions())
        assert lead.post(page(run, "questions/"), {"action": "none"}).status_code == 422
        for number in ("0", "x", str(10**17)):
            body = {"action": "drop", "question": number}
            assert lead.post(page(run, "questions/"), body).status_code == 404
        assert lead.get(page(run, "questions/99999999/")).status_code == 404
        for rest in ("answers/", "answers.csv", "answers.jsonl"):
            assert lead.get(page(run, rest)).status_code == 404
        answering = begun(study, "answer", after=run)
        assert lead.get(page(answering, "questions/")).status_code == 404

    def test_before_any_came(self, study, lead):
        assert lead.get(page(begun(study), "questions/")).status_code == 200


class TestAnswers:
    def test_they_are_shown_and_counted(self, study, lead):
        run = graded(study)
        response = lead.get(page(run, "answers/"))
        text = shown(response)
        assert "Dans les soixante jours." in text
        assert "9 / 10" in text
        whole, of_a, of_b = response.context["figures"]
        assert (whole["system"], whole["n"], whole["answered"]) == ("", 4, 4)
        assert (of_a["yes"], of_a["mean"]) == (100.0, 7.5)
        assert (of_b["yes"], of_b["not_in_text"], of_b["beyond_text"]) == (0.0, 50.0, 50.0)

    def test_where_nothing_came_back_nothing_follows(self, study, lead):
        run = begun(study)
        run.generations.update(state="failed", problem="content_refused")
        GenerationRun.objects.filter(pk=run.pk).update(state="finished")
        assert lead.get(page(run)).context["next_step"] == ""
        before = GenerationRun.objects.count()
        lead.post(page(run), {"action": "follow"})
        assert GenerationRun.objects.count() == before

    def test_what_is_missing_is_told(self, study, lead):
        asking = all_replied(begun(study), questions())
        run = begun(study, "answer", after=asking)
        first, *_rest = run.generations.order_by("pk")
        run.generations.filter(pk=first.pk).update(state="failed", problem="content_refused")
        figures = lead.get(page(run, "answers/")).context["figures"]
        assert [number for _words, number in figures[0]["missing"]] == [1, 3]
        assert QUESTIONS[0]["question"].replace("'", "&#x27;") in shown(lead.get(page(run)))
        all_replied(run, answer())
        figures = lead.get(page(run, "answers/")).context["figures"]
        assert len(figures[0]["missing"]) == 2

    def test_a_page_reads_its_own_answers_and_the_first_what_all_come_to(
        self, study, lead, monkeypatch
    ):
        monkeypatch.setattr(views, "PAGE_SIZE", 3)
        run = graded(study)
        first = lead.get(page(run, "answers/"))
        assert (len(first.context["rows"]), first.context["figures"][0]["n"]) == (3, 4)
        second = lead.get(page(run, "answers/?page=2"))
        assert (len(second.context["rows"]), second.context["figures"]) == (1, [])
        assert "by-system" not in shown(second)
        keys = [
            [(line["row"].source, line["row"].system, line["row"].question) for line in lines]
            for lines in (first.context["rows"], second.context["rows"])
        ]
        assert not set(keys[0]) & set(keys[1])

    def test_files(self, study, lead):
        run = graded(study)
        response = lead.get(page(run, "answers.csv"))
        content = b"".join(response.streaming_content)
        assert response["Content-Disposition"].endswith('-answers.csv"')
        rows = read_question_rows(content).rows
        assert len(rows) == 4
        response = lead.get(page(run, "answers.jsonl"))
        lines = b"".join(response.streaming_content).decode().splitlines()
        assert [tuple(json.loads(line)) for line in lines] == [COLUMNS] * 4
        assert [json.loads(line)["grade"] for line in lines] == [9, 0, 6, 2]

    def test_nothing_yet(self, study, lead):
        asking = all_replied(begun(study), questions())
        run = prepared(study, "answer", after=asking)
        assert lead.get(page(run, "answers/")).status_code == 200


def test_nobody_else_reaches_any_of_it(study, cast, client):
    run = graded(study)
    asking = run.after.after
    addresses = [
        page(asking, "questions/"),
        page(asking, f"questions/{Question.objects.first().pk}/"),
        *(page(run, rest) for rest in ("answers/", "answers.csv", "answers.jsonl")),
    ]
    for url in addresses:
        assert client.get(url).status_code == 302
    client.force_login(cast.annotator)
    for url in addresses:
        assert client.get(url).status_code == 404
        assert client.post(url).status_code in (404, 405)
