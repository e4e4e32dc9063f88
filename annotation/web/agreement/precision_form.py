"""What a lead plans and what they know, in the address, so that a calculation can be shared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.agreement.precision import DIFFERENCE, MEAN, MOST_TEXTS, PAIR, Assumptions
from annotation.agreement.systems.resampling import FEWEST_SOURCES
from annotation.models import MOST_SEED, Study
from annotation.selectors.agreement.precision import (
    MOST_PEOPLE,
    MOST_SYSTEMS,
    Learned,
    Pilot,
    PrecisionAim,
    Standing,
)
from annotation.selectors.agreement.reliability import scale_of
from annotation.web.base.presenters import dimension_label

LONGEST_SCALE = 101
"""Points of a scale: of MeaningBERT's, 0 to 100."""
USUAL_MINUTES = 3
_BEFORE_ANYBODY = 5
"""Annotators, where none is invited yet: as many as FrJUDGE had. Of one alone the page would only
say that it takes more."""
KNOWN = ("mean", "between_texts", "between_outputs", "between_people", "rest", "lowest", "highest")
_DEVIATIONS = KNOWN[1:5]


def _points(label: Any, *, help_text: Any = "") -> forms.FloatField:
    return forms.FloatField(
        label=label, required=False, min_value=0, max_value=1000, help_text=help_text
    )


