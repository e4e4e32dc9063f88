"""Services of models, as the environment names them."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from annotation.config.llm import env_endpoints


def test_further_services_have_a_name_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAREME_LLM_ENDPOINTS", "local=http://gpu:8000/v1/, other=https://b.example")
    endpoints = env_endpoints()
    assert [endpoint.base_url for endpoint in endpoints.values()][1:] == [
        "http://gpu:8000/v1",
        "https://b.example",
    ]
    assert set(endpoints) == {"openai", "local", "other"}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            "http://gpu:8000/v1",
            r"has an entry, number 1 of 1, that .*\. Write name=https://host/v1",
        ),
        ("a=http://a/v1,local=gpu:8000", r"has an entry, number 2 of 2, that names no service\."),
        ("local=http://gpu:80000/v1", r"\(local\) has a port that is no number"),
        ("local=http:///v1", r"\(local\) names no host"),
        ("local=http://a/v1,local=http://b/v1", r"\(local\) stands there twice"),
        ("openai=http://a/v1", r"\(openai\) is there by itself\. Set OPENAI_BASE_URL"),
        (
            "local=http://me:p%40ss@gpu/v1",
            r"\(local\) holds .* a key goes into BAREME_LLM_KEY_LOCAL",
        ),
    ],
)
def test_what_is_no_address_stops_the_start(
    monkeypatch: pytest.MonkeyPatch, value: str, said: str
) -> None:
    monkeypatch.setenv("BAREME_LLM_ENDPOINTS", value)
    with pytest.raises(ImproperlyConfigured, match=f"^BAREME_LLM_ENDPOINTS {said}"):
        env_endpoints()


def test_a_password_in_the_address_is_refused_and_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://me:p%40ss@gpu.example/v1")
    with pytest.raises(ImproperlyConfigured, match=r"into OPENAI_API_KEY\.$") as refusal:
        env_endpoints()
    assert "p%40ss" not in str(refusal.value)


@pytest.mark.parametrize("value", ["https://me:p%40ss@gpu/v1", "Local=https://me:p%40ss@gpu/v1"])
def test_nor_is_that_of_an_entry_without_a_name(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("BAREME_LLM_ENDPOINTS", value)
    with pytest.raises(ImproperlyConfigured) as refusal:
        env_endpoints()
    assert "p%40ss" not in str(refusal.value)
