"""Wiring only: settings, URLs, the entry points of servers."""

# Whoever loads the settings may request background work, so the Celery application must be the
# current one.
from workers.celery import app as celery_app

__all__ = ["celery_app"]
