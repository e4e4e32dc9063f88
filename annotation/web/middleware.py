"""What each request needs to know about its reader: their language, and that they are still there."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from annotation.web.sessions import session_use

LANGUAGE_COOKIE = "bareme_language"


class PreferencesMiddleware:
    """Activates the reader's language (their own, else the cookie's, else the browser's, else French) and
    lets a session that is being used live on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        language = reader_language(request)
        translation.activate(language)
        request.LANGUAGE_CODE = language
        # Asking how long a session still lasts must not make it last longer.
        if request.user.is_authenticated and not (request.method == "GET" and request.path == reverse("session")):
            session_use(request)
        response = self.get_response(request)
        response.headers.setdefault("Content-Language", translation.get_language() or "fr")
        patch_vary_headers(response, ("Accept-Language",))
        return response


def reader_language(request: HttpRequest) -> str:
    """The language of the page; one of ``settings.LANGUAGES``."""
    if request.user.is_authenticated:
        return request.user.language
    chosen = request.COOKIES.get(LANGUAGE_COOKIE, "")
    if chosen in dict(settings.LANGUAGES):
        return chosen
    return translation.get_language_from_request(request)