class PrecisionForm(forms.Form):
    """``wanted`` and ``typed`` once the form is valid."""

    pilot = forms.ChoiceField(
        label=gettext_lazy("What is known of such answers"),
        required=False,
        help_text=gettext_lazy(
            "A scale of a study that was judged already, of the same kind of texts and people; or "
            "assumptions of your own, below."
        ),
    )
    texts = forms.IntegerField(
        label=gettext_lazy("Original texts"), min_value=FEWEST_SOURCES, max_value=MOST_TEXTS
    )
    systems = forms.IntegerField(
        label=gettext_lazy("Systems, an output of each for every text"),
        min_value=1,
        max_value=MOST_SYSTEMS,
    )
    annotators = forms.IntegerField(
        label=gettext_lazy("Annotators there are"), min_value=1, max_value=MOST_PEOPLE
    )
    target = forms.ChoiceField(
        label=gettext_lazy("What it is for"),
        choices=[
            (DIFFERENCE, gettext_lazy("the difference between two systems")),
            (MEAN, gettext_lazy("the mean of a system")),
            (PAIR, gettext_lazy("the value of a single pair")),
        ],
    )
    half_width = forms.FloatField(
        label=gettext_lazy("Precise to within ± points"),
        validators=[
            MinValueValidator(0.01),
            MaxValueValidator(100),
        ],
    )
    minutes = forms.FloatField(
        label=gettext_lazy("Minutes for a judgment"),
        required=False,
        min_value=0.05,
        max_value=240,
        help_text=gettext_lazy("Empty: the median of the study that is learned from, else 3."),
    )
    seed = forms.IntegerField(label=gettext_lazy("Seed"), min_value=0, max_value=MOST_SEED)
    mean = forms.FloatField(
        label=gettext_lazy("Mean answer"), required=False, min_value=-1000, max_value=1000
    )
    between_texts = _points(gettext_lazy("Deviation between texts"))
    between_outputs = _points(gettext_lazy("Deviation between outputs of one text"))
    between_people = _points(gettext_lazy("Deviation between annotators"))
    rest = _points(gettext_lazy("Deviation of the rest"))
    lowest = forms.IntegerField(
        label=gettext_lazy("Lowest value"), required=False, min_value=-1000, max_value=1000
    )
    highest = forms.IntegerField(
        label=gettext_lazy("Highest value"), required=False, min_value=-1000, max_value=1000
    )

    def __init__(
        self,
        study: Study,
        query: Mapping[str, str],
        *,
        pilots: Sequence[Pilot],
        standing: Standing,
    ) -> None:
        self._pilots = {pilot_key(pilot): pilot for pilot in pilots}
        own = next((key for key, pilot in self._pilots.items() if pilot.study.pk == study.pk), "")
        usual: dict[str, object] = {
            "pilot": own,
            "texts": max(standing.texts, FEWEST_SOURCES),
            "systems": standing.systems,
            "annotators": standing.annotators or _BEFORE_ANYBODY,
            "target": DIFFERENCE if standing.systems > 1 else MEAN,
            "half_width": _usual_width(self._pilots.get(own)),
            "seed": study.seed,
        }
        super().__init__({**usual, **query})
        field: Any = self.fields["pilot"]
        field.choices = [
            ("", _("my own assumptions")),
            *((key, pilot_label(pilot)) for key, pilot in self._pilots.items()),
        ]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("pilot") or not self.assumes:
            return cleaned
        for name in KNOWN:
            if cleaned.get(name) is None and name not in self.errors:
                self.add_error(name, _("Say this too, or choose a study to learn from."))
        lowest, highest = cleaned.get("lowest"), cleaned.get("highest")
        if lowest is not None and highest is not None:
            self._check_scale(lowest, highest, cleaned.get("mean"))
        if all(cleaned.get(name) == 0 for name in _DEVIATIONS):
            self.add_error("rest", _("Where nothing varies, one answer says everything."))
        return cleaned

    def _check_scale(self, lowest: int, highest: int, mean: float | None) -> None:
        if not lowest < highest < lowest + LONGEST_SCALE:
            self.add_error(
                "highest",
                _("The scale ends above %(lowest)s, and has at most %(number)s values.")
                % {"lowest": lowest, "number": LONGEST_SCALE},
            )
        elif mean is not None and not lowest < mean < highest:
            self.add_error("mean", _("The mean lies within the scale."))

    @property
    def assumes(self) -> bool:
        """Whether something was typed of one's own assumptions."""
        return any(self.data.get(name) not in (None, "") for name in KNOWN)

    @property
    def learned_from(self) -> Pilot | None:
        """The study that is learned from, once the form is valid."""
        return self._pilots.get(self.cleaned_data["pilot"])

    @property
    def typed(self) -> Assumptions | None:
        """One's own assumptions; None where there are none."""
        if not self.assumes:
            return None
        cleaned = self.cleaned_data
        return Assumptions(
            mean=cleaned["mean"],
            sources=cleaned["between_texts"] ** 2,
            outputs=cleaned["between_outputs"] ** 2,
            annotators=cleaned["between_people"] ** 2,
            rest=cleaned["rest"] ** 2,
            scale=tuple(map(float, range(cleaned["lowest"], cleaned["highest"] + 1))),
        )

    def wanted(self, learned: Learned | None) -> PrecisionAim:
        """What is planned."""
        cleaned = self.cleaned_data
        minutes = cleaned["minutes"]
        seconds = 60.0 * (minutes or USUAL_MINUTES)
        if minutes is None and learned is not None and learned.seconds:
            seconds = learned.seconds
        return PrecisionAim(
            **{name: cleaned[name] for name in ("texts", "systems", "annotators", "seed")},
            target=cleaned["target"],
            half_width=cleaned["half_width"],
            seconds=seconds,
        )


def _usual_width(pilot: Pilot | None) -> float:
    """A twentieth of the scale, as a lead would begin to ask."""
    if pilot is None:
        return 0.5
    scale = scale_of(pilot.study.protocol, pilot.dimension)
    return max(round((scale[-1] - scale[0]) / 20, 1), 0.1)


def pilot_key(pilot: Pilot) -> str:
    """The pilot in an address."""
    return f"{pilot.study.key}:{pilot.dimension}"


def pilot_label(pilot: Pilot) -> str:
    """«Études de mai · Sens juridique»."""
    return f"{pilot.study.title} · {dimension_label(pilot.study.protocol, pilot.dimension)}"
