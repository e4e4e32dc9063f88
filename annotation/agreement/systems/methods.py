"""The sentences for a paper on how systems were compared: what was done, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.agreement.systems.figure import Drawn
from annotation.agreement.systems.resampling import CENTRED
from annotation.protocols.base import NO_WORDING, Better, Level, Wording

Facts = Mapping[str, Any]

_COMPARED = Wording(
    "{systems} systèmes ont été comparés sur les textes où les deux ont été jugés, par "
    "{by}{unflagged}; {intervals}.",
    "{systems} systems were compared over the texts on which both were judged, by "
    "{by}{unflagged}; {intervals}.",
)
_APART = Wording(
    "Aucun des {systems} systèmes n'a été comparé à un autre\u00a0: personne n'a répondu à une "
    "même question pour deux d'entre eux sur les mêmes textes. Chacun est décrit par {by}; "
    "{intervals}.",
    "Not one of the {systems} systems was compared with another: nobody answered the same question "
    "about two of them on the same texts. Each is described by {by}; {intervals}.",
)
_BY_SCALES = Wording(
    "la différence des moyennes de chaque texte et celle des parts de chaque réponse, avec la "
    "probabilité de supériorité et le delta de Cliff",
    "the difference of each text's means and of the shares of each answer, with the probability of "
    "superiority and Cliff's delta",
)
_BY_CLASSES = Wording(
    "la différence des parts de chaque réponse", "the difference of the shares of each answer"
)
_ALONE_BY_SCALES = Wording(
    "sa moyenne et la part de chaque réponse", "its mean and the share of each answer"
)
_ALONE_BY_CLASSES = Wording("la part de chaque réponse", "the share of each answer")
_BY = {
    (True, True): _BY_SCALES,
    (True, False): _BY_CLASSES,
    (False, True): _ALONE_BY_SCALES,
    (False, False): _ALONE_BY_CLASSES,
}
"""Whether systems are compared, and whether some dimension has an order."""
_INTERVALS = Wording(
    "les intervalles à {confidence}\u00a0% rééchantillonnent les textes originaux "
    "({of_means}pour une part celui de Wilson à effectif corrigé{of_differences}; {draws} tirages, "
    "graine {seed}) et valent pour ces annotateurs et d'autres textes{elsewhere}",
    "the {confidence}% intervals resample original texts ({of_means}of a share "
    "Wilson's with the effective number{of_differences}; {draws} draws, seed {seed}) and hold for "
    "these annotators on other texts{elsewhere}",
)
_OF_MEANS = Wording("percentiles élargis, ", "expanded percentiles; ")
_OF_MEANS_AND_DELTAS = Wording(
    "percentiles élargis, centrés sur sa valeur pour le delta de Cliff, ",
    "expanded percentiles, of Cliff's delta centred on its value; ",
)
_OF_DIFFERENCES = Wording(
    " et pour une différence de parts celui de Newcombe qui en vient",
    ", and of a difference of shares Newcombe's from those",
)
_NO_INTERVAL = Wording("aucun intervalle n'a été calculé", "no interval was computed")
_ELSEWHERE = Wording(
    "; ceux des moyennes{and_differences} qui valent aussi pour d'autres personnes viennent de "
    "deux effets aléatoires croisés (t de Cochran) et ne sont jamais plus étroits que les premiers",
    "; those of means{and_differences} that hold for other annotators too come from two crossed "
    "random effects (Cochran's t) and are never narrower than the former",
)
_AND_DIFFERENCES = Wording(" et des différences", " and differences")
_TESTED = Wording(
    "Les p sont ceux d'un test bilatéral qui échange les signes des textes, corrigés selon Holm "
    "sur {tests} {noun}.",
    "P values are those of a two-sided test that exchanges the signs of texts, after Holm's "
    "correction over {tests} {noun}.",
)
_LOWER = Wording(
    "Plus bas est mieux pour {dimensions}\u00a0: les rangs et la probabilité de supériorité "
    "suivent ce sens, les différences et le delta de Cliff restent ceux des valeurs.",
    "Lower is better for {dimensions}: ranks and the probability of superiority follow that side, "
    "differences and Cliff's delta are those of the values.",
)
_NEITHER = Wording(
    "Plus haut n'est ni mieux ni moins bien pour {dimensions}\u00a0: il n'y a pas de rangs, et la "
    "supériorité est celle de valeurs plus hautes.",
    "Higher is neither better nor worse for {dimensions}: there are no ranks, and superiority is "
    "that of higher values.",
)
_UNFLAGGED = Wording(
    "; là où un signe relevé par une machine expliquait beaucoup de la variance, ils l'ont été de "
    "nouveau sans les simplifications qui le portent (décidé après coup)",
    "; where a flag raised by a machine explained much of the variance, they were compared again "
    "without the outputs that bear it (decided afterwards)",
)
_TESTS = (Wording("tests", "tests"), Wording("test", "test"))


def systems_methods(
    dimensions: Mapping[str, Facts],
    *,
    systems: int,
    drawn: Drawn,
    labels: Mapping[str, Wording],
) -> Wording:
    """Of two ``systems`` or more. ``dimensions``: what is known of each, as ``systems.json`` has it
    (``DimensionSystems.as_dict``); ``labels``: what each is called within a sentence."""
    comparisons = [row for facts in dimensions.values() for row in facts["comparisons"]]
    compared = any(row["undefined"] is None for row in comparisons)
    has_means = any(facts["level"] != Level.NOMINAL for facts in dimensions.values())
    again = any(facts["without_flagged"] for facts in dimensions.values())
    said = (_COMPARED if compared else _APART).format(
        systems=systems,
        by=_BY[compared, has_means],
        unflagged=_UNFLAGGED if again else NO_WORDING,
        intervals=_intervals(dimensions, drawn, compared=compared, has_means=has_means),
    )
    sentences = [said, *(_sides(dimensions, labels) if compared else ())]
    tests = next((row["test"]["family"] for row in comparisons if row["test"]), 0)
    if tests:
        sentences.append(_TESTED.format(tests=tests, noun=_TESTS[tests == 1]))
    return Wording(*(" ".join(each.get(code) for each in sentences) for code in ("fr", "en")))


def _intervals(
    dimensions: Mapping[str, Facts], drawn: Drawn, *, compared: bool, has_means: bool
) -> Wording:
    """How they were made, of what has any: of few texts nothing has, and of classes shares alone
    have."""
    profiles = [profile for facts in dimensions.values() for profile in facts["systems"]]
    shares = [share for profile in profiles for share in profile["shares"]]
    if not any(figure["interval"] for figure in (*shares, *(row["mean"] for row in profiles))):
        return _NO_INTERVAL
    elsewhere = NO_WORDING
    if any(profile["mean_with_other_annotators"]["interval"] for profile in profiles):
        differences = _AND_DIFFERENCES if compared else NO_WORDING
        elsewhere = _ELSEWHERE.format(and_differences=differences)
    # Snapshots of before have the delta's percentiles as they were drawn.
    comparisons = (row for facts in dimensions.values() for row in facts["comparisons"])
    centred = any(row["cliffs_delta"].get("method") == CENTRED for row in comparisons)
    of_means = _OF_MEANS_AND_DELTAS if centred else _OF_MEANS
    return _INTERVALS.format(
        confidence=f"{100 * drawn.confidence:g}",
        of_means=of_means if has_means else NO_WORDING,
        of_differences=_OF_DIFFERENCES if compared else NO_WORDING,
        draws=drawn.draws,
        seed=drawn.seed,
        elsewhere=elsewhere,
    )


def _sides(dimensions: Mapping[str, Facts], labels: Mapping[str, Wording]) -> Iterator[Wording]:
    """On which scales lower is better, or neither side; snapshots of before do not say."""
    for better, said in ((Better.LOWER, _LOWER), (Better.NEITHER, _NEITHER)):
        named = [
            labels[name]
            for name, facts in dimensions.items()
            if facts["level"] != Level.NOMINAL and facts.get("better") == better
        ]
        if named:
            listed = (", ".join(label.get(code) for label in named) for code in ("fr", "en"))
            yield said.format(dimensions=Wording(*listed))
