"""The sentences for a paper on how systems were compared: what was done, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.agreement.systems.figure import Drawn
from annotation.protocols.base import NO_WORDING, Wording

_COMPARED = Wording(
    "{systems} systèmes ont été comparés sur les textes que les deux ont simplifiés, par "
    "{by}{unflagged}; "
    "les intervalles à {confidence}\u00a0% rééchantillonnent les textes originaux (percentiles "
    "élargis, pour une part celui de Wilson à effectif corrigé et pour une différence de parts "
    "celui de Newcombe qui en vient; {draws} tirages, graine {seed}) et valent pour ces "
    "annotateurs et d'autres textes{elsewhere}.",
    "{systems} systems were compared over the texts that both simplified, by {by}{unflagged}; the "
    "{confidence}% intervals resample original texts (expanded percentiles; of a share Wilson's "
    "with the effective number, and of a difference of shares Newcombe's from those; {draws} "
    "draws, seed {seed}) and hold for these annotators on other texts{elsewhere}.",
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
_ELSEWHERE = Wording(
    "; ceux des moyennes et des différences qui valent aussi pour d'autres personnes viennent de "
    "deux effets aléatoires croisés (t de Cochran) et ne sont jamais plus étroits que les premiers",
    "; those of means and differences that hold for other annotators too come from two crossed "
    "random effects (Cochran's t) and are never narrower than the former",
)
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
    *,
    systems: int,
    has_means: bool,
    again: bool,
    tests: int,
    drawn: Drawn,
    lower: Sequence[Wording] = (),
    neither: Sequence[Wording] = (),
) -> Wording:
    """Of two ``systems`` or more. ``has_means``: some dimension has an order. ``again``: they were
    compared without flagged outputs too. ``tests``: over how many Holm's correction is. ``lower``
    and ``neither``: what the scales are called of which lower is better, or neither side."""
    by = _BY_SCALES if has_means else _BY_CLASSES
    unflagged = _UNFLAGGED if again else NO_WORDING
    elsewhere = _ELSEWHERE if has_means else NO_WORDING
    noun = _TESTS[tests == 1]

    def sentences(language: str) -> str:
        said = _COMPARED.get(language).format(
            systems=systems,
            by=by.get(language),
            unflagged=unflagged.get(language),
            confidence=f"{100 * drawn.confidence:g}",
            draws=drawn.draws,
            seed=drawn.seed,
            elsewhere=elsewhere.get(language),
        )
        for words, scales in ((_LOWER, lower), (_NEITHER, neither)):
            if scales:
                named = ", ".join(scale.get(language) for scale in scales)
                said = f"{said} {words.get(language).format(dimensions=named)}"
        if not tests:
            return said
        return f"{said} {_TESTED.get(language).format(tests=tests, noun=noun.get(language))}"

    return Wording(sentences("fr"), sentences("en"))
