"""Systems side by side as released tables: what ``systems.json`` of a snapshot says, a figure with
its interval in three columns, and beside it what it rests on and its signature."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from annotation.release.tables import Field, Row, Table

Facts = Mapping[str, Any]


class SystemTable(NamedTuple):
    """A table and what gives its rows, of ``systems.json``."""

    table: Table
    rows: Callable[[Facts], Iterable[Row]]


def _text(name: str, fr: str, en: str) -> Field:
    return Field(name, "text", fr, en)


def _count(name: str, fr: str, en: str) -> Field:
    return Field(name, "integer", fr, en)


def _number(name: str, fr: str, en: str) -> Field:
    return Field(name, "number", fr, en)


def _bounds(name: str, fr: str, en: str) -> tuple[Field, Field]:
    return (
        _number(f"{name}_low", f"Bas de l'intervalle\u00a0: {fr}.", f"Lower end: {en}."),
        _number(f"{name}_high", f"Haut de l'intervalle\u00a0: {fr}.", f"Upper end: {en}."),
    )


def _figure(name: str, fr: str, en: str) -> tuple[Field, ...]:
    upper = Field(name, "number", f"{fr[:1].upper()}{fr[1:]}.", f"{en[:1].upper()}{en[1:]}.")
    return (upper, *_bounds(name, fr, en))


def _ends(*figures: str) -> tuple[Field, ...]:
    """How intervals were made and each figure's signature, and why something is missing."""
    return (
        _text("interval_by", "Méthode de l'intervalle.", "Method of the interval."),
        *(
            _text(f"{name}_signature", f"Signature de {name}.", f"Signature of {name}.")
            for name in figures
        ),
        _text("remark_fr", "Ce qui manque et pourquoi.", "What is missing and why, in French."),
        _text("remark_en", "De même, en anglais.", "What is missing and why, in English."),
    )


_DIMENSION = _text("dimension", "Dimension jugée.", "Dimension that was judged.")
_SYSTEM = _text("system", "Système.", "System.")
_PAIR = (
    _text("first", "Premier système.", "First system."),
    _text("second", "Second système.", "Second system."),
)
_VALUE = _number("value", "Réponse.", "Answer.")
_BETTER = _text(
    "better",
    "Ce qui est mieux : higher, lower ou neither; les rangs et la supériorité suivent ce sens, les "
    "différences et le delta de Cliff restent ceux des valeurs. Vide : un instantané d'avant.",
    "What is better: higher, lower or neither; ranks and superiority follow it, differences and "
    "Cliff's delta are those of the values. Empty: a snapshot of before.",
)
_N = (
    _count("outputs", "Nombre de simplifications.", "Number of outputs."),
    _count("sources", "Nombre de textes originaux.", "Number of original texts."),
    _count("annotators", "Nombre de personnes.", "Number of annotators."),
    _count("ratings", "Nombre de réponses.", "Number of ratings."),
)
ELSEWHERE = "with_other_annotators"
MODEL_NAMES = {"linear": "linear model", "ordinal": "ordinal model", "own": "own-thresholds model"}
"""By the key under which a report on mixed models has each."""
_OTHERS = (
    "d'autres textes et d'autres personnes du même genre, jamais plus étroit que le précédent",
    "other texts and other annotators of the same kind, never narrower than the one before",
)

