"""A glossary: one entry, a file of them, and what a preview brings back."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.bodies import json_body
from annotation.corpus.glossary import FIELDS, MAX_LENGTHS, Term

MAX_BYTES = 2_000_000


class EntryForm(forms.Form):
    """A term with its definition."""

    term = forms.CharField(label=_("Term"), max_length=MAX_LENGTHS["term"])
    definition = forms.CharField(
        label=_("Definition"),
        max_length=MAX_LENGTHS["definition"],
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    source = forms.CharField(
        label=_("Source"),
        max_length=MAX_LENGTHS["source"],
        required=False,
        help_text=_("The article or clause that it comes from, as it is to be cited."),
    )

    @property
    def entry(self) -> Term:
        """What was typed."""
        return Term(**{name: self.cleaned_data[name] for name in FIELDS})


class FileForm(forms.Form):
    """A table of terms."""

    file = forms.FileField(
        label=_("File"),
        help_text=_("CSV, TSV, JSONL or XLSX with the columns term, definition and source."),
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.tsv,.txt,.jsonl,.ndjson,.xlsx"}),
        error_messages={"empty": _("This file is empty: choose another.")},
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise ValidationError(_("The file is larger than 2 MB."))
        return file


def terms_from(text: str) -> list[Term]:
    """The entries that a preview sent back. Raises ``ValueError`` for anything else."""
    rows = json_body(text.encode())
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and len(row) == len(FIELDS) for row in rows
    ):
        raise ValueError("no rows of term, definition and source")
    return [Term(*map(str, row)) for row in rows]


def terms_text(terms: list[Term]) -> str:
    """The entries as a hidden field holds them."""
    return json.dumps(
        [[getattr(term, name) for name in FIELDS] for term in terms], ensure_ascii=False
    )
