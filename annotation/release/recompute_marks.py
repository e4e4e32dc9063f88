"""Recompute agreement on what people marked, word by word, with public packages only.

`python recompute_agreement.py` runs this too. From data/errors.jsonl, data/ratings.csv and the
texts: every row of data/mark_consensus.jsonl and data/mark_consensus.csv, and of marks.json, how
many pairs and marks there are, the outcomes of the consensus, and on each side the share of equal
words, Cohen's kappa (of each two annotators too), that of Davies and Fleiss and Krippendorff's
nominal alpha, of label sets and of each operation, as marked and merged. Not recomputed: intervals,
alpha by MASI's distance, of units and of their coding, agreement on edits, and how many words and
identical texts there are.

Where words begin and end is taken from data/mark_consensus.jsonl. Checked of that: its words hold
all of both texts but white space, none twice, and the words that a mark touches are those that
data/errors.jsonl says.
"""

from __future__ import annotations

import csv
import json
import math
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SIDES = ("original", "simplification")
OUTCOMES = ("unanimous", "majority", "plurality", "tie")
JSON_CELLS = ("operations", "tied", "label_sets", "marked")


def lines(name: str) -> list[Any]:
    """A table of the data set."""
    text = (HERE / "data" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


class Marks:
    """What people marked by one question. ``judged``: by pair in the study's order, who judged it;
    ``shared``: of texts that two annotators or more judged, by annotator the pair as which they
    did: the first, where they had the same texts ``again``. ``words`` by pair and side."""

    def __init__(self, field: str) -> None:
        self.field = field
        self.texts = _texts()
        self.judged = _judged(list(self.texts))
        self.by_texts: dict[Any, dict[str, str]] = {}
        self.again = 0
        for pair, annotators in self.judged.items():
            by_annotator = self.by_texts.setdefault(self.texts[pair], {})
            for annotator in annotators:
                self.again += by_annotator.setdefault(annotator, pair) != pair
        self.shared = [by for _, by in sorted(self.by_texts.items()) if len(by) > 1]
        self.rows: dict[Any, list[Any]] = defaultdict(list)
        for row in lines("mark_consensus"):
            if row["field"] == field:
                self.rows[row["pair"], row["side"]].append(row)
        self.of: dict[Any, list[Any]] = defaultdict(list)
        for row in lines("errors"):
            if row.get("field", field) == field:
                self.of[row["simplification_key"], row["annotator"]].append(row)

    def words(self, pair: str, side: str) -> list[tuple[int, int]]:
        """Where each word begins and ends."""
        return [(row["start"], row["end"]) for row in self.rows[pair, side]]

    def labels(self, by_annotator: dict[str, str], side: str, grouping: Any) -> list[Any]:
        """What each annotator put on each word: label sets by annotator, in their order."""
        words = self.words(min(by_annotator.values()), side)
        columns = []
        for annotator, pair in sorted(by_annotator.items()):
            on_words: list[set[str]] = [set() for _ in words]
            for mark in self.of[pair, annotator]:
                for place in touched(mark[f"{side}_spans"], words):
                    on_words[place].add(grouping.get(mark["type"], mark["type"]))
            columns.append([(annotator, tuple(sorted(labels))) for labels in on_words])
        return list(zip(*columns, strict=True))


def _texts() -> dict[str, tuple[str, str]]:
    """Both texts of each pair, in the study's order."""
    items = {row["item_key"]: row for row in lines("items")}
    rows = lines("simplifications")
    rows.sort(key=lambda row: (items[row["item_key"]]["item_position"], row["position"]))
    return {
        row["simplification_key"]: (items[row["item_key"]]["original"], row["simplification"])
        for row in rows
    }


def _judged(pairs: list[str]) -> dict[str, list[str]]:
    """Who judged each pair: whoever found nothing to mark has rated it all the same."""
    judged: dict[str, set[str]] = {pair: set() for pair in pairs}
    with (HERE / "data" / "ratings.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            judged[row["simplification_key"]].add(row["annotator"])
    return {pair: sorted(annotators) for pair, annotators in judged.items() if annotators}


def touched(spans: Any, words: Any) -> list[int]:
    """The places of the words of which spans hold a character, each once, as spans come."""
    places = {
        place: None
        for start, end in spans
        for place, (begins, ends) in enumerate(words)
        if begins < end and ends > start
    }
    return list(places)


# --- What most put on each word.


def consensus(given: Any) -> dict[str, Any]:
    """What the annotators of a word put on it, as a row of the table has it."""
    times = Counter(labels for _, labels in given)
    most = max(times.values())
    winners = sorted(labels for labels, number in times.items() if number == most)
    marked: Counter[str] = Counter()
    for labels, number in times.items():
        marked.update(dict.fromkeys(labels, number))
    if len(times) == 1:
        outcome = "unanimous"
    elif len(winners) > 1:
        outcome = "tie"
    else:
        outcome = "plurality" if 2 * most <= len(given) else "majority"
    ordered = sorted(times.items(), key=lambda row: (-row[1], row[0]))
    return {
        "annotators": len(given),
        "outcome": outcome,
        "operations": list(winners[0]) if len(winners) == 1 else None,
        "tied": [list(labels) for labels in winners] if len(winners) > 1 else [],
        "label_sets": [[list(labels), number] for labels, number in ordered],
        "marked": dict(marked),
    }


def check_words(marks: Marks, checked: Any) -> None:
    """That words hold each text whole, and the words that marks touch are those that are stated."""
    for by_annotator in marks.shared:
        name = min(by_annotator.values())
        for place, side in enumerate(SIDES):
            text, rows = marks.texts[name][place], marks.rows[name, side]
            words = marks.words(name, side)
            title = f"mark_consensus {name} {side}"
            bounds = [0, *(end for word in words for end in word), len(text)]
            between = (
                text[end:start] for end, start in zip(bounds[::2], bounds[1::2], strict=True)
            )
            is_whole = bounds == sorted(bounds) and not "".join(between).strip()
            checked.holds(title, is_whole, "its words are not the whole text")
            checked.same(f"{title}, words", [row["token"] for row in rows], [*range(len(rows))])
            for row in rows:
                here = text[row["start"] : row["end"]]
                checked.same(f"{title} {row['token']} text", here, row["text"])
            for annotator, pair in by_annotator.items():
                for mark in marks.of[pair, annotator]:
                    places = touched(mark[f"{side}_spans"], words)
                    named = f"errors {pair} {annotator} {mark['ordinal']} {side}_tokens"
                    checked.same(named, places, mark[f"{side}_tokens"])


def check_consensus(marks: Marks, checked: Any) -> None:
    """Every row of the table."""
    wanted = set()
    for by_annotator in marks.shared:
        name = min(by_annotator.values())
        for side in SIDES:
            wanted.add((name, side))
            rows = marks.rows[name, side]
            for row, given in zip(rows, marks.labels(by_annotator, side, {}), strict=True):
                title = f"mark_consensus {name} {side} {row['token']}"
                for column, value in consensus(given).items():
                    checked.same(f"{title} {column}", value, row[column])
    other = sorted({key for key, rows in marks.rows.items() if rows} - wanted)
    checked.same("mark_consensus, further pairs", other, [])


def check_csv(checked: Any) -> None:
    """The table in cells says what it says in JSON. Sheets have an apostrophe more where a
    spreadsheet would take a word for a formula."""
    with (HERE / "data" / "mark_consensus.csv").open(encoding="utf-8", newline="") as file:
        cells = list(csv.DictReader(file))
    rows = lines("mark_consensus")
    checked.same("mark_consensus.csv, rows", len(cells), len(rows))
    for cell, row in zip(cells, rows, strict=False):
        title = f"mark_consensus.csv {row['pair']} {row['side']} {row['token']}"
        for column, value in row.items():
            text = cell[column]
            if column in JSON_CELLS:
                checked.same(f"{title} {column}", json.loads(text or "null"), value)
            else:
                here, there = (said.replace("'", "") for said in (text, str(value)))
                checked.same(f"{title} {column}", here, there)


# --- How far annotators agree.


def ratio(numerator: float, denominator: float) -> float:
    """The quotient, NaN where the denominator is zero."""
    return numerator / denominator if denominator else math.nan


def coefficients(words: Any) -> tuple[dict[str, float], dict[Any, float]]:
    """By name, and kappa of each two annotators. ``words``: how often annotators put the same on a
    word; each is a class, whatever it holds."""
    alike = compared = 0
    observed = 0.0
    totals: Counter[Any] = Counter()
    sizes: Counter[Any] = Counter()
    unlike: Counter[Any] = Counter()
    margins: dict[Any, Counter[Any]] = defaultdict(Counter)
    for given, times in words.items():
        n, counts = len(given), Counter(label for _, label in given)
        same = sum(count * (count - 1) for count in counts.values())
        alike, compared = alike + times * same, compared + times * n * (n - 1)
        observed += times * (n * (n - 1) - same) / (n - 1)
        for label, count in counts.items():
            totals[label] += times * count
        for (first, left), (second, right) in combinations(given, 2):
            couple = first, second
            sizes[couple] += times
            unlike[couple] += times * (left != right)
            margins[couple, 0][left] += times
            margins[couple, 1][right] += times
    n = sum(totals.values())
    expected = n**2 - sum(count**2 for count in totals.values())
    chance = {
        couple: size**2
        - sum(times * margins[couple, 1][label] for label, times in margins[couple, 0].items())
        for couple, size in sizes.items()
    }
    kappas = {c: 1 - ratio(sizes[c] * unlike[c], chance[c]) for c in sorted(sizes)}
    defined = {couple: kappa for couple, kappa in kappas.items() if not math.isnan(kappa)}
    weighted = sum(sizes[couple] * kappa for couple, kappa in defined.items())
    unlike_by_chance = sum(chance[couple] / sizes[couple] for couple in sizes)
    figures = {
        "agreement": ratio(alike, compared),
        "cohen": ratio(weighted, sum(sizes[couple] for couple in defined)),
        "davies_fleiss": 1 - ratio(sum(unlike.values()), unlike_by_chance),
        "alpha": 1 - ratio((n - 1) * observed, expected),
    }
    return figures, kappas


def check_agreement(marks: Marks, published: Any, checked: Any) -> None:
    """As marked, or merged by a grouping: every figure on both sides."""
    grouping = published["grouping"]
    title = f"marks {marks.field}{', merged' if grouping else ''}"
    for side in SIDES:
        per_word = [given for by in marks.shared for given in marks.labels(by, side, grouping)]
        outcomes = Counter(consensus(given)["outcome"] for given in per_word)
        for outcome in OUTCOMES:
            named = f"{title} {side} {outcome}"
            checked.same(named, outcomes[outcome], published["consensus"][side][outcome])
        words, own = Counter(per_word), published["tokens"][side]
        figures, kappas = coefficients(words)
        _check_figures(f"{title} {side}", figures, own["label_sets"], checked)
        couples = {(row["first"], row["second"]): row["cohen"]["value"] for row in own["couples"]}
        checked.same(f"{title} {side}, couples", len(kappas), len(couples))
        for couple, kappa in kappas.items():
            named = f"{title} {side} kappa of {' and '.join(couple)}"
            checked.same(named, kappa, couples.get(couple))
        operations = sorted({kind for given in words for _, labels in given for kind in labels})
        checked.same(f"{title} {side}, operations", operations, sorted(own["operations"]))
        for kind in operations:
            _check_operation(f"{title} {side} {kind}", kind, words, own["operations"], checked)


def _check_operation(title: str, kind: str, words: Any, published: Any, checked: Any) -> None:
    bears: Counter[Any] = Counter()
    for given, times in words.items():
        bears[tuple((who, kind in labels) for who, labels in given)] += times
    marked = sum(times for given, times in bears.items() if any(bore for _, bore in given))
    own = published.get(kind, {})
    checked.same(f"{title}, words", marked, own.get("marked_tokens"))
    _check_figures(title, coefficients(bears)[0], own, checked)


def _check_figures(title: str, figures: dict[str, float], published: Any, checked: Any) -> None:
    for name, value in figures.items():
        checked.same(f"{title} {name}", value, published.get(name, {}).get("value"))


# --- How many pairs and marks there are.


def check_counts(title: str, judgments: Any, published: Any, marks: Marks, checked: Any) -> None:
    """Of these judgments, each a pair and who judged it."""
    edits: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    for judgment in judgments:
        kinds = [mark["type"] for mark in marks.of[judgment]]
        edits.update(kinds)
        pairs.update(set(kinds))
    totals = {
        "pairs": len(judgments),
        "unmarked": sum(not marks.of[judgment] for judgment in judgments),
        "edits": sum(edits.values()),
        "occurrences": sum(pairs.values()),
    }
    for name, number in totals.items():
        checked.same(f"{title} {name}", number, published[name])
    operations = published["operations"]
    checked.same(f"{title}, operations", sorted(edits), sorted(operations))
    for kind in sorted(set(edits) & set(operations)):
        own = operations[kind]
        checked.same(f"{title} {kind} edits", edits[kind], own["edits"])
        checked.same(f"{title} {kind} pairs", pairs[kind], own["pairs"])
        for share, part in (
            ("share_of_edits", edits[kind] / totals["edits"]),
            ("share_of_occurrences", pairs[kind] / totals["occurrences"]),
        ):
            checked.same(f"{title} {kind} {share}", part, own[share])


def check_field(field: str, report: Any, checked: Any) -> None:
    """One question's marks."""
    marks = Marks(field)
    checked.same(f"marks {field}, shared pairs", len(marks.shared), report["shared_pairs"])
    checked.same(f"marks {field}, again", marks.again, report["again"])
    check_words(marks, checked)
    check_consensus(marks, checked)
    for published in report["agreement"]:
        check_agreement(marks, published, checked)
    judgments = [(pair, who) for pair, annotators in marks.judged.items() for who in annotators]
    check_counts(f"marks {field}", judgments, report["counts"], marks, checked)
    names = sorted({who for _, who in judgments})
    checked.same(f"marks {field}, annotators", names, sorted(report["annotators"]))
    for name in sorted(set(names) & set(report["annotators"])):
        own = [judgment for judgment in judgments if judgment[1] == name]
        counts = report["annotators"][name]
        check_counts(f"marks {field} of {name}", own, counts, marks, checked)


def check(checked: Any, _drawn_items: Any) -> str:
    """Everything; what is to be said of it."""
    path = HERE / "marks.json"
    reports = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if not reports:
        return ""
    for field, report in reports.items():
        check_field(field, report, checked)
    check_csv(checked)
    return f"Marks: {', '.join(reports)}.\n"
