"""What a report on questions is about, and what people are to judge of a run."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from annotation.access import studies_led
from annotation.metrics.report.estimate import SEED, Drawn
from annotation.models import GenerationRun, Study, User
from annotation.questions.people import ANSWERS, PAIRS
from annotation.questions.values import HIGHEST, LOWEST, THRESHOLD
from annotation.selectors.generation.questions import questioning_of
from annotation.selectors.publishing.questions import (
    QuestionsRequest,
    comparable_runs,
    judging_studies,
)

THRESHOLDS = [(str(grade), str(grade)) for grade in range(LOWEST, HIGHEST + 1)]


class QuestionReportForm(forms.Form):
    """A form in the address, so that a view can be shared; a value that nobody offered is as good
    as none."""

    threshold = forms.ChoiceField(label=_("YES from grade"), choices=THRESHOLDS, required=False)
    judged = forms.MultipleChoiceField(
        label=_("What people said in"), widget=forms.CheckboxSelectMultiple, required=False
    )
    beside = forms.MultipleChoiceField(
        label=_("Beside it, on the same texts"), widget=forms.CheckboxSelectMultiple, required=False
    )

    def __init__(self, run: GenerationRun, user: User, query: QueryDict) -> None:
        self.run = run
        self.studies = {study.key: study for study in judging_studies(studies_led(user))}
        self.runs = {str(other.number): other for other in comparable_runs(run)}
        threshold = query.get("threshold", "")
        self.chosen: dict[str, Any] = {
            "threshold": threshold if (threshold, threshold) in THRESHOLDS else str(THRESHOLD),
            "judged": [
                key for key in dict.fromkeys(query.getlist("judged")) if key in self.studies
            ],
            "beside": [
                number for number in dict.fromkeys(query.getlist("beside")) if number in self.runs
            ],
        }
        super().__init__(initial=self.chosen)
        judged: Any = self.fields["judged"]
        judged.choices = [(key, f"{study.title} ({key})") for key, study in self.studies.items()]
        beside: Any = self.fields["beside"]
        beside.choices = [
            (number, _("Run %(number)s") % {"number": number}) for number in self.runs
        ]
        for name, offered in (("judged", self.studies), ("beside", self.runs)):
            if not offered:
                del self.fields[name]

    @property
    def questions_request(self) -> QuestionsRequest:
        """What was chosen."""
        return QuestionsRequest(
            self.run,
            tuple(self.runs[number] for number in self.chosen["beside"]),
            tuple(self.studies[key] for key in self.chosen["judged"]),
            int(self.chosen["threshold"]),
            Drawn(seed=SEED),
        )

    def query(self, **more: str) -> str:
        """What was chosen as an address has it."""
        return urlencode(self.chosen | more, doseq=True)


class PeopleForm(forms.Form):
    """A study in which people judge what a run asked or answered."""

    title = forms.CharField(label=_("Title"), max_length=200)
    key = forms.SlugField(
        label=_("Key"),
        max_length=50,
        help_text=_(
            "Names the study in addresses and exports: letters, digits, “-” and “_”. It never "
            "changes."
        ),
    )

    protocol = forms.ChoiceField(
        label=_("What people judge"),
        choices=[
            (PAIRS, _("the questions and their expected answers")),
            (ANSWERS, _("the answers, beside the text that they are from")),
        ],
    )
    language = forms.ChoiceField(
        label=_("Language of the words around them"),
        choices=[("fr", _("French")), ("en", _("English"))],
    )

    def __init__(self, run: GenerationRun, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("title", run.study.title)
        self.initial.setdefault("language", questioning_of(run).language)
        protocol: Any = self.fields["protocol"]
        if run.purpose == GenerationRun.Purpose.QUESTION:
            protocol.choices = [protocol.choices[0]]
        else:
            self.initial.setdefault("protocol", ANSWERS)


class SharesForm(forms.Form):
    """The run whose shares become a metric."""

    run = forms.ChoiceField(label=_("Run that graded the answers"))
    threshold = forms.TypedChoiceField(
        label=_("YES from grade"), choices=THRESHOLDS, initial=str(THRESHOLD), coerce=int
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        runs = study.generation_runs.filter(purpose=GenerationRun.Purpose.GRADE)
        run: Any = self.fields["run"]
        run.choices = [
            (str(graded_run.number), _("Run %(number)s") % {"number": graded_run.number})
            for graded_run in runs.exclude(state=GenerationRun.State.DRAFT).order_by("-number")
        ]