SYSTEMS = Table(
    "systems",
    "One row per dimension and system: its mean and its rank",
    (
        _DIMENSION,
        _BETTER,
        _SYSTEM,
        *_N,
        *_figure("mean", "moyenne", "mean"),
        *_bounds(f"mean_{ELSEWHERE}", *_OTHERS),
        *_figure("severity_adjusted_mean", "moyenne sans la sévérité", "mean without severity"),
        _number(
            "rank",
            "Rang; des moyennes égales partagent la moyenne de leurs places. Vide : les tests "
            "disent le contraire des moyennes, ou il n'y a pas de rangs.",
            "Rank; equal means share the mean of their places. Empty: the tests say the opposite "
            "of the means, or there are no ranks.",
        ),
        _count("rank_best", "Meilleur rang que les tests laissent.", "Best place left by tests."),
        _count("rank_worst", "Pire rang que les tests laissent.", "Worst place left by tests."),
        _number(
            "mean_on_common_sources",
            "Moyenne sur les textes de tous les systèmes.",
            "Mean over the texts of all systems.",
        ),
        *_ends("mean", f"mean_{ELSEWHERE}", "severity_adjusted_mean"),
    ),
)
SHARES = Table(
    "system_shares",
    "One row per dimension, system and answer: its share",
    (_DIMENSION, _SYSTEM, _VALUE, *_N, *_figure("share", "part", "share"), *_ends("share")),
)
_COMPARED = (
    _DIMENSION,
    _BETTER,
    *_PAIR,
    *_N,
    *_figure("difference", "différence, premier moins second", "difference, first less second"),
    *_bounds(f"difference_{ELSEWHERE}", *_OTHERS),
    *_figure(
        "superiority",
        "probabilité que le premier soit jugé meilleur, plus haut ou plus bas (better)",
        "probability that the first is judged better, higher or lower (better)",
    ),
    *_figure("cliffs_delta", "delta de Cliff", "Cliff's delta"),
    _number("p", "p du test par échange de signes.", "p of the sign-flip test, two-sided."),
    _number("p_holm", "p après la correction de Holm.", "p after Holm's correction."),
    _count("family", "Tests que corrige Holm.", "Tests over which Holm's correction is."),
    _count("differing", "Textes qui distinguent les deux.", "Texts that tell the two apart."),
    Field("exact", "boolean", "Tous les échanges essayés.", "Whether all exchanges were tried."),
    _count("exchanges", "Échanges essayés.", "Exchanges that were tried."),
    *_ends("difference", f"difference_{ELSEWHERE}", "superiority", "cliffs_delta", "test"),
)
PAIRS = Table(
    "system_pairs", "One row per dimension and two systems: difference, test, effect", _COMPARED
)
UNFLAGGED = Table(
    "system_pairs_unflagged",
    "The same without outputs whose flag explains much; decided afterwards, a family of its own",
    _COMPARED,
)
PAIR_SHARES = Table(
    "system_pair_shares",
    "One row per dimension, two systems and answer: the difference of its shares",
    (
        _DIMENSION,
        *_PAIR,
        _VALUE,
        *_N,
        *_figure("share_difference", "différence des parts", "difference of shares"),
        *_ends("share_difference"),
    ),
)
PAIR_PEOPLE = Table(
    "system_pair_annotators",
    "One row per dimension, two systems and annotator: the difference of their own answers",
    (
        _DIMENSION,
        *_PAIR,
        _text("annotator", "Pseudonyme.", "Pseudonym."),
        _number("difference", "Différence moyenne.", "Mean difference."),
        _count("sources", "Textes où cette personne a jugé les deux.", "Texts judged for both."),
    ),
)
FLAGS = Table(
    "system_flags",
    "One row per dimension and flag that a machine raises: what it explains",
    (
        _DIMENSION,
        _text("flag", "Signe.", "Flag: truncated, identical, language."),
        *_N,
        *_figure(
            "variance_explained",
            "part de la variance des moyennes expliquée",
            "share of the variance of outputs' means explained",
        ),
        _number("mean_flagged", "Moyenne avec le signe.", "Mean with the flag."),
        _number("mean_others", "Moyenne sans le signe.", "Mean without the flag."),
        Field("systems", "json", "Simplifications par système.", "Outputs by system."),
        *_ends("variance_explained"),
    ),
)
FINDINGS = Table(
    "system_findings",
    "One row per system and bracket, type of error or of other marks: how often in a judgment",
    (
        _text(
            "kind",
            "bracket (tranche), error (erreur) ou mark (marque qui n'est pas une erreur).",
            "bracket, error, or mark (one that is no error).",
        ),
        _SYSTEM,
        _text(
            "field",
            "La liste dans laquelle se trouvent les marques qui ne sont pas des erreurs.",
            "The list that marks stand in which are no errors.",
        ),
        _text(
            "of",
            "Tranche, ou type d'erreur ou de marque (any\u00a0: tous).",
            "Bracket, or type of error or mark (any: all of them).",
        ),
        *_N,
        *_figure("rate", "nombre moyen par jugement", "mean number in a judgment"),
        *_ends("rate"),
    ),
)
MODELS = Table(
    "system_models",
    "One row per figure of the mixed models that were fitted",
    (
        _DIMENSION,
        _text(
            "model",
            "linear, ordinal ou own (seuils propres à chaque personne).",
            "linear, ordinal, or own (ordinal with thresholds of each annotator's own).",
        ),
        _text(
            "quantity",
            "mean, difference, variance, log_odds, odds_ratio, threshold, shift, aic ou "
            "log_likelihood.",
            "mean, difference, variance, log_odds, odds_ratio, threshold, shift, aic or "
            "log_likelihood.",
        ),
        _text(
            "of",
            "De quoi\u00a0: système, composante, seuil, personne ou seuils (own, moved).",
            "Of what: system, component, threshold, annotator, or thresholds (own, or the common "
            "ones moved by a shift).",
        ),
        _text(
            "second",
            "Second système d'une différence, ou valeur que borne le seuil d'une personne.",
            "Second system of a difference, or the value that an annotator's threshold is above.",
        ),
        *_N,
        *_figure("estimate", "estimation", "estimate"),
        *_ends("estimate"),
    ),
)


