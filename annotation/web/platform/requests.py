"""What views know of a request by their decorators."""

from __future__ import annotations

from django.http import HttpRequest

from annotation.models import User


class PersonRequest(HttpRequest):
    """A request behind ``login_required``: somebody is logged in."""

    user: User
