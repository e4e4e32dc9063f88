"""The real client over HTTP against a service that misbehaves: what came of it, as a type. No
database."""

from __future__ import annotations

import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email.utils import format_datetime
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.config.llm import Endpoint
from annotation.generation.presets import PAPER, filled
from annotation.generation.prices import Price, Tokens
from annotation.generation.services import SERVICES
from annotation.selectors.generation.orders import Order
from annotation.services.generation.calls import Failure
from tests.fake_openai import KEY, Trouble, fake_openai, refused, too_many
from workers.generation import llm

ORDER = Order(
    generation=1,
    run=1,
    endpoint="openai",
    model=PAPER.model,
    messages=[{"role": "user", "content": filled(PAPER.prompt, "Le bail prend fin")}],
    parameters=dict(PAPER.parameters),
    tokens=Tokens(10, 10, 100),
    at_most=Decimal("0.01"),
    output_number=1,
    price=Price(Decimal(10), Decimal(30)),
    prompt=PAPER.prompt,
    original="Le bail prend fin",
)


@pytest.fixture(scope="module")
def server():
    with fake_openai() as running:
        yield running


@pytest.fixture
def fake(server, settings):
    server.script = lambda number, body: None
    server.answer = lambda body: "Le bail se termine."
    server.finish_reason = "stop"
    settings.LLM_ENDPOINTS = {"openai": Endpoint("openai", server.url, KEY, 0, 0, 0)}
    settings.LLM_TIMEOUT_SECONDS = 20
    return server


def failure(order: Order = ORDER) -> Failure:
    with pytest.raises(llm.CallFailed) as caught:
        llm.ask(order)
    return caught.value.failure


def trouble(fake, **fields) -> Failure:
    fake.script = lambda number, body: Trouble(**fields)
    return failure()


class TestAnswered:
    def test_everything_that_is_logged(self, fake):
        reply = llm.ask(ORDER)
        number = len(fake.requests)
        assert (reply.text, reply.finish_reason, reply.model) == (
            "Le bail se termine.",
            "stop",
            "gpt-4-turbo-2024-04-09-answered",
        )
        assert (reply.response_id, reply.request_id, reply.fingerprint) == (
            f"chatcmpl-{number}",
            f"req-{number}",
            "fp_test",
        )
        assert (reply.prompt_tokens, reply.completion_tokens) == (100, 20)
        assert reply.latency_ms is not None

    def test_what_is_sent_is_the_order_and_nothing_else(self, fake):
        llm.ask(ORDER)
        assert fake.requests[-1] == {
            "model": PAPER.model,
            "messages": ORDER.messages,
            **PAPER.parameters,
        }

    def test_an_empty_answer_is_an_answer(self, fake):
        fake.answer = lambda body: ""
        assert llm.ask(ORDER).text == ""

    def test_names_that_no_database_stores(self, fake):
        fake.finish_reason = "st\x00op"
        assert llm.ask(ORDER).finish_reason == "stop"


