"""``manage.py probe``: what metrics and scorers let through when the law of a text is changed."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.errors import RuleError
from annotation.management.files import existing_study, named, refused
from annotation.metrics.metric import Family
from annotation.metrics.probe import probed
from annotation.metrics.registry import FAMILIES, metrics
from annotation.models import Simplification
from annotation.scoring.errors import ScoringError
from annotation.scoring.legal.cases import MOST_PER_KIND, Case, Written, cases_csv, probe_cases
from annotation.scoring.legal.probe import Threshold
from annotation.services.metrics.machines import scorer_family
from annotation.services.scoring.jobs import read_pairs
from annotation.services.scoring.sources import set_of_snapshot, study_scale
from workers.management.files import existing_scorer, existing_snapshot, read_bytes
from workers.metrics.tools import TOOLS

SEED = 42


class Command(BaseCommand):
    help = (
        "Legal probe: minimal edits that change the law of a text and twins that keep it, made by "
        "rules in copies of originals and inside real simplifications, from a snapshot "
        "(STUDY-NUMBER), a study or a file of pairs; false accepts and false rejects of metrics "
        "and scorers, with intervals."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("snapshot", nargs="?", default="", metavar="SNAPSHOT")
        parser.add_argument("--study", default="", metavar="KEY", help="texts of a study")
        parser.add_argument(
            "--pairs",
            type=named,
            metavar="FILE",
            help="CSV, TSV or JSON lines with the columns original and simplification",
        )
        parser.add_argument(
            "--scale",
            nargs=2,
            type=float,
            metavar=("LOW", "HIGH"),
            help="of the human scores (default: the protocol's; of a file: 1 10)",
        )
        parser.add_argument(
            "--accepted-from",
            type=float,
            metavar="SCORE",
            help="of the human scale (default: the lowest score of the protocol's highest "
            "bracket, or two thirds up a scale without brackets)",
        )
        parser.add_argument("--language", default="fr", choices=["fr", "en"])
        parser.add_argument(
            "--metric", action="append", default=[], metavar="NAME", help="default: the quick ones"
        )
        parser.add_argument(
            "--scorer", action="append", default=[], metavar="ID", help="a version: 3 or v3"
        )
        parser.add_argument("--seed", type=int, default=SEED, help="default: %(default)s")
        parser.add_argument(
            "--most",
            type=int,
            default=MOST_PER_KIND,
            help="cases of each kind and place (default: %(default)s; 0: all)",
        )
        parser.add_argument(
            "--cases", type=named, metavar="FILE", help="write every case, with scores, as CSV"
        )
        parser.add_argument("--json", action="store_true", help="everything, shares 0–1")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["seed"] < 0 or options["most"] < 0:
            raise CommandError("--seed and --most take a number from 0.")
        try:
            written, threshold = _material(options)
            cases = probe_cases(
                written, options["language"], options["seed"], most=options["most"] or None
            )
            reports = [
                report
                for family in _families(options)
                for report in probed(family, cases, threshold, options["language"], options["seed"])
            ]
        except ScoringError as error:
            raise CommandError(error.message.en) from error
        except RuleError as error:
            raise refused(error) from error
        wanted = {*options["metric"]}
        if wanted:
            reports = [
                report
                for report in reports
                if report["name"] in wanted or "|kind:" in report["signature"]
            ]
        if options["cases"]:
            _write(options["cases"], cases, reports)
        if options["json"]:
            self.stdout.write(json.dumps(reports, ensure_ascii=False, indent=2))
            return
        self.stdout.write("\n".join(_lines(reports, len(cases), threshold, options["seed"])))


def _material(options: dict[str, Any]) -> tuple[list[Written], Threshold]:
    if sum(bool(options[name]) for name in ("snapshot", "study", "pairs")) != 1:
        raise CommandError("Name a snapshot, or give --study or --pairs: one of the three.")
    if options["snapshot"]:
        data = set_of_snapshot(existing_snapshot(options["snapshot"]))
        written = [Written(pair.key, pair.original, pair.simplification) for pair in data.pairs]
        scale = data.lowest, data.highest, data.bracket_tops
    elif options["study"]:
        study = existing_study(options["study"])
        rows = Simplification.objects.filter(item__study=study, repeat_of=None)
        texts = rows.order_by("item__key", "position").values_list(
            "item__key", "position", "item__original", "text"
        )
        written = [Written(f"{key}/{place}", text, made) for key, place, text, made in texts]
        scale = study_scale(study)
    else:
        pairs = read_pairs(options["pairs"], read_bytes(options["pairs"]))
        written = [
            Written(str(number), pair["original"], pair["simplification"])
            for number, pair in enumerate(pairs, 1)
        ]
        low, high = options["scale"] or (1.0, 10.0)
        scale = low, high, ()
    return written, _threshold(options, scale)


def _threshold(options: dict[str, Any], scale: tuple[float, float, Sequence[float]]) -> Threshold:
    low, high = options["scale"] or scale[:2]
    if not low < high:
        raise CommandError("--scale: the lower end first, for instance 1 10.")
    at = options["accepted_from"]
    if at is None:
        return Threshold.of_scale(low, high, () if options["scale"] else scale[2])
    if not low < at <= high:
        raise CommandError(f"--accepted-from: a score above {low:g}, at most {high:g}.")
    return Threshold(at, low, high, "asked")


def _families(options: dict[str, Any]) -> list[Family]:
    unknown = sorted({*options["metric"]} - set(metrics()))
    if unknown:
        raise CommandError(f"There is no metric “{unknown[0]}”. Metrics: {', '.join(metrics())}.")
    scorers = [scorer_family(existing_scorer(given), TOOLS) for given in options["scorer"]]
    if options["metric"]:
        wanted = {*options["metric"]}
        families = [
            family for family in FAMILIES if wanted & {metric.name for metric in family.metrics}
        ]
    else:
        families = [] if scorers else [family for family in FAMILIES if not family.is_slow]
    return [*families, *scorers]


def _write(name: str, cases: Sequence[Case], reports: Sequence[dict[str, Any]]) -> None:
    scores = {report["name"]: report["scores"] for report in reports if "scores" in report}
    try:
        Path(name).write_bytes(cases_csv(cases, scores))
    except OSError as error:
        raise CommandError(f"{name} cannot be written: {error.strerror}.") from error


def _lines(
    reports: Sequence[dict[str, Any]], cases: int, threshold: Threshold, seed: int
) -> list[str]:
    lines = [
        f"{cases} cases, seed {seed}; accepted from {threshold.at:g} on {threshold.lowest:g}–"
        f"{threshold.highest:g} ({threshold.by})"
    ]
    for report in reports:
        lines += ["", report["signature"]]
        if "unavailable" in report:
            lines.append(f"  {report['unavailable']}")
            continue
        lines += [
            f"  {missing['n']} of {cases} cases without a value: {missing['reason']['en']}"
            for missing in report["missing"]
        ]
        for place, rates in report["rates"].items():
            lines.append(f"  {place}: false accepts {_shown(rates['false_accept'])}")
            lines.append(f"  {place}: false rejects {_shown(rates['false_reject'])}")
            lines += [
                f"    {each['kind']:<12} {_shown(each['rate'])}"
                for each in report["kinds"]
                if each["place"] == place
            ]
    return lines


def _shown(rate: dict[str, Any]) -> str:
    counted = f"({rate['n']} accepted before, of {rate['cases']} cases)"
    if rate["value"] is None:
        return f"undefined: {rate['undefined']['en']} {counted}"
    return (
        f"{rate['value']:.3f} [{rate['low']:.3f}, {rate['high']:.3f}] by {rate['method']} {counted}"
    )
