"""Entry point of a WSGI server. Refuses an insecure start."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation.config.settings")
_application = get_wsgi_application()

from django.conf import settings  # noqa: E402
from django.db import connections  # noqa: E402
from django.urls import reverse  # noqa: E402

from annotation.checks import (  # noqa: E402  (needs the applications loaded)
    refuse_insecure_start,
    was_let_start,
)
from annotation.config.whole_bodies import WholeBodies  # noqa: E402
from annotation.garbage import garbage_hardly_ever, garbage_seldom  # noqa: E402

application = WholeBodies(_application, settings.UPLOAD_LIMIT_BYTES)

# `manage.py serve` has asked before it loads this.
if not was_let_start():
    refuse_insecure_start()
# Django loads addresses and views at the first request. Here they are loaded before a server forks:
# once, into memory that its processes share, and nobody's first page waits for it.
garbage_hardly_ever()
reverse("home")
garbage_seldom()
# A server that forks after loading must not share this connection among its processes.
connections.close_all()
