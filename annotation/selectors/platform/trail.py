"""What was done to this installation and to accounts, in no study: who may do what, log-ins,
scorers, backups, composed protocols."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q, QuerySet

from annotation.models import Event, User

_OF_ACCOUNTS = User._meta.model_name


def trail_of_installation() -> QuerySet[Event]:
    """Everything that was done in no study, the newest first."""
    return Event.objects.filter(study__isnull=True).select_related("actor").order_by("-pk")


def trail_about(trail: QuerySet[Event], wanted: str) -> QuerySet[Event]:
    """What people did, or was done with their accounts, whose name or address has these letters in
    it."""
    people = User.objects.filter(Q(name__icontains=wanted) | Q(email__icontains=wanted))
    ids = list(people.values_list("pk", flat=True))
    account = Q(target_type=_OF_ACCOUNTS, target_id__in=[str(pk) for pk in ids])
    return trail.filter(Q(actor__in=ids) | account)


def accounts_meant(events: Iterable[Event]) -> dict[int, User]:
    """By event id, the account that each was done with, where that is not whoever did it; a
    query."""
    of_accounts = {
        event.pk: int(event.target_id) for event in events if event.target_type == _OF_ACCOUNTS
    }
    known = User.objects.in_bulk(of_accounts.values())
    actors = {event.pk: event.actor_id for event in events}
    return {
        event: known[user]
        for event, user in of_accounts.items()
        if user in known and user != actors[event]
    }