class TestFailures:
    @pytest.mark.parametrize(
        ("status", "code", "outcome", "again", "everywhere"),
        [
            (400, "bad", "bad_request", False, True),
            (401, "invalid_api_key", "unauthorized", False, True),
            (403, "", "forbidden", False, True),
            (404, "model_not_found", "not_found", False, True),
            (408, "", "server_error", True, False),
            (409, "", "server_error", True, False),
            (418, "", "refused", False, True),
            (422, "", "bad_request", False, True),
            (400, "content_filter", "content_refused", False, False),
            (400, "context_length_exceeded", "bad_request", False, False),
            (413, "", "refused", False, False),
            (400, "content_policy_violation", "content_refused", False, False),
            (429, "rpm", "rate_limited", True, False),
            (429, "insufficient_quota", "quota", False, True),
            (500, "", "server_error", True, False),
            (503, "", "server_error", True, False),
            (529, "overloaded", "server_error", True, False),
        ],
    )
    def test_by_status(self, fake, status, code, outcome, again, everywhere):
        fake.script = lambda number, body: refused(status, code, "Ce qui ne va pas")
        before = len(fake.requests)
        failed = failure()
        assert (failed.outcome, failed.again, failed.everywhere) == (outcome, again, everywhere)
        assert (failed.http_status, failed.detail, failed.maybe_billed) == (
            status,
            "Ce qui ne va pas",
            False,
        )
        # Trying again is decided where the work is kept, never inside the client.
        assert len(fake.requests) == before + 1

    def test_a_page_of_a_proxy(self, fake):
        failed = trouble(fake, malformed=True)
        assert (failed.outcome, failed.again, failed.maybe_billed, failed.http_status) == (
            "malformed",
            True,
            True,
            200,
        )

    def test_a_connection_that_is_cut_may_have_been_billed(self, fake):
        failed = trouble(fake, cut=True)
        assert (failed.outcome, failed.again, failed.maybe_billed) == ("cut", True, True)

    def test_no_answer_in_time(self, fake, settings):
        settings.LLM_TIMEOUT_SECONDS = 0.2
        failed = trouble(fake, seconds=0.6)
        assert (failed.outcome, failed.again, failed.maybe_billed) == ("timeout", True, True)
        assert (failed.latency_ms or 0) >= 150

    def test_a_service_that_cannot_be_reached_has_billed_nothing(self, settings):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        settings.LLM_ENDPOINTS = {"openai": Endpoint("openai", url, KEY, 0, 0, 0)}
        failed = failure()
        assert (failed.outcome, failed.again, failed.maybe_billed) == ("unreachable", True, False)

    def test_a_service_without_a_key_or_a_name(self, settings):
        settings.LLM_ENDPOINTS = {
            "openai": Endpoint("openai", "https://api.openai.com/v1", "", 0, 0, 0)
        }
        assert (failure().outcome, failure().everywhere) == ("no_key", True)
        settings.LLM_ENDPOINTS = {}
        assert (failure().outcome, failure().again) == ("no_endpoint", False)


