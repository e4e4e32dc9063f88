"""A source document's funnel in words, tables and charts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.corpus.choosing import can_be
from annotation.corpus.funnel import Bar, Criterion, Funnel, Verdict
from annotation.corpus.segmentation import BlockKind
from annotation.models import User
from annotation.models.document import SourceDocument
from annotation.selectors.documents.documents import Change, page_of
from annotation.web.base.numbers import MINUS, decimal
from annotation.web.base.presenters import text
from annotation.web.charts.canvas import Chart, Table
from annotation.web.charts.histogram import Column, histogram
from annotation.web.charts.rows import Row, bars

SHOWN_CHANGES, MOST_BARS = 5, 16
CRITERIA = {
    Criterion.BOILERPLATE: gettext_lazy("Titles, introductions, mentions"),
    Criterion.TABLE: gettext_lazy("Rows of tables"),
    Criterion.FIELD: gettext_lazy("Fields to fill in"),
    Criterion.VERBLESS: gettext_lazy("No verb and no final stop"),
    Criterion.STANDING: gettext_lazy("Sentences that come again and again"),
    Criterion.LENGTH: gettext_lazy("Too few or too many sentences"),
    Criterion.LANGUAGE: gettext_lazy("Not in French"),
    Criterion.READABILITY: gettext_lazy("Too easy to read"),
    Criterion.DUPLICATE: gettext_lazy("Kept before"),
    Criterion.MANUAL: gettext_lazy("Excluded by hand"),
}
SHOWN: dict[str, Callable[[Verdict], bool]] = {
    "kept": lambda verdict: verdict.kept,
    "dropped": lambda verdict: not verdict.kept,
    "manual": lambda verdict: verdict.override is not None,
    "all": bool,
}
VIEWS = {
    "kept": gettext_lazy("Kept"),
    "dropped": gettext_lazy("Dropped"),
    "manual": gettext_lazy("Decided by hand"),
    "all": gettext_lazy("All"),
}


@dataclass(frozen=True)
class Stage:
    """One criterion's row of the funnel."""

    criterion: str
    label: str
    dropped: int
    failed: int
    left: int


def stages(funnel: Funnel) -> list[Stage]:
    """What each criterion drops, one after the other, and what it leaves."""
    left, rows = len(funnel.verdicts), []
    for criterion, label in CRITERIA.items():
        left -= funnel.dropped[criterion]
        rows.append(
            Stage(criterion, str(label), funnel.dropped[criterion], funnel.failed[criterion], left)
        )
    return rows


def funnel_chart(funnel: Funnel) -> Chart:
    """How many blocks are left after each criterion."""
    rows = [Row(_("All blocks"), len(funnel.verdicts), str(len(funnel.verdicts)))]
    rows += [
        Row(
            f"{MINUS} {stage.label}",
            stage.left,
            f"{stage.left} ({MINUS}{stage.dropped})" if stage.dropped else str(stage.left),
        )
        for stage in stages(funnel)
    ]
    return Chart(
        "funnel",
        _("Blocks left after each criterion"),
        _("Of %(all)s blocks, %(kept)s are kept.")
        % {"all": len(funnel.verdicts), "kept": len(funnel.kept)},
        bars(rows, lambda value: decimal(value, 0)),
        Table((), ()),
    )


def readability_chart(funnel: Funnel) -> Chart | None:
    """How hard the blocks are to read, titles and the like left out; None where no block can be
    scored."""
    columns = _bars(funnel)
    if not columns:
        return None
    most = funnel.criteria.hardest_only
    threshold = (
        ""
        if most is None
        else _("at most %(score)s") % {"score": decimal(most, 0 if most.is_integer() else 1)}
    )
    table = tuple(
        (
            f"{decimal(bar.low, 0)} – {decimal(bar.high, 0)}",
            bar.count,
            bar.kept,
            bar.count - bar.kept,
        )
        for bar in columns
    )
    drawing = histogram(
        [Column(bar.low, bar.high, bar.count, bar.kept) for bar in columns],
        lambda value: decimal(value, 0),
        threshold=most,
        label=threshold,
    )
    return Chart(
        "readability",
        _("Reading ease of the texts"),
        _("Low is hard. Filled: kept. Outlined: dropped. The dashed line is the threshold."),
        drawing,
        Table((_("Reading ease"), _("Texts"), _("Kept"), _("Dropped")), table),
    )


