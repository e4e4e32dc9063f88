#!/usr/bin/env python
"""Django's command line. `manage.py serve --demo` starts everything on one machine."""

from __future__ import annotations

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation.config.settings")
    # Settings are read before a command sees its own options, so the one option that chooses them
    # is read here.
    if sys.argv[1:2] in (["serve"], ["stack"]) and "--demo" in sys.argv[2:]:
        os.environ["BAREME_DEMO"] = "1"
    # Django answers this one itself, with its own version, before it looks for a command.
    if sys.argv[1:] in (["version"], ["--version"]):
        from annotation import __version__

        print(__version__)  # noqa: T201
        return
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    try:
        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        from annotation.management.interruptions import INTERRUPTED, interruption

        if "--traceback" in sys.argv:
            raise
        print(f"\n{interruption(''.join(sys.argv[1:2]))}", file=sys.stderr)  # noqa: T201
        sys.exit(INTERRUPTED)
    except ImproperlyConfigured as error:
        # Its own words say what to do; --traceback shows where, as for any refusal of a command.
        if "--traceback" in sys.argv:
            raise
        sys.exit(_words(error))
    except (DatabaseError, OSError) as error:
        from annotation.management.disk_refusals import disk_refusal

        refusal = None if "--traceback" in sys.argv else disk_refusal(error)
        if refusal is None and "--traceback" not in sys.argv and isinstance(error, DatabaseError):
            # Here: it needs settings, which may be what a full disk kept from being read.
            from annotation.management.database_refusals import database_refusal

            refusal = database_refusal(error, sys.argv[1])
        if refusal is None:
            raise
        sys.exit(refusal)


def _words(error: Exception) -> str:
    """What Django says of a key that is missing names a setting that nobody sets here."""
    if not str(error).startswith("The SECRET_KEY setting must not be empty"):
        return str(error)
    from annotation.management.keys import KEY_MISSING

    return KEY_MISSING


if __name__ == "__main__":
    main()
