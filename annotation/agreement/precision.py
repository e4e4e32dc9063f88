"""How many annotators and texts it takes: how wide the intervals of a study will be, before it is
run.

Ratings are drawn from the model of a generalizability study (``generalizability``): a source text,
an output of it, an annotator and a rest, each normal, on the scale that the dimension has. What
estimates of such studies spread by is taken apart into what further texts take away and what only
further annotators do (two-way random model with nesting; Brennan 2001, *Generalizability Theory*,
chapter 4), so that one simulation tells the width for any number of texts. Widths are those that a
study can state about itself: Student's t of as many texts, and for other annotators too the
interval of ``systems.crossed``, which does not know beforehand that people differ by nothing: few
people make it wide, also of a difference in which nobody's severity is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from annotation.agreement.systems.crossed import FEWEST_PEOPLE
from annotation.agreement.systems.resampling import FEWEST_SOURCES
from annotation.agreement.table import FloatArray, IntArray
from annotation.agreement.two_values import LOOSE, Cut, cut
from annotation.protocols.base import Wording

MEAN, DIFFERENCE, PAIR = "mean", "difference", "pair"
TARGETS = (DIFFERENCE, MEAN, PAIR)
"""What a half-width can be asked of: the difference between two systems over the texts, one
system's mean, one output's mean."""

TEAMS, TEXT_SETS = 1000, 4
"""How many teams of annotators are drawn, and how many sets of texts each of them judges."""
MOST_TEXTS = 100_000
_TEXTS = 40
_SHARES = 16
"""Of equal chance, of what so many people seem to differ by."""
_AT_ONCE = 2_000_000

NO_FIT = Wording(
    "Cette moyenne et ces écarts-types ne tiennent pas sur une échelle de {lowest} à "
    "{highest}\u00a0: l'écart-type total ({deviation}) dépasse ce qui y est possible autour de "
    "{mean}.",
    "This mean and these standard deviations do not fit a scale from {lowest} to {highest}: the "
    "total deviation ({deviation}) is more than it can be around {mean}.",
)

ONE_DEVIATION = Wording(
    "Sur une échelle de deux valeurs, la moyenne dit aussi l'écart-type : autour de {mean} "
    "il est de {expected}, et non de {deviation}.",
    "On a scale of two values the mean says the standard deviation too: around {mean} it is "
    "{expected}, not {deviation}.",
)


class Cost(NamedTuple):
    """What a design asks for: ``judgments`` in all, ``hours`` of people."""

    judgments: int
    hours: float


@dataclass(frozen=True)
class Assumptions:
    """What ratings are expected to be: their mean, variances in points², and the ``scale``
    (ascending; empty where any number may be given).

    ``sources``: between texts; ``outputs``: between outputs of one text; ``annotators``: one is
    stricter than another; ``rest``: who judged which output, and chance.
    """

    mean: float
    sources: float
    outputs: float
    annotators: float
    rest: float
    scale: tuple[float, ...] = ()

    @property
    def total(self) -> float:
        return self.sources + self.outputs + self.annotators + self.rest


class Met(NamedTuple):
    """Variances, for one text: what chance adds to that by which people seem to differ, and how
    much of it the study itself knows for chance and takes off."""

    added: float
    known: float


class ImpossibleAssumptions(ValueError):
    """No ratings on the scale have such a mean and variance. ``reason`` says so in words."""

    def __init__(self, reason: Wording) -> None:
        super().__init__(reason.en)
        self.reason = reason


@dataclass(frozen=True)
class Precision:
    """What ``per_pair`` of ``annotators`` give. ``within``: standard deviation, for one text, of
    what further texts take away, by MEAN and DIFFERENCE; ``team``: of what they do not; ``met``:
    what chance does to both; ``pair``: of one output's mean around its value for everybody who
    might judge."""

    per_pair: int
    annotators: int
    within: dict[str, float]
    team: dict[str, float]
    met: dict[str, Met]
    pair: float

    def half_width(
        self, target: str, texts: int, *, confidence: float = 0.95, others: bool = True
    ) -> float | None:
        """Expected half-width, in points, of the interval for other texts and, with ``others``,
        other annotators too. None where a study gives no interval (``agreement.systems``): from
        too few texts, or of too few annotators for others. An output's mean is of other
        annotators, whatever ``others`` says, and owes nothing to the number of texts."""
        if target == PAIR:
            return _z(confidence) * self.pair
        if texts < FEWEST_SOURCES or (others and self.annotators < FEWEST_PEOPLE):
            return None
        return float(self._half_widths(target, np.array([texts]), confidence, others)[0])

    def texts_for(
        self, target: str, half_width: float, *, confidence: float = 0.95, others: bool = True
    ) -> int | None:
        """The fewest texts with at most this half-width; None where no number of them does."""
        if target == PAIR:
            return 1 if _z(confidence) * self.pair <= half_width else None
        if others and self.annotators < FEWEST_PEOPLE:
            return None
        texts = np.arange(FEWEST_SOURCES, MOST_TEXTS + 1)
        enough = self._half_widths(target, texts, confidence, others) <= half_width
        return int(texts[enough.argmax()]) if enough.any() else None

    def _half_widths(
        self, target: str, texts: IntArray, confidence: float, others: bool
    ) -> FloatArray:
        from scipy.stats import chi2, t  # type: ignore[import-untyped]

        tail = (1 + confidence) / 2
        of_texts = (self.within[target] ** 2 / texts)[:, None]
        alone = t.ppf(tail, texts - 1)[:, None]
        if not others:
            return np.asarray((alone * np.sqrt(of_texts))[:, 0])
        freedom, met = self.annotators - 1, self.met[target]
        # What so few people seem to differ by is now more, now less.
        shares = chi2.ppf((np.arange(_SHARES) + 0.5) / _SHARES, freedom)
        of_people = (self.team[target] ** 2 + met.added / texts)[:, None] * shares / shares.mean()
        both = of_texts + of_people
        tails = np.divide(
            alone * of_texts + t.ppf(tail, freedom) * of_people,
            both,
            out=np.zeros(both.shape),
            where=both > 0,
        )
        variance = np.maximum(both - met.known / texts[:, None], np.maximum(of_texts, of_people))
        least = alone * np.sqrt(of_texts)
        return np.asarray(np.maximum(tails * np.sqrt(variance), least).mean(axis=1))


def cost(texts: int, systems: int, per_pair: int, seconds: float) -> Cost:
    """``texts``, each with an output of each system, judged by ``per_pair`` in ``seconds`` each."""
    judgments = texts * systems * per_pair
    return Cost(judgments, judgments * seconds / 3600)


def precision(
    assumed: Assumptions, *, annotators: int, per_pair: int, seed: int, teams: int = TEAMS
) -> Precision:
    """Simulate studies of two systems, ``per_pair`` of ``annotators`` judging each output in
    rotating teams.

    Raises ``ImpossibleAssumptions`` as ``latent`` does, ``ValueError`` for more judges per output
    than there are.
    """
    if not 1 <= per_pair <= annotators:
        raise ValueError(f"{per_pair} of {annotators} annotators: not possible")
    drawn = _Simulation(assumed, latent(assumed), annotators, per_pair)
    rng = np.random.default_rng(seed)
    strictness = rng.permutation(_normal_scores(teams))
    # Of each output a number for each of its people, and a bit for everybody.
    step = max(_AT_ONCE // (TEXT_SETS * 2 * drawn.texts * max(per_pair, annotators // 8)), 1)
    blocks = [drawn.draw(rng, strictness[start : start + step]) for start in range(0, teams, step)]
    parts = {
        MEAN: _parts([block[0] for block in blocks], drawn.texts),
        DIFFERENCE: _parts([block[1] for block in blocks], drawn.texts),
    }
    errors = np.concatenate([block[2] for block in blocks])
    return Precision(
        per_pair=per_pair,
        annotators=annotators,
        within={name: part[0] ** 0.5 for name, part in parts.items()},
        team={name: part[1] ** 0.5 for name, part in parts.items()},
        met=_met(assumed, annotators, per_pair),
        pair=float(np.sqrt((errors**2).mean())),
    )


def _met(assumed: Assumptions, annotators: int, per_pair: int) -> dict[str, Met]:
    """Where everybody judges everything, what texts and outputs are is the same for all of them;
    else it is a part of what people seem to differ by. Of one answer to an output it is not known
    which part of it is chance; of two outputs of a text it is."""
    own = 1 - per_pair / annotators
    added = (assumed.rest + own * (assumed.sources + assumed.outputs)) / per_pair
    known = assumed.rest / per_pair
    return {
        MEAN: Met(added, known if per_pair > 1 else 0.0),
        DIFFERENCE: _met_apart(assumed, annotators, per_pair),
    }


def _met_apart(assumed: Assumptions, annotators: int, per_pair: int) -> Met:
    """Of a difference, by how many judge both outputs of a text. Where nobody does, each answer is
    seen against its own system's mean, with whatever the text and the person are in it."""
    from scipy.stats import hypergeom

    number = np.arange(per_pair + 1)
    likely = hypergeom.pmf(number, annotators, per_pair, per_pair)
    none, both = float(likely[0]), likely[1:]
    common = number[1:]
    # Everybody together departs from the mean by nothing: a part of what they share falls out.
    wider = annotators / max(annotators - 1, 1)
    shared = wider * (1 - common / annotators)
    whole = wider * (assumed.sources + (1 - per_pair / annotators) * assumed.outputs)
    apart = assumed.annotators + assumed.rest
    added = 2 * float(both @ ((assumed.rest + shared * assumed.outputs) / common))
    added += 2 * none * (whole + apart) / per_pair
    answers, free = 2 * per_pair, 2 * per_pair - 1
    squares = 2 * assumed.rest * float(both @ (common - 1))
    squares += none * (answers * (assumed.sources + assumed.outputs / 2) + free * apart)
    left = float(both @ (common - 1)) + none * free
    weights = float(both @ (1 / common)) + 2 * none / per_pair
    return Met(added, weights * squares / left if left > 0 else 0.0)