def _bars(funnel: Funnel) -> list[Bar]:
    """Ten points wide, and wider where a few endless sentences would need more bars than can be
    read."""
    for width in (10.0, 20.0, 50.0, 100.0):
        if len(columns := funnel.histogram(width)) <= MOST_BARS:
            break
    return columns


@dataclass(frozen=True)
class Company:
    """What cards say of other blocks than their own: how many share a text, how many were decided
    together."""

    copies: Mapping[str, int]
    together: Mapping[str, int]

    @classmethod
    def of(cls, document: SourceDocument, funnel: Funnel) -> Company:
        """Counted once for a page of cards."""
        decided = (entry.get("together", "") for entry in document.overrides.values())
        return cls(
            Counter(verdict.bare for verdict in funnel.verdicts if can_be(keep=False)(verdict)),
            Counter(filter(None, decided)),
        )


def block_row(
    document: SourceDocument,
    verdict: Verdict,
    people: dict[int, User] | None = None,
    company: Company | None = None,
) -> dict[str, Any]:
    """One block as its card shows it."""
    block, score = verdict.block, verdict.readability.score
    company = company or Company({}, {})
    entry = document.overrides.get(verdict.key)
    together = entry.get("together", "") if entry else ""
    return {
        "key": verdict.key,
        "number": block.number,
        "kept": verdict.kept,
        "rescued": verdict.kept and bool(verdict.reasons),
        "reasons": [text(reason.message) for reason in verdict.reasons],
        "text": block.text,
        "path": [*block.headings, *([block.label] if block.label else [])],
        "before": block.before,
        "after": block.after,
        "page": page_of(document, verdict),
        "score": None if score is None else decimal(score, 1),
        "sentences": len(block.sentences),
        "override": _decision(entry, people or {}),
        "can_be_rescued": block.kind is not BlockKind.HEADING,
        "headings": list(enumerate(block.headings)),
        "copies": company.copies.get(verdict.bare, 0) if verdict.bare and verdict.kept else 0,
        "together": together,
        "decided_together": company.together.get(together, 0),
    }


def _decision(entry: dict[str, Any] | None, people: dict[int, User]) -> dict[str, Any] | None:
    if entry is None:
        return None
    return {
        "keep": entry["keep"],
        "reason": entry["reason"],
        "who": people.get(entry["actor"]),
        "at": entry["at"][:10],
    }


def selected(funnel: Funnel, show: str) -> list[Verdict]:
    """The blocks of one view: one of ``SHOWN``, or a criterion that drops them."""
    if show in SHOWN:
        return [verdict for verdict in funnel.verdicts if SHOWN[show](verdict)]
    return [
        verdict
        for verdict in funnel.verdicts
        if (reason := verdict.first_reason) and reason.criterion.value == show
    ]


def change_words(change: Change) -> dict[str, Any]:
    """What other criteria would do, with the first blocks of each kind."""
    return {
        "before": change.before,
        "after": change.after,
        "gained": len(change.gained),
        "lost": len(change.lost),
        "sections": [
            (
                title,
                [verdict.block.text for verdict in verdicts[:SHOWN_CHANGES]],
                max(len(verdicts) - SHOWN_CHANGES, 0),
            )
            for title, verdicts in (
                (_("Would be kept"), change.gained),
                (_("Would be dropped"), change.lost),
            )
            if verdicts
        ],
    }


def mostly_foreign(funnel: Funnel) -> bool:
    """Whether most of what could be judged is not French."""
    texts = sum(verdict.block.kind is BlockKind.TEXT for verdict in funnel.verdicts)
    return funnel.failed[Criterion.LANGUAGE] * 2 > texts


def facts(document: SourceDocument) -> list[tuple[str, Any]]:
    """The file, as it was read."""
    rows: list[tuple[str, Any]] = [
        (_("File"), document.name),
        (_("Kind"), document.get_kind_display()),
    ]
    if document.pages:
        rows.append((_("Pages"), document.pages))
    if document.encoding:
        rows.append((_("Encoding"), document.encoding))
    characters = len(document.text)
    rows.append(
        (
            _("Length"),
            ngettext("%(n)s character", "%(n)s characters", characters)
            % {"n": decimal(characters, 0)},
        )
    )
    rows.append((_("Brought in"), f"{date_format(document.uploaded_at, 'SHORT_DATE_FORMAT')} · "
                                  f"{document.uploaded_by or '—'}"))  # fmt: skip
    rows.append(("SHA-256", document.sha256))
    return rows
