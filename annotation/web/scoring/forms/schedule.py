"""When scorers are trained by themselves."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from annotation.errors import RuleError
from annotation.models import Backend, TrainingSchedule
from annotation.services.scoring.schedule import MOST_JUDGMENTS
from annotation.services.scoring.training import seeds_from


class TrainingScheduleForm(forms.Form):
    """Off where the threshold is left empty."""

    threshold = forms.IntegerField(
        label=_("Train after so many new judgments"),
        required=False,
        min_value=1,
        max_value=MOST_JUDGMENTS,
        help_text=_(
            "Counted in a study's newest frozen data, since its last training. Empty: never by "
            "itself."
        ),
    )
    backend = forms.ChoiceField(label=_("Kind"), choices=Backend.choices)
    seeds = forms.CharField(label=_("Seeds"), help_text=_("As published: 42-51, ten splits."))
    augment = forms.BooleanField(
        label=_("Data augmentation"),
        required=False,
        help_text=_("Adds identical and unrelated pairs to the training side only."),
    )

    @classmethod
    def of(cls, schedule: TrainingSchedule) -> TrainingScheduleForm:
        """The form filled in with what is set."""
        return cls(
            initial={
                "threshold": schedule.threshold,
                "backend": schedule.backend,
                "seeds": ",".join(str(seed) for seed in schedule.seeds),
                "augment": schedule.augment,
            }
        )

    def clean_seeds(self) -> list[int]:
        try:
            return seeds_from(self.cleaned_data["seeds"])
        except RuleError as error:
            raise forms.ValidationError(
                error.problems[0].message.get(get_language() or "fr")
            ) from error

    @property
    def values(self) -> dict[str, Any]:
        """What was filled in. Only for a valid form."""
        return dict(self.cleaned_data)
