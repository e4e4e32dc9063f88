"""What a lead chooses for an export."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.errors import RuleError
from annotation.protocols.protocol import Protocol
from annotation.selectors.publishing.exports import (
    ExportSpec,
    export_spec,
    layouts_of,
)
from annotation.web.base.presenters import text
from annotation.web.platform.problems import problems_in_words

_FORMATS = (
    ("", _("the usual one: the first that stands beside the layout")),
    ("csv", "CSV"),
    ("tsv", "TSV"),
    ("csv-fr", _("CSV for a spreadsheet in French (semicolons, decimal commas)")),
    ("xlsx", _("XLSX, for a spreadsheet in any language")),
    ("jsonl", "JSONL"),
    ("json", "JSON"),
)
_ROUNDS = (
    ("main", _("main round")),
    ("practice", _("practice round")),
    ("all", _("both rounds")),
    ("control", _("control pairs")),
    ("repeat", _("silent repeats")),
    ("machine", _("models only")),
    ("surplus", _("surplus answers")),
)


class ExportForm(forms.Form):
    """Layout, format and options; ``spec`` is the request once the form is valid."""

    layout = forms.ChoiceField(label=_("Layout"), initial="long", widget=forms.RadioSelect)
    format = forms.ChoiceField(label=_("Format"), choices=_FORMATS, required=False)
    round = forms.ChoiceField(
        label=_("Round"),
        choices=_ROUNDS,
        initial="main",
        help_text=_(
            "Practice is no data of the study. Where both are asked for, a column tells them apart."
        ),
    )
    systems = forms.BooleanField(
        label=_("With the column that says which system wrote what"),
        required=False,
        initial=True,
        help_text=_(
            "Without it, keys and positions of outputs still follow the order of the file that was "
            "imported, which may tell which belong to one system."
        ),
    )
    withdrawn = forms.BooleanField(
        label=_("With the judgments of annotators who have withdrawn"), required=False, initial=True
    )
    machines = forms.BooleanField(
        label=_("With what models judged beside people"),
        required=False,
        initial=True,
        help_text=_("Layouts of what people answered never have it."),
    )
    coarse_times = forms.BooleanField(label=_("Days instead of moments"), required=False)
    bom = forms.BooleanField(label=_("Mark CSV and TSV as UTF-8, for Excel"), required=False)

    spec: ExportSpec

    def __init__(self, protocol: Protocol, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        offered: Any = self.fields["layout"]
        # Only now, because the titles are in the reader's language.
        offered.choices = [
            (key, text(layout.title_for(protocol))) for key, layout in layouts_of(protocol).items()
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        options = {
            name: cleaned[name]
            for name in ("round", "systems", "withdrawn", "machines", "coarse_times", "bom")
        }
        try:
            self.spec = export_spec(cleaned["layout"], cleaned["format"], options)
        except RuleError as error:
            for problem in problems_in_words(error.problems):
                self.add_error(
                    problem["field"] if problem["field"] in self.fields else None,
                    problem["message"],
                )
        return cleaned


def layout_choices(protocol: Protocol, chosen: str) -> list[dict[str, Any]]:
    """The layouts with what each is for, as radio buttons."""
    return [
        {
            "key": key,
            "title": text(layout.title_for(protocol)),
            "explanation": text(layout.explanation),
            "formats": ", ".join(name.upper() for name in layout.formats),
            "checked": key == chosen,
        }
        for key, layout in layouts_of(protocol).items()
    ]