def _normal_scores(number: int) -> FloatArray:
    """So many values spread like a standard normal's, with its mean and deviation: of as many that
    are drawn these would be others from seed to seed, and so would whatever they make."""
    from scipy.special import ndtri  # type: ignore[import-untyped]

    scores: FloatArray = ndtri((np.arange(number) + 0.5) / number)
    spread = float(scores.std(ddof=1)) if number > 1 else 0.0
    return scores / spread if spread else scores


class _Chance(NamedTuple):
    """What sets of texts make of one estimate, by team. ``by_text``: variance between texts of the
    answers without anybody's severity, and twice what it shares with severity, (teams,).
    ``severe``: what severity adds to the estimate, (teams, sets)."""

    by_text: FloatArray
    severe: FloatArray

    @classmethod
    def of(cls, plain: FloatArray, given: FloatArray) -> _Chance:
        """From each text's values without and with severity, (teams, sets, texts). One text's
        answers say nothing of another's but by who judges both, so that all that severity has no
        part in is known from each single text, far better than from a few sets of them."""
        severe = given - plain
        apart = plain - plain.mean(axis=2, keepdims=True)
        shared = (apart * (plain + 2 * severe)).sum(axis=2) / (plain.shape[2] - 1)
        return cls(shared.mean(axis=1), severe.mean(axis=2))


