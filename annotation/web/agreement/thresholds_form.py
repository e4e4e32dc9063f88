"""What a lead calls a disagreement, as a form."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.agreement.disputes import (
    DisputeRules,
    ranges_as_rules,
    rules_problems,
    scale_widths,
)
from annotation.errors import RuleError
from annotation.protocols.base import Level
from annotation.protocols.protocol import Protocol
from annotation.web.agreement.dashboard.words import names
from annotation.web.base.presenters import dimension_label, text
from annotation.web.platform.problems import add_problems


class PointsField(forms.FloatField):
    """A number with a comma or a point, whatever the page's language. Which one makes sense is said
    by ``rules_problems``."""

    widget = forms.TextInput(attrs={"inputmode": "decimal", "size": 6})

    def to_python(self, value: Any) -> Any:
        return super().to_python(value.replace(",", ".") if isinstance(value, str) else value)

    def prepare_value(self, value: Any) -> Any:
        """As people write it: 3 and not 3.0; what was typed as it was typed."""
        return int(value) if isinstance(value, float) and value.is_integer() else value


class ThresholdsForm(forms.Form):
    """The thresholds in force, or those that were typed: a share for the questions whose answers
    have no order or are marks, a range for each scale. What a protocol does not ask has none.
    ``rules`` once the form is valid."""

    majority_share = PointsField(localize=True)
    fewest_ratings = forms.IntegerField(
        label=gettext_lazy("At least so many judgments"),
        widget=forms.TextInput(attrs={"inputmode": "numeric", "size": 6}),
    )

    def __init__(self, protocol: Protocol, rules: DisputeRules, data: Any = None) -> None:
        self._widths, self._rules = scale_widths(protocol), rules
        ranges = {_control(name): rules.of(name).score_range for name in self._widths}
        super().__init__(data, initial=rules.as_dict() | ranges)
        self._name_share(protocol)
        for name in self._widths:
            self.fields[_control(name)] = _range_field(protocol, name)
        self.order_fields(["majority_share", *ranges])

    def clean(self) -> dict[str, Any]:
        """Each range within its own scale, whatever the others are."""
        cleaned = super().clean() or {}
        names = {name: _control(name) for name in self._widths}
        points = {name: cleaned[at] for name, at in names.items() if at in cleaned}
        add_problems(self, RuleError(rules_problems({"score_ranges": points}, self._widths)))
        return cleaned

    @property
    def rules(self) -> dict[str, Any]:
        """As ``adjudication_rules_set`` takes them; a share that was not asked for stays."""
        cleaned = self.cleaned_data
        points = {name: cleaned[_control(name)] for name in self._widths}
        plain = {name: cleaned[name] for name in self.base_fields if name in cleaned}
        return self._rules.as_dict() | plain | ranges_as_rules(points, self._widths)

    def _name_share(self, protocol: Protocol) -> None:
        classes = [text(scale.label) for scale in protocol.scales if scale.level == Level.NOMINAL]
        marks = [text(field.label) for field in protocol.fields if field.counted]
        if not classes and not marks:
            del self.fields["majority_share"]
            return
        share = self.fields["majority_share"]
        share.label = _("%(questions)s: less than this share for the most frequent answer") % {
            "questions": names([*classes, *marks])
        }
        if marks:
            share.help_text = _(
                "An edit is listed where neither those who marked it nor those who did not reach "
                "this share."
            )


def _control(dimension: str) -> str:
    """As refusals of the rules name it."""
    return f"score_ranges.{dimension}"


def _range_field(protocol: Protocol, dimension: str) -> PointsField:
    scale = protocol.dimension(dimension).scale
    return PointsField(
        label=_("%(question)s: more than so many points between the lowest and the highest")
        % {"question": dimension_label(protocol, dimension)},
        help_text=_("The scale goes from %(low)s to %(high)s; with %(width)s, nothing is listed.")
        % {"low": scale[0], "high": scale[-1], "width": scale[-1] - scale[0]},
        localize=True,
    )
