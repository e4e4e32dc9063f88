"""A source document: its file, its criteria, its draw."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from annotation.corpus.drawing import MAIN, PRACTICE
from annotation.corpus.encodings import ENCODINGS
from annotation.corpus.funnel import Criteria
from annotation.corpus.readability import Syllables
from annotation.models import MOST_SEED
from annotation.web.items.forms import ENCODING_NAMES

MOST_SENTENCES, MOST_ITEMS = 50, 100_000
MOST_COPIES = 1000
_COUNTED = [
    (Syllables.PHONETIC, _("as they are heard")),
    (
        Syllables.HYPHENATION,
        _("as words are divided at a line's end, which is how textstat counts"),
    ),
]


class DocumentForm(forms.Form):
    """A file."""

    file = forms.FileField(
        label=_("File"),
        help_text=_(".txt, .docx or .pdf with its text; at most 25 MB, a PDF at most 200 pages."),
        widget=forms.ClearableFileInput(attrs={"accept": ".txt,.docx,.pdf"}),
        error_messages={"empty": _("This file is empty: choose another.")},
    )
    encoding = forms.ChoiceField(
        label=_("Encoding of a .txt"),
        choices=[("", _("Find out")), *((name, ENCODING_NAMES[name]) for name in ENCODINGS)],
        required=False,
        help_text=_("Only where accents came out wrong."),
    )


class CriteriaForm(forms.Form):
    """What a block must be; ``criteria`` once the form is valid."""

    fewest_sentences = forms.IntegerField(
        label=_("Sentences, at least"), min_value=1, max_value=MOST_SENTENCES
    )
    most_sentences = forms.IntegerField(
        label=_("Sentences, at most"),
        min_value=1,
        max_value=MOST_SENTENCES,
        help_text=_(
            "A list stays with its introduction where both together are no longer than this."
        ),
    )
    hardest_only = forms.FloatField(
        label=_("Reading ease, at most"),
        required=False,
        localize=True,
        validators=[MinValueValidator(-1000), MaxValueValidator(1000)],
        help_text=_("Kandel and Moles; lower is harder. Left empty, texts of any ease are taken."),
    )
    syllables = forms.ChoiceField(label=_("Syllables are counted"), choices=_COUNTED)
    drop_boilerplate = forms.BooleanField(
        label=_("Drop titles, introductions and mentions"), required=False
    )
    as_form = forms.BooleanField(
        label=_("Read it as a form"),
        required=False,
        help_text=_(
            "Tables, blanks and sentences that come again and again are told from clauses where "
            "the text is cut."
        ),
    )
    drop_tables = forms.BooleanField(label=_("Drop rows of tables"), required=False)
    drop_fields = forms.BooleanField(label=_("Drop fields to fill in"), required=False)
    drop_verbless = forms.BooleanField(
        label=_("Drop what has no verb and no final stop"), required=False
    )
    standing_from = forms.IntegerField(
        label=_("A sentence is a mention from how many times on"),
        required=False,
        min_value=2,
        max_value=MOST_COPIES,
        help_text=_("Left empty, a sentence may come any number of times."),
    )
    french_only = forms.BooleanField(label=_("Drop what is not French"), required=False)
    drop_duplicates = forms.BooleanField(
        label=_("Drop a text that was kept before"), required=False
    )

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if cleaned.get("fewest_sentences", 0) > cleaned.get("most_sentences", MOST_SENTENCES):
            self.add_error("most_sentences", _("The most must not be less than the least."))
        return cleaned

    @property
    def criteria(self) -> Criteria:
        """The criteria as posted."""
        return Criteria(
            **{**self.cleaned_data, "syllables": Syllables(self.cleaned_data["syllables"])}
        )


class DrawForm(forms.Form):
    """How many items, by which seed."""

    practice = forms.IntegerField(
        label=_("Practice items"), min_value=0, max_value=MOST_ITEMS, initial=PRACTICE
    )
    everything = forms.BooleanField(
        label=_("All other kept blocks go to the main round"), required=False
    )
    main = forms.IntegerField(
        label=_("Main items"),
        min_value=1,
        max_value=MOST_ITEMS,
        initial=MAIN,
        required=False,
        help_text=_("Not read where all others are taken."),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=MOST_SEED,
        help_text=_(
            "The same document, settings and seed give the same items. It is recorded with the "
            "draw."
        ),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if not cleaned.get("everything") and not cleaned.get("main") and "main" not in self.errors:
            self.add_error("main", _("Give a number, or take all others."))
        return cleaned

    @property
    def wanted(self) -> dict[str, Any]:
        """The arguments of a draw."""
        cleaned = self.cleaned_data
        main = None if cleaned["everything"] else cleaned["main"]
        return {"practice": cleaned["practice"], "main": main, "seed": str(cleaned["seed"])}