def system_tables(facts: Facts) -> list[SystemTable]:
    """The tables that have a row, in order; none where nothing was compared."""
    if not facts or facts["undefined"] is not None:
        return []
    return [table for table in _ALL if next(iter(table.rows(facts)), None) is not None]


def _cells(name: str, figure: Facts) -> dict[str, Any]:
    return {name: figure["value"], **_ends_of(name, figure)}


def _ends_of(name: str, figure: Facts) -> dict[str, Any]:
    low, high = figure["interval"] or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def _basis(figure: Facts) -> dict[str, Any]:
    return dict(figure["n"])


def _last(main: Facts, /, **figures: Facts) -> dict[str, Any]:
    """The method of ``main``'s interval, all signatures, and what any of them lacks."""
    row = {f"{name}_signature": figure["signature"] for name, figure in figures.items()}
    lacking = {name: figure["undefined"] for name, figure in figures.items() if figure["undefined"]}
    return {"interval_by": main["method"], **row, **_remarks(lacking)}


def _remarks(lacking: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Each reason once, after the names of what lacks for it."""
    remarks: dict[str, dict[str, list[str]]] = {"fr": {}, "en": {}}
    for name, words in lacking.items():
        for language, by_words in remarks.items():
            by_words.setdefault(words[language], []).append(name)
    return {
        f"remark_{language}": " ".join(
            f"{', '.join(names)}{_COLON[language]} {words}" for words, names in by_words.items()
        )
        for language, by_words in remarks.items()
    }


_COLON = {"fr": "\u00a0:", "en": ":"}


def _systems(facts: Facts) -> Iterator[Row]:
    for name, dimension in facts["dimensions"].items():
        ranks = {rank["system"]: rank for rank in dimension["ranks"]}
        for system in dimension["systems"]:
            mean, others = system["mean"], system[f"mean_{ELSEWHERE}"]
            adjusted, rank = system["severity_adjusted_mean"], ranks.get(system["system"])
            row = {
                "dimension": name,
                "better": dimension.get("better"),
                "system": system["system"],
                **_basis(mean),
                **_cells("mean", mean),
                **_ends_of(f"mean_{ELSEWHERE}", others),
                **_cells("severity_adjusted_mean", adjusted),
            }
            if rank is not None:
                row |= {
                    "rank": rank["rank"],
                    "rank_best": rank["between"][0],
                    "rank_worst": rank["between"][1],
                    "mean_on_common_sources": rank["mean_on_common_sources"],
                }
            figures = {
                "mean": mean,
                f"mean_{ELSEWHERE}": others,
                "severity_adjusted_mean": adjusted,
            }
            lacking = {key: figure["undefined"] for key, figure in figures.items()}
            lacking["rank"] = dimension["no_ranks"]
            yield row | _last(mean, **figures) | _remarks({k: w for k, w in lacking.items() if w})


def _shares(facts: Facts) -> Iterator[Row]:
    for name, dimension in facts["dimensions"].items():
        for system in dimension["systems"]:
            for value, share in zip(dimension["scale"], system["shares"], strict=True):
                yield {
                    "dimension": name,
                    "system": system["system"],
                    "value": value,
                    **_basis(share),
                    **_cells("share", share),
                    **_last(share, share=share),
                }


def _compared(key: str) -> Callable[[Facts], Iterator[Row]]:
    def rows(facts: Facts) -> Iterator[Row]:
        for name, dimension in facts["dimensions"].items():
            for comparison in dimension[key]:
                better = dimension.get("better")
                yield {"dimension": name, "better": better, **_comparison(comparison)}

    return rows


def _comparison(comparison: Facts) -> dict[str, Any]:
    test = comparison["test"]
    figures = {
        name: comparison[name] for name in ("difference", f"difference_{ELSEWHERE}", "superiority")
    } | {"cliffs_delta": comparison["cliffs_delta"]}
    lacking = {name: figure["undefined"] for name, figure in figures.items() if figure["undefined"]}
    if comparison["no_test"] is not None:
        lacking["p"] = comparison["no_test"]
    row = {
        "first": comparison["first"],
        "second": comparison["second"],
        **_basis(comparison["difference"]),
        **_ends_of(f"difference_{ELSEWHERE}", comparison[f"difference_{ELSEWHERE}"]),
    }
    for name in ("difference", "superiority", "cliffs_delta"):
        row |= _cells(name, comparison[name])
    if test is not None:
        named = ("p", "p_holm", "family", "differing", "exact", "exchanges")
        row |= {name: test[name] for name in named} | {"test_signature": test["signature"]}
    return row | _last(comparison["difference"], **figures) | _remarks(lacking)


def _pair_shares(facts: Facts) -> Iterator[Row]:
    for name, dimension in facts["dimensions"].items():
        for comparison in dimension["comparisons"]:
            shares = comparison["share_differences"]
            for value, share in zip(dimension["scale"], shares, strict=False):
                yield {
                    "dimension": name,
                    "first": comparison["first"],
                    "second": comparison["second"],
                    "value": value,
                    **_basis(share),
                    **_cells("share_difference", share),
                    **_last(share, share_difference=share),
                }


def _pair_people(facts: Facts) -> Iterator[Row]:
    for name, dimension in facts["dimensions"].items():
        for comparison in dimension["comparisons"]:
            pair = {"dimension": name, "first": comparison["first"], "second": comparison["second"]}
            yield from (pair | person for person in comparison["annotators"])


def _flags(facts: Facts) -> Iterator[Row]:
    for name, dimension in facts["dimensions"].items():
        for flag in dimension["flags"]:
            explained = flag["variance_explained"]
            kept = {key: flag[key] for key in ("flag", "mean_flagged", "mean_others", "systems")}
            yield {
                "dimension": name,
                **kept,
                **_basis(explained),
                **_cells("variance_explained", explained),
                **_last(explained, variance_explained=explained),
            }


def _finding_rates(facts: Facts) -> Iterator[Row]:
    # Snapshots of before counted all marks among errors.
    lists = [(kind, "", facts[f"{kind}_rates"]) for kind in ("bracket", "error")]
    lists += [("mark", name, rates) for name, rates in facts.get("mark_rates", {}).items()]
    for kind, field, rates in lists:
        for system in rates:
            for what, rate in system["rates"].items():
                yield {
                    "kind": kind,
                    "system": system["system"],
                    "field": field,
                    "of": what,
                    **_basis(rate),
                    **_cells("rate", rate),
                    **_last(rate, rate=rate),
                }


def _models(facts: Facts) -> Iterator[Row]:
    for name, report in facts["mixed"].items():
        if report["undefined"] is not None:
            continue
        for model in MODEL_NAMES:
            # Models that were fitted before there were own thresholds have none.
            if model not in report:
                continue
            for quantity, of, second, estimate in _estimates(model, report[model]):
                own = {"signature": estimate["signature"] or report[model]["signature"]}
                yield {
                    "dimension": name,
                    "model": model,
                    "quantity": quantity,
                    "of": of,
                    "second": second,
                    **_basis(estimate),
                    **_cells("estimate", estimate),
                    **_last(estimate, estimate={**estimate, **own}),
                }


_NO_INTERVAL: Facts = dict.fromkeys(("interval", "method", "undefined", "signature"))


def _own_estimates(report: Facts) -> Iterator[tuple[str, str, str, Facts]]:
    """Each annotator's thresholds, and how well this model and the one with a shift describe the
    same answers."""
    for threshold in report["thresholds"]:
        yield "threshold", threshold["annotator"], f"{threshold['value']:g}", threshold["own"]
    for of, fit in (("own", report["fit"]), ("moved", report["fit_of_shift"])):
        for quantity in ("aic", "log_likelihood") if fit else ():
            figure = {"value": fit[quantity], "n": report["n"], "signature": fit["signature"]}
            yield quantity, of, "", {**_NO_INTERVAL, **figure}


def _estimates(model: str, report: Facts) -> Iterator[tuple[str, str, str, Facts]]:
    """What is estimated, of what, against what; common thresholds have no interval."""
    if model == "linear":
        for system in report["systems"]:
            yield "mean", system["system"], "", system
        for difference in report["differences"]:
            yield "difference", difference["first"], difference["second"], difference
        for component in report["components"]:
            yield "variance", component["name"], "", component["variance"]
        return
    for quantity in ("log_odds", "odds_ratio"):
        for difference in report["differences"]:
            yield quantity, difference["first"], difference["second"], difference[quantity]
    if model == "own":
        yield from _own_estimates(report)
        return
    for threshold in report["thresholds"]:
        yield (
            "threshold",
            f"{threshold['value']:g}",
            "",
            {**_NO_INTERVAL, "value": threshold["log_odds"], "n": {}},
        )
    for annotator in report["annotators"]:
        yield "shift", annotator["annotator"], "", annotator


_ALL = (
    SystemTable(SYSTEMS, _systems),
    SystemTable(SHARES, _shares),
    SystemTable(PAIRS, _compared("comparisons")),
    SystemTable(UNFLAGGED, _compared("without_flagged")),
    SystemTable(PAIR_SHARES, _pair_shares),
    SystemTable(PAIR_PEOPLE, _pair_people),
    SystemTable(FLAGS, _flags),
    SystemTable(FINDINGS, _finding_rates),
    SystemTable(MODELS, _models),
)
