"""Departures from a study's plan as the datasheet tells them: what, on which day, why."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from annotation.models import Study
from annotation.protocols.base import Wording
from annotation.selectors.base.redaction import Redaction, redaction
from annotation.selectors.planning.deviations import Deviation, deviations

WORDS = {
    "study_updated": Wording("Réglages changés", "Settings changed"),
    "guide_published": Wording("Version du guide publiée", "Version of the guide published"),
    "glossary_changed": Wording("Glossaire changé", "Glossary changed"),
    "pairs_imported": Wording("Paires importées", "Pairs imported"),
    "frjudge_imported": Wording("Fichier FrJUDGE importé", "FrJUDGE file imported"),
    "released_imported": Wording("Jugements publiés importés", "Released judgments imported"),
    "judgments_imported": Wording(
        "Jugements faits ailleurs importés", "Judgments made elsewhere imported"
    ),
    "items_drawn": Wording("Items tirés d'un document", "Items drawn from a document"),
    "draw_undone": Wording("Tirage d'items défait", "Draw of items undone"),
    "items_moved": Wording("Items passés dans une autre ronde", "Items moved to another round"),
    "part_drawn": Wording(
        "Part des personnes tirée, le reste laissé aux modèles",
        "People's part drawn, the rest left to models",
    ),
    "part_undone": Wording(
        "Tirage de la part des personnes annulé", "Draw of the people's part taken back"
    ),
    "practice_drawn": Wording("Items d'essai tirés", "Practice items drawn"),
    "outputs_adopted": Wording("Sorties de modèles ajoutées", "Outputs of models added"),
    "annotator_added": Wording("Annotateur·rice ajouté·e", "Annotator added"),
    "annotator_brought_back": Wording(
        "Annotateur·rice revenu·e après son départ", "Annotator back after leaving"
    ),
    "annotator_withdrawn": Wording("Annotateur·rice retiré·e", "Annotator withdrawn"),
    "rejudge_requested": Wording(
        "Jugements renvoyés pour être refaits", "Judgments sent back to be made again"
    ),
    "rejudge_cancelled": Wording(
        "Renvoi de jugements annulé", "Sending back of judgments cancelled"
    ),
    "study_state_changed": Wording(
        "Étape passée autrement que prévu", "Step taken otherwise than planned"
    ),
    "meeting_opened": Wording(
        "Réunion ouverte avant que tout le monde ait soumis",
        "Meeting opened before everybody had submitted",
    ),
    "pairs_released": Wording(
        "Paires d'une personne absente libérées", "Pairs of somebody absent released"
    ),
    "plan_set": Wording("Plan d'attribution changé", "Plan of assignments changed"),
}

STATES = {
    "draft": Wording("en préparation", "in preparation"),
    "practice": Wording("ronde d'essai", "practice round"),
    "main": Wording("ronde principale", "main round"),
    "closed": Wording("fermée", "closed"),
}
UNDONE = {
    "pairs": Wording("Chaque clause a une simplification", "Every item has a simplification"),
    "outputs": Wording(
        "Sorties signalées (coupées, autre langue…) tranchées",
        "Flagged outputs (cut off, wrong language…) decided",
    ),
    "runs": Wording(
        "Aucune génération en cours ni suspendue", "No run of models under way or paused"
    ),
    "guide": Wording("Guide publié", "Guide published"),
    "annotators": Wording(
        "Annotateur·rice·s invité·e·s et arrivé·e·s", "Annotators invited and arrived"
    ),
    "invitations": Wording(
        "Plus personne d'invité n'est attendu", "Nobody invited is still awaited"
    ),
    "plan": Wording("Le plan est réalisable", "The plan can be carried out"),
    "pairs_short": Wording(
        "Chaque paire a autant de réponses que le plan en demande",
        "Every pair has as many answers as the plan asks for",
    ),
    "repeats": Wording(
        "Les répétitions silencieuses ont toutes été offertes", "Silent repeats were all offered"
    ),
    "practice": Wording("Une ronde d'essai a eu lieu", "A practice round was held"),
    "practice_done": Wording(
        "Tout le monde a soumis la ronde d'essai", "Everybody has submitted the practice round"
    ),
    "meeting": Wording(
        "La réunion d'essai a été tenue et fermée", "The practice meeting was held and closed"
    ),
    "feedback": Wording(
        "Retour publié sur chaque clause d'essai", "Feedback published on every practice item"
    ),
    "acknowledged": Wording(
        "Tout le monde a confirmé le guide en vigueur",
        "Everybody has confirmed the guide in force",
    ),
    "main_done": Wording(
        "Tout le monde a soumis la ronde principale", "Everybody has submitted the main round"
    ),
    "again": Wording("Ce qui a été renvoyé a été rejugé", "What was sent back was judged again"),
}
"""What a step may pass over with a reason, in the words of the study's page whatever language it is
read in."""

_OF_PERSONS = frozenset({"annotator_withdrawn", "annotator_brought_back", "pairs_released"})
"""Their reason is typed about somebody, whom a letter less among the annotators gives away: an
illness, a failing. What a lead says of it afterwards is written for the datasheet."""
_NAMING = frozenset({"title", "contact"})
"""Settings that name people: whom annotators ask is an address, and a title may hold anything."""


def deviations_in_words(study: Study) -> list[dict[str, Any]]:
    """Every departure, the oldest first: day (UTC), event, words in both languages, the settings'
    former and new values where it is about those, of a step (``step``) from which state to which
    and what of its list was not done, else None, reason ("" where none was given, and where it was
    given of a person and so is withheld), and whether the reason came later.

    Reasons are redacted. Nobody is named: who did it stays in the audit trail.
    """
    redacted = redaction(study)
    return [_deviation_in_words(deviation, redacted) for deviation in deviations(study)]


def _deviation_in_words(deviation: Deviation, redacted: Redaction) -> dict[str, Any]:
    event = deviation.event
    words = WORDS[event.verb]
    is_withheld = event.verb in _OF_PERSONS and not deviation.explained_later
    return {
        "date": event.created_at.astimezone(UTC).date().isoformat(),
        "event": event.verb,
        "fr": words.fr,
        "en": words.en,
        "settings": _settings(event.details, redacted) if event.verb == "study_updated" else {},
        "step": _step(event.details) if event.verb == "study_state_changed" else None,
        "reason": "" if is_withheld else redacted.text(deviation.reason),
        "withheld": is_withheld and bool(deviation.reason.strip()),
        "explained_later": deviation.explained_later,
    }


def _step(details: dict[str, Any]) -> dict[str, Any]:
    """Between which states, and what was passed over, by key and in words; what is on no list any
    more by its key alone."""
    undone = [key for key in str(details.get("against", "")).split(", ") if key]
    return {
        **{side: _state(str(details.get(side, ""))) for side in ("before", "after")},
        "undone": [{"key": key} | _in_both(UNDONE.get(key, Wording(key, key))) for key in undone],
    }


def _state(state: str) -> dict[str, str]:
    return {"state": state} | _in_both(STATES.get(state, Wording(state, state)))


def _in_both(wording: Wording) -> dict[str, str]:
    return {"fr": wording.fr, "en": wording.en}


def _settings(details: dict[str, Any], redacted: Redaction) -> dict[str, list[Any]]:
    """By name: before, after. What may name somebody and says nothing about the plan is left
    out."""
    before, after = details.get("before", {}), details.get("after", {})
    return {
        name: [_redacted_value(before.get(name), redacted), _redacted_value(after[name], redacted)]
        for name in sorted(after)
        if name not in _NAMING
    }


def _redacted_value(value: Any, redacted: Redaction) -> Any:
    return redacted.text(value) if isinstance(value, str) else value
