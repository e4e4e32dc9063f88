"""The end of the letters about what waits, from a link in each of them."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from annotation.services.studies.digests import digest_end, digest_reader


# The signed address is what allows it: programs for mail post here without a session (RFC 8058).
@csrf_exempt
@never_cache
@require_http_methods(["GET", "POST"])
def digest_off(request: HttpRequest, digest: str) -> HttpResponse:
    """A GET changes nothing, because programs that look for viruses open every link; its page sends
    the form by itself where there is a script."""
    reader = digest_reader(digest)
    if reader is None:
        raise Http404("no such letter")
    if request.method == "POST":
        digest_end(user=reader)
    return render(request, "studies/digest_off.html", {"is_off": request.method == "POST"})
