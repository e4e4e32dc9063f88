"""Rulings on what disagrees. Raw judgments are never touched; a ruling that is replaced stays in
the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation import answers as storage
from annotation.agreement.disputes import (
    DisputeRules,
    dispute_rules,
    rules_problems,
    scale_widths,
)
from annotation.errors import RuleError
from annotation.models import Adjudication, AdjudicationRules, Simplification, Study, User
from annotation.protocols.base import Problem, Wording
from annotation.protocols.kinds import ShapeError
from annotation.selectors.agreement.adjudication import (
    case_digest,
    counted_field,
    ruling_of,
    seen_digest,
    voices,
)
from annotation.selectors.agreement.reliability import scale_of
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import study_row_lock

Outcome = Adjudication.Outcome
LONGEST_REASONS = 5000


@transaction.atomic
def adjudication_rules_set(*, actor: User, study: Study, rules: dict[str, Any]) -> DisputeRules:
    """Set what counts as a disagreement; without ``score_ranges``, single scales keep theirs.
    Raises ``RuleError`` naming each threshold that makes no sense on the scales of the study's
    protocol."""
    study_row_lock(study.pk, no_key=True)
    widths = scale_widths(study.protocol)
    if "score_ranges" not in rules:
        stored = AdjudicationRules.objects.filter(study=study).first()
        rules = rules | {"score_ranges": stored.rules.get("score_ranges", {}) if stored else {}}
    if problems := rules_problems(rules, widths):
        raise RuleError(problems)
    chosen = dispute_rules(rules, widths)
    AdjudicationRules.objects.update_or_create(study=study, defaults={"rules": chosen.as_dict()})
    event_record(
        actor=actor, study=study, verb="adjudication_rules_set", target=study, **chosen.as_dict()
    )
    return chosen


@dataclass(frozen=True)
class Ruling:
    """What a lead decided on one dimension: "settled" as a value of its scale, or "divided": two
    readings hold. Of a dimension that counts marks, ``marks`` are those that stand, as an answer
    has them, and the value is how many.

    ``digest``: of the judgments and the ruling that were on the page (``seen_digest``), where it
    was one.
    """

    outcome: str
    reasons: str
    value: int | None = None
    marks: list[Any] | None = None
    saw_pseudonyms: bool = False
    digest: str = ""


@transaction.atomic
def adjudicate(
    *, actor: User, study: Study, simplification: Simplification, dimension: str, ruling: Ruling
) -> Adjudication:
    """Record a ruling; a former one is superseded and stays in the record.

    Raises ``RuleError`` for a value off the scale, missing reasons, a pair that nobody has judged,
    or judgments or a ruling that changed since the page was opened.
    """
    study_row_lock(study.pk)
    if dimension not in study.protocol.dimensions:
        raise RuleError.single("dimension", "unknown", "Dimension inconnue.", "Unknown dimension.")
    marks = _marks_that_stand(study, simplification, dimension, ruling)
    if marks is not None:
        ruling = replace(ruling, value=len(marks))
    _check(study, dimension, ruling)
    case_voices = voices(study, simplification, named=False)
    current = case_digest(study, simplification, case_voices, dimension)
    former = ruling_of(simplification, dimension)
    if former is not None and _is_repeated(former, actor, ruling, marks, current):
        return former
    if not case_voices:
        raise RuleError([_JUDGED_SINCE])
    _check_seen(simplification, dimension, current, former, ruling.digest)
    if former is not None:
        former.superseded_at = timezone.now()
        former.save(update_fields=["superseded_at"])
    stored = Adjudication.objects.create(
        study=study,
        simplification=simplification,
        dimension=dimension,
        outcome=ruling.outcome,
        value=ruling.value if ruling.outcome == Outcome.SETTLED else None,
        marks=marks,
        reasons=ruling.reasons.strip(),
        saw_pseudonyms=ruling.saw_pseudonyms,
        judgments_digest=current,
        decided_by=actor,
    )
    event_record(
        actor=actor,
        study=study,
        verb="adjudicated",
        target=simplification,
        dimension=dimension,
        outcome=stored.outcome,
        value=stored.value,
        replaced=former is not None,
        saw_pseudonyms=stored.saw_pseudonyms,
    )
    return stored


@transaction.atomic
def adjudication_withdraw(
    *,
    actor: User,
    study: Study,
    simplification: Simplification,
    dimension: str,
    shown: int | None = None,
) -> bool:
    """Take a ruling back; False where there was none. It stays in the record.

    ``shown``: of the ruling that was on the page, where it was one. Raises ``RuleError`` where
    another is in force by now.
    """
    study_row_lock(study.pk)
    ruling = ruling_of(simplification, dimension)
    if ruling is None:
        return False
    if shown is not None and shown != ruling.pk:
        raise RuleError([_ruled_since(ruling, _READ_BEFORE_TAKING_BACK)])
    ruling.superseded_at = timezone.now()
    ruling.save(update_fields=["superseded_at"])
    event_record(
        actor=actor,
        study=study,
        verb="adjudication_withdrawn",
        target=simplification,
        dimension=dimension,
    )
    return True


def _is_repeated(
    former: Adjudication, actor: User, ruling: Ruling, marks: list[Any] | None, judgments: str
) -> bool:
    """Whether a page sent its form twice: the ruling in force is this one."""
    value = ruling.value if ruling.outcome == Outcome.SETTLED else None
    wanted = (ruling.outcome, value, marks, ruling.reasons.strip(), ruling.saw_pseudonyms)
    return bool(ruling.digest) and (actor.pk, judgments, *wanted) == (
        former.decided_by_id,
        former.judgments_digest,
        former.outcome,
        former.value,
        former.marks,
        former.reasons,
        former.saw_pseudonyms,
    )


def _check_seen(
    pair: Simplification,
    dimension: str,
    judgments: str,
    ruling: Adjudication | None,
    seen: str,
) -> None:
    """Refuses what was decided on a page that shows other judgments than there are, or another
    ruling than the one in force; it says which. Nothing is checked where nothing was ``seen``."""
    if not seen or seen == seen_digest(judgments, ruling):
        return
    of_case = Adjudication.objects.filter(simplification=pair, dimension=dimension)
    if seen not in {seen_digest(judgments, former) for former in (None, *of_case)}:
        raise RuleError([_JUDGED_SINCE])
    raise RuleError([_ruled_since(ruling, _READ_BEFORE_RULING)])


_READ_BEFORE_RULING = Wording(
    "relisez-la, puis enregistrez la vôtre si elle doit la remplacer.",
    "read it, then record yours again if it is to replace it.",
)
_READ_BEFORE_TAKING_BACK = Wording(
    "relisez-la, puis retirez-la si elle ne doit pas valoir.",
    "read it, then take it back if it is not to stand.",
)


def _ruled_since(ruling: Adjudication | None, remedy: Wording) -> Problem:
    if ruling is None:
        return _TAKEN_BACK_SINCE
    fr, en = (str(ruling.decided_by),) * 2 if ruling.decided_by else ("quelqu'un", "somebody")
    words = _in_words(ruling)
    return Problem(
        "digest",
        "ruled",
        Wording(
            f"Depuis que la page a été ouverte, {fr} a rendu une décision ({words.fr}) : "
            f"{remedy.fr}",
            f"Since the page was opened, {en} has made a ruling ({words.en}): {remedy.en}",
        ),
    )


def _in_words(ruling: Adjudication) -> Wording:
    if ruling.value is None:
        return Wording("légitimement divisé", "legitimately divided")
    options = ruling.study.protocol.dimension(ruling.dimension).options
    label = next((option.label for option in options if option.value == ruling.value), None)
    fr, en = (f" {label.fr}", f" {label.en}") if label else ("", "")
    return Wording(f"tranché : {ruling.value}{fr}", f"settled: {ruling.value}{en}")


_JUDGED_SINCE = Problem(
    "digest",
    "changed",
    Wording(
        "Les jugements ont changé depuis que la page a été ouverte : relisez-les, puis tranchez.",
        "The judgments have changed since the page was opened: read them again, then rule.",
    ),
)
_TAKEN_BACK_SINCE = Problem(
    "digest",
    "ruled",
    Wording(
        "La décision affichée a été retirée depuis que la page a été ouverte : enregistrez la "
        "vôtre de nouveau si elle doit valoir quand même.",
        "The ruling on the page was taken back since it was opened: record yours again if it is "
        "to stand all the same.",
    ),
)


def _marks_that_stand(
    study: Study, pair: Simplification, dimension: str, ruling: Ruling
) -> list[Any] | None:
    """The marks of a ruling on a dimension that counts them; a note is what whoever rules wrote.
    None where there are none to rule on. Raises ``RuleError`` as a submission with these marks
    would be refused."""
    field = counted_field(study, dimension)
    if field is None or ruling.outcome != Outcome.SETTLED:
        return None
    if ruling.marks is None:
        raise RuleError.single(
            "marks",
            "required",
            "Dites quelles marques sont retenues; une liste vide dit qu'aucune ne l'est.",
            "Say which marks stand; an empty list says that none does.",
        )
    try:
        marks = field.clean(ruling.marks)
    except ShapeError as error:
        raise RuleError([error.problem]) from error
    facts = storage.facts(
        original=pair.item.original,
        simplification=pair.text,
        is_identical=pair.is_identical,
        language=pair.language,
    )
    if problems := field.problems({field.name: marks}, facts, study.rulings):
        raise RuleError(problems)
    return list(marks)


def _check(study: Study, dimension: str, ruling: Ruling) -> None:
    if ruling.outcome not in Outcome.values:
        raise RuleError.single(
            "outcome",
            "required",
            "Choisissez : tranché ou légitimement divisé.",
            "Choose: settled or divided.",
        )
    if ruling.outcome == Outcome.SETTLED:
        _check_value(scale_of(study.protocol, dimension), ruling.value)
    if not ruling.reasons.strip():
        raise RuleError.single(
            "reasons",
            "required",
            "Donnez les raisons juridiques : elles sont publiées avec l'étiquette.",
            "Give the legal reasons: they are published with the label.",
        )
    if len(ruling.reasons) > LONGEST_REASONS:
        raise RuleError.single(
            "reasons",
            "too_long",
            f"Au plus {LONGEST_REASONS} caractères ({len(ruling.reasons)} reçus).",
            f"At most {LONGEST_REASONS} characters ({len(ruling.reasons)} received).",
        )


def _check_value(scale: Sequence[int], value: int | None) -> None:
    if value is None:
        raise RuleError.single(
            "value",
            "required",
            "Choisissez une valeur de l'échelle.",
            "Choose a value of the scale.",
        )
    if value in scale:
        return
    fr, en = _bounds(scale)
    raise RuleError.single(
        "value",
        "off_scale",
        f"{value} n'est pas une valeur de l'échelle ({fr}).",
        f"{value} is no value of the scale ({en}).",
    )


def _bounds(scale: Sequence[int]) -> tuple[str, str]:
    """In French and in English; classes may be numbered anyhow."""
    low, high = scale[0], scale[-1]
    step = scale[1] - low if len(scale) > 1 else 1
    if list(scale) != list(range(low, high + 1, step)):
        return (", ".join(map(str, scale)),) * 2
    if step == 1:
        return f"de {low} à {high}", f"from {low} to {high}"
    return f"de {low} à {high}, par pas de {step}", f"from {low} to {high}, in steps of {step}"
