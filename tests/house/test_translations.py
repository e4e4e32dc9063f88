"""French is what users see first: a message without its French is a defect, whoever added it."""

from __future__ import annotations

import re

from babel.messages.pofile import read_po
from django.conf import settings

from annotation.management.messages import (
    catalog_of,
    merge,
    po_path,
    python_messages,
    untranslated,
)

PLACEHOLDER = re.compile(r"%\((\w+)\)[sd]|(?<!%)%[sd]|\{(\w*)\}")


def test_nothing_is_untranslated() -> None:
    assert untranslated(merge(settings.BASE_DIR, "fr")) == []


def test_the_catalog_holds_nothing_that_nobody_uses() -> None:
    with po_path(settings.BASE_DIR, "fr").open("rb") as file:
        stored = {
            (message.context, str(message.id))
            for message in read_po(file, locale="fr")
            if message.id
        }
    used = {
        (message.context, str(message.id))
        for message in catalog_of(settings.BASE_DIR)
        if message.id
    }
    assert stored == used, "run `manage.py update_messages`"


def test_placeholders_survive_translation() -> None:
    broken = []
    for message in merge(settings.BASE_DIR, "fr"):
        if not message.id:
            continue
        ids = message.id if isinstance(message.id, tuple | list) else [message.id]
        strings = message.string if isinstance(message.string, tuple | list) else [message.string]
        wanted = set(PLACEHOLDER.findall(ids[-1]))
        # What has no translation yet is told by the test before.
        broken += [
            str(ids[0])
            for text in strings[-1:]
            if text and set(PLACEHOLDER.findall(text)) != wanted
        ]
    assert broken == []


def test_apostrophes_are_written_in_one_way() -> None:
    """Two on one page look like two hands."""
    curly = [
        str(message.string)
        for message in merge(settings.BASE_DIR, "fr")
        if message.id and "’" in str(message.string)
    ]
    assert curly == []


def test_a_message_is_found_however_it_is_written(tmp_path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        'ngettext(("one " "thing"), ("%(number)s "\n "things"), number)\n'
        "label = f\"{shown or _('nothing')}\"\n"
        'gettext_lazy("divided " "words")\n'
        'pgettext("blocks", "Left")\n'
        "_(variable)\n",
        encoding="utf-8",
    )
    messages = {(message, context) for _name, _line, message, context in python_messages(module)}
    assert messages == {
        (("one thing", "%(number)s things"), None),
        ("nothing", None),
        ("divided words", None),
        ("Left", "blocks"),
    }