class TestWithoutAKey:
    """vLLM, Ollama, llama.cpp: nothing is sent that would be a key, whatever the environment
    holds."""

    @pytest.fixture
    def local(self, fake, settings, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        fake.key = ""
        settings.LLM_ENDPOINTS = {"local": Endpoint("local", fake.url, "", 0, 0, 0)}
        yield fake
        fake.key = KEY

    def test_it_answers(self, local):
        assert llm.ask(replace(ORDER, endpoint="local")).text == "Le bail se termine."
        assert local.authorizations[-1] is None

    def test_a_key_that_is_set_is_sent(self, fake, settings):
        settings.LLM_ENDPOINTS = {"local": Endpoint("local", fake.url, KEY, 0, 0, 0)}
        assert llm.ask(replace(ORDER, endpoint="local")).text == "Le bail se termine."
        assert fake.authorizations[-1] == f"Bearer {KEY}"

    @pytest.mark.parametrize(
        "service",
        [service for service in SERVICES if service.is_keyed],
        ids=lambda service: service.name,
    )
    def test_a_service_that_has_keys_is_not_asked_without(self, service, settings):
        settings.LLM_ENDPOINTS = {"other": Endpoint("other", service.address, "", 0, 0, 0)}
        assert failure(replace(ORDER, endpoint="other")).outcome == "no_key"


def completion(**changed):
    message = {"content": "Bien.", "refusal": None} | changed.pop("message", {})
    choice = {"message": SimpleNamespace(**message), "finish_reason": "stop"} | changed.pop(
        "choice", {}
    )
    whole = {
        "choices": [SimpleNamespace(**choice)],
        "usage": None,
        "model": "m",
        "id": "x",
    } | changed
    return SimpleNamespace(**whole)


class TestReply:
    """The same for single answers and for those of a batch."""

    @pytest.mark.parametrize(
        "body",
        [
            None,
            "<html>",
            SimpleNamespace(),
            completion(choices=[]),
            completion(choices=None),
            completion(choice={"message": None}),
            completion(message={"content": ["a", "list"]}),
            completion(usage=SimpleNamespace()),
        ],
    )
    def test_what_is_no_completion(self, body):
        with pytest.raises(llm.CallFailed) as caught:
            llm.reply_of(body)
        assert (caught.value.failure.outcome, caught.value.failure.again) == ("malformed", True)

    @pytest.mark.parametrize(
        "refusing",
        [
            completion(message={"content": None, "refusal": "Je ne peux pas."}),
            completion(
                message={"content": ""}, choice={"finish_reason": "content_filter", "message": None}
            ),
        ],
    )
    def test_a_refusal(self, refusing):
        if refusing.choices[0].message is None:
            refusing.choices[0].message = SimpleNamespace(content="", refusal=None)
        with pytest.raises(llm.CallFailed) as caught:
            llm.reply_of(refusing)
        failed = caught.value.failure
        assert (failed.outcome, failed.again, failed.maybe_billed) == (
            "content_refused",
            False,
            True,
        )

    def test_a_text_that_the_filter_cut_off_is_kept_for_review(self):
        body = completion(
            choice={
                "finish_reason": "content_filter",
                "message": SimpleNamespace(content="Le bail"),
            }
        )
        assert (llm.reply_of(body).text, llm.reply_of(body).finish_reason) == (
            "Le bail",
            "content_filter",
        )

    @pytest.mark.parametrize(
        ("counted", "stored"), [(7, 7), (None, None), (-1, None), (True, None), (2**31, None)]
    )
    def test_counts_are_counts(self, counted, stored):
        usage = SimpleNamespace(prompt_tokens=counted, completion_tokens=3)
        reply = llm.reply_of(completion(usage=usage))
        assert (reply.prompt_tokens, reply.completion_tokens) == (stored, 3)

    def test_little_is_needed(self):
        reply = llm.reply_of(
            completion(choice={"finish_reason": None, "message": SimpleNamespace(content=None)})
        )
        assert (reply.text, reply.finish_reason, reply.fingerprint, reply.prompt_tokens) == (
            "",
            "",
            "",
            None,
        )


class TestRetryAfter:
    def test_it_reaches_the_failure(self, fake):
        fake.script = lambda number, body: too_many(3)
        assert failure().retry_after == 3
        fake.script = lambda number, body: refused(400)
        assert failure().retry_after is None

    @pytest.mark.parametrize(
        ("headers", "seconds"),
        [
            ({}, None),
            ({"retry-after": "20"}, 20),
            ({"retry-after": "0.5"}, 0.5),
            ({"retry-after-ms": "250", "retry-after": "20"}, 0.25),
            ({"retry-after-ms": "soon", "retry-after": "20"}, 20),
            ({"retry-after": "-1"}, None),
            ({"retry-after": "nan"}, None),
            ({"retry-after": "soon"}, None),
            ({"retry-after": "Fri, 99 Foo"}, None),
            ({"retry-after": "Wed, 21 Oct 2015 07:28:00 -0000"}, None),
            ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
            # A day is the most: a date that nobody lives to see is none.
            ({"retry-after": "1e300"}, 86_400),
            ({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}, 86_400),
        ],
    )
    def test_as_seconds_milliseconds_or_a_date(self, headers, seconds):
        assert llm.retry_after(headers) == seconds

    def test_a_date_to_come(self):
        later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
        assert 85 < (llm.retry_after({"retry-after": later}) or 0) <= 90

    @given(st.text(max_size=40))
    def test_whatever_a_service_sends(self, header):
        for name in ("retry-after", "retry-after-ms"):
            seconds = llm.retry_after({name: header})
            assert seconds is None or 0 <= seconds <= 86_400


class TestKeys:
    """What a service says of a refused key quotes parts of it."""

    def test_of_the_real_client(self, fake, settings):
        wrong = "sk-wrong-0123456789abcdef"
        settings.LLM_ENDPOINTS = {"openai": Endpoint("openai", fake.url, wrong, 0, 0, 0)}
        failed = failure()
        assert failed.outcome == "unauthorized"
        assert failed.detail == "Incorrect API key provided: […]"

    @pytest.mark.parametrize(
        "message",
        [
            f"Incorrect API key provided: {KEY}.",
            "Incorrect API key provided: sk-proj-********************abcd",
            "Header Authorization: Bearer abc.def",
            "Key gsk_own-key-of-a-service-99 is unknown",
            "Key gsk_ow************99 is unknown",
        ],
    )
    def test_nothing_of_it_is_told(self, settings, message):
        settings.LLM_ENDPOINTS = {
            "own": Endpoint("own", "http://x/v1", "gsk_own-key-of-a-service-99", 0, 0, 0)
        }
        words = llm.service_words(message)
        assert "[…]" in words
        assert not any(part in words for part in ("sk-", "abc.def", "gsk_", "99", "abcd"))

    def test_other_words_stay_on_one_line(self):
        assert llm.service_words(" Unknown\n model\x00\t«x» ") == "Unknown model «x»"
        assert len(llm.service_words("x" * 1000)) == 300

    def test_a_service_is_not_shown_with_its_key(self):
        endpoint = Endpoint("openai", "http://x/v1", KEY, 0, 0, 0)
        assert KEY not in f"{endpoint!r} {endpoint}"
