"""The stated rule by which a scorer may replace the current one. A person still presses the button,
with a reason."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.protocols.base import Wording
from annotation.scoring.bootstrap import Comparison

FEWEST_ITEMS = 30
RULE = Wording(
    "Promu si, sur des éléments jugés par des personnes et jamais vus, la corrélation monte ou "
    "l'erreur baisse avec un intervalle apparié qui exclut zéro, sans que l'autre mesure se "
    "dégrade de la même façon, et si la part de fausses acceptations de la sonde ne monte pas.",
    "Promoted if, on human-judged items never seen, correlation rises or error falls with a paired "
    "interval that excludes zero, while the other measure does not worsen in the same way, and the "
    "probe's false-accept share does not rise.",
)
FIRST_RULE = Wording(
    f"Aucun évaluateur n'est en service : le premier est promu si, sur au moins {FEWEST_ITEMS} "
    "éléments jugés par des personnes et jamais vus, son erreur est plus basse que celle de la "
    "moyenne répétée partout, avec un intervalle apparié qui exclut zéro, et si la sonde des "
    "modifications de droit a été passée.",
    f"No scorer is in service: the first one is promoted if, on at least {FEWEST_ITEMS} "
    "human-judged items never seen, its error is lower than that of the mean repeated everywhere, "
    "with a paired interval that excludes zero, and if the legal-edit probe was run.",
)


@dataclass(frozen=True)
class Decision:
    """Whether the rule allows promotion, with every reason for and against in both languages."""

    is_promoted: bool
    reasons: tuple[Wording, ...]


def decide(
    comparison: Comparison,
    *,
    candidate_false_accept: float | None,
    current_false_accept: float | None,
) -> Decision:
    """``RULE``: ``comparison`` with the current scorer on held-out human items; shares in 0…1, None
    unknown."""
    gains, losses = _by_interval(comparison)
    against = [
        *losses,
        *_false_accept(candidate_false_accept, current_false_accept),
        *_too_few(comparison),
    ]
    if not gains:
        against.append(
            Wording(
                "Aucun progrès établi : les intervalles appariés contiennent zéro.",
                "No established gain: the paired intervals contain zero.",
            )
        )
    return Decision(not against, (*gains, *against))


def decide_first(
    against_mean: Comparison | None, *, candidate_false_accept: float | None
) -> Decision:
    """``FIRST_RULE``: ``against_mean`` compares with the training labels' mean as everybody's
    score, on out-of-fold scores; None where the training has no such comparison."""
    nothing = Wording("Aucun évaluateur n'est en service.", "No scorer is in service.")
    if against_mean is None:
        unknown = Wording(
            "Son rapport ne le compare pas à la moyenne : relancez l'entraînement.",
            "Its report does not compare it with the mean: train again.",
        )
        return Decision(False, (nothing, unknown))
    change, interval = against_mean.rmse.value.value, against_mean.rmse.interval
    against = [*_false_accept(candidate_false_accept, None), *_too_few(against_mean)]
    if change is None or change >= 0 or not interval.excludes_zero:
        against.append(
            Wording(
                (
                    "Son erreur n'est pas plus basse, de façon établie, que celle de la moyenne "
                    "répétée partout."
                ),
                (
                    "Its error is not established to be lower than that of the mean repeated "
                    "everywhere."
                ),
            )
        )
        return Decision(False, (nothing, *against))
    gain = Wording(
        f"Face à la moyenne répétée partout, l'erreur quadratique (RMSE) change de {_fr(change)} "
        f"(intervalle apparié {_fr(interval.low)} à {_fr(interval.high)}).",
        f"Against the mean repeated everywhere, RMSE changes by {change:+.3f} (paired interval "
        f"{interval.low:+.3f} to "
        f"{interval.high:+.3f}).",
    )
    return Decision(not against, (nothing, gain, *against))


def _fr(value: float | None, form: str = "+.3f") -> str:
    return f"{value:{form}}".replace(".", ",")


def _too_few(comparison: Comparison) -> list[Wording]:
    if comparison.items >= FEWEST_ITEMS:
        return []
    return [
        Wording(
            f"Seulement {comparison.items} éléments de test : il en faut {FEWEST_ITEMS}.",
            f"Only {comparison.items} test items: it takes {FEWEST_ITEMS}.",
        )
    ]


def _by_interval(comparison: Comparison) -> tuple[list[Wording], list[Wording]]:
    gains: list[Wording] = []
    losses: list[Wording] = []
    # RMSE is better when it falls.
    for fr, en, difference, sign in (
        ("La corrélation de Pearson", "Pearson correlation", comparison.pearson, 1),
        ("L'erreur quadratique (RMSE)", "RMSE", comparison.rmse, -1),
    ):
        value = difference.value.value
        if value is None or not difference.interval.excludes_zero:
            continue
        low, high = difference.interval.low, difference.interval.high
        words = Wording(
            f"{fr} change de {_fr(value)} (intervalle apparié {_fr(low)} à {_fr(high)}).",
            f"{en} changes by {value:+.3f} (paired interval {low:+.3f} to {high:+.3f}).",
        )
        (gains if value * sign > 0 else losses).append(words)
    return gains, losses


def _false_accept(candidate: float | None, current: float | None) -> list[Wording]:
    if candidate is None:
        return [
            Wording(
                (
                    "La sonde des modifications de droit n'a pas été passée, ou elle ne donne pas "
                    "de part à comparer."
                ),
                "The legal-edit probe was not run, or gives no share to compare.",
            )
        ]
    if current is not None and candidate > current:
        return [
            Wording(
                f"La part de fausses acceptations monte de {_fr(100 * current, '.1f')} % à "
                f"{_fr(100 * candidate, '.1f')} %.",
                f"The false-accept share rises from {current:.1%} to {candidate:.1%}.",
            )
        ]
    return []
