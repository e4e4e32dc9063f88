"""The counters themselves. Imported only where metrics are on: it decides at its import where
counts are kept."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

# Around what a person waits for: a third of a second is the goal.
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0)

REQUESTS = Counter(
    "bareme_requests",
    "Requests answered, by view, method and status.",
    ["view", "method", "status"],
)
SECONDS = Histogram(
    "bareme_request_seconds",
    "Time to answer, by view and method.",
    ["view", "method"],
    buckets=_BUCKETS,
)
