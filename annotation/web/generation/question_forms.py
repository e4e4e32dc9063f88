"""What a lead sets for a run of questions, and what they change of a question."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from annotation.bodies import whole
from annotation.models import GenerationRun, Question
from annotation.questions.calls import FOLLOWS, MOST_QUESTIONS, Questioning
from annotation.questions.lengths import BORDERS
from annotation.questions.values import TYPES
from annotation.web.base.presenters import text

_LANGUAGES = (("fr", _("French")), ("en", _("English")))


def _types() -> list[tuple[str, str]]:
    return [(question_type.key, text(question_type.label)) for question_type in TYPES.values()]


def _borders() -> list[tuple[str, Any]]:
    refuse = ("", _("list it as refused, with its length"))
    return [refuse, *((border.value, text(label)) for border, label in BORDERS.items())]


class QuestioningForm(forms.Form):
    """How a run in preparation asks; what says nothing of how questions are answered is left out
    where they are answered or graded."""

    types = forms.MultipleChoiceField(
        label=_("Types of questions"), choices=_types, widget=forms.CheckboxSelectMultiple
    )
    least = forms.IntegerField(
        label=_("Questions of a text, at least"), min_value=1, max_value=MOST_QUESTIONS
    )
    most = forms.IntegerField(
        label=_("Questions of a text, at most"), min_value=1, max_value=MOST_QUESTIONS
    )
    language = forms.ChoiceField(label=_("Language of the questions"), choices=_LANGUAGES)
    window = forms.IntegerField(
        label=_("Tokens of a text, at most"),
        min_value=0,
        max_value=10**7,
        help_text=_("0 for no limit. As many as the model can read, less its answer."),
    )
    border = forms.ChoiceField(label=_("A longer text"), choices=_borders, required=False)

    def __init__(self, run: GenerationRun, data: Any = None) -> None:
        stored = Questioning.of(run.questioning)
        super().__init__(data, initial=vars(stored) | {"types": list(stored.types)})
        if run.purpose in FOLLOWS:
            for name in ("types", "least", "most"):
                del self.fields[name]


def questioning_typed(data: QueryDict) -> dict[str, Any]:
    """What was typed into the form above, for the rule that says what is wrong with it."""
    typed: dict[str, Any] = {name: data[name] for name in ("language", "border") if name in data}
    numbers = {name: data[name] for name in ("least", "most", "window") if name in data}
    # What is no number is outside every bound.
    typed |= {
        name: -1 if (n := whole(str(number))) is None else n for name, number in numbers.items()
    }
    return typed | ({"types": data.getlist("types")} if "least" in data else {})


class QuestionForm(forms.Form):
    """A question as a lead wants it asked."""

    type = forms.ChoiceField(label=_("Type"))
    text = forms.CharField(
        label=_("Question"), widget=forms.Textarea(attrs={"rows": 2}), max_length=5000
    )
    expected = forms.CharField(
        label=_("Expected answer"), widget=forms.Textarea(attrs={"rows": 2}), max_length=5000
    )
    quotation = forms.CharField(
        label=_("Words of the original that bear it"),
        widget=forms.Textarea(attrs={"rows": 2}),
        max_length=5000,
        help_text=_("As they stand in the text."),
    )

    def __init__(self, question: Question, data: Any = None) -> None:
        names = ("type", "text", "expected", "quotation")
        super().__init__(data, initial={name: getattr(question, name) for name in names})
        allowed = Questioning.of(question.generation.run.questioning).types
        kind = self.fields["type"]
        if isinstance(kind, forms.ChoiceField):
            kind.choices = [(key, label) for key, label in _types() if key in allowed]
