"""What those look at who keep Barème running, and what their programs ask."""

from django.urls import path

from annotation.web.views.health import healthz, readyz
from annotation.web.views.metrics import metrics
from annotation.web.views.system import system

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("system/", system, name="system"),
]