class Latent(NamedTuple):
    """The normal that gives the assumed mean and variance once it is put on the scale."""

    mean: float
    deviation: float


def latent(assumed: Assumptions) -> Latent:
    """The normal behind ratings on a scale: values are rounded to the nearest point and end where
    the scale does, so its own mean and deviation are others than those of the ratings.

    Raises ``ImpossibleAssumptions`` where no normal gives them.
    """
    target = (assumed.mean, assumed.total**0.5)
    if not assumed.scale or assumed.total == 0:
        return Latent(*target)
    if len(assumed.scale) == 2:
        border = sum(assumed.scale) / 2
        return Latent(border + _cut(assumed).mean, 1.0)
    from scipy.optimize import root  # type: ignore[import-untyped]

    def miss(point: FloatArray) -> list[float]:
        mean, variance = _on_scale(np.array(point[0]), float(np.exp(point[1])), assumed.scale)
        return [float(mean) - target[0], float(variance) ** 0.5 - target[1]]

    solution = root(miss, [target[0], np.log(target[1])], method="hybr")
    if not solution.success or max(map(abs, miss(solution.x))) > 1e-6:
        lowest, highest = assumed.scale[0], assumed.scale[-1]
        raise ImpossibleAssumptions(
            NO_FIT.format(
                lowest=f"{lowest:g}",
                highest=f"{highest:g}",
                deviation=_points(target[1]),
                mean=_points(target[0]),
            )
        )
    return Latent(float(solution.x[0]), float(np.exp(solution.x[1])))


