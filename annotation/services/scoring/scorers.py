"""Which scorer is in service, put there by a person with a reason, under a stated rule; and how to
go back.

A scorer in service is a row with files that never change. Who scores asks for the row each time and
reads the files from a folder named after their digests: nobody can read half of one and half of
another.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.errors import RuleError
from annotation.models import Scorer, ScorerPromotion, User
from annotation.protocols.base import Wording
from annotation.scoring.bootstrap import Comparison, Difference, Interval
from annotation.scoring.metrics import Metric
from annotation.scoring.promotion import FIRST_RULE, RULE, Decision, decide, decide_first
from annotation.services.platform.events import event_record
from annotation.services.platform.stored_files import folder_fetch, folder_mend

_FOR_COMPARISON = Wording(
    "Il suit une recette publiée, faite pour la comparaison seule : des textes sources de ses "
    "éléments de test sont aussi dans l'entraînement. Entraînez-en un sans recette.",
    "It follows a published recipe, which is for comparison alone: source texts of its test items "
    "are in training too. Train one without a preset.",
)


def scorer_in_service(target: str) -> Scorer | None:
    """The one that scores for this target; None where there is none."""
    return Scorer.objects.filter(target=target, promoted_at__isnull=False).first()


def scorer_decision(scorer: Scorer) -> Decision:
    """What the stated rule says of putting this scorer into service now.

    The comparison is the one of its own report; where another scorer has come into service since,
    there is none.
    """
    current = scorer_in_service(scorer.target)
    if current == scorer:
        return Decision(False, (Wording("Il est déjà en service.", "It is in service already."),))
    if scorer.training_run.preset:
        return Decision(False, (_FOR_COMPARISON,))
    report = scorer.training_run.report
    if current is None:
        return decide_first(_against_mean(report), candidate_false_accept=scorer.false_accept)
    stored = report.get("comparison") or {}
    if stored.get("current") != current.version:
        return Decision(False, (_not_compared(current),))
    if stored.get("result") is None:
        return Decision(False, (Wording(stored["undefined"]["fr"], stored["undefined"]["en"]),))
    return decide(
        comparison_from_dict(stored["result"]),
        candidate_false_accept=_on_same_cases(stored, scorer),
        current_false_accept=stored["current_false_accept"],
    )


def _against_mean(report: dict[str, Any]) -> Comparison | None:
    """By its out-of-fold scores, as a scorer in service is compared. A training of before has the
    test side of its kept seed alone."""
    if "against_mean" in report:
        return comparison_from_dict(report["against_mean"])
    rows = report.get("against_baselines", ())
    return next((comparison_from_dict(row) for row in rows if row["name"] == "mean"), None)


def _on_same_cases(stored: dict[str, Any], scorer: Scorer) -> float | None:
    """Of the probe's cases and the place that the scorer in service was measured on too; None where
    there are none. A run of before noted no such share: then of all cases."""
    if "candidate_false_accept" not in stored:
        return scorer.false_accept
    share: float | None = stored["candidate_false_accept"]
    return share


def scorer_rule(target: str) -> Wording:
    """The stated rule of the next promotion: another one while none is in service."""
    return FIRST_RULE if scorer_in_service(target) is None else RULE


@transaction.atomic
def scorer_promote(*, actor: User, scorer: Scorer, reason: str) -> ScorerPromotion:
    """Put a scorer into service in place of the current one.

    Raises ``RuleError`` without a reason, and where the stated rule is against it, with the rule's
    own words.
    """
    reason = _reason(reason)
    _lock(scorer.target)
    scorer.refresh_from_db()
    decision = scorer_decision(scorer)
    if not decision.is_promoted:
        raise RuleError.single(
            "scorer",
            "rule_refuses",
            " ".join(words.fr for words in decision.reasons),
            " ".join(words.en for words in decision.reasons),
        )
    # Whoever would serve it must be able to read it.
    scorer_folder(scorer)
    made = _switch(
        scorer.target, scorer, ScorerPromotion.Kind.PROMOTE, actor, reason, _plain(decision)
    )
    event_record(
        actor=actor, verb="scorer_promoted", target=scorer, version=scorer.version, reason=reason
    )
    return made


@transaction.atomic
def scorer_revert(*, actor: User, target: str, reason: str) -> ScorerPromotion:
    """Go back to the scorer that the current one replaced; to none, if it replaced none.

    Raises ``RuleError`` without a reason, or where none is in service.
    """
    reason = _reason(reason)
    _lock(target)
    current = scorer_in_service(target)
    if current is None:
        raise RuleError.single(
            "scorer",
            "none_in_service",
            "Aucun évaluateur n'est en service.",
            "No scorer is in service.",
        )
    last = ScorerPromotion.objects.filter(target=target, kind="promote", scorer=current).first()
    former = last.replaced if last else None
    made = _switch(target, former, ScorerPromotion.Kind.REVERT, actor, reason, {})
    event_record(
        actor=actor,
        verb="scorer_reverted",
        target=current,
        version=former.version if former else "",
        instead_of=current.version,
        reason=reason,
    )
    return made


def scorer_folder(scorer: Scorer) -> Path:
    """A local folder with the scorer's files, every one compared with its SHA-256 when it was
    fetched.

    Raises ``ScoringError`` for a missing or damaged file.
    """
    return folder_fetch(scorer.files, _folder_name(scorer))


def scorer_folder_mend(scorer: Scorer) -> bool:
    """Fetch the scorer's files anew where one of them was damaged on this machine. False where none
    was. Raises ``ScoringError``."""
    return folder_mend(scorer.files, _folder_name(scorer))


def _folder_name(scorer: Scorer) -> str:
    listed = json.dumps({name: facts["sha256"] for name, facts in sorted(scorer.files.items())})
    return hashlib.sha256(listed.encode()).hexdigest()[:32]


def comparison_from_dict(stored: dict[str, Any]) -> Comparison:
    """A comparison that a report holds, as ``asdict`` wrote it there."""

    def difference(name: str) -> Difference:
        entry = stored[name]
        interval = {**entry["interval"], "undefined": _wording(entry["interval"]["undefined"])}
        value = Metric(entry["value"]["value"], _wording(entry["value"]["undefined"]))
        return Difference(value, Interval(**interval))

    return Comparison(stored["items"], difference("pearson"), difference("rmse"))


def _wording(stored: dict[str, str] | None) -> Wording | None:
    return Wording(**stored) if stored else None


def _plain(decision: Decision) -> dict[str, Any]:
    return {
        "is_promoted": decision.is_promoted,
        "reasons": [asdict(words) for words in decision.reasons],
    }


def _reason(given: str) -> str:
    if not given.strip():
        raise RuleError.single("reason", "required", "Dites pourquoi.", "Say why.")
    return given.strip()


def _lock(target: str) -> None:
    """Two admins at once: the second sees what the first did."""
    list(Scorer.objects.select_for_update().filter(target=target).values_list("pk"))


def _switch(
    target: str,
    scorer: Scorer | None,
    kind: str,
    actor: User,
    reason: str,
    decision: dict[str, Any],
) -> ScorerPromotion:
    current = scorer_in_service(target)
    if current is not None:
        Scorer.objects.filter(pk=current.pk).update(
            promoted_at=None, promoted_by=None, promoted_reason=""
        )
    if scorer is not None:
        Scorer.objects.filter(pk=scorer.pk).update(
            promoted_at=timezone.now(), promoted_by=actor, promoted_reason=reason
        )
    return ScorerPromotion.objects.create(
        target=target,
        kind=kind,
        scorer=scorer,
        replaced=current,
        actor=actor,
        reason=reason,
        decision=decision,
    )


def _not_compared(current: Scorer) -> Wording:
    return Wording(
        (
            f"Il n'a pas été comparé à l'évaluateur en service (v{current.version}) : relancez "
            "l'entraînement."
        ),
        f"It was not compared with the scorer in service (v{current.version}): train again.",
    )
