"""Views that take POST alone and are for whoever is logged in."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.web.platform.problems import login_required_response
from annotation.web.platform.views.errors import wants_json

_View = Callable[..., HttpResponseBase]


def post_behind_login(page: str | Callable[[HttpRequest], str]) -> Callable[[_View], _View]:
    """Whoever is not logged in any more comes back, once they are, to the page that has the button:
    the name of one whose address has the same parts, or what finds its address. «login_required»
    would lead to the view's own, which answers no GET."""

    def decorate(view: _View) -> _View:
        only_post = require_POST(view)

        @wraps(view)
        def guarded(request: HttpRequest, **parts: Any) -> HttpResponseBase:
            if request.user.is_authenticated:
                return only_post(request, **parts)
            if wants_json(request):
                return login_required_response()
            return redirect_to_login(
                reverse(page, kwargs=parts) if isinstance(page, str) else page(request)
            )

        return guarded

    return decorate
