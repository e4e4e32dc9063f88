"""What people write of a protocol that they compose."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.protocols.files import (
    LARGEST,
    ProtocolUnreadable,
    file_text,
    is_code,
    protocol_text,
    without_code,
)
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import is_composed, published, written
from annotation.services.composing.drafts import Composed
from annotation.web.base.presenters import text
from annotation.web.composing.presenters import titles
from annotation.web.composing.rows import skeleton

LARGEST_FILE = 4 * LARGEST
"""Bytes: what UTF-8 makes of so many characters at most."""


class BeginForm(forms.Form):
    """A new draft: from an installed protocol, or a file that there is already."""

    beginning = forms.ChoiceField(
        label=_("Begin with"),
        required=False,
        help_text=_(
            "The installed protocol that is nearest to yours: you change a copy of it. A copy of "
            "one with rules in code is without these: nothing is refused for what several answers "
            "say together, or for what a machine finds in the pair."
        ),
    )
    file = forms.FileField(
        label=_("Or with a file of yours"),
        required=False,
        help_text=_("JSON in UTF-8, as this page and “manage.py protocol write” give one."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        there = published()
        called = titles(there)
        self.written = {protocol.name: _file_of(protocol) for protocol in there}
        known, composed = list[tuple[str, str]](), list[tuple[str, str]]()
        for protocol in there:
            title = called[protocol.name]
            if is_code(protocol):
                title = _("%(title)s, without its rules in code") % {"title": title}
            (composed if is_composed(protocol) else known).append((protocol.name, title))
        cast(forms.ChoiceField, self.fields["beginning"]).choices = [
            ("", _("nothing: a single question")),
            *known,
            *([(_("Composed here"), composed)] if composed else []),
        ]

    def clean_file(self) -> str:
        """The text of the file; "" for none."""
        file = self.cleaned_data["file"]
        if file is None:
            return ""
        if (file.size or 0) > LARGEST_FILE:
            raise forms.ValidationError(_("This file is too large to be a protocol's."))
        try:
            return file_text(file.read())
        except ProtocolUnreadable as error:
            raise forms.ValidationError(
                [
                    _("This file cannot be read: %(fault)s. Choose a file of JSON (….json).")
                    % {"fault": text(fault)}
                    for fault in error.faults
                ]
            ) from error

    @property
    def composed(self) -> Composed:
        """What the draft begins with."""
        beginning = self.written.get(self.cleaned_data["beginning"], "")
        return Composed(self.cleaned_data["file"] or beginning or skeleton())


def _file_of(protocol: Protocol) -> str:
    """An installed protocol as a file, as far as one can hold it."""
    return protocol_text(without_code(protocol)) if is_code(protocol) else written(protocol)


class _Kept(forms.CharField):
    """Kept as it is; nothing of it is optional or missing."""

    is_asked_for = True


class DraftForm(forms.Form):
    """The file, and the pair that it is tried on. Whatever stands there is kept, right or wrong."""

    text = _Kept(
        label=_("The file"),
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 28, "class": "code", "spellcheck": "false", "autocomplete": "off"}
        ),
    )
    original = forms.CharField(
        label=_("First text"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    simplification = forms.CharField(
        label=_("Second text"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    builds_on = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=2**31 - 1)

    @property
    def composed(self) -> Composed:
        """What is to be kept."""
        data = self.cleaned_data
        return Composed(data["text"], data["original"], data["simplification"])