def _cut(assumed: Assumptions) -> Cut:
    """Of a scale of two values. Raises ``ImpossibleAssumptions`` where its mean gives another
    deviation than is assumed."""
    lowest, highest = assumed.scale
    above = (assumed.mean - lowest) / (highest - lowest)
    expected = (highest - lowest) * max(above * (1 - above), 0.0) ** 0.5
    deviation = assumed.total**0.5
    if not expected or abs(deviation / expected - 1) > LOOSE:
        raise ImpossibleAssumptions(
            ONE_DEVIATION.format(
                mean=_points(assumed.mean), expected=_points(expected), deviation=_points(deviation)
            )
        )
    parts = (assumed.sources, assumed.outputs, assumed.annotators)
    return cut(above, *(part / assumed.total for part in parts))


def _points(value: float) -> Wording:
    """0.1827 as «0,18» and “0.18”; whole numbers as they are."""
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return Wording(shown.replace(".", ","), shown)


class _Simulation:
    """Ratings of two systems' outputs of the same texts."""

    def __init__(
        self, assumed: Assumptions, hidden: Latent, annotators: int, per_pair: int
    ) -> None:
        self.scale = np.array(assumed.scale, dtype=np.float64)
        self.mean = hidden.mean
        wider = hidden.deviation / assumed.total**0.5 if assumed.total else 0.0
        parts: Sequence[float] = [
            wider * part**0.5
            for part in (assumed.sources, assumed.outputs, assumed.annotators, assumed.rest)
        ]
        if len(assumed.scale) == 2 and assumed.total:
            parts = _cut(assumed).parts
        self.sources, self.outputs, self.severity, self.rest = parts
        self.annotators, self.per_pair = annotators, per_pair
        # Enough that everybody judges; what more texts would give is a matter of their number.
        self.texts = max(_TEXTS // max(per_pair // 5, 1), 8, -(-annotators // (2 * per_pair)))

    def draw(
        self, rng: np.random.Generator, strictness: FloatArray
    ) -> tuple[_Chance, _Chance, FloatArray]:
        """Of one system's mean and of the difference between the two; and how far each output's
        mean is from its value for everybody, shape (teams × …,). ``strictness``: of each team as a
        whole, as a standard normal has it."""
        teams = len(strictness)
        shape = (teams, TEXT_SETS, self.texts, 2)
        severity = rng.standard_normal((teams, 1, self.annotators))
        severity -= severity.mean(axis=2, keepdims=True)
        severity += strictness[:, None, None] / self.annotators**0.5
        severity *= self.severity
        value = self.mean + self.outputs * rng.standard_normal(shape)
        value += self.sources * rng.standard_normal((*shape[:3], 1))
        given = value[..., None] + self.rest * rng.standard_normal((*shape, self.per_pair))
        who = self._teams(rng, teams)
        counted = self._counted(who)
        # Whatever severity adds is seen against the same answers without it: the rest of what
        # chance does to an estimate falls out, which would pass for a part of the team's.
        plain, plain_gap = self._estimates(given, counted)
        given += np.take_along_axis(
            np.broadcast_to(severity, (teams, TEXT_SETS, self.annotators)),
            who.reshape(teams, TEXT_SETS, -1),
            axis=2,
        ).reshape(given.shape)
        of_pair, gap = self._estimates(given, counted)
        spread = (self.severity**2 + self.rest**2) ** 0.5
        expected = _expected(value, spread, tuple(self.scale)) if len(self.scale) else value
        return (
            _Chance.of(plain[..., 0], of_pair[..., 0]),
            _Chance.of(plain_gap, gap),
            (of_pair - expected).ravel(),
        )

    def _teams(self, rng: np.random.Generator, teams: int) -> IntArray:
        """Who judges each output, (teams, sets, texts, 2, per pair): loads as even as can be, and
        always other company."""
        outputs, k = self.texts * 2, self.per_pair
        # After so many outputs everybody had equally many, and all change places.
        turn = self.annotators // math.gcd(self.annotators, k)
        turns = -(-outputs // turn)
        order = rng.random((teams, TEXT_SETS, outputs)).argsort(axis=-1)
        people = rng.random((teams, TEXT_SETS, turns, self.annotators)).argsort(axis=-1)
        place = ((order % turn)[..., None] * k + np.arange(k)) % self.annotators
        place += (order // turn)[..., None] * self.annotators
        who = np.take_along_axis(
            people.reshape(teams, TEXT_SETS, -1), place.reshape(teams, TEXT_SETS, -1), axis=2
        )
        return np.asarray(who.reshape(teams, TEXT_SETS, self.texts, 2, k))

    def _estimates(self, given: FloatArray, counted: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Each output's mean, and each text's difference, of which ``counted`` says what answers
        weigh."""
        answers = self._placed(given)
        apart = (counted * answers).sum(axis=-1)
        return answers.mean(axis=-1), apart[..., 0] - apart[..., 1]

    def _counted(self, who: IntArray) -> FloatArray:
        """What each answer weighs in the difference on its text, in the shape of ``who``: where
        people judged both outputs theirs alone, as on the page on systems
        (``systems.differences``)."""
        judged = np.zeros((*who.shape[:-1], self.annotators), dtype=bool)
        np.put_along_axis(judged, who, values=True, axis=-1)
        both = judged.all(axis=-2, keepdims=True)
        counted = np.take_along_axis(np.broadcast_to(both, judged.shape), who, axis=-1)
        counted |= ~both.any(axis=-1, keepdims=True)
        return np.asarray(counted / counted.sum(axis=-1, keepdims=True))

    def _placed(self, values: FloatArray) -> FloatArray:
        """On the scale: the nearest of its points."""
        if not len(self.scale):
            return values
        borders = (self.scale[1:] + self.scale[:-1]) / 2
        return np.asarray(self.scale[np.searchsorted(borders, values)])


def _expected(center: FloatArray, deviation: float, scale: tuple[float, ...]) -> FloatArray:
    """The mean of ``_on_scale`` for many centers, read off a curve: within a hundred thousandth of
    the scale's length."""
    lowest, highest = float(np.min(center)), float(np.max(center))
    step = deviation / 64
    if not step or (highest - lowest) / step > np.size(center):
        return _on_scale(center, deviation, scale)[0]
    curve: FloatArray = np.arange(lowest, highest + step, step)
    return np.interp(center, curve, _on_scale(curve, deviation, scale)[0])


def _on_scale(
    center: FloatArray, deviation: float, scale: tuple[float, ...]
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of normal values around ``center`` once they are put on the scale, in the
    shape of ``center``."""
    from scipy.special import ndtr

    points = np.array(scale, dtype=np.float64)
    borders = (points[1:] + points[:-1]) / 2
    mean = np.full(np.shape(center), points[0])
    square = np.full(np.shape(center), points[0] ** 2)
    for place, border in enumerate(borders):
        above = (
            ndtr((center - border) / deviation)
            if deviation
            else np.asarray(center > border, dtype=np.float64)
        )
        mean += (points[place + 1] - points[place]) * above
        square += (points[place + 1] ** 2 - points[place] ** 2) * above
    return mean, square - mean**2


def _parts(drawn: Sequence[_Chance], texts: int) -> tuple[float, float]:
    """What one text's estimates spread by under one team, and what teams add to that by their
    severity alone (variances), from sets of so many ``texts``.

    The second by a one-way analysis of variance of the differences that severity makes; 0 where
    chance explains them (F test at 1 %): what is left of it would be a floor that no number of
    texts gets below.
    """
    from scipy.stats import f

    by_text = np.concatenate([chance.by_text for chance in drawn])
    severe = np.concatenate([chance.severe for chance in drawn])
    teams, sets = severe.shape
    noise = float(severe.var(axis=1, ddof=1).mean())
    within = max(float(by_text.mean()) + texts * noise, 0.0)
    between = float(severe.mean(axis=1).var(ddof=1))
    if between * sets <= noise * f.ppf(0.99, teams - 1, teams * (sets - 1)):
        return within, 0.0
    return within, between - noise / sets


def _z(confidence: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))


def as_settings(assumed: Assumptions) -> dict[str, Any]:
    """The assumptions as JSON-safe values."""
    return {
        "mean": round(assumed.mean, 6),
        "variances": {
            "sources": round(assumed.sources, 6),
            "outputs": round(assumed.outputs, 6),
            "annotators": round(assumed.annotators, 6),
            "rest": round(assumed.rest, 6),
        },
        "scale": list(assumed.scale),
    }
