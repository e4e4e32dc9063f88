"""Wiring only: settings, URLs, the entry points of servers."""

from annotation.garbage import garbage_hardly_ever

# Before anything else is loaded. ``AnnotationConfig.ready`` takes it back.
garbage_hardly_ever()

# Whoever loads the settings may request background work, so the Celery application must be the
# current one.
from workers.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
