"""An import's preview in words."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.cells import Sheet
from annotation.corpus.columns import FIELDS
from annotation.corpus.encodings import Confidence
from annotation.corpus.frjudge import SIMPLICITY_LABELS, FrjudgeFile
from annotation.corpus.long_edits import TITLES
from annotation.corpus.pairs import Pairs
from annotation.corpus.peers import PEERS
from annotation.corpus.problems import RowProblem
from annotation.corpus.released import ReleasedFile
from annotation.corpus.tables import JSON, JSONL, PARQUET, XLSX
from annotation.models import PairsUpload
from annotation.protocols.base import Wording
from annotation.protocols.registry import published
from annotation.services.items.items import ImportOutcome
from annotation.web.base.presenters import text
from annotation.web.items.forms import ENCODING_NAMES, SEPARATOR_NAMES
from annotation.web.items.judged_presenters import sample_judged
from annotation.web.items.preview import Preview

SHOWN_PROBLEMS = 100
SHOWN_ROWS = 10
_ROWS_NAMED = 20
_PAIR_FIELDS = (
    "key",
    "original",
    "simplification",
    "system",
    "source",
    "context_before",
    "context_after",
    "structure",
)


def problem_row(problem: RowProblem, labels: Mapping[str, Wording] = FIELDS) -> dict[str, Any]:
    """A problem as its table shows it."""
    label = labels.get(problem.field)
    return {
        "row": problem.row or "",
        "field": text(label) if label else _of_reading(problem.field),
        "message": text(problem.message),
        "remedy": text(problem.remedy),
    }


def _of_reading(name: str) -> str:
    """What is no column, but a choice of how the file is read: as its control is called."""
    labels = {
        "encoding": _("Encoding"),
        "separator": _("Separator"),
        "sheet": _("Sheet"),
        "header_row": _("Row that names the columns"),
    }
    return labels.get(name, name)


def problems_csv(problems: Iterable[RowProblem], labels: Mapping[str, Wording] = FIELDS) -> str:
    """Every problem, for a spreadsheet."""
    target = io.StringIO()
    writer = Sheet(target)
    writer.writerow([_("row"), _("column"), _("problem"), _("remedy")])
    writer.writerows(
        [str(cell) for cell in problem_row(problem, labels).values()] for problem in problems
    )
    # Excel takes UTF-8 without a mark for the machine's own encoding.
    return "\ufeff" + target.getvalue()


def facts(upload: PairsUpload, shown: Preview) -> list[tuple[str, str]]:
    """How the file was understood."""
    rows = [(_("File"), f"{upload.name} ({filesizeformat(upload.size)})")]
    if shown.table is None:
        return rows
    layout = shown.table.layout
    kinds = {
        JSONL: _("JSON Lines"),
        JSON: "JSON",
        PARQUET: "Parquet",
        XLSX: _("Excel workbook"),
    }
    if title := next((peer.title for peer in PEERS if peer.key == shown.peer), ""):
        rows.append((_("Export of"), title))
    if shown.peer in TITLES:
        rows.append((_("Layout of edits"), text(TITLES[shown.peer])))
    rows.append((_("Format"), kinds.get(layout.format, _("text with separators"))))
    if layout.encoding:
        name = ENCODING_NAMES.get(layout.encoding, layout.encoding)
        how = _("%(encoding)s: %(how)s") % {
            "encoding": name,
            "how": _confidence(shown.table.confidence),
        }
        rows.append((_("Encoding"), how))
    if layout.separator:
        rows.append((_("Separator"), str(SEPARATOR_NAMES.get(layout.separator, layout.separator))))
    if layout.quoted is False:
        rows.append((_("Quotation marks"), _("plain characters")))
    if layout.sheet:
        rows.append((_("Sheet"), layout.sheet))
    if layout.header_row:
        names_row = _("row %(row)s; those above it are left out") % {"row": layout.header_row}
        rows.append((_("Names of columns"), names_row))
    elif layout.header is not None:
        rows.append((_("First row"), _("names of columns") if layout.header else _("a pair")))
    rows.append((_("Rows"), str(shown.row_count)))
    return rows + _hidden(shown.table.hidden)


def _hidden(numbers: Sequence[int]) -> list[tuple[str, str]]:
    """Rows that whoever filtered a sheet may believe left out."""
    if not numbers:
        return []
    words = ngettext(
        "%(count)s that the workbook hides goes in as well: row %(rows)s",
        "%(count)s that the workbook hides go in as well: rows %(rows)s",
        len(numbers),
    )
    more = "…" if numbers[_ROWS_NAMED:] else ""
    named = ", ".join(map(str, numbers[:_ROWS_NAMED])) + more
    return [(_("Hidden rows"), words % {"count": len(numbers), "rows": named})]


def _confidence(confidence: Confidence) -> str:
    return {
        Confidence.CERTAIN: _("certain"),
        Confidence.GUESSED: _("guessed; check the accents below"),
        Confidence.DAMAGED: _("damaged in places; those rows are named below"),
        Confidence.CHOSEN: _("as you chose"),
    }[confidence]


def sample(shown: Preview) -> dict[str, Any]:
    """The first rows as they would go in: headings and cells."""
    if shown.released is not None:
        return _sample_released(shown.released)
    if shown.judged is not None:
        return sample_judged(shown.judged, SHOWN_ROWS)
    return _sample_pairs(shown.pairs) if shown.scores is None else _sample_scores(shown.scores)


def _sample_scores(scores: ReleasedFile) -> dict[str, Any]:
    """Outputs with what each judge gave, dimension by dimension."""
    rated = next(protocol for protocol in published() if protocol.key == scores.protocol)
    named = {name for pair in scores.pairs for given in pair.scores.values() for name in given}
    dimensions = [dimension for dimension in rated.scales if dimension.name in named]
    return {
        "headings": [
            _("Original"),
            _("Simplification"),
            _("System"),
            *(text(dimension.label) for dimension in dimensions),
        ],
        "rows": [
            (
                pair.row,
                [
                    pair.original,
                    pair.simplification,
                    pair.system,
                    *(
                        ", ".join(str(given[dimension.name]) for given in pair.scores.values())
                        for dimension in dimensions
                    ),
                ],
            )
            for pair in scores.pairs[:SHOWN_ROWS]
        ],
    }


def _sample_released(released: FrjudgeFile) -> dict[str, Any]:
    labels = {value: text(label) for value, label in SIMPLICITY_LABELS.items()}
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
    if shown.is_misfit:
        return ""
    if shown.released is not None:
        counts = shown.released.judges_per_pair
        return _("%(pairs)s with %(judgments)s of %(judges)s of unknown identity") % _released(
            sum(counts.values()), len(shown.released.rows), max(counts, default=0)
        )
    if shown.scores is not None:
        judges = {judge for pair in shown.scores.pairs for judge in pair.scores}
        judgments = sum(len(pair.scores) for pair in shown.scores.pairs)
        return _("%(pairs)s with %(judgments)s of %(judges)s of unknown identity") % _released(
            len(shown.scores.pairs), judgments, len(judges)
        )
    if shown.judged_plan is not None:
        plan = shown.judged_plan
        if plan.attached:
            return _onto(plan.existing, plan.simplifications, plan.judgments, len(plan.judges))
        return _("%(pairs)s with %(judgments)s of %(judges)s of unknown identity") % _released(
            plan.simplifications, plan.judgments, len(plan.judges)
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


def _onto(existing: int, new: int, judgments: int, judges: int) -> str:
    """Judgments of which some go onto pairs that the study has."""
    counts = _released(existing, judgments, judges)
    onto = (
        _("%(judgments)s of %(judges)s of unknown identity, onto %(pairs)s of the study") % counts
    )
    if not new:
        return onto
    made = ngettext("%(number)s new pair", "%(number)s new pairs", new) % {"number": new}
    return _("%(onto)s and %(made)s") % {"onto": onto, "made": made}


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
    if outcome.attached:
        return _(
            "Imported: %(judgments)s of %(judges)s of unknown identity, of which %(attached)s onto "
            "pairs that the study had; %(pairs)s new."
        ) % {
            "attached": outcome.attached,
            **_released(outcome.simplifications, outcome.judgments, outcome.judges),
        }
    if outcome.judges:
        return _(
            "Imported: %(pairs)s with %(judgments)s of %(judges)s of unknown identity."
        ) % _released(outcome.simplifications, outcome.judgments, outcome.judges)
    text = _("Imported: %(what)s.") % {"what": _new(outcome.items, outcome.simplifications)}
    if outcome.skipped:
        text += " " + _("Duplicates left out: %(skipped)s.") % {"skipped": outcome.skipped}
    return text
