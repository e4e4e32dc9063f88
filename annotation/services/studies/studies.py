"""A study's life: made, set, opened, closed; its guide published."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Max

from annotation.errors import RuleError
from annotation.models import (
    Assignment,
    GuideVersion,
    Lead,
    PublishedProtocol,
    Study,
    User,
    plan_of,
)
from annotation.protocols.base import Problem, RulingRefused, Wording
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import UnknownProtocol, is_composed, named, published
from annotation.selectors.guides.acknowledgement import guide_in_force
from annotation.selectors.planning.context_arm import pairs_opened
from annotation.selectors.studies.life import BACKWARD, next_states
from annotation.selectors.studies.readiness import unmet
from annotation.selectors.watching.progress import has_judgments
from annotation.services.base.standings import assignments_hold
from annotation.services.planning.assignments import assignments_fill, main_pairs_undo
from annotation.services.planning.context_arm import context_redraw
from annotation.services.planning.controls import controls_make
from annotation.services.platform.events import event_record
from annotation.services.platform.study_rows import study_row_lock, study_row_lock_open
from annotation.services.studies.going_back import round_take_back

SETTINGS = (
    "title",
    "language",
    "rulings",
    "licence",
    "guidance_seconds",
    "hours_budget",
    "hourly_rate",
    "pay_currency",
    "contact",
    "is_blind",
    "context_arm",
    "reminder_after_days",
    "reminder_gap_days",
    "aid_renderings",
    "aid_glossary",
)
# The highest that makes sense: a day for one pair, a working life for one annotator.
MOST = {"guidance_seconds": 86_400, "hours_budget": 100_000}
_FIELDS = frozenset(field.name for field in Study._meta.concrete_fields)
DEFAULT_PROTOCOL = "legal_meaning"
# Words that stand where a study's key does in addresses.
RESERVED_KEYS = ("new",)
_TAKEN = Problem(
    "key",
    "taken",
    Wording(
        "Cette clé est déjà prise : choisissez-en une autre.", "This key is taken: choose another."
    ),
)


@transaction.atomic
def study_create(
    *,
    actor: User | None,
    key: str,
    title: str,
    lead: User | None = None,
    protocol_key: str = DEFAULT_PROTOCOL,
    protocol_version: str = "",
    rulings: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Study:
    """A new study in preparation, led by ``lead`` (by the actor where none is named).

    ``protocol_version``: the latest where none is named. ``rulings``: those that are not at their
    default. Raises ``RuleError`` where the key is taken or no key, for a protocol that is not
    there, and for rulings that it does not leave to studies.
    """
    _check_free(key)
    pinned = protocol_named(protocol_key, protocol_version)
    _hold(pinned)
    study = Study(
        key=key,
        title=title,
        protocol_key=pinned.key,
        protocol_version=pinned.version,
        rulings=_ruled(pinned, rulings or {}),
        **fields,
    )
    _check(study, _FIELDS)
    try:
        with transaction.atomic():
            study.save()
    except IntegrityError as error:
        raise RuleError([_TAKEN]) from error  # in this very moment
    first = lead or actor
    if first is not None:
        Lead.objects.create(study=study, user=first)
    event_record(
        actor=actor,
        study=study,
        verb="study_created",
        target=study,
        key=key,
        seed=study.seed,
        **({"user": lead.pk} if lead is not None else {}),
    )
    return study


def _hold(pinned: Protocol) -> None:
    """Nobody removes it until the study stands there. Raises ``RuleError`` where they have, or
    where its installing was never stored."""
    if not is_composed(pinned):
        return  # whoever runs Barème has installed it, whatever somebody did on a page
    kept = PublishedProtocol.objects.filter(key=pinned.key, version=pinned.version)
    held = kept.select_for_update().first()
    if held is None or held.installed_at is None or held.removed_at is not None:
        raise RuleError.single(
            "protocol_key",
            "unknown",
            f"Le protocole « {pinned.name} » vient d'être retiré : choisissez-en un autre.",
            f"The protocol “{pinned.name}” has just been removed: choose another.",
        )


def _check_free(key: str) -> None:
    """Keys stand in names of files, and some computers take capitals and small letters for the
    same. Raises ``RuleError``."""
    there = Study.objects.filter(key__iexact=key).values_list("key", flat=True).first()
    if there is None and key.lower() not in RESERVED_KEYS:
        return
    if there in (None, key):
        raise RuleError([_TAKEN])
    raise RuleError.single(
        "key",
        "taken",
        f"L'étude « {there} » ne s'en distingue que par des majuscules : choisissez une autre clé.",
        f"The study “{there}” differs from it by capitals alone: choose another key.",
    )


@transaction.atomic
def study_update(*, actor: User, study: Study, **changes: Any) -> Study:
    """Change settings. Raises ``RuleError`` for one that would give stored scores another meaning,
    and for looking into a blind round that is open."""
    study = study_row_lock(study.pk)
    unknown = set(changes) - set(SETTINGS)
    if unknown:
        raise TypeError(f"not a setting of a study: {', '.join(sorted(unknown))}")
    if "rulings" in changes:
        changes["rulings"] = _ruled(study.protocol, {**study.rulings, **changes["rulings"]})
    changed = {name: new for name, new in changes.items() if getattr(study, name) != new}
    ruled = [
        name for name, new in changed.get("rulings", {}).items() if new != study.rulings.get(name)
    ]
    if ruled and has_judgments(study):
        raise RuleError.single(
            ruled[0],
            "frozen",
            (
                "Des jugements ont été rendus sous ce réglage : il ne change plus. Créez une autre "
                "étude."
            ),
            (
                "Judgments were made under this setting: it does not change any more. Create "
                "another study."
            ),
        )
    _check_blindness(study, changed)
    _check_context_arm(study, changed)
    before = {name: getattr(study, name) for name in changed}
    # Ruling by ruling in the trail, as everything else that is set.
    before |= {name: before["rulings"].get(name) for name in ruled}
    after = changed | {name: changed["rulings"][name] for name in ruled}
    for side in (before, after):
        side.pop("rulings", None)
    for name, new in changed.items():
        setattr(study, name, new)
    # What a version without today's bounds has stored stays until somebody changes it.
    _check(study, changed)
    if changed:
        study.save(update_fields=list(changed))
        if "context_arm" in changed:
            context_redraw(study)
        event_record(
            actor=actor,
            study=study,
            verb="study_updated",
            target=study,
            before=before,
            after=after,
        )
    return study


def protocol_named(key: str, version: str = "") -> Protocol:
    """The published protocol, in its highest version where none is named. Raises ``RuleError`` with
    what there is."""
    try:
        return named(key, version)
    except UnknownProtocol as error:
        there_are = published()
        known = ", ".join(protocol.name for protocol in there_are)
        name = f"{key} {version}".strip()
        raise RuleError.single(
            "protocol_version" if any(each.key == key for each in there_are) else "protocol_key",
            "unknown",
            f"Il n'y a pas de protocole «\u00a0{name}\u00a0». Publiés : {known}.",
            f"There is no protocol “{name}”. Published: {known}.",
        ) from error


def _ruled(protocol: Protocol, rulings: Mapping[str, Any]) -> dict[str, str | bool]:
    try:
        return protocol.clean_rulings(rulings)
    except RulingRefused as error:
        problem = Problem(f"rulings.{error.name}", error.code, error.words)
        raise RuleError([problem]) from error


def _check_blindness(study: Study, changed: dict[str, Any]) -> None:
    """A blind round stays blind while it is open: else a setting would be a peephole."""
    if study.hides_answers() and "is_blind" in changed:
        raise RuleError.single(
            "is_blind",
            "round_open",
            (
                "La ronde principale est ouverte et à l'insu de qui dirige : fermez-la d'abord "
                "pour lire les réponses."
            ),
            "The main round is open and blind for its leads: close it first to read the answers.",
        )


def _check_context_arm(study: Study, changed: dict[str, Any]) -> None:
    if "context_arm" not in changed:
        return
    assignments_hold(Assignment.objects.filter(annotator__study=study))
    if pairs_opened(study):
        raise RuleError.single(
            "context_arm",
            "frozen",
            (
                "Des paires ont été ouvertes sous ce réglage : il ne change plus. Créez une autre "
                "étude."
            ),
            (
                "Pairs were opened under this setting: it does not change any more. Create another "
                "study."
            ),
        )


@transaction.atomic
def study_change_state(*, actor: User | None, study: Study, to: str, reason: str = "") -> Study:
    """Move a study on, or back with a reason. Opening a round fills the assignments; going back
    from the main round takes them from everybody, as long as nobody has saved anything.

    A step that leaves something of the readiness list undone needs a reason as well, and the record
    says what was undone. Raises ``RuleError`` where the step does not exist, has nothing to judge,
    or lacks its reason.
    """
    study = study_row_lock_open(study.pk)
    if to not in next_states(study):
        raise RuleError.single(
            "state",
            "no_such_step",
            (
                f"Une étude « {study.get_state_display()} » ne peut pas passer à cet état. "
                "Rechargez la page."
            ),
            f"A study that is “{study.state}” cannot move to “{to}”. Reload the page.",
        )
    if (
        to in ("practice", "main")
        and not study.items.filter(round=to, simplifications__isnull=False).exists()
    ):
        raise RuleError.single(
            "state",
            "nothing_to_judge",
            (
                "Cette ronde n'a aucune paire à juger : importez des paires ou générez des "
                "simplifications d'abord."
            ),
            "This round has no pair to judge: import pairs or generate simplifications first.",
        )
    undone = unmet(study, to)
    _check_reason(study, to, reason, undone)
    taken = round_take_back(study) if _leaves_main(study, to) else {}
    before, study.state = study.state, to
    study.save(update_fields=["state"])
    if to == "main":
        made = controls_make(actor=actor, study=study, plan=plan_of(study))
        if made and before != Study.State.CLOSED:
            # The practice round gave out every main pair: behind these, everybody's control pairs
            # would be the last of their list. All are drawn together, as nobody has seen one yet.
            main_pairs_undo(study)
    if to in ("practice", "main"):
        assignments_fill(actor=actor, study=study)
    against = {"against": ", ".join(undone)} if undone else {}
    event_record(
        actor=actor,
        study=study,
        verb="study_state_changed",
        target=study,
        before=before,
        after=to,
        reason=reason.strip(),
        **against,
        **taken,
    )
    return study


def _leaves_main(study: Study, to: str) -> bool:
    return study.state == Study.State.MAIN and to != Study.State.CLOSED


def _check_reason(study: Study, to: str, reason: str, undone: list[str]) -> None:
    if reason.strip():
        return
    if (study.state, to) in BACKWARD:
        raise RuleError.single(
            "reason", "required", "Dites pourquoi vous revenez en arrière.", "Say why you go back."
        )
    if undone:
        raise RuleError.single(
            "reason",
            "unready",
            (
                "Il reste des points de la liste à régler : réglez-les, ou dites pourquoi vous "
                "passez outre."
            ),
            "Something on the list is not done: do it, or say why you go on without it.",
        )


@transaction.atomic
def guide_publish(
    *,
    actor: User | None,
    study: Study,
    body_fr: str,
    body_en: str = "",
    builds_on: int | None = None,
) -> GuideVersion:
    """Publish the next version of the guide.

    ``builds_on``: the number of the version that it was made from, 0 where there was none; None
    follows whichever is in force. Raises ``RuleError`` for an empty or an unchanged one, and where
    another version than that is in force.
    """
    study_row_lock(study.pk)
    if not body_fr.strip():
        raise RuleError.single(
            "body_fr",
            "required",
            "Le guide en français est vide : écrivez-le d'abord.",
            "The French guide is empty.",
        )
    current = guide_in_force(study)
    if current and (current.body_fr, current.body_en) == (body_fr, body_en):
        raise RuleError.single(
            "body_fr",
            "unchanged",
            "Rien n'a changé depuis la version publiée.",
            "Nothing has changed since the published version.",
        )
    number = current.number if current else 0
    if builds_on not in (None, number):
        raise RuleError.single(
            "builds_on",
            "changed",
            (
                f"La version {number} est en vigueur, publiée depuis que vous avez commencé : "
                "reprenez ce qu'elle a changé, puis publiez encore."
            ),
            (
                f"Version {number} is in force, published since you began: take over what it "
                "changed, then publish again."
            ),
        )
    last = study.guides.aggregate(last=Max("number"))["last"] or 0
    guide = GuideVersion.objects.create(
        study=study, number=last + 1, body_fr=body_fr, body_en=body_en, published_by=actor
    )
    event_record(
        actor=actor, study=study, verb="guide_published", target=guide, number=guide.number
    )
    return guide


def _check(study: Study, names: Collection[str]) -> None:
    """Validation of these fields as a ``RuleError``, with Django's own messages."""
    for name, most in MOST.items():
        if name in names and getattr(study, name) > most:
            raise RuleError.single(name, "too_large", f"Au plus {most}.", f"At most {most}.")
    try:
        # Its protocol has read the rulings; one that leaves nothing to studies has none.
        study.full_clean(
            exclude={"rulings", *(_FIELDS - set(names))},
            validate_unique=False,
            validate_constraints=False,
        )
    except ValidationError as error:
        name, messages = next(iter(error.message_dict.items()))
        raise RuleError.single(name, "invalid", messages[0], messages[0]) from error
