"""Uploading a file of pairs, and saying how it is to be read."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from annotation.corpus.columns import FIELDS, REQUIRED
from annotation.corpus.encodings import ENCODINGS
from annotation.corpus.tables import JSON, JSONL, PARQUET, XLSX, Table
from annotation.corpus.xlsx import LAST_ROW
from annotation.models import Item
from annotation.protocols.protocol import Protocol
from annotation.web.items.judged_forms import add_judged_fields, told_same, told_values
from annotation.web.items.preview import JUDGED, JUDGMENTS, LAYOUT_CHOICES, PAIRS, Preview

SEPARATOR_NAMES = {";": _("semicolon ;"), ",": _("comma ,"), "\t": _("tab"), "|": _("bar |")}
ENCODING_NAMES = {
    "utf-8": "UTF-8",
    "cp1252": "Windows-1252",
    "iso8859-15": "ISO 8859-15 (Latin-9)",
    "latin-1": "ISO 8859-1 (Latin-1)",
    "mac-roman": "Mac Roman",
    "cp850": "DOS (CP 850)",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16 LE",
    "utf-16-be": "UTF-16 BE",
    "utf-32": "UTF-32",
}
_AUTOMATIC = ("", _("Find out"))
_DOES_NOT_APPLY = {
    XLSX: {"encoding", "separator", "quoted"},
    PARQUET: {"encoding", "separator", "quoted", "sheet", "header", "header_row"},
    JSONL: {"separator", "quoted", "sheet", "header", "header_row"},
    JSON: {"separator", "quoted", "sheet", "header", "header_row"},
}
_YES_NO = [_AUTOMATIC, ("yes", _("yes")), ("no", _("no"))]


class UploadForm(forms.Form):
    """A file."""

    file = forms.FileField(
        label=_("File"),
        help_text=_(
            "CSV, TSV, JSONL, XLSX or Parquet, a pair or a judgment per row; or the export of "
            "another annotation program."
        ),
        widget=forms.ClearableFileInput(
            attrs={"accept": ".csv,.tsv,.txt,.jsonl,.ndjson,.json,.xlsx,.parquet,.zip,.conll"}
        ),
        error_messages={"empty": _("This file is empty: choose another.")},
    )


class MappingForm(forms.Form):
    """How to read an uploaded file, which column holds what, and where the pairs go."""

    content = forms.ChoiceField(
        label=_("Bring in"),
        choices=[
            (JUDGED, _("pairs and their judgments")),
            (JUDGMENTS, _("pairs and their judgments")),
            (PAIRS, _("pairs only")),
        ],
        widget=forms.RadioSelect,
        required=False,
    )
    encoding = forms.ChoiceField(label=_("Encoding"), required=False)
    separator = forms.ChoiceField(
        label=_("Separator"), choices=[_AUTOMATIC, *SEPARATOR_NAMES.items()], required=False
    )
    quoted = forms.ChoiceField(
        label=_("Texts may stand in quotation marks"), choices=_YES_NO, required=False
    )
    sheet = forms.ChoiceField(label=_("Sheet"), required=False)
    header = forms.ChoiceField(
        label=_("The first row names the columns"), choices=_YES_NO, required=False
    )
    header_row = forms.IntegerField(
        label=_("Row that names the columns"),
        help_text=_("Its number in the file, where a title or other rows stand above it."),
        min_value=1,
        max_value=LAST_ROW,
        required=False,
    )
    round = forms.ChoiceField(
        label=_("Round"),
        choices=[(Item.Round.MAIN, _("main")), (Item.Round.PRACTICE, _("practice"))],
        widget=forms.RadioSelect,
    )
    skip_duplicates = forms.BooleanField(label=_("Leave duplicates out"), required=False)

    def __init__(self, *args: Any, shown: Preview, protocol: Protocol, **kwargs: Any) -> None:
        kwargs.setdefault("initial", _initial(shown))
        super().__init__(*args, **kwargs)
        self.shown = shown
        self._offer("encoding", [_AUTOMATIC, *((name, ENCODING_NAMES[name]) for name in ENCODINGS)])
        if shown.table is not None:
            self._offer("sheet", [_AUTOMATIC, *((name, name) for name in shown.table.sheets)])
        self._drop_what_does_not_apply()
        if shown.table is not None and shown.content == PAIRS:
            self._add_columns(shown.table)
        elif shown.content == JUDGMENTS:
            add_judged_fields(self, shown, protocol)
        self._offer_content()

    def clean(self) -> dict[str, Any]:
        """Of a file that is to be read differently no column is asked for: it will have others."""
        cleaned = super().clean() or self.cleaned_data
        if self.rereads:
            for name in [name for name in self.errors if name.startswith("map_")]:
                del self.errors[name]
        return cleaned

    @property
    def reading(self) -> list[forms.BoundField]:
        """How the file is read."""
        return [self[name] for name in self.fields if name in LAYOUT_CHOICES and name != "content"]

    @property
    def columns(self) -> list[forms.BoundField]:
        """Which column holds what."""
        return [self[name] for name in self.fields if name.startswith("map_")]

    @property
    def placing(self) -> list[forms.BoundField]:
        """What to bring in, and where it goes."""
        return [
            self[name] for name in ("content", "round", "skip_duplicates") if name in self.fields
        ]

    @property
    def layout_choices(self) -> dict[str, Any]:
        """The choices about reading that were posted; those that do not apply keep their former
        value."""
        return {
            name: "" if value is None else value
            for name in LAYOUT_CHOICES
            for value in (self.cleaned_data.get(name, self.shown.choices.get(name, "")),)
        }

    @property
    def rereads(self) -> bool:
        """Whether the choices posted read the file differently from what was shown."""
        former = {
            name: self.shown.choices.get(name, "") for name in LAYOUT_CHOICES if name != "content"
        }
        posted = {name: self.layout_choices[name] for name in former}
        return posted != former or self.cleaned_data.get("content", "") not in (
            "",
            self.shown.content,
        )

    @property
    def judged_choices(self) -> dict[str, Any]:
        """What was posted about judgments: where it is what was found out, that stays so."""
        return {
            "judged_mapping": self.shown.choices.get("judged_mapping")
            if self.mapping == self.shown.mapping
            else self.mapping,
            "values": told_values(self, self.shown),
            "same_scale": told_same(self, self.shown),
        }

    @property
    def changes(self) -> bool:
        """Whether what was posted would bring in something else than what was shown."""
        if self.shown.content != JUDGMENTS:
            return self.mapping != self.shown.mapping
        former = {
            "judged_mapping": self.shown.choices.get("judged_mapping"),
            "values": self.shown.told_values,
            "same_scale": self.shown.same_scale,
        }
        return self.judged_choices != former

    @property
    def mapping(self) -> dict[str, int]:
        """Columns by field, as posted."""
        posted = {
            name.removeprefix("map_"): value
            for name, value in self.cleaned_data.items()
            if name.startswith("map_") and value != ""
        }
        if self.shown.content == JUDGMENTS:
            return {name: int(place) for name, place in posted.items()}
        return {name: int(posted[name]) for name in FIELDS if name in posted}

    def _offer(self, name: str, choices: list[tuple[str, Any]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]  # a ChoiceField

    def _offer_content(self) -> None:
        """The released judgments where there are some, else those of a long table."""
        if "content" in self.fields:
            other = JUDGMENTS if self.shown.is_released_file else JUDGED
            field = self.fields["content"]
            known = [choice for choice in field.choices if choice[0] != other]  # type: ignore[attr-defined]
            self._offer("content", known)

    def _drop_what_does_not_apply(self) -> None:
        """An unreadable file keeps every way to read it differently."""
        table = self.shown.table
        if not (self.shown.is_released_file or self.shown.may_be_judged):
            del self.fields["content"]
        if self.shown.content == JUDGED:
            kept = {"content"}
        elif self.shown.content == JUDGMENTS:
            kept = {"content", "encoding", "separator", "quoted", "sheet", "header", "header_row"}
            if table is not None:
                kept -= _DOES_NOT_APPLY.get(table.layout.format, {"sheet"})
        elif table is None:
            kept = {"encoding", "separator", "quoted", "header", "header_row"}
            kept |= {"round", "skip_duplicates"}
        elif table.layout.format == XLSX:
            kept = {"content", "sheet", "header", "header_row", "round", "skip_duplicates"}
        elif table.layout.format == PARQUET:
            kept = {"content", "round", "skip_duplicates"}
        elif table.layout.format in (JSONL, JSON):
            kept = {"content", "encoding", "round", "skip_duplicates"}
        else:
            kept = {"content", "encoding", "separator", "quoted", "header", "header_row"}
            kept |= {"round", "skip_duplicates"}
        for name in set(self.fields) - kept:
            del self.fields[name]

    def _add_columns(self, table: Table) -> None:
        columns = [(str(index), name) for index, name in enumerate(table.columns)]
        language = get_language() or "fr"
        for name, label in FIELDS.items():
            required = name in REQUIRED
            self.fields[f"map_{name}"] = forms.ChoiceField(
                label=label.get(language),
                choices=columns
                if required and name in self.shown.mapping
                else [("", "—"), *columns],
                required=required,
                initial=str(self.shown.mapping.get(name, "")),
            )


def _initial(shown: Preview) -> dict[str, Any]:
    return {
        **{name: shown.choices.get(name, "") for name in LAYOUT_CHOICES},
        "content": shown.content,
        "round": shown.round,
        "skip_duplicates": shown.skip_duplicates,
    }
