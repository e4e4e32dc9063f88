"""What Django's own security middleware leaves out: devices that no page needs, and who may embed what is served."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

_UNUSED = (
    "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone", "midi",
    "payment", "usb",
)  # fmt: skip
PERMISSIONS_POLICY = ", ".join(f"{feature}=()" for feature in _UNUSED)


class BrowserPolicyMiddleware:
    """Sets ``Permissions-Policy`` and ``Cross-Origin-Resource-Policy`` on every answer, static files included."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response
