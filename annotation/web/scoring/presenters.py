"""Training runs, reports and scores as their pages show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from annotation.agreement.systems.resampling import FEWEST_SOURCES
from annotation.models import TrainingRun, WorkState
from annotation.protocols.base import Wording
from annotation.scoring.audit import CORRELATED
from annotation.scoring.baselines import BASELINE_WORDING
from annotation.scoring.conformal import NOT_MEASURED
from annotation.scoring.legal.kinds import (
    CHANGE_WORDING,
    PLACE_WORDING,
    PROBE_FORMAT,
    Change,
    Place,
)
from annotation.scoring.metrics import CONSTANT_IN_FOLDS
from annotation.web.base.numbers import decimal, percent, short
from annotation.web.base.presenters import text
from annotation.web.charts.calibration import Bin, calibration
from annotation.web.charts.canvas import Chart, Drawing, Table
from annotation.web.charts.lines import Series, lines

_BADGES = {"done": "badge--ok", "failed": "badge--bad", "running": "badge--accent"}
_SHOWN = ("pearson", "spearman", "r2", "rmse", "mae", "share_above", "mean_above")
_SHARES = ("share_above",)


def run_row(run: TrainingRun) -> dict[str, Any]:
    """A run with its progress, its outcome, or the reason why there is none."""
    progress = run.progress
    seeds = len(run.seeds)
    return {
        "run": run,
        "badge": _BADGES.get(run.state, ""),
        "label": run.get_state_display(),
        "unfinished": run.is_unfinished,
        "seed": progress.get("seed"),
        "epoch": progress.get("epoch"),
        "done": progress.get("seeds_done", 0),
        "seeds": seeds,
        "problem": stored_wording(run.problem) if run.problem else "",
        "log": [
            {"at": parse_datetime(line["at"]), "text": stored_wording(line)}
            for line in reversed(run.log)
        ],
        "curves": curves(run.losses),
        "can_resume": run.state in (WorkState.FAILED, WorkState.STOPPED),
    }


def stored_wording(stored: Mapping[str, Any] | None) -> str:
    """A stored sentence in the language of the page."""
    return text(Wording(stored["fr"], stored["en"])) if stored else ""


def curves(losses: Mapping[str, Mapping[str, Sequence[float]]]) -> list[dict[str, Any]]:
    """Training and validation loss per epoch, a drawing per seed, all on one scale (the paper's
    figure 6)."""
    known = {seed: series for seed, series in losses.items() if series.get("training")}
    highest = max(
        (max(*series["training"], *series["validation"]) for series in known.values()), default=0.0
    )
    return [
        {"seed": seed, "drawing": _curve(series, highest)} for seed, series in sorted(known.items())
    ]


def _curve(series: Mapping[str, Sequence[float]], highest: float) -> Drawing:
    epochs = [str(number) for number in range(1, len(series["training"]) + 1)]
    drawn = [
        Series(_("training"), tuple(series["training"])),
        Series(_("validation"), tuple(series["validation"])),
    ]
    return lines(drawn, epochs, lambda value: f"{value:.2f}", low=0.0, high=highest or 1.0)


def report_context(report: Mapping[str, Any]) -> dict[str, Any]:
    """The report in words and rows; the table comes first."""
    rows = [_row(_("This scorer, human test items only"), report["summary"])]
    rows += [
        _row(stored_wording(baseline["label"]), baseline["summary"])
        for baseline in report["baselines"]
    ]
    rows.append(
        _row(
            _("This scorer, mixed with made-up pairs (the paper's figure; not comparable)"),
            report["mixed"],
        )
    )
    return {
        "crossed": _crossed(report),
        "interval": _score_interval(report.get("interval")),
        "preset": _preset(report.get("preset")),
        "elsewhere": _elsewhere(report.get("off_corpus")),
        "metric_names": _metric_names(),
        "rows": rows,
        "strata": [_row(_stratum(stratum), stratum["summary"]) for stratum in report["strata"]],
        "seeds": [_seed_row(seed) for seed in report["seeds"]],
        "ceiling": _metric(report["ceiling"]["leave_one_out"]),
        "reliability": _metric(report["ceiling"]["reliability"]),
        # Reports of before do not say how many; labels alone have nobody's ratings.
        "reliability_items": None
        if report["ceiling"]["reliability"]["value"] is None
        else report["ceiling"].get("reliability_items"),
        "items": report["items"],
        "sanity": [_sanity(check) for check in report["sanity"]],
        "probe": _probe(report["probe"]),
        "calibration": calibration_shown(report),
        "tests": [_test(test) for test in report["against_baselines"]],
        "comparison": _comparison(report.get("comparison")),
        "against_mean": _against_mean(report),
        "findings": [
            {
                **finding,
                "text": stored_wording(finding["message"]),
                "r": finding["value"] if finding["code"] in CORRELATED else None,
                "shown": finding["rows"][:50],
                "more": max(0, len(finding["rows"]) - 50),
            }
            for finding in report["audit"]
        ],
        "chosen": report["chosen"]["seed"],
        "rule": stored_wording(report["chosen"]["rule"]),
        "intervals": {
            name: _interval(interval) for name, interval in report["chosen"]["intervals"].items()
        },
        "few_sources": _few(report["chosen"].get("sources")),
        "data": report["data"],
        "libraries": report["libraries"],
    }


def _few(sources: int | None) -> int | None:
    """From how few source texts intervals are drawn; None where they are enough for 95 % to be 95 %
    (as for systems), or where a report of before does not say."""
    return sources if sources is not None and sources < FEWEST_SOURCES else None


def _crossed(report: Mapping[str, Any]) -> dict[str, Any] | None:
    """The scorer's own figure with how it was got; None in a report of before there was one."""
    crossed = report.get("cross_validation")
    if not crossed:
        return None
    rows = [
        _row(_("This scorer, all items"), crossed["summary"], strong=True),
        _row(_("This scorer, items that were not cut off"), crossed["whole"]["summary"]),
        *(
            _row(stored_wording(baseline["label"]), baseline["summary"])
            for baseline in crossed["baselines"]
        ),
    ]
    return {
        **crossed["method"],
        "rows": rows,
        "items": crossed["items"],
        "sources": crossed["sources"],
        "few_sources": _few(crossed["sources"]),
        "seeds": ", ".join(map(str, crossed["method"]["seeds"])),
        "intervals": {name: _interval(interval) for name, interval in crossed["intervals"].items()},
        "whole": {
            name: _interval(interval) for name, interval in crossed["whole"]["intervals"].items()
        },
        "draws": crossed["intervals"]["pearson"]["draws"],
    }


