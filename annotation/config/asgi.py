"""Entry point of an ASGI server. Refuses an insecure start."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation.config.settings")
application = get_asgi_application()

from annotation.checks import refuse_insecure_start  # noqa: E402  (needs the applications loaded)

refuse_insecure_start()
