"""A study's systems with the help of models that judged or scored every output, where people judged
a part that was drawn at random."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation.agreement.systems.figure import Drawn, wording_facts
from annotation.agreement.systems.table import Output
from annotation.agreement.systems.with_models import Helped, Helper, Voices, with_models
from annotation.models import Annotator, GenerationSystem, Item, PeoplePart, Simplification, Study
from annotation.protocols.base import Wording
from annotation.selectors.agreement.reliability import (
    PEOPLE,
    StudyRatings,
    level_of,
    scale_of,
    study_ratings,
)
from annotation.selectors.agreement.scored_pairs import PairTexts, score_helpers, scores_newest
from annotation.selectors.planning.parts import part_problem, people_part

MACHINE = (Annotator.Kind.MACHINE.value,)
_DRAWN, _LEFT = Item.Round.MAIN.value, Item.Aside.MACHINE.value


@dataclass(frozen=True)
class SystemsHelped:
    """``dimensions``: by name, one entry per model. ``problem``: why the models can help nobody;
    what each of them is off is told all the same. ``passages`` texts were drawn ``of`` so many,
    with ``seed`` (all 0 where no part was drawn)."""

    dimensions: Mapping[str, tuple[Helped, ...]]
    problem: Wording | None
    passages: int = 0
    of: int = 0
    seed: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {
            "undefined": wording_facts(self.problem),
            "draw": {"passages": self.passages, "of": self.of, "seed": self.seed}
            if self.of
            else None,
            "dimensions": {
                name: [model.as_dict() for model in models]
                for name, models in self.dimensions.items()
            },
        }


def systems_helped(study: Study, drawn: Drawn, *, withdrawn: bool = True) -> SystemsHelped | None:
    """Everything, for the main round; None where no model judges and no part was drawn. A handful
    of queries, and one for each scorer. Scorers and metrics that were brought in stand beside
    models that judge where a part was drawn, on the dimension that scorers predict."""
    part, models = people_part(study), _models(study)
    if part is None and not models:
        return None
    problem, draw = part_problem(study, part), _draw(part)
    people = study_ratings(study, round=_DRAWN, kinds=PEOPLE, withdrawn=withdrawn)
    judged = [
        study_ratings(study, round=part_round, kinds=MACHINE) for part_round in (_DRAWN, _LEFT)
    ]
    texts = _texts(study)
    sides = [
        [Output(unit.key, unit.system, unit.source) for unit in ratings.items] for ratings in judged
    ]
    scored = _scored(study, judged, texts) if part is not None else {}
    if not models and not scored:
        return SystemsHelped({}, problem or NO_MODEL, **draw)
    predicted = study.protocol.predicted
    return SystemsHelped(
        {
            name: per_model
            for name, table in people.tables.items()
            if (
                per_model := with_models(
                    Voices(
                        level_of(study.protocol, name),
                        scale_of(study.protocol, name),
                        table,
                        _by_model(judged, name, models) | (scored if name == predicted else {}),
                    ),
                    *sides,
                    drawn=drawn,
                    refused=problem,
                )
            )
        },
        problem,
        **draw,
    )


NO_MODEL = Wording(
    "Aucun modèle n'a jugé\u00a0: lancez une passe de jugement sur la ronde principale, qui prend "
    "aussi ce qui lui a été laissé, ou demandez les notes de l'évaluateur une fois l'étude fermée.",
    "No model has judged: start a judging run over the main round, which takes what was left to "
    "models too, or ask for the scorer's scores once the study is closed.",
)


def outputs_newest(study: Study) -> str:
    """Part of a key in a cache: changes whenever a simplification or a score comes to the study,
    and with its state, before whose end no score is shown; three queries."""
    newest = Simplification.objects.filter(item__study=study).order_by("-pk")
    last = newest.values_list("pk", flat=True).first() or 0
    parts = (study.state, last, *scores_newest(study))
    return "-".join(map(str, parts))


def _draw(part: PeoplePart | None) -> dict[str, int]:
    if part is None:
        return {}
    return {"passages": part.passages, "of": part.of, "seed": part.seed}


def _models(study: Study) -> dict[str, str]:
    """By pseudonym, what each model that judges is called: "M1 · judge-gpt"."""
    judges = study.annotators.filter(kind=Annotator.Kind.MACHINE).values_list("pk", "pseudonym")
    names = dict(
        GenerationSystem.objects.filter(judge__study=study)
        .order_by("pk")
        .values_list("judge_id", "name")
    )
    return {
        pseudonym: " · ".join(filter(None, (pseudonym, names.get(pk)))) for pk, pseudonym in judges
    }


class _Texts(NamedTuple):
    """Both texts of a simplification."""

    original: str
    simplification: str


def _texts(study: Study) -> dict[int, _Texts]:
    """By simplification id."""
    pairs = Simplification.objects.filter(item__study=study, item__round__in=(_DRAWN, _LEFT))
    rows = pairs.order_by().values_list("pk", "item__original", "text")
    return {pk: _Texts(*rest) for pk, *rest in rows}


def _scored(
    study: Study, judged: Sequence[StudyRatings], texts: Mapping[int, _Texts]
) -> dict[str, Helper]:
    """Scorers and metrics; none where the protocol has nothing that scorers predict."""
    if not study.protocol.predicted:
        return {}
    pairs = [
        PairTexts(unit.pk, unit.key, texts[unit.pk].original, texts[unit.pk].simplification)
        for ratings in judged
        for unit in ratings.items
        if unit.system
    ]
    return score_helpers(study, pairs)


def _by_model(
    judged: Sequence[StudyRatings], name: str, models: Mapping[str, str]
) -> dict[str, Helper]:
    """What each model said of the outputs of both sides."""
    rows: dict[str, dict[Hashable, float]] = {label: {} for label in models.values()}
    for ratings in judged:
        table = ratings.tables[name]
        for unit, rater, value in zip(
            table.unit_index.tolist(),
            table.rater_index.tolist(),
            table.values.tolist(),
            strict=True,
        ):
            label = models[str(table.rater_ids[rater])]
            rows[label][table.unit_ids[unit]] = value
    return {label: Helper(values) for label, values in rows.items() if values}