def _preset(preset: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The published recipe that the run followed, in words; None where it followed none."""
    if not preset:
        return None
    held = preset["hold_out"]
    return {
        "name": preset["name"],
        "source": preset["source"],
        "open": stored_wording(preset["open"]),
        "pairs": held["pairs"] if held else 0,
        "identical": percent(held["identical"]["mean"]) if held else "",
        "unrelated": percent(held["unrelated"]["mean"]) if held else "",
    }


def _elsewhere(off_corpus: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What the scorer is worth on a corpus that it did not learn from, beside what learns
    nothing; None in a report of before that was measured."""
    if not off_corpus:
        return None
    if off_corpus["undefined"]:
        return {"why": stored_wording(off_corpus["undefined"]), "rows": []}
    rows = [
        {
            "title": corpus["name"],
            "items": corpus["items"],
            "learned_from": corpus["learned_from"],
            "pearson": _metric(corpus["metrics"]["pearson"]),
            "interval": _interval(corpus["interval"]),
            "rmse": _metric(corpus["metrics"]["rmse"]),
            "within": _metric(corpus["within"]["pearson"]),
            "beside": [
                {
                    **_metric(other["pearson"]),
                    "difference": _metric(other["difference"]["value"])["text"],
                    "ends": _interval(other["difference"]["interval"]),
                }
                for other in corpus["beside"]
            ],
        }
        for corpus in off_corpus["corpora"]
    ]
    names = [stored_wording(other["label"]) for other in off_corpus["corpora"][0]["beside"]]
    return {"why": "", "rows": rows, "names": names, "seed": off_corpus["seed"]}


def _score_interval(stored: Mapping[str, Any] | None) -> dict[str, Any]:
    """How far a score may be off, and the coverage that was measured; or why there is none."""
    if not stored:
        return {"why": text(NOT_MEASURED)}
    if stored["half_width"] is None:
        return {"why": stored_wording(stored["undefined"])}
    names = {"all": _("All items"), "whole": _("Whole"), "truncated": _("Cut off")}
    return {
        "why": "",
        "level": _number(100 * stored["level"], 0),
        "half_width": _number(stored["half_width"], 2),
        "sources": stored["sources"],
        "rows": [
            {
                "title": names[name],
                "items": covered["items"],
                "share": "–" if covered["value"] is None else percent(covered["value"]),
                "ends": "–"
                if covered["low"] is None
                else f"[{percent(covered['low'])};\u00a0{percent(covered['high'])}]",
            }
            for name, covered in stored["coverage"].items()
        ],
    }


def score_interval_shown(
    result: Mapping[str, Any], stored: Mapping[str, Any]
) -> dict[str, Any] | None:
    """A result's interval for its page; None where it was scored before there were any."""
    if "low" not in result:
        return None
    if result["low"] is None:
        return {"why": stored_wording(result["interval_undefined"])}
    covered = stored["coverage"]["all"]
    return {
        "why": "",
        "low": score_shown(result["low"]),
        "high": score_shown(result["high"]),
        "level": _number(100 * stored["level"], 0),
        "share": "–" if covered["value"] is None else percent(covered["value"]),
        "items": covered["items"],
    }


def calibration_chart(report: Mapping[str, Any]) -> Chart:
    """Mean human label by bin of the predicted score, with counts: the drawing and the table that
    says the same."""
    bins = report["calibration"]
    low, high = (float(report["data"][name]) for name in ("lowest", "highest"))
    across, up = _("Mean prediction"), _("Mean of people")
    drawing = calibration(
        [Bin(score_bin["predicted"], score_bin["human"], score_bin["items"]) for score_bin in bins],
        short,
        low=low,
        high=high,
        across=across,
        up=up,
    )
    rows = tuple(
        (
            f"{short(score_bin['low'])} – {short(score_bin['high'])}",
            score_bin["items"],
            score_bin["predicted"],
            score_bin["human"],
        )
        for score_bin in bins
    )
    return Chart(
        "calibration",
        _("Calibration"),
        _(
            "Each mark is the held-out items whose predicted score falls into one bin, with their "
            "number above; on the dashed line, scorer and people say the same. All seeds together."
        ),
        drawing,
        Table((_("Predicted between"), _("Items"), across, up), rows),
    )


def calibration_shown(report: Mapping[str, Any]) -> dict[str, Any]:
    """The chart as its figure's template takes it, with numbers in words and the address of its
    files."""
    chart = calibration_chart(report)
    rows = [
        (
            row[0],
            score_bin["items"],
            _number(score_bin["predicted"], 2),
            _number(score_bin["human"], 2),
        )
        for row, score_bin in zip(chart.table.rows, report["calibration"], strict=True)
    ]
    return {
        "key": chart.key,
        "title": chart.title,
        "description": chart.description,
        "drawing": chart.drawing,
        "columns": chart.table.columns,
        "rows": rows,
        "url": "?chart=calibration",
    }


def _metric_names() -> list[str]:
    return [
        _("Pearson"),
        _("Spearman"),
        "R²",
        _("RMSE (points)"),
        _("MAE (points)"),
        _("Share above people"),
        _("By how much (points)"),
    ]


def _row(title: str, summary: Mapping[str, Any], *, strong: bool = False) -> dict[str, Any]:
    cells = [_cell(summary[name], name) for name in _SHOWN]
    return {
        "title": title,
        "items": round(summary["items"]),
        "cells": cells,
        "strong": strong,
        "why": " ".join(dict.fromkeys(cell["why"] for cell in cells if cell["why"])),
    }


def _cell(entry: Mapping[str, Any], name: str) -> dict[str, str]:
    """Mean ± sd; where it is undefined, a dash with the reason."""
    if entry["mean"] is None:
        return {"text": "–", "why": stored_wording(entry["undefined"])}
    form = percent if name in _SHARES else _number
    sd = entry["sd"]
    return {"text": form(entry["mean"]) + (f" ± {form(sd)}" if sd is not None else ""), "why": ""}


def _number(value: float, digits: int = 3) -> str:
    return decimal(value, digits)


def _metric(metric: Mapping[str, Any]) -> dict[str, str]:
    value = metric["value"]
    return {
        "text": "–" if value is None else _number(value),
        "why": stored_wording(metric["undefined"]),
    }


def _interval(interval: Mapping[str, Any]) -> str:
    if interval["low"] is None:
        return stored_wording(interval["undefined"])
    return f"[{_number(interval['low'])};\u00a0{_number(interval['high'])}]"


def _seed_row(seed_report: Mapping[str, Any]) -> dict[str, Any]:
    cells = [_metric(seed_report["metrics"][name])["text"] for name in ("pearson", "rmse")]
    return {
        "seed": seed_report["seed"],
        **seed_report["sizes"],
        "cells": cells,
        "validation_text": _number(seed_report["validation_rmse"]),
        "epochs": seed_report["epochs"] or "–",
        "seconds": _number(seed_report["seconds"], 1),
    }


def _stratum(stratum: Mapping[str, Any]) -> str:
    value = stratum["value"]
    named = {
        "completeness": {"truncated": _("Cut off"), "whole": _("Whole")}.get(value),
        "bracket": _("Bracket %(value)s of the human mean") % {"value": value},
        "class": _("Class %(value)s") % {"value": value},
        "length": {
            "short": _("Short original"),
            "medium": _("Medium original"),
            "long": _("Long original"),
        }.get(value),
        "system": _("System %(value)s") % {"value": value},
    }
    kind, _colon, dimension = stratum["dimension"].partition(":")
    if dimension:
        return _("%(dimension)s: %(value)s") % {"dimension": dimension, "value": value}
    return named.get(kind) or str(value)


def _sanity(check: Mapping[str, Any]) -> dict[str, Any]:
    title = (
        _("Identical pairs at the top")
        if check["name"] == "identical"
        else _("Unrelated pairs at the bottom")
    )
    bounds = ("≥ 99 %", "≥ 95 %") if check["name"] == "identical" else ("≤ 1 %", "≤ 5 %")
    shares = [check[name]["value"] for name in ("strict", "lenient")]
    return {
        "title": title,
        "source": _("as served, rules included")
        if check["source"] == "ruled"
        else _("learned alone"),
        "pairs": check["pairs"],
        "cells": [
            _("%(label)s: %(value)s")
            % {"label": bound, "value": "–" if share is None else percent(share)}
            for bound, share in zip(bounds, shares, strict=True)
        ],
        "by_rule": "" if check["by_rule"] is None else percent(check["by_rule"]),
    }


def _probe(probe: Mapping[str, Any]) -> dict[str, Any]:
    if "undefined" in probe:
        return {"why": stored_wording(probe["undefined"]), "kinds": []}
    if probe.get("format") != PROBE_FORMAT:
        why = _("This report has the probe's first edition: train again to have it measured.")
        return {"why": why, "kinds": []}
    kinds = [
        {
            "title": text(CHANGE_WORDING[Change(change["kind"])]),
            "is_twin": change["is_twin"],
            **_rate(change),
        }
        for change in probe["kinds"]
        if change["rate"]["cases"]
    ]
    places = [
        {
            "title": text(PLACE_WORDING[Place(place)]),
            "accept": _rate({"rate": rates["false_accept"]}),
            "reject": _rate({"rate": rates["false_reject"]}),
            "ranked": "–"
            if rates["ranked"]["value"] is None
            else percent(rates["ranked"]["value"]),
            "kinds": [row for row in kinds if row["place"] == place],
        }
        for place, rates in probe["rates"].items()
    ]
    return {
        "why": "",
        "threshold": _number(probe["threshold"]["at"], 1),
        "seed": probe["seed"],
        "places": places,
        "kinds": kinds,
    }


def _rate(measured: Mapping[str, Any]) -> dict[str, Any]:
    rate = measured["rate"]
    shown = "–"
    if rate["value"] is not None:
        bounds = f"{percent(rate['low'])} – {percent(rate['high'])}"
        shown = f"{percent(rate['value'])} [{bounds}]"
    return {
        "place": measured.get("place", ""),
        "cases": rate["cases"],
        "n": rate["n"],
        "shown": shown,
        "why": stored_wording(rate["undefined"]) if rate["undefined"] else "",
    }


def _test(test: Mapping[str, Any]) -> dict[str, Any]:
    cells = []
    for name in ("pearson", "rmse"):
        value = test[name]["value"]["value"]
        cells.append(
            f"{'–' if value is None else _number(value)} {_interval(test[name]['interval'])}"
        )
    return {"title": stored_wording(test["label"]), "items": test["items"], "cells": cells}


def _against_mean(report: Mapping[str, Any]) -> dict[str, Any] | None:
    """Where no scorer was in service; None in a report of before. Older ones compare correlations
    too, of which the mean has none."""
    if report.get("comparison") or "against_mean" not in report:
        return None
    reason = asdict(CONSTANT_IN_FOLDS)
    pearson = {
        "value": {"value": None, "undefined": reason},
        "interval": {"low": None, "high": None, "undefined": reason},
    }
    label = asdict(BASELINE_WORDING["mean"])
    return _test({**report["against_mean"], "label": label, "pearson": pearson})


def _comparison(stored: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if not stored:
        return None
    label = {"fr": f"v{stored['current']}", "en": f"v{stored['current']}"}
    if stored["result"] is None:
        return {"why": stored_wording(stored["undefined"]), "current": stored["current"]}
    return {"why": "", "current": stored["current"], **_test({"label": label, **stored["result"]})}


def explanation_rows(why: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What moved the score, largest first."""
    return [
        {
            "title": stored_wording(part["label"]),
            "points": f"{'+' if part['points'] > 0 else '−'}{_number(abs(part['points']), 2)}",
            "terms": ", ".join(term for term, _points in part["terms"]),
        }
        for part in why["contributions"]
    ]


def score_shown(score: float) -> str:
    """A score on its scale, to one digit."""
    return _number(score, 1)
