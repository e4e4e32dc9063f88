"""What a lead sets up for a run and its systems."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from annotation.generation.presets import BOUNDS, PAPER, SystemSpec
from annotation.generation.prices import CEILING_DECIMALS, LEAST_CEILING, MOST_CEILING, Price
from annotation.models import GenerationRun
from annotation.questions.calls import FOLLOWS, TASKS
from annotation.web.base.json_field import StrictJSONField

_ROUNDS = (("all", _("both rounds")), ("main", _("main round")), ("practice", _("practice round")))
_EXAMPLE = '{"max_completion_tokens": 400}'
OWN_FIELDS = ("max_tokens", "temperature", "top_p", "frequency_penalty", "presence_penalty", "seed")


def _endpoints() -> list[tuple[str, str]]:
    return [
        (name, f"{name} ({endpoint.base_url})") for name, endpoint in settings.LLM_ENDPOINTS.items()
    ]


def _purposes() -> list[tuple[str, Any]]:
    """What a run may be for that follows no other; answers and grades are prepared on the page of
    the run before."""
    return [choice for choice in GenerationRun.Purpose.choices if choice[0] not in FOLLOWS]


class RunForm(forms.Form):
    """A new run."""

    purpose = forms.ChoiceField(label=_("What for"), choices=_purposes)
    endpoint = forms.ChoiceField(label=_("Service"), choices=_endpoints)
    mode = forms.ChoiceField(label=_("Mode"), choices=GenerationRun.Mode.choices)
    round = forms.ChoiceField(label=_("Round"), choices=_ROUNDS)
    ceiling = forms.DecimalField(
        label=_("Cost ceiling (USD)"),
        min_value=LEAST_CEILING,
        max_value=MOST_CEILING,
        decimal_places=CEILING_DECIMALS,
        initial=Decimal(5),
        help_text=_("The run stops before it could cost more. You can raise it and go on."),
    )


class SystemForm(forms.Form):
    """A model with its prompt and parameters; ``spec`` and ``price`` once valid."""

    name = forms.CharField(
        label=_("Name of the system"),
        max_length=100,
        help_text=_("Stands in the data; annotators never see it."),
    )
    model = forms.CharField(label=_("Model"), max_length=100)
    prompt = forms.CharField(
        label=_("Prompt"), widget=forms.Textarea(attrs={"rows": 5}), max_length=20_000
    )
    max_tokens = forms.IntegerField(label=_("Most tokens of an answer"), required=False)
    temperature = forms.FloatField(label=_("Temperature"), required=False)
    top_p = forms.FloatField(label="Top p", required=False)
    frequency_penalty = forms.FloatField(label=_("Frequency penalty"), required=False)
    presence_penalty = forms.FloatField(label=_("Presence penalty"), required=False)
    seed = forms.IntegerField(label=_("Seed"), required=False)
    others = StrictJSONField(
        label=_("Other parameters (JSON)"),
        required=False,
        initial=dict,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=format_lazy(_("For instance {example}."), example=_EXAMPLE),
    )
    price_prompt = forms.DecimalField(
        label=_("USD per million tokens read"),
        required=False,
        min_value=Decimal(0),
        max_digits=12,
        decimal_places=6,
    )
    price_completion = forms.DecimalField(
        label=_("USD per million tokens written"),
        required=False,
        min_value=Decimal(0),
        max_digits=12,
        decimal_places=6,
    )

    spec: SystemSpec
    price: Price | None

    def __init__(
        self,
        *args: Any,
        purpose: str = "simplify",
        preset: SystemSpec = PAPER,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.initial.update(
            {
                "name": preset.name,
                "model": preset.model,
                "prompt": preset.prompt,
                **preset.parameters,
            }
        )
        table = settings.LLM_PRICES
        self.fields["price_prompt"].help_text = _(
            "Leave both prices empty for a model of the table (as of %(day)s): %(models)s."
        ) % {"day": table.as_of, "models": ", ".join(table.usd)}
        for name in OWN_FIELDS:
            lowest, highest, _whole = BOUNDS[name]
            self.fields[name].help_text = f"{lowest} – {highest}"
        if purpose == GenerationRun.Purpose.SIMPLIFY:
            self.fields["prompt"].help_text = _(
                "{input} stands where the passage goes, exactly once."
            )
        elif purpose in TASKS:
            self.fields["prompt"].help_text = _(
                "What is asked for, the text and the shape of the reply follow by themselves."
            )
        else:
            self.fields["prompt"].help_text = _(
                "The protocol's steps, questions and options follow by themselves."
            )

    def clean_others(self) -> dict[str, Any]:
        others = self.cleaned_data.get("others") or {}
        if not isinstance(others, dict):
            raise forms.ValidationError(_("Write a JSON object: names and values between braces."))
        return others

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        read, written = cleaned.get("price_prompt"), cleaned.get("price_completion")
        if (read is None) != (written is None):
            self.add_error("price_completion", _("Give both prices or neither."))
        if self.errors:
            return cleaned
        own = {name: cleaned[name] for name in OWN_FIELDS if cleaned[name] is not None}
        self.spec = SystemSpec(
            cleaned["name"], cleaned["model"], cleaned["prompt"], own | cleaned["others"]
        )
        self.price = None if read is None or written is None else Price(read, written)
        return cleaned
