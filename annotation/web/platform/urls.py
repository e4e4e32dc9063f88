"""What those look at who keep Barème running, and what their programs ask."""

from django.urls import path

from annotation.web.platform.views import health, metrics, system, trail

urlpatterns = [
    path("livez", health.livez, name="livez"),
    path("servez", health.servez, name="servez"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("system/", system.system, name="system"),
    path("system/trail/", trail.trail, name="trail"),
]
