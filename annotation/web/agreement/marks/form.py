"""Which marks are compared: a form in the address, so that a view can be shared."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.agreement.marks.grouping import groups_written, merged
from annotation.models import Study
from annotation.protocols.kinds import Field
from annotation.selectors.agreement.marked import MarksRequest, marking_fields
from annotation.web.agreement.marks.words import Called
from annotation.web.base.presenters import text

ROUNDS = (
    ("main", gettext_lazy("main")),
    ("practice", gettext_lazy("practice")),
    ("control", gettext_lazy("control pairs")),
    ("all", gettext_lazy("practice and main")),
)
_LONGEST_GROUPS = 2_000
Groups = tuple[tuple[str, tuple[str, ...]], ...]


class MarksForm(forms.Form):
    """A value that nobody offered is as good as none; what is wrong with one's own groups is said,
    and then there are none."""

    field = forms.ChoiceField(label=gettext_lazy("Question"), required=False)
    round = forms.ChoiceField(label=gettext_lazy("Round"), choices=ROUNDS, required=False)
    without = forms.ChoiceField(
        label=gettext_lazy("Without the pairs on which their annotator marked"), required=False
    )
    merge = forms.MultipleChoiceField(
        label=gettext_lazy("Counted as one"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    groups = forms.CharField(
        label=gettext_lazy("Groups of your own"),
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        required=False,
    )

    def __init__(self, study: Study, query: QueryDict) -> None:
        names = marking_fields(study)
        name = query.get("field", "")
        self.question: Field = study.protocol.field(name if name in names else names[0])
        self.called = Called.of(self.question)
        choices: dict[str, list[tuple[str, Any]]] = {
            "field": [
                (field_name, text(study.protocol.field(field_name).label)) for field_name in names
            ],
            "round": [*ROUNDS],
            "without": [("", _("none")), *self.called.kinds.items()],
            "merge": [(group.key, text(group.label)) for group in self.question.mark_groups],
        }
        self.chosen: dict[str, Any] = {}
        for key, offered in choices.items():
            allowed = {value for value, _label in offered}
            if key == "merge":
                choice: Any = [
                    value for value in dict.fromkeys(query.getlist(key)) if value in allowed
                ]
            else:
                choice = query.get(key, "") if query.get(key, "") in allowed else ""
            if choice:
                self.chosen[key] = choice
        written = query.get("groups", "").strip()[:_LONGEST_GROUPS]
        if written:
            self.chosen["groups"] = written
        self.problem = ""
        self.groups_asked: Groups = ()
        self._group()
        super().__init__(initial={"round": "main"} | self.chosen)
        for key, offered in choices.items():
            control: Any = self.fields[key]
            control.choices = offered
        if len(names) == 1:
            del self.fields["field"]
        if not choices["merge"]:
            del self.fields["merge"]

    @property
    def marks_request(self) -> MarksRequest:
        """What was chosen."""
        return MarksRequest(
            self.question.name,
            self.chosen.get("round", "main"),
            self.groups_asked,
            (self.chosen["without"],) if "without" in self.chosen else (),
        )

    def query(self, **more: str) -> str:
        """What was chosen as an address has it."""
        return urlencode(self.chosen | more, doseq=True)

    def _group(self) -> None:
        """Read the groups; where they contradict each other there are none."""
        chosen = self.chosen.get("merge", ())
        groups = {
            group.key: group.members for group in self.question.mark_groups if group.key in chosen
        }
        try:
            merged_groups = merged(
                groups, groups_written(self.chosen.get("groups", ""), self.called.kinds)
            )
        except KeyError as error:
            words = (
                _(
                    "“%(name)s” is no type of error here: write one group a line, NAME = type, "
                    "type, by the identifiers in the table of counts."
                )
                if self.question.are_errors
                else _(
                    "“%(name)s” is no operation here: write one group a line, NAME = operation, "
                    "operation, by the identifiers in the table of counts."
                )
            )
            self.problem = words % {"name": error.args[0]}
        except ValueError as error:
            self.problem = _("“%(name)s” stands in two groups, or names two: keep it in one.") % {
                "name": error.args[0]
            }
        else:
            self.groups_asked = tuple(merged_groups.items())
