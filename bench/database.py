"""A database of its own for a measurement: SQLite in a temporary folder, or a new one beside
DATABASE_URL's."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote


@contextmanager
def temporary_database() -> Iterator[str]:
    """Set Django up on an empty database and give the vendor's name; remove the database
    afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation.config.settings")
        os.environ["BAREME_DATA_DIR"] = folder
        os.environ["BAREME_DEMO"] = "1"
        import django
        from django.conf import settings

        django.setup()
        settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, "testserver"]
        from django.core.management import call_command
        from django.db import connection
        from django.test.runner import DiscoverRunner

        call_command("collectstatic", interactive=False, verbosity=0)
        runner = DiscoverRunner(interactive=False, verbosity=0)
        if connection.vendor == "sqlite":
            # In a file: in memory there is neither WAL nor a disk to write to.
            connection.settings_dict["TEST"]["NAME"] = os.path.join(folder, "bench.sqlite3")  # noqa: PTH118
        created = runner.setup_databases()
        try:
            yield connection.vendor
        finally:
            runner.teardown_databases(created)


def database_url() -> str:
    """The temporary database, as another process reaches it."""
    from django.db import connection

    options = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{options['NAME']}"
    login = f"{quote(options['USER'])}:{quote(options['PASSWORD'])}"
    return f"postgres://{login}@/{options['NAME']}?host={quote(options['HOST'])}&port={options['PORT'] or 5432}"  # noqa: E501
