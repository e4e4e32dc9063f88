"""What is held about a person, as files that they can keep: JSON for programs, a page without
scripts to read."""

from __future__ import annotations

import io
import json
import zipfile
from typing import IO, Any

from django.core.serializers.json import DjangoJSONEncoder
from django.template.loader import render_to_string
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import get_language, gettext_lazy, override
from django.utils.translation import gettext as _

from annotation.models import User
from annotation.selectors.base.dates import date_in_words
from annotation.selectors.base.one_moment import one_moment
from annotation.selectors.privacy.personal import personal_data
from annotation.services.platform.events import event_record
from annotation.services.privacy.labels import AS_KEPT, LABELS

JSON_NAME, PAGE_NAME = "donnees.json", "donnees.html"
AREAS = {
    "profile": gettext_lazy("Account"),
    "former_names": gettext_lazy("Names that you had before"),
    "address_changes": gettext_lazy("Changes of your address"),
    "leads": gettext_lazy("Studies that you lead"),
    "annotates": gettext_lazy("Studies that you judge in"),
    "invitations": gettext_lazy("Invitations"),
    "api_tokens": gettext_lazy("API tokens"),
    "protocol_drafts": gettext_lazy("Drafts of protocols"),
    "installed_protocols": gettext_lazy("Protocols that you installed"),
    "table_reports": gettext_lazy("Reports on tables of scores"),
    "sessions": gettext_lazy("Log-ins that are open"),
    "second_steps": gettext_lazy("Second step of the log-in"),
    "institution_accounts": gettext_lazy("Your institution's account"),
    "recovery_codes": gettext_lazy("Recovery codes that are left"),
    "access": gettext_lazy("Log-ins and failed attempts"),
    "erasure_requests": gettext_lazy("Requests for erasure"),
    "events": gettext_lazy("What you did, and what was done with your account"),
}
_MEMBER = "<dt>{}</dt><dd>{}</dd>"


def personal_archive(*, actor: User | None, user: User) -> bytes:
    """What ``personal_archive_write`` writes, for an answer to a browser."""
    out = io.BytesIO()
    personal_archive_write(out, actor=actor, user=user)
    return out.getvalue()


def personal_archive_write(file: IO[bytes], *, actor: User | None, user: User) -> None:
    """A ZIP file with everything held about the person, in their language. Recorded once it is
    written, because it takes data out. Raises ``OSError``."""
    file.write(_archive(user))
    file.flush()
    event_record(actor=actor, verb="personal_data_downloaded", target=user)


def _archive(user: User) -> bytes:
    # Not while anything is written: of ten thousand judgments it takes seconds, and on SQLite
    # nobody else could save meanwhile.
    with one_moment():
        data = personal_data(user)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            JSON_NAME, json.dumps(data, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2) + "\n"
        )
        with override(user.language):
            archive.writestr(PAGE_NAME, _page(data))
    return out.getvalue()


def _page(data: dict[str, Any]) -> str:
    areas = [
        {"heading": str(heading), "content": _drawn(data[name])} for name, heading in AREAS.items()
    ]
    return render_to_string(
        "privacy/personal_data_file.html", {"areas": areas, "made_at": data["made_at"]}
    )


def _drawn(value: Any, *, as_kept: bool = False) -> SafeString:
    """A value as the page draws it: an object's members, a list's entries, or a text. Not by
    templates: there are twenty values to a judgment. ``as_kept``: with the names that members have
    in the file for programs."""
    if isinstance(value, dict) and value:
        members = (
            (
                name if as_kept else _label(name),
                _drawn(part, as_kept=as_kept or name in AS_KEPT),
            )
            for name, part in value.items()
        )
        return format_html("<dl>{}</dl>", format_html_join("\n", _MEMBER, members))
    if isinstance(value, list) and value:
        entries = ((_drawn(part, as_kept=as_kept),) for part in value)
        return format_html("<ol>{}</ol>", format_html_join("\n", "<li>{}</li>", entries))
    return conditional_escape("–" if isinstance(value, dict | list) else _text(value))


def _label(name: str) -> str:
    known = LABELS.get(name)
    return known.get(get_language() or "fr") if known else name.replace("_", " ")


def _text(value: Any) -> str:
    if hasattr(value, "tzinfo"):
        return date_in_words(localtime(value), "DATETIME_FORMAT")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return "–" if value in (None, "") else str(value)
