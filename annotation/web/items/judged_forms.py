"""What the form of an upload asks where its rows are judgments: which column holds what, what each
value becomes, and whether numbers are on our scale."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from annotation.corpus.judged_columns import ANNOTATOR, labels_of
from annotation.corpus.judged_values import SlotValues, ValueCount
from annotation.corpus.tables import Table
from annotation.protocols.columns import NONE, Slot
from annotation.protocols.protocol import Protocol
from annotation.web.base.presenters import text
from annotation.web.items.preview import Preview

SAME, VALUE = "same_", "value_"
_UNDECIDED, _NOTHING = "", "-"


def add_judged_fields(form: forms.Form, shown: Preview, protocol: Protocol) -> None:
    """A choice of a column for each field and slot; then, for each column whose values are few, a
    choice for each value."""
    if shown.table is not None:
        _add_columns(form, shown, shown.table, protocol)
    if shown.judged is None:
        return
    slots = {slot.name: slot for slot in protocol.slots}
    for slot_values in shown.judged.values:
        slot = slots[slot_values.slot]
        if slot_values.unsure or slot_values.slot in shown.same_scale:
            form.fields[SAME + slot.name] = forms.BooleanField(
                label=_same_label(slot),
                required=False,
                initial=slot_values.slot in shown.same_scale,
            )
        for number, value in enumerate(slot_values.values):
            form.fields[f"{VALUE}{slot.name}_{number}"] = _value_field(slot, slot_values, value)


def _same_label(slot: Slot) -> str:
    if not slot.scale:
        return _("%(name)s: the same numbers as ours") % {"name": text(slot.label)}
    return _("%(name)s: the same scale as ours, %(lowest)s to %(highest)s") % {
        "name": text(slot.label),
        "lowest": slot.scale[0],
        "highest": slot.scale[-1],
    }


def _add_columns(form: forms.Form, shown: Preview, table: Table, protocol: Protocol) -> None:
    columns = [(str(place), name) for place, name in enumerate(table.columns)]
    needed = {"original", "simplification", ANNOTATOR}
    asked_fields = needed | {
        protocol.field_of(name).slots()[0].name for names in protocol.needed for name in names
    }
    for name, label in labels_of(protocol).items():
        known = name in needed and name in shown.mapping
        form.fields[f"map_{name}"] = forms.ChoiceField(
            label=text(label),
            choices=columns if known else [("", "—"), *columns],
            # What is missing is said with the file's other problems: pairs alone may do without.
            required=False,
            initial=str(shown.mapping.get(name, "")),
        )
        form.fields[f"map_{name}"].is_asked_for = name in asked_fields  # type: ignore[attr-defined]


def _value_field(slot: Slot, slot_values: SlotValues, value: ValueCount) -> forms.Field:
    """One of our answers, or none. Where nothing says which, nothing is chosen."""
    label = _("“%(value)s” × %(count)s") % {
        "value": value.text[:60],
        "count": value.count,
    }
    initial = _UNDECIDED if value.becomes is None else value.becomes or _NOTHING
    ours: list[tuple[str, str]] = [
        (str(option.value), f"{option.value} · {text(option.label)}") for option in slot.options
    ]
    if slot.none is not None:
        ours.append((NONE, text(slot.none)))
    if not ours:
        ours = [(str(number), str(number)) for number in range(slot.scale[0], slot.scale[-1] + 1)]
    if initial not in (_UNDECIDED, _NOTHING, *(choice for choice, _label in ours)):
        initial = _UNDECIDED
    choices = [(_UNDECIDED, _("— decide —")), *ours, (_NOTHING, _("no answer"))]
    field = forms.ChoiceField(label=label, choices=choices, required=False, initial=initial)
    field.is_asked_for = True  # type: ignore[attr-defined]  # by the file, not by the form
    return field


def told_values(form: forms.Form, shown: Preview) -> dict[str, dict[str, str]]:
    """What the lead says that values become: those told before, and those that differ from what
    was found out."""
    meanings = {slot: dict(values) for slot, values in shown.told_values.items()}
    for slot_values in shown.judged.values if shown.judged else ():
        for number, value in enumerate(slot_values.values):
            name = f"{VALUE}{slot_values.slot}_{number}"
            posted = form.cleaned_data.get(name)
            if name in form.data and posted not in (None, form.fields[name].initial):
                of_slot = meanings.setdefault(slot_values.slot, {})
                if posted == _UNDECIDED:
                    of_slot.pop(value.text, None)
                else:
                    of_slot[value.text] = "" if posted == _NOTHING else posted
    return meanings


def told_same(form: forms.Form, shown: Preview) -> list[str]:
    """The slots whose numbers are said to be on our scale."""
    names = [name for name in form.fields if name.startswith(SAME)]
    return [name.removeprefix(SAME) for name in names if form.cleaned_data.get(name)]


def value_groups(form: forms.Form, shown: Preview, protocol: Protocol) -> list[dict[str, Any]]:
    """The choices about values, column by column, those that wait for a decision first."""
    labels = labels_of(protocol)
    groups = []
    for slot_values in shown.judged.values if shown.judged else ():
        same = SAME + slot_values.slot
        names = [f"{VALUE}{slot_values.slot}_{number}" for number in range(len(slot_values.values))]
        groups.append(
            {
                "label": text(labels[slot_values.slot]),
                "same": form[same] if same in form.fields else None,
                "fields": [form[name] for name in names],
                "more": slot_values.more,
                "open": slot_values.unsure
                or any(value.becomes is None for value in slot_values.values),
            }
        )
    return sorted(groups, key=lambda group: not group["open"])
