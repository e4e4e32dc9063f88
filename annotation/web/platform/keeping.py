"""How a browser says that it fetches a page to keep it."""

from __future__ import annotations

from django.http import HttpRequest

# A header, because no link and no form of another page can send one. Its value is the reference of
# the person whose page asks (``user_ref``): what is answered is kept as theirs.
KEEP_HEADER = "X-Bareme-Keep"


def is_for_keeping(request: HttpRequest) -> bool:
    """Whether a browser fetches this page to keep it: nobody looks at it yet."""
    return request.method in ("GET", "HEAD") and bool(request.headers.get(KEEP_HEADER))
