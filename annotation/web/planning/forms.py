"""A study's plan as its lead sets it; the service checks what it means."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import MOST_SEED, Item, Study, StudyPlan
from annotation.services.planning.plans import SETTINGS, control_kinds

EVERYBODY, TEAMS = "everybody", "teams"


class PlanForm(forms.Form):
    """The plan's settings. ``changes`` are what the service takes, once the form is valid."""

    mode = forms.ChoiceField(
        label=_("Who judges what"),
        choices=[
            (EVERYBODY, _("Everybody judges every pair")),
            (TEAMS, _("So many people per pair, in rotating teams")),
        ],
        widget=forms.RadioSelect,
    )
    per_item = forms.IntegerField(
        label=_("Answers per pair"),
        required=False,
        help_text=_(
            "For rotating teams: 3 means that each pair is judged by three people, not always "
            "the same three."
        ),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        help_text=_(
            "Same pairs, people and seed: same teams. It is recorded with every draw. Annotators "
            "can guess a number of your own choice, and by it who judges what and which pairs are "
            "controls: better keep the one that was drawn."
        ),
    )
    release_after_days = forms.IntegerField(
        label=_("Offer an absent person's pairs to others after (days)"),
        required=False,
        help_text=_(
            "Without any sign of life for so long. Empty: never by itself, only by hand on the "
            "page of people."
        ),
    )
    repeat_percent = forms.IntegerField(
        label=_("Offer again silently (% of each person's pairs)"),
        required=False,
        help_text=_(
            "To see how consistently a person judges. They are not told which. Empty: none."
        ),
    )
    repeat_after_days = forms.IntegerField(
        label=_("Not before (days after the first answer)"),
        help_text=_("At least 1: nobody forgets in less."),
    )
    control_identical = forms.IntegerField(
        label=_("Identical control pairs"),
        help_text=_("The original beside itself: its meaning is kept, and a judge must say so."),
    )
    control_unrelated = forms.IntegerField(
        label=_("Unrelated control pairs"),
        help_text=_(
            "The original beside another clause: its meaning is lost, and a judge must say so."
        ),
    )
    control_unit = forms.ChoiceField(
        label=_("Control pairs counted as"), choices=StudyPlan.ControlUnit.choices
    )
    redistribute = forms.BooleanField(
        label=_("Draw again what nobody has opened"),
        required=False,
        help_text=_(
            "So that whoever came late gets their part. What is begun or submitted stays where "
            "it is."
        ),
    )
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=300,
        help_text=_("The main round is open: this is a deviation, and the datasheet says why."),
    )

    def __init__(
        self,
        *args: Any,
        study: Study,
        plan: StudyPlan,
        per_item: int | None = None,
        **kwargs: Any,
    ) -> None:
        """``per_item``: answers per pair to begin with instead of the plan's."""
        initial: dict[str, Any] = {name: getattr(plan, name) for name in SETTINGS}
        initial["per_item"] = per_item or plan.per_item
        initial["mode"] = EVERYBODY if initial["per_item"] is None else TEAMS
        super().__init__(*args, **{"initial": initial, **kwargs})
        # Needed for teams, though not for everybody: neither "optional" nor required before the
        # mode is known.
        self.fields["per_item"].is_asked_for = True  # type: ignore[attr-defined]  # read by components/field.html
        if study.state == Study.State.MAIN:
            self.fields["seed"].disabled = True
        else:
            del self.fields["redistribute"], self.fields["reason"]
        there_are = control_kinds(study)
        for kind in Item.Control.values:
            if kind not in there_are:
                del self.fields[f"control_{kind}"]
        if not there_are:
            del self.fields["control_unit"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if (
            cleaned.get("mode") == TEAMS
            and cleaned.get("per_item") is None
            and "per_item" not in self.errors
        ):
            self.add_error("per_item", _("Say how many people judge each pair."))
        return cleaned

    @property
    def changes(self) -> dict[str, Any]:
        plan_settings = {name: self.cleaned_data[name] for name in SETTINGS if name in self.fields}
        # What the protocol has none of is asked for no more, whatever the plan said before.
        none = {f"control_{kind}": 0 for kind in Item.Control.values}
        everybody = {"per_item": None} if self.cleaned_data["mode"] == EVERYBODY else {}
        return none | plan_settings | everybody

    @property
    def redistributes(self) -> bool:
        return bool(self.cleaned_data.get("redistribute"))


class PartForm(forms.Form):
    """How many passages people judge, the others being left to models."""

    passages = forms.IntegerField(
        label=_("Passages for people"),
        help_text=_("Drawn at random among the main round's; equal texts count once."),
    )
    part_seed = forms.IntegerField(
        label=_("Seed of the draw"),
        min_value=0,
        max_value=MOST_SEED,
        help_text=_("Same passages and seed: same draw. It is recorded."),
    )
