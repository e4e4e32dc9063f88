"""Everybody's edits on one pair as rows to rule on, those that whoever rules adds included."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotation.agreement.marks.disputed import SharedEdit, shared_edits
from annotation.agreement.marks.grouping import AS_MARKED
from annotation.agreement.marks.matching import Marked, marked_as
from annotation.answers import facts
from annotation.models import Adjudication, Simplification
from annotation.protocols.base import PairFacts
from annotation.protocols.columns import NOTE
from annotation.protocols.edits import SIDES, Edit, edit_of, spans_of
from annotation.protocols.kinds import Field
from annotation.protocols.kinds.field import ShapeError, listed
from annotation.protocols.tokens import Cut, Span, tokens
from annotation.selectors.agreement.adjudication import heard_marks
from annotation.selectors.agreement.voices import Voice
from annotation.web.base.presenters import text
from annotation.web.platform.problems import problems_in_words

HALF = 0.5
ADDED = "added"
"""What the hidden controls are called that hold edits which nobody marked."""
Row = dict[str, Any]


class RulingForm:
    """The edits of one pair as rows of a form: each that somebody marked, then those that stand by
    a ruling although nobody marks them, then those added on the page. As the ruling in force has
    them (where there is none, ticked if more than half marked them), or as ``post`` says.

    ``problems``: what was wrong with the edit that ``add`` was asked for.
    """

    def __init__(
        self,
        pair: Simplification,
        voices: Sequence[Voice],
        field: Field,
        ruling: Adjudication | None,
        post: QueryDict | None = None,
    ) -> None:
        self.field = field
        self.texts = {"original": pair.item.original, "simplification": pair.text}
        self.facts: PairFacts = facts(
            original=pair.item.original,
            simplification=pair.text,
            is_identical=pair.is_identical,
            language=pair.language,
        )
        self.field_context = field.context([], text)
        self.post = post
        self.problems: list[dict[str, str]] = []
        self.is_added = False
        self.rows: list[Row] = []
        for row in _marked_rows(pair, voices, field, ruling):
            self._append(row)
        for mark in self._added_before():
            self._append(_row_of(mark, stands=True, is_added=True))
        if post is not None:
            self._type(post)

    @property
    def marks(self) -> list[dict[str, Any]]:
        """What stands, as an answer has it."""
        return [_mark(row) for row in self.rows if row["stands"]]

    def add(self) -> bool:
        """One more edit, of the words and the operation that were chosen; or what is wrong with it,
        and then nothing chosen is lost."""
        mark = {
            **self.field.blank_mark(),
            "type": self.chosen,
            **{
                side: [list(span) for span in spans_of(sorted(self._picked(side)), cut)]
                for side, cut in self._tokens.items()
            },
        }
        row = _row_of(mark, stands=True, is_added=True)
        twin = next((other for other in self.rows if other["key"] == row["key"]), None)
        if twin is not None:
            said = (
                _("That is error %(number)d already: tick it there.")
                if self.field.are_errors
                else _("That is edit %(number)d already: tick it there.")
            )
            message = said % {"number": twin["number"]}
            self.problems = [{"field": "add-type", "message": message}]
        else:
            self.problems = [
                {"field": "add-type", "message": said}
                for said in self._faults(mark, len(self.rows) + 1)
            ]
        if not self.problems:
            self._append(row)
            self.is_added = True
        return not self.problems

    def explain(self) -> list[dict[str, str]]:
        """What is wrong with each edit that stands, at its row too; whether there is anything."""
        problems = []
        for row in self.rows:
            row["problems"] = self._faults(_mark(row), row["number"]) if row["stands"] else []
            problems += [
                {"field": f"type-{row['key']}", "message": message} for message in row["problems"]
            ]
        return problems

    @property
    def chosen(self) -> str:
        """The operation that was chosen for an edit to add."""
        return "" if self.post is None or self.is_added else self.post.get("add-type", "")

    def context(self) -> dict[str, Any]:
        """As the templates draw it."""
        for row in self.rows:
            row["quotes"] = {
                side: " … ".join(self.texts[side][start:end] for start, end in row["spans"][side])
                for side in SIDES
            }
            row["kinds"] = self._kinds(row)
        return {
            "rows": self.rows,
            "are_errors": self.field.are_errors,
            "severities": self.field_context["severities"],
            "notes": self.field_context["notes"],
            "max_note": self.field_context["max_note"],
            "added": [json.dumps(_mark(row)) for row in self.rows if row["is_added"]],
            "groups": self.field_context["groups"],
            "chosen": self.chosen,
            "add_problems": self.problems,
            "picks": {side: [*self._picks(side)] for side in SIDES},
            "is_adding": bool(self.problems) or self.is_added,
        }

    # -- rows --------------------------------------------------------------------------------------

    def _append(self, row: Row) -> None:
        self.rows.append(row | {"number": len(self.rows) + 1})

    def _added_before(self) -> Iterator[dict[str, Any]]:
        """What this page sent along; what no page of ours holds is none."""
        for mark in self.post.getlist(ADDED) if self.post is not None else ():
            try:
                yield from self.field.clean([listed(mark)])
            except ShapeError:
                continue

    def _type(self, post: QueryDict) -> None:
        for row in self.rows:
            key = row["key"]
            row["stands"] = f"stands-{key}" in post
            row["type"] = post.get(f"type-{key}", row["type"])
            row["severity"] = post.get(f"severity-{key}", row["severity"])
            row["note"] = post.get(f"note-{key}", row["note"])

    def _faults(self, mark: dict[str, Any], number: int) -> list[str]:
        try:
            (clean,) = self.field.clean([mark])
        except ShapeError as error:
            problems = [error.problem]
        else:
            problems = self.field.mark_problems(number, clean, self.facts)
        return [problem["message"] for problem in problems_in_words(problems)]

    def _kinds(self, row: Row) -> list[dict[str, Any]]:
        """The operations that these passages can be, then those that ask for others."""
        has = tuple(bool(row["spans"][side]) for side in SIDES)
        fitting: list[Any] = []
        others: list[Any] = []
        for group in self.field_context["groups"]:
            for operation in group["operations"]:
                (fitting if _fits(operation["side"], *has) else others).append(operation)
        return [
            {"label": "", "operations": fitting},
            {"label": _("Ask for other passages"), "operations": others},
        ]

    # -- words to add ------------------------------------------------------------------------------

    @property
    def _tokens(self) -> dict[str, tuple[Span, ...]]:
        return {side: tokens(self.texts[side], Cut.WORDS) for side in SIDES}

    def _picked(self, side: str) -> set[int]:
        if self.post is None or self.is_added:
            return set()
        places = self.post.getlist(f"pick-{side}")
        number = len(self._tokens[side])
        return {int(place) for place in places if place.isdecimal() and int(place) < number}

    def _picks(self, side: str) -> Iterator[dict[str, Any]]:
        """The whole text in its order: each token with its place, and what is between."""
        whole, picked, end = self.texts[side], self._picked(side), 0
        for place, token in enumerate(self._tokens[side]):
            if token.start > end:
                yield {"text": whole[end : token.start]}
            end = token.end
            yield {
                "text": whole[token.start : token.end],
                "place": str(place),
                "is_picked": place in picked,
            }
        if end < len(whole):
            yield {"text": whole[end:]}


def _fits(side: str, has_original: bool, has_simplification: bool) -> bool:
    return {
        "original": has_original and not has_simplification,
        "simplification": has_simplification and not has_original,
        "both": has_original and has_simplification,
        "either": has_original or has_simplification,
    }.get(side, True)


def _marked_rows(
    pair: Simplification, voices: Sequence[Voice], field: Field, ruling: Adjudication | None
) -> Iterator[Row]:
    ruled = [*(ruling.marks or [] if ruling else [])]
    heard = heard_marks(pair, voices, field)
    said = _severities(voices, heard, field)
    for shared in shared_edits(heard):
        kept = next((mark for mark in ruled if _spans(_edit(mark)) == _spans(shared.edit)), None)
        if kept is not None:
            ruled.remove(kept)
        often = len(shared.by) > HALF * len(voices)
        stands = often if ruling is None else kept is not None
        severity = said.get(marked_as(heard[0], shared.edit, AS_MARKED), "")
        yield _row(shared, stands, severity, kept)
    for mark in ruled:
        yield _row_of(mark, stands=True)


def _severities(voices: Sequence[Voice], heard: Sequence[Any], field: Field) -> dict[Marked, str]:
    """How grave most of those who marked an edit called it; of as many, as the first did."""
    said: dict[Marked, Counter[str]] = defaultdict(Counter)
    for voice, pair in zip(voices, heard, strict=True):
        for edit, mark in zip(pair.edits, voice.answers[field.name] or (), strict=True):
            said[marked_as(pair, edit, AS_MARKED)][mark.get("severity") or ""] += 1
    return {key: counts.most_common(1)[0][0] for key, counts in said.items()}


def _row(shared: SharedEdit, stands: bool, severity: str, kept: Mapping[str, Any] | None) -> Row:
    edit = shared.edit
    return {
        "key": _key(edit),
        "type": kept["type"] if kept else edit.type,
        "stands": stands,
        "votes": len(shared.by),
        "by": ", ".join(sorted(shared.by, key=_in_order)),
        "spans": {side: edit.spans(side) for side in SIDES},
        "severity": (kept.get("severity") or "") if kept else severity,
        "note": kept.get(NOTE, "") if kept else "",
        "is_added": False,
        "problems": [],
    }


def _row_of(mark: Mapping[str, Any], *, stands: bool, is_added: bool = False) -> Row:
    """Of an edit that nobody marked."""
    return _row(SharedEdit(_edit(mark), ()), stands, "", mark) | {"is_added": is_added}


def _mark(row: Row) -> dict[str, Any]:
    return {
        "type": row["type"],
        **{side: [list(span) for span in row["spans"][side]] for side in SIDES},
        "severity": row["severity"] or None,
        "note": row["note"],
    }


def _edit(mark: Mapping[str, Any]) -> Edit:
    return edit_of(mark["type"], mark)


def _spans(edit: Edit) -> tuple[tuple[Span, ...], ...]:
    return tuple(tuple(sorted(edit.spans(side))) for side in SIDES)


def _key(edit: Edit) -> str:
    """By which a form knows an edit, whatever else is marked meanwhile."""
    return hashlib.sha256(json.dumps([edit.type, _spans(edit)]).encode()).hexdigest()[:12]


def _in_order(name: str) -> tuple[int, str]:
    # Numbers in their order, and J10 behind J9.
    return len(name), name
