"""Answers of a provider's batch: what is kept of a line, and what is no answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotation.corpus.replies import read_replies

ANSWER: dict[str, Any] = {
    "id": "batch_req_1",
    "custom_id": "c1",
    "response": {
        "status_code": 200,
        "request_id": "r1",
        "body": {
            "id": "x", "model": "m", "system_fingerprint": "f", "object": "chat.completion",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "Vous payez."},
                         "finish_reason": "stop"}, {"index": 1}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
        },
    },
    "error": None,
}  # fmt: skip


def one(answer: object) -> dict:
    (line,) = read_replies(json.dumps(answer).encode()).lines
    return json.loads(line)


def changed(**members: object) -> dict:
    return one(ANSWER | {"response": ANSWER["response"] | members})["response"]


def test_what_is_kept():
    assert one(ANSWER) == {
        "custom_id": "c1",
        "error": None,
        "response": {
            "status_code": 200, "request_id": "r1",
            "body": {
                "id": "x", "model": "m", "system_fingerprint": "f", "error": None,
                "choices": [{"message": {"content": "Vous payez."}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 3, "completion_tokens": 4},
            },
        },
    }  # fmt: skip


def test_a_refusal():
    error = {"message": "no", "code": "content_filter", "param": {"a": {"b": 1}}}
    assert changed(status_code=400, body={"error": error})["body"] == {
        "error": {"message": "no", "code": "content_filter"}
    }
    assert one({"custom_id": "c", "response": None, "error": error}) == {
        "custom_id": "c",
        "error": {"message": "no", "code": "content_filter"},
    }


@pytest.mark.parametrize("status", ["200", 1e9, True, None, [], 99, 600])
def test_a_status_that_is_none(status):
    assert changed(status_code=status)["status_code"] is None


@pytest.mark.parametrize(
    "body", [None, [], "x", {"choices": {}}, {"choices": [3]}, {"choices": [{"message": []}]}]
)
def test_a_body_of_another_form_stays_without_what_it_lacks(body):
    kept = changed(body=body)["body"] or {}
    assert all("message" not in choice for choice in kept.get("choices", ()))
    assert changed(body={"usage": 3})["body"]["usage"] is None


def test_what_is_no_text_is_not_taken_for_one():
    body = {"choices": [{"message": {"content": [{"type": "text"}]}}]}
    assert changed(body=body)["body"]["choices"][0]["message"]["content"] == []


def test_lines_end_in_a_line_feed_alone():
    text = "un\u2028deux\x85trois"
    line = json.dumps({"custom_id": text}, ensure_ascii=False).encode()
    parsed = read_replies(line + b"\r\n\n" + line)
    assert [json.loads(line)["custom_id"] for line in parsed.lines] == [text, text]


@pytest.mark.parametrize(
    "line", [b"x", b"[1]", b"3", b"[" * 100_000, b"\xff", b'{"custom_id": ' + b"1" * 5000 + b"}"]
)
def test_what_is_no_answer_is_counted(line):
    parsed = read_replies(line + b"\n" + json.dumps(ANSWER).encode())
    assert (len(parsed.lines), parsed.unreadable) == (1, 1)
