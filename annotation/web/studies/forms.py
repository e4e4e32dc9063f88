"""Forms of studies; the services check what they mean."""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.models import Study
from annotation.protocols.base import Ruling
from annotation.protocols.registry import is_composed, latest_versions, published
from annotation.services.studies.studies import MOST
from annotation.web.base.presenters import text

RULING = "ruling_"

# Settings that have a default: whoever leaves them out means it.
_KEPT_WHEN_EMPTY = (
    "language",
    "pay_currency",
    "context_arm",
    "reminder_after_days",
    "reminder_gap_days",
)


class StudySettingsForm(forms.ModelForm):  # type: ignore[type-arg]  # Django forms take no parameter at run time
    """What a lead may set. ``locked`` settings are shown and not changed.

    The page carries what it showed of each setting, so that only what its reader changed is stored,
    and a setting that somebody else has changed meanwhile is not written over unseen.
    """

    class Meta:
        model = Study
        fields = (
            *(
                "title",
                "language",
                "licence",
                "guidance_seconds",
            ),
            *("hours_budget", "hourly_rate", "pay_currency", "contact"),
            *("is_blind", "context_arm", "reminder_after_days", "reminder_gap_days"),
            *("aid_renderings", "aid_glossary"),
        )
        help_texts = {  # noqa: RUF012  (Django's own attribute)
            "language": _("Screen readers speak them in it; the texts to judge have their own."),
            "licence": _("As it will stand in the published data, for instance CC-BY-4.0."),
            "guidance_seconds": _("Shown gently to annotators; never a limit. 0: none."),
            "hours_budget": _("Planned working time of one annotator. 0: none is planned."),
            "hourly_rate": _(
                "Its annotators read what their own hours come to. Empty: no pay is stated."
            ),
            "contact": _(
                "A name and how to reach them, as annotators are to read it. Empty: nobody is "
                "named."
            ),
            "is_blind": _(
                "While the main round is open nobody reads answers, agreement, comments or "
                "exports. It cannot be taken back during that round."
            ),
            "context_arm": _(
                "What stands before and after a passage in its source. Half: drawn with the "
                "study's seed for each annotator and item, about half of the people of each pair, "
                "and recorded. It is fixed once somebody has opened a pair."
            ),
            "reminder_after_days": _(
                "By e-mail, to whoever still has pairs to judge. 0: never by itself."
            ),
            "aid_renderings": _(
                "On demand the page marks terms of the original that the simplification seems to "
                "render otherwise. It may steer what is found: off unless you want it, and its use "
                "is recorded with each judgment."
            ),
            "aid_glossary": _(
                "Where the study has one. That it was looked into is recorded with each judgment."
            ),
            "reminder_gap_days": _(
                "Nobody is reminded more often than that, by hand or by itself. At least 1."
            ),
        }

    def __init__(
        self, *args: Any, locked: tuple[str, ...] = (), is_ruled: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        for name in _KEPT_WHEN_EMPTY:
            self.fields[name].required = False
        for name, most in MOST.items():
            # A browser would send nothing while a setting from before this bound stands there.
            stored = getattr(self.instance, name) if self.instance.pk else 0
            self.fields[name].widget.attrs["max"] = max(most, stored)
        for name in locked:
            self.fields[name].disabled = True
        self._rulings = self.instance.protocol.rulings if self.instance.pk else ()
        for ruling in self._rulings:
            name = f"{RULING}{ruling.name}"
            self.fields[name] = _ruling_field(ruling)
            self.fields[name].disabled = is_ruled
            self.initial[name] = self.instance.rulings.get(ruling.name, ruling.default)
        if self._rulings:
            self.order_fields(
                ["title", "language", *(f"{RULING}{ruling.name}" for ruling in self._rulings)]
            )
        for name, field in self.fields.items():
            field.show_hidden_initial = bool(self.instance.pk) and (
                not self.is_bound or self.add_initial_prefix(name) in self.data
            )

    def full_clean(self) -> None:
        """What was not changed is not refused: a version before may have stored it."""
        super().full_clean()
        if self.is_bound and self.instance.pk:
            changed = {*self.changed_data, NON_FIELD_ERRORS}
            for name in self.errors.keys() - changed:
                del self.errors[name]

    def clean(self) -> dict[str, Any]:
        """What was asked for; an emptied setting stays as it is."""
        cleaned: dict[str, Any] = super().clean() or {}
        for name in filter(self._is_set_otherwise, self.changed_data):
            self._refuse(name)
        for name in _KEPT_WHEN_EMPTY:
            if cleaned.get(name) in (None, "") and name not in self.errors:
                cleaned[name] = getattr(self.instance, name)
        return cleaned

    def _is_set_otherwise(self, name: str) -> bool:
        """Somebody else has set it since the page was opened, and not to what was typed."""
        field, stored = self.fields[name], self.get_initial_for_field(self.fields[name], name)
        return (
            field.show_hidden_initial
            and field.has_changed(stored, self.data[self.add_initial_prefix(name)])
            and field.has_changed(stored, self[name].data)
        )

    def _refuse(self, name: str) -> None:
        """Say what stands there now; sent again, the form builds on that."""
        stored = self.get_initial_for_field(self.fields[name], name)
        self.add_error(
            name,
            _(
                "Somebody else has changed this meanwhile. It is now: %(value)s. To have yours "
                "instead, save again."
            )
            % {"value": _setting_words(self.fields[name], stored)},
        )
        data = self.data.copy()  # type: ignore[attr-defined]  # a QueryDict, which is frozen
        data[self.add_initial_prefix(name)] = "" if stored is None else str(stored)
        self.data = data

    @property
    def changes(self) -> dict[str, Any]:
        """What was set, as ``study_update`` takes it; of a study that is there, what its reader
        changed."""
        names = self.changed_data if self.instance.pk else list(self.cleaned_data)
        ruled = {
            name.removeprefix(RULING): self.cleaned_data[name]
            for name in names
            if name.startswith(RULING)
        }
        plain = {name: self.cleaned_data[name] for name in names if not name.startswith(RULING)}
        return plain | ({"rulings": ruled} if ruled else {})


def _setting_words(field: forms.Field, value: Any) -> str:
    """A setting as its field shows it."""
    if isinstance(field, forms.BooleanField):
        return gettext("yes") if value else gettext("no")
    shown = dict(getattr(field, "choices", ())).get(value, value)
    return gettext("nothing") if shown in (None, "") else str(shown)


def _ruling_field(ruling: Ruling) -> forms.Field:
    if not ruling.options:
        return forms.BooleanField(
            label=capfirst(text(ruling.label)), help_text=text(ruling.help), required=False
        )
    choices = [(word, text(label)) for word, label in ruling.options]
    return forms.ChoiceField(
        label=capfirst(text(ruling.label)), help_text=text(ruling.help), choices=choices
    )


class StudyForm(StudySettingsForm):
    """A new study: its settings and its key."""

    key = forms.SlugField(
        label=_("Key"),
        max_length=50,
        help_text=_(
            "Names the study in addresses and exports: letters, digits, “-” and “_”. It never "
            "changes."
        ),
    )

    protocol = forms.ChoiceField(
        label=_("Protocol"),
        required=False,
        help_text=_(
            "What annotators are asked, and how their answers are counted. It is fixed for good; "
            "what it leaves to the study is decided in its settings."
        ),
    )

    field_order = ("title", "key", "protocol", "language")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = cast(forms.ChoiceField, self.fields["protocol"])
        offered = latest_versions()
        titles = Counter(text(protocol.title) for protocol in offered.values())
        versions = Counter(protocol.key for protocol in published())
        known, composed = list[tuple[str, str]](), list[tuple[str, str]]()
        for key, protocol in offered.items():
            title = text(protocol.title)
            # With key and version where it has another version, or a title of another's.
            if not titles[title] == versions[key] == 1:
                title = f"{title} ({protocol.name})"
            (composed if is_composed(protocol) else known).append((key, title))
        field.choices = [*known, *([(_("Composed here"), composed)] if composed else [])]
        field.initial = next(iter(offered))

    @property
    def changes(self) -> dict[str, Any]:
        """What was asked for, as ``study_create`` takes it."""
        study_changes = dict(super().changes)
        chosen = study_changes.pop("protocol") or self.fields["protocol"].initial
        return study_changes | {"protocol_key": chosen}


class CopyForm(forms.Form):
    """What a copy is called, and what it takes along."""

    title = forms.CharField(label=_("Title"), max_length=200)
    key = forms.SlugField(
        label=_("Key"),
        max_length=50,
        help_text=_(
            "Names the study in addresses and exports: letters, digits, “-” and “_”. It never "
            "changes."
        ),
    )
    people = forms.BooleanField(
        label=_("The people too"),
        required=False,
        help_text=_("Its other leads and its annotators have the same parts in the copy at once."),
    )
    items = forms.BooleanField(
        label=_("The items too"),
        required=False,
        help_text=_("With their simplifications, without any judgment."),
    )
    documents = forms.BooleanField(
        label=_("The source documents too"),
        required=False,
        help_text=_("With their criteria and the decisions on blocks by hand."),
    )


class GuideForm(forms.Form):
    """The guide's next version."""

    body_fr = forms.CharField(
        label=_("Guide in French (Markdown)"),
        widget=forms.Textarea(attrs={"rows": 18}),
        required=False,
    )
    body_en = forms.CharField(
        label=_("Guide in English (Markdown)"),
        widget=forms.Textarea(attrs={"rows": 12}),
        required=False,
    )
