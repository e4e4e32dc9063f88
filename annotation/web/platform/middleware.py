"""What each request needs to know about its reader: their language, and that they are still
there."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from annotation.web.platform.keeping import is_for_keeping
from annotation.web.platform.sessions import session_use

LANGUAGE_COOKIE = "bareme_language"
# Which language the page is in whose script asks: the account's may have been changed since, in
# another tab. A header, because no link and no form of another page can send one.
PAGE_LANGUAGE_HEADER = "X-Bareme-Language"
_YEAR_SECONDS = 365 * 24 * 3600


class PreferencesMiddleware:
    """Activates the reader's language (their own, else the cookie's, else the browser's, else
    French), or for a script that of its page, and lets a session that is being used live on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # First what needs no account, for whoever cannot be looked up: the thread still has the
        # language of whom it answered before.
        translation.activate(_browser_language(request))
        language = reader_language(request)
        shown = request.headers.get(PAGE_LANGUAGE_HEADER, "")
        translation.activate(shown if shown in dict(settings.LANGUAGES) else language)
        request.LANGUAGE_CODE = translation.get_language() or language
        # Asking how long a session still lasts must not make it last longer; nor must what browsers
        # fetch ahead.
        asks_only = (
            request.method == "GET" and request.path == reverse("session")
        ) or is_for_keeping(request)
        if request.user.is_authenticated and not asks_only:
            session_use(request)
        is_person = request.user.is_authenticated
        response = self.get_response(request)
        # Who logs out, or comes back after their log-in ended, finds the log-in page in the
        # language they read.
        if (
            is_person
            and LANGUAGE_COOKIE not in response.cookies
            and request.COOKIES.get(LANGUAGE_COOKIE) != language
        ):
            language_remember(response, language)
        response.headers.setdefault("Content-Language", translation.get_language() or "fr")
        patch_vary_headers(response, ("Accept-Language",))
        # Each page shows who reads it, in their language and colours: a view that may be kept says
        # so itself.
        response.headers.setdefault("Cache-Control", "no-store, private")
        return response


def language_remember(response: HttpResponse, language: str) -> None:
    """Have the browser ask for its next pages in this language, whoever is logged in."""
    response.set_cookie(
        LANGUAGE_COOKIE,
        language,
        max_age=_YEAR_SECONDS,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
    )


def reader_language(request: HttpRequest) -> str:
    """The language of the page; one of ``settings.LANGUAGES``."""
    if request.user.is_authenticated:
        return request.user.language
    return _browser_language(request)


def _browser_language(request: HttpRequest) -> str:
    chosen = request.COOKIES.get(LANGUAGE_COOKIE, "")
    if chosen in dict(settings.LANGUAGES):
        return chosen
    return translation.get_language_from_request(request)
