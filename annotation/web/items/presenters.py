"""An import's preview in words."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.cells import Sheet
from annotation.corpus.columns import FIELDS
from annotation.corpus.encodings import Confidence
from annotation.corpus.frjudge import FrjudgeFile
from annotation.corpus.pairs import Pairs
from annotation.corpus.problems import RowProblem
from annotation.corpus.tables import JSONL, XLSX
from annotation.models import PairsUpload
from annotation.protocols.legal_meaning.definition import SIMPLICITY
from annotation.services.items.items import ImportOutcome
from annotation.web.base.presenters import text
from annotation.web.items.forms import ENCODING_NAMES, SEPARATOR_NAMES
from annotation.web.items.preview import Preview

SHOWN_PROBLEMS = 100
SHOWN_ROWS = 10
_PAIR_FIELDS = (
    "key",
    "original",
    "simplification",
    "system",
    "source",
    "context_before",
    "context_after",
)


def problem_row(problem: RowProblem) -> dict[str, Any]:
    """A problem as its table shows it."""
    label = FIELDS.get(problem.field)
    return {
        "row": problem.row or "",
        "field": text(label) if label else problem.field,
        "message": text(problem.message),
        "remedy": text(problem.remedy),
    }


def problems_csv(problems: Iterable[RowProblem]) -> str:
    """Every problem, for a spreadsheet."""
    target = io.StringIO()
    writer = Sheet(target)
    writer.writerow([_("row"), _("column"), _("problem"), _("remedy")])
    writer.writerows([str(cell) for cell in problem_row(problem).values()] for problem in problems)
    # Excel takes UTF-8 without a mark for the machine's own encoding.
    return "\ufeff" + target.getvalue()


def facts(upload: PairsUpload, shown: Preview) -> list[tuple[str, str]]:
    """How the file was understood."""
    found = [(_("File"), f"{upload.name} ({filesizeformat(upload.size)})")]
    if shown.table is None:
        return found
    layout = shown.table.layout
    kinds = {JSONL: _("JSON Lines"), XLSX: _("Excel workbook")}
    found.append((_("Format"), kinds.get(layout.format, _("text with separators"))))
    if layout.encoding:
        name = ENCODING_NAMES.get(layout.encoding, layout.encoding)
        how = _("%(encoding)s: %(how)s") % {
            "encoding": name,
            "how": _confidence(shown.table.confidence),
        }
        found.append((_("Encoding"), how))
    if layout.separator:
        found.append((_("Separator"), str(SEPARATOR_NAMES.get(layout.separator, layout.separator))))
    if layout.quoted is False:
        found.append((_("Quotation marks"), _("plain characters")))
    if layout.sheet:
        found.append((_("Sheet"), layout.sheet))
    if layout.header is not None:
        found.append((_("First row"), _("names of columns") if layout.header else _("a pair")))
    found.append((_("Rows"), str(shown.row_count)))
    return found


def _confidence(confidence: Confidence) -> str:
    return {
        Confidence.CERTAIN: _("certain"),
        Confidence.GUESSED: _("guessed; check the accents below"),
        Confidence.DAMAGED: _("damaged in places; those rows are named below"),
        Confidence.CHOSEN: _("as you chose"),
    }[confidence]


def sample(shown: Preview) -> dict[str, Any]:
    """The first rows as they would go in: headings and cells."""
    return (
        _sample_pairs(shown.pairs) if shown.released is None else _sample_released(shown.released)
    )


def _sample_released(released: FrjudgeFile) -> dict[str, Any]:
    labels = {option.value: text(option.label) for option in SIMPLICITY}
    headings = [
        _("Original"),
        _("Simplification"),
        _("Simplicity"),
        _("Characterization"),
        _("Legal meaning"),
    ]
    return {
        "headings": headings,
        "rows": [
            (
                r.row,
                [
                    r.original,
                    r.simplification,
                    labels[r.simplicity],
                    r.qualification,
                    r.legal_meaning,
                ],
            )
            for r in released.rows[:SHOWN_ROWS]
        ],
    }


def _sample_pairs(pairs: Pairs | None) -> dict[str, Any]:
    rows = pairs.rows[:SHOWN_ROWS] if pairs else []
    used = [name for name in _PAIR_FIELDS if any(getattr(row, name) for row in rows)]
    return {
        "headings": [text(FIELDS["id" if name == "key" else name]) for name in used],
        "rows": [(row.row, [getattr(row, name) for name in used]) for row in rows],
    }


def promise(shown: Preview) -> str:
    """What an import would add."""
    if shown.released is not None:
        counts = shown.released.judges_per_pair
        return _("%(pairs)s with %(judgments)s of %(judges)s of unknown identity") % _released(
            sum(counts.values()), len(shown.released.rows), max(counts, default=0)
        )
    if shown.plan is None:
        return ""
    return _new(shown.plan.items, shown.plan.simplifications)


def _new(items: int, simplifications: int) -> str:
    return _("%(items)s and %(simplifications)s") % {
        "items": ngettext("%(number)s new clause", "%(number)s new clauses", items)
        % {"number": items},
        "simplifications": ngettext(
            "%(number)s simplification", "%(number)s simplifications", simplifications
        )
        % {"number": simplifications},
    }


def _released(pairs: int, judgments: int, judges: int) -> dict[str, str]:
    """How many of each, in words."""
    return {
        "pairs": ngettext("%(number)s pair", "%(number)s pairs", pairs) % {"number": pairs},
        "judgments": ngettext("%(number)s judgment", "%(number)s judgments", judgments)
        % {"number": judgments},
        "judges": ngettext("%(number)s judge", "%(number)s judges", judges) % {"number": judges},
    }


def uneven(shown: Preview) -> str:
    """How many pairs have how many judges, where they differ."""
    counts = shown.released.judges_per_pair if shown.released is not None else {}
    if len(counts) < 2:
        return ""
    return ", ".join(
        ngettext("%(pairs)s pair with %(judges)s", "%(pairs)s pairs with %(judges)s", pairs)
        % {"pairs": pairs, "judges": judges}
        for judges, pairs in counts.items()
    )


def outcome_text(outcome: ImportOutcome) -> str:
    """What an import added."""
    if outcome.judges:
        return _(
            "Imported: %(pairs)s with %(judgments)s of %(judges)s of unknown identity."
        ) % _released(outcome.items, outcome.judgments, outcome.judges)
    text = _("Imported: %(what)s.") % {"what": _new(outcome.items, outcome.simplifications)}
    if outcome.skipped:
        text += " " + _("Duplicates left out: %(skipped)s.") % {"skipped": outcome.skipped}
    return text
