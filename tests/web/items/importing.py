"""A lead who brings pairs in: uploads a file, reads the form as a browser would, posts it back."""

from __future__ import annotations

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

CSV = (
    "original;simplification;system\nL'assuré paie la prime.;Vous payez.;s1\nL'assureur "
    "rembourse.;On paie.;s1\n"
)


def send(client, content, name="paires.csv", study="gamma"):
    if isinstance(content, str):
        content = content.encode()
    return client.post(
        reverse("pairs_upload", args=[study]), {"file": SimpleUploadedFile(name, content)}
    )


def sent(client, content, **options):
    """The address of the page that follows an upload."""
    answer = send(client, content, **options)
    assert answer.status_code == 302, answer.content.decode()
    return answer.url


def shown_form(client, url):
    """What a browser would post back: every field of the page's form as it is filled."""
    form = client.get(url).context["form"]
    return {
        name: form[name].value() for name in form.fields if form[name].value() not in (None, False)
    }


def post(client, url, action="import", **changed):
    return client.post(url, shown_form(client, url) | {"action": action} | changed)


def page_text(answer):
    return answer.content.decode()
