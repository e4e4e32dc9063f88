"""Which judgments the page on agreement is about: a form in the address, so that a view can be
shared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Item, Study
from annotation.selectors.agreement.facts import study_systems
from annotation.selectors.agreement.filters import EASE, LEFT_OUT, LENGTHS, Filters
from annotation.web.base.presenters import class_choices

Choices = list[tuple[str, str]]


class AgreementForm(forms.Form):
    """Filters; a value that nobody offered is as good as none."""

    round = forms.ChoiceField(
        label=gettext_lazy("Round"), choices=Item.Round.choices, required=False
    )
    majority = forms.ChoiceField(label=gettext_lazy("Class of the majority"), required=False)
    system = forms.ChoiceField(label=gettext_lazy("System"), required=False)
    length = forms.ChoiceField(label=gettext_lazy("Length of the original"), required=False)
    ease = forms.ChoiceField(label=gettext_lazy("Readability of the original"), required=False)
    kind = forms.ChoiceField(label=gettext_lazy("Annotators"), required=False)
    context = forms.ChoiceField(label=gettext_lazy("Neighbouring text"), required=False)
    withdrawn = forms.ChoiceField(label=gettext_lazy("Who has withdrawn"), required=False)

    def __init__(self, study: Study, query: Mapping[str, str]) -> None:
        names = tuple(self.base_fields)
        choices = _choices(study)
        allowed = {name: {value for value, _label in choices[name]} for name in names}
        chosen = {
            name: query.get(name, "") for name in names if query.get(name, "") in allowed[name]
        }
        super().__init__(
            initial={"round": "main"} | {name: value for name, value in chosen.items() if value}
        )
        for name in names:
            field: Any = self.fields[name]
            field.choices = choices[name]
        if study.context_arm == Study.ContextArm.NONE:
            del self.fields["context"]
        if not study.protocol.classes:
            del self.fields["majority"]
        if not choices["withdrawn"]:
            del self.fields["withdrawn"]

    @property
    def filters(self) -> Filters:
        """What was chosen."""
        return Filters(**self.initial)


class SystemsForm(AgreementForm):
    """The same without the system: they are what is compared."""

    def __init__(self, study: Study, query: Mapping[str, str]) -> None:
        super().__init__(study, {name: query[name] for name in query if name != "system"})
        del self.fields["system"]


def _choices(study: Study) -> dict[str, Choices]:
    everything = [("", _("all"))]
    of_people = [
        ("person", _("judges of this study")),
        ("imported", _("judges of a published file")),
    ]
    somebody_left = study.annotators.filter(withdrawn_at__isnull=False).exists()
    has_arms = study.context_arm != Study.ContextArm.NONE
    arms = [("shown", _("shown")), ("not_shown", _("not shown"))] if has_arms else []
    return {
        "round": [("main", _("main")), ("practice", _("practice"))],
        "majority": everything + class_choices(study.protocol),
        "system": everything + [(name, name) for name in study_systems(study)],
        "length": everything + [(key, _words(low, high)) for key, (low, high) in LENGTHS.items()],
        "ease": everything + [(key, _ease(key, low, high)) for key, (low, high) in EASE.items()],
        "kind": everything + of_people,
        "context": everything + arms,
        "withdrawn": [("", _("counted")), (LEFT_OUT, _("not counted"))] if somebody_left else [],
    }


def _words(low: float, high: float) -> str:
    return _("%(range)s words") % {"range": _range(low, high)}


def _ease(key: str, low: float, high: float) -> str:
    label = {
        "very_hard": _("very hard"),
        "hard": _("hard"),
        "fair": _("fairly hard"),
        "easy": _("easier than the paper's limit"),
    }[key]
    return f"{label} ({_range(low, high)})"


def _range(low: float, high: float) -> str:
    if low in (0, float("-inf")):
        return _("below %(number)s") % {"number": number_format(high, 0)}
    if high == float("inf"):
        return _("%(number)s or more") % {"number": number_format(low, 0)}
    return _("%(low)s to below %(high)s") % {
        "low": number_format(low, 0),
        "high": number_format(high, 0),
    }
