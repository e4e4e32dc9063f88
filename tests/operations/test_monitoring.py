"""The rules and the dashboard of deploy/ against the metrics that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.urls import get_resolver

from annotation.selectors.platform.broker import BrokerState
from annotation.services.platform.events import event_record
from annotation.web.platform.metrics_state import StateCollector, _of_broker

ROOT = Path(settings.BASE_DIR)
RULES: list[dict[str, Any]] = yaml.safe_load(
    (ROOT / "deploy" / "prometheus-rules.yml").read_text(encoding="utf-8")
)["groups"][0]["rules"]
DASHBOARD: dict[str, Any] = json.loads(
    (ROOT / "deploy" / "grafana-dashboard.json").read_text(encoding="utf-8")
)
EXPRESSIONS = {rule["alert"]: rule["expr"] for rule in RULES} | {
    f"{panel['title']} {target['refId']}": target["expr"]
    for panel in DASHBOARD["panels"]
    for target in panel["targets"]
}
NAME = re.compile(r"bareme_[a-z_]+")
# Counted by the web process (annotation/web/platform/metrics_counted.py).
COUNTED = {"bareme_requests_total", "bareme_request_seconds_bucket"}


@pytest.fixture
def known(db: None, redis_url: str, settings: Any) -> set[str]:
    """Each metric that a look at the state gives."""
    settings.CELERY_BROKER_URL = redis_url.replace("unix://", "redis+socket://", 1)
    event_record(actor=None, verb="backup_made", kind="sqlite", files=3, bytes=4)
    return {metric.name for metric in StateCollector().collect()}


@pytest.mark.redis
def test_every_name_is_one_that_exists_and_every_metric_is_watched(
    known: set[str],
) -> None:
    named = {name for text in EXPRESSIONS.values() for name in NAME.findall(text)}
    assert named - COUNTED <= known
    shown = {
        name
        for panel in DASHBOARD["panels"]
        for target in panel["targets"]
        for name in NAME.findall(target["expr"])
    }
    assert known | COUNTED == shown
    docs = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    documented = {
        name for row in re.findall(r"(?m)^\| `bareme.*$", docs) for name in NAME.findall(row)
    }
    assert documented == {name.removesuffix("_bucket") for name in known | COUNTED}
    alerted = {name for rule in RULES for name in NAME.findall(rule["expr"])}
    assert known | COUNTED == alerted | {"bareme_queue_unacknowledged"}, "shown beside the queue"


@pytest.mark.parametrize("name", sorted(EXPRESSIONS))
def test_views_are_those_that_exist(name: str) -> None:
    views = set(_views(get_resolver()))
    for pattern in re.findall(r'view=~?"([^"]+)"', EXPRESSIONS[name]):
        assert any(re.fullmatch(pattern, view) for view in views), pattern


def _views(resolver: Any, space: str = "") -> Any:
    for pattern in resolver.url_patterns:
        if hasattr(pattern, "url_patterns"):
            yield from _views(
                pattern, space + (f"{pattern.namespace}:" if pattern.namespace else "")
            )
        else:
            yield f"{space}{pattern.name}"


def test_a_queue_that_was_left_out_alerts_nobody() -> None:
    """`serve --calls 0` set it off for good. Both metrics have the same labels, so that `and` is by
    queue."""
    expression = EXPRESSIONS["BaremeNoWorker"]
    always, _, waiting = expression.partition(" or ")
    assert always == 'bareme_workers{queue="default"} == 0'
    assert waiting == "(bareme_workers == 0 and bareme_queue_messages > 0)"
    broker = BrokerState({"default": 0, "llm": 2}, in_hand=0, workers=())
    labels = {
        metric.name: [sample.labels for sample in metric.samples] for metric in _of_broker(broker)
    }
    assert labels["bareme_workers"] == labels["bareme_queue_messages"]
    assert {"queue": settings.CELERY_TASK_DEFAULT_QUEUE} in labels["bareme_workers"]


def test_every_alert_says_what_and_how_grave() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert rule["annotations"]["summary"].endswith(".")
        assert rule["annotations"]["description"].endswith(".")
