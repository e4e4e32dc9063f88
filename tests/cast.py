"""The same few people in every test about access: each has a part in one of two studies, or
none."""

from __future__ import annotations

from dataclasses import dataclass

from django.test import Client
from django.utils import timezone

from annotation.models import Annotator, Study, User
from annotation.services.planning.assignments import assignments_fill
from tests.factories import kept_anew, make_annotator, make_pair, make_study, make_user
from tests.worlds import world

# Appears in no byte that an annotator can fetch.
SYSTEM = "zz-system-under-test"


@dataclass
class Cast:
    """Study «alpha» is everybody's stage; «beta» belongs to others and is what outsiders come
    from."""

    admin: User
    lead: User
    other_lead: User
    outsider: User
    annotator: User
    peer: User
    withdrawn: User
    alpha: Study
    beta: Study
    judge: Annotator

    def client(self, role: str) -> Client:
        """A browser in which this role is logged in; ``anonymous`` is nobody."""
        client = Client()
        if role != "anonymous":
            client.force_login(getattr(self, role))
        return client


ROLES = ("anonymous", "outsider", "other_lead", "withdrawn", "annotator", "lead", "admin")


@world
def cast() -> Cast:
    people = {
        name: make_user(name)
        for name in ("lead", "other_lead", "outsider", "annotator", "peer", "withdrawn")
    }
    admin = make_user("admin", is_admin=True)
    alpha = make_study("alpha", lead=people["lead"], state="main")
    beta = make_study("beta", lead=people["other_lead"], state="main")
    for study in (alpha, beta):
        make_pair(study, round="practice", system=SYSTEM)
        for _ in range(2):
            make_pair(study, system=SYSTEM)
    judge = make_annotator(alpha, people["annotator"])
    make_annotator(alpha, people["peer"])
    make_annotator(beta, make_user("beta-judge"))
    gone = make_annotator(alpha, people["withdrawn"])
    for study in (alpha, beta):
        assignments_fill(actor=None, study=study)
    gone.withdrawn_at = timezone.now()
    gone.save()
    kept_anew()
    return Cast(admin=admin, alpha=alpha, beta=beta, judge=judge, **people)
