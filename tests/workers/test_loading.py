"""What a worker loads before it forks."""

from __future__ import annotations

import pytest
from django.conf import settings

from annotation.corpus import language
from workers import celery


@pytest.fixture
def queues(monkeypatch):
    """Which queues this worker consumes from."""
    consumed: dict[str, object] = {}
    monkeypatch.setattr(celery.app.amqp.queues, "_consume_from", consumed)
    language._identifier.cache_clear()
    return consumed


@pytest.mark.parametrize("asks_models", [True, False])
def test_what_tells_languages_is_loaded_once_where_models_are_asked(queues, asks_models):
    """Twelve processes that unpacked it at once filled a container's temporary space, and what had
    been paid for was asked again."""
    queues[settings.LLM_QUEUE if asks_models else "default"] = object()
    celery.load_client_once()
    assert language.detector_is_loaded() is asks_models
