"""What stands beside a study: a form in the address, so that a view can be shared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.agreement.studies.matching import CONTENT, KEY
from annotation.models import Item, Study
from annotation.selectors.agreement.sent_back import sent_back_by
from annotation.selectors.agreement.studies import Part, guide_numbers

PART = ("round", "context", "guide")
SENT_BACK = "~sent-back"
"""No study's key: what its guide sent back, before and after. A version's number may follow."""
Choices = list[tuple[str, str]]


class StudiesForm(forms.Form):
    """The other study and the part of each; a value that nobody offered is as good as none."""

    other = forms.ChoiceField(label=gettext_lazy("Compared with"), required=False)
    rule = forms.ChoiceField(label=gettext_lazy("Outputs are matched by"), required=False)
    round = forms.ChoiceField(label=gettext_lazy("Round of this study"), required=False)
    other_round = forms.ChoiceField(label=gettext_lazy("Round of the other"), required=False)
    context = forms.ChoiceField(label=gettext_lazy("Neighbouring text, this study"), required=False)
    other_context = forms.ChoiceField(
        label=gettext_lazy("Neighbouring text, the other"), required=False
    )
    guide = forms.ChoiceField(label=gettext_lazy("Guide of this study"), required=False)
    other_guide = forms.ChoiceField(label=gettext_lazy("Guide of the other"), required=False)

    def __init__(
        self,
        study: Study,
        other: Study | None,
        studies: Sequence[Study],
        query: Mapping[str, str],
    ) -> None:
        self.is_sent_back = query.get("other", "").startswith(SENT_BACK)
        choices = _choices(study, other, studies, is_sent_back=self.is_sent_back)
        allowed = {name: {value for value, _label in offered} for name, offered in choices.items()}
        self.chosen = {
            name: query[name]
            for name in choices
            if query.get(name) and query[name] in allowed[name]
        }
        super().__init__(initial=self.chosen)
        for name, offered in choices.items():
            field: Any = self.fields[name]
            field.choices = offered
            if len(offered) < 2 and name != "other":
                del self.fields[name]

    @property
    def matched_by(self) -> str:
        return self.chosen.get("rule", CONTENT)

    @property
    def part(self) -> Part:
        """Of this study; where judgments are held against what they were, those that were sent
        back."""
        number = self.chosen.get("other", "").removeprefix(SENT_BACK).removeprefix("-")
        part = self._part("")
        return replace(part, guide=int(number) if number else None) if self.is_sent_back else part

    @property
    def other_part(self) -> Part:
        """Of the other one."""
        return self._part("other_")

    def _part(self, prefix: str) -> Part:
        chosen = {name: self.chosen.get(f"{prefix}{name}", "") for name in PART}
        guide = int(chosen["guide"]) if chosen["guide"] else None
        return Part(chosen["round"] or Item.Round.MAIN.value, chosen["context"], guide)


def _choices(
    study: Study, other: Study | None, studies: Sequence[Study], *, is_sent_back: bool
) -> dict[str, Choices]:
    listed = [candidate for candidate in studies if candidate.pk != study.pk]
    if other is not None and other.pk not in {study.pk, *(candidate.pk for candidate in listed)}:
        listed.append(other)
    return {
        "other": [
            ("", _("choose a study")),
            (study.key, _("this study: another part of it")),
            *_sent_back(study),
            *((candidate.key, f"{candidate.title} ({candidate.key})") for candidate in listed),
        ],
        "rule": []
        if is_sent_back
        else [
            (CONTENT, _("their texts: equal original, equal output")),
            (KEY, _("their keys and systems, whatever the texts say")),
        ],
        **_parts("", study),
        **_parts("other_", other),
        **({"guide": []} if is_sent_back else {}),
    }


def _sent_back(study: Study) -> Choices:
    """Of any version, and of each where there are several."""
    numbers = sent_back_by(study)
    each = [
        (
            f"{SENT_BACK}-{number}",
            _("this study: what version %(number)s of the guide sent back, before and after")
            % {"number": number},
        )
        for number in numbers
    ]
    whole = (SENT_BACK, _("this study: what an amended guide sent back, before and after"))
    return [whole, *(each if len(numbers) > 1 else [])]


def _parts(prefix: str, study: Study | None) -> dict[str, Choices]:
    rounds = [("main", _("main")), ("practice", _("practice"))] if study else []
    has_arms = study is not None and study.context_arm == Study.ContextArm.HALF
    arms = [("", _("both")), ("shown", _("shown")), ("not_shown", _("not shown"))]
    numbers = guide_numbers(study) if study else []
    versions = [(str(number), _("version %(number)s") % {"number": number}) for number in numbers]
    return {
        f"{prefix}round": rounds,
        f"{prefix}context": arms if has_arms else [],
        f"{prefix}guide": [("", _("all")), *versions] if len(versions) > 1 else [],
    }
