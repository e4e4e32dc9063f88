"""What the tables of the page on marks call things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.agreement.marks.consensus import Outcome
from annotation.protocols.kinds import Field
from annotation.web.base.presenters import option_labels


def side_label(side: str) -> str:
    return {"original": _("original"), "simplification": _("simplification")}[side]


def coefficient_label(name: str) -> str:
    """A coefficient on tokens in words."""
    return {
        "agreement": _("Share of words that bear the same"),
        "cohen": _("Cohen's kappa, mean of the pairs, weighted by what both judged"),
        "davies_fleiss": _("Davies and Fleiss"),
        "alpha": _("Krippendorff's alpha, nominal"),
        "alpha_masi": _("Krippendorff's alpha of sets, MASI"),
        "alpha_unitizing": _("Krippendorff's alpha, unitizing"),
        "alpha_coding": _("Krippendorff's alpha, coding of units"),
    }[name]


def rule_label(rule: str) -> str:
    """How edits are matched."""
    return {
        "exact": _("F1, same words"),
        "overlap": _("F1, one word in common"),
        "aligned": _("F1, best alignment"),
    }[rule]


def outcome_label(outcome: Outcome) -> str:
    """How the most frequent label of a word was found."""
    return {
        Outcome.UNANIMOUS: _("everybody the same"),
        Outcome.MAJORITY: _("more than half"),
        Outcome.PLURALITY: _("more than any other, half or fewer"),
        Outcome.TIE: _("a tie: none"),
    }[outcome]


@dataclass(frozen=True)
class Called:
    """What a question calls its marks: each kind by its label, and all of them errors of a type, or
    else edits, each an operation."""

    kinds: Mapping[str, str]
    are_errors: bool

    @classmethod
    def of(cls, question: Field) -> Called:
        return cls(option_labels(question.marks), question.are_errors)

    def kind(self, kind: str) -> str:
        """An operation with its identifier; a group by its name."""
        return f"{self.kinds[kind]} ({kind})" if kind in self.kinds else kind

    @property
    def a_kind(self) -> str:
        return _("Type of error") if self.are_errors else _("Operation")

    @property
    def all_kinds(self) -> str:
        return _("all types of error") if self.are_errors else _("all operations")

    @property
    def marks(self) -> str:
        return _("Errors") if self.are_errors else _("Edits")

    @property
    def marks_of_both(self) -> str:
        return _("Errors of both") if self.are_errors else _("Edits of both")

    @property
    def share(self) -> str:
        return _("Share of errors") if self.are_errors else _("Share of edits")

    @property
    def on_marks(self) -> str:
        return _("Agreement on errors") if self.are_errors else _("Agreement on edits")

    @property
    def on_each_kind(self) -> str:
        if self.are_errors:
            return _("Agreement on each type of error")
        return _("Agreement on each operation")

    @property
    def how_counted(self) -> str:
        if self.are_errors:
            return _(
                "A pair counts once for each person who marked it. An occurrence is a type of "
                "error on such a pair, however often it stands there."
            )
        return _(
            "A pair counts once for each person who marked it. An occurrence is an operation on "
            "such a pair, however often it stands there."
        )

    @property
    def how_classed(self) -> str:
        if self.are_errors:
            return _(
                "All types of error on a word together are one class, and so is none. Intervals "
                "(95%) draw original texts, each with all of its pairs and words."
            )
        return _(
            "All operations on a word together are one class, and so is none. Intervals (95%) draw "
            "original texts, each with all of its pairs and words."
        )

    @property
    def how_borne(self) -> str:
        if self.are_errors:
            return _(
                "Of each type of error, whether a word bears it, whatever else stands there. A "
                "dash: nobody marked it on that side, or everybody bears the same, so that the "
                "coefficient is not defined."
            )
        return _(
            "Of each operation, whether a word bears it, whatever else stands there. A dash: "
            "nobody marked it on that side, or everybody bears the same, so that the coefficient "
            "is not defined."
        )

    @property
    def how_matched(self) -> str:
        if self.are_errors:
            return _(
                "Only errors of one type are matched, one to one: with the same words on both "
                "sides; with one word in common, or none marked by either, as of the pair as a "
                "whole; or so that all couples of errors have as much in common as can be, each "
                "counting by how alike the two are."
            )
        return _(
            "Only edits of one operation are matched, one to one: with the same words on both "
            "sides; with one word in common, or none marked by either, as of the pair as a whole; "
            "or so that all couples of edits have as much in common as can be, each counting by "
            "how alike the two are."
        )
