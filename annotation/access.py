"""Fetch and authorise in one call. Every view, API call and export starts here.

Not yours and not there are the same answer, 404: the difference would tell an outsider which
studies exist.
"""

from __future__ import annotations

import hashlib
import hmac
import uuid
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404
from django.utils.crypto import constant_time_compare

from annotation.errors import AnswersHidden
from annotation.models import (
    PARKED,
    Annotator,
    Assignment,
    DatasetSnapshot,
    ErasureRequest,
    Event,
    GenerationRun,
    Item,
    Job,
    Lead,
    PairsImport,
    ProtocolDraft,
    PublishedProtocol,
    SaveReceipt,
    Simplification,
    SourceDocument,
    Study,
    TableReport,
    User,
    offered_again,
    with_guide,
)
from annotation.prepared import STAND_IN, Prepared
from annotation.protocols.registry import COMPOSED, PROTOCOLS, published


class NoLongerTheirs(Http404):
    """The user had a part in the study and has withdrawn, which they know: they are told that, and
    nothing of the study. To whoever had none it is not there."""


def _missing(user: User, key: str) -> Http404:
    """Why there is nothing for the user in this study."""
    if user.is_authenticated:
        parts = Annotator.objects.filter(user=user, kind=Annotator.Kind.PERSON, study__key=key)
        left = set(parts.values_list("withdrawn_at", flat=True))
        if left and None not in left:
            return NoLongerTheirs("no part in it any more")
    return Http404("no such study or assignment")


def studies_led(user: User) -> QuerySet[Study]:
    """Studies that the user may run: their own as lead, all of them as admin."""
    if not user.is_authenticated:
        return Study.objects.none()
    if user.is_admin:
        return Study.objects.all()
    return Study.objects.filter(Exists(Lead.objects.filter(study=OuterRef("pk"), user=user)))


def annotations_of(user: User) -> QuerySet[Annotator]:
    """The user's parts as annotator; withdrawn ones and studies that are in preparation or archived
    left out."""
    if not user.is_authenticated:
        return Annotator.objects.none()
    return _parts_of(user.pk).filter(study__archived_at__isnull=True)


def _parts_of(user: int) -> QuerySet[Annotator]:
    """The same with archived studies: what one judged there is still one's own to read."""
    return (
        Annotator.objects.filter(user=user, kind=Annotator.Kind.PERSON, withdrawn_at__isnull=True)
        .exclude(study__state=Study.State.DRAFT)
        .select_related("study")
    )


def studies_listed(user: User, *, archived: bool = False) -> QuerySet[Study]:
    """Of ``studies_led`` those that lists show; or those that were put away."""
    return studies_led(user).filter(archived_at__isnull=not archived)


def annotations_awaited(user: User) -> QuerySet[Annotator]:
    """The user's parts in studies that are still in preparation: nothing of them can be opened
    yet, and who has accepted wants to know that."""
    if not user.is_authenticated:
        return Annotator.objects.none()
    return Annotator.objects.filter(
        user=user,
        kind=Annotator.Kind.PERSON,
        withdrawn_at__isnull=True,
        study__state=Study.State.DRAFT,
    ).select_related("study")


def leads_still(user: User | None, study: int) -> bool:
    """Whether somebody may run a study at this moment, with an open account: what they asked for
    may have waited since they might. ``None``: who asked has no account any more."""
    return user is not None and user.is_active and studies_led(user).filter(pk=study).exists()


def admin_still(user: User | None) -> bool:
    """Whether somebody is an admin at this moment, with an open account."""
    return user is not None and user.is_active and user.is_admin


def study_for_lead(user: User, key: str) -> Study:
    """The study, for its leads and admins. Raises ``Http404`` for everybody else."""
    study = studies_led(user).filter(key=key).first()
    if study is None:
        raise Http404("no such study")
    return study


def study_with_answers(user: User, key: str, round_: str = "main") -> Study:
    """The study, for those who may read what people answered in that round.

    Raises ``Http404`` as ``study_for_lead`` does, and ``AnswersHidden`` during a blind phase.
    """
    return answers_readable(study_for_lead(user, key), round_)


def answers_readable(study: Study, round_: str = "main") -> Study:
    """The study again. Raises ``AnswersHidden`` where its answers in that round are not to be read
    yet."""
    if study.hides_answers(round_):
        raise AnswersHidden(study)
    return study


def annotator_for(user: User, key: str) -> Annotator:
    """The user's part as annotator in this study. Raises ``Http404`` where they have none,
    ``NoLongerTheirs`` where they have none any more."""
    annotator = _PARTS.first(user=user.pk, key=key) if user.is_authenticated else None
    if annotator is None:
        raise _missing(user, key)
    annotator.user = user
    return annotator


def assignment_for(user: User, key: str, position: int) -> Assignment:
    """The user's own assignment at a position of their own order, with everything that its page
    needs. Raises ``Http404`` where it is not theirs or not there, or not to be seen (a main item
    during the practice round, one that was released, one that is offered again);
    ``NoLongerTheirs`` where they have withdrawn."""
    if not user.is_authenticated or position > _LAST_POSITION:
        raise Http404("no such assignment")
    assignment = _ASSIGNMENTS.first(user=user.pk, key=key, position=position)
    if assignment is None:
        raise _missing(user, key)
    return assignment


def assignment_ref(assignment: Assignment) -> str:
    """An opaque, stable name of an assignment, for what its annotator's own browsers keep of it: a
    silent repeat has the position and the texts of the first, and none of what was kept of that.

    Keyed by their browsers' secret: rows are numbered as systems wrote them."""
    secret = bytes(assignment.annotator.user.browser_secret)  # type: ignore[union-attr]  # theirs
    name = f"bareme.assignment.{assignment.pk}\x01"
    return hmac.digest(secret, name.encode(), hashlib.sha256).hex()[:20]


def assignment_named(key: str, position: int, ref: str) -> Assignment | None:
    """Whose page of this position calls its assignment so (``assignment_ref``), whoever is logged
    in: for what such a page sends after its log-in has ended. Nothing of it is shown for that."""
    if not ref or position > _LAST_POSITION - PARKED:
        return None
    there = Assignment.objects.select_related("annotator__user").filter(
        annotator__kind=Annotator.Kind.PERSON,
        annotator__withdrawn_at__isnull=True,
        annotator__user__isnull=False,
        annotator__study__key=key,
        position__in=[position, position + PARKED],
    )
    return next((own for own in there if constant_time_compare(ref, assignment_ref(own))), None)


def assignment_meant(
    there: Assignment | None,
    user: User,
    key: str,
    position: int,
    *,
    ref: str = "",
    base_revision: int = 0,
    save_key: uuid.UUID | None = None,
) -> Assignment:
    """Which of the user's own assignments a request for this position is about: ``there``, which
    ``assignment_for`` gives (None where it gives none), or the first answer whose place that took
    as a silent repeat, if a browser or a program still has answers to it.

    ``ref`` says it (``assignment_ref``). Without one a save of the first is known by the revision
    it builds on, where ``there`` has never had so many, or by a key that was used for it. Raises
    ``Http404`` where neither is meant."""
    if ref:
        if there is not None and ref == assignment_ref(there):
            return there
        first = _parked(user, key, position)
        if first is not None and ref == assignment_ref(first):
            return first
        raise Http404("no such assignment")
    if there is None:
        raise Http404("no such assignment")
    revision = _revision(there)
    if base_revision == revision:
        return there
    first = _parked(user, key, position)
    if first is not None and (
        revision < base_revision == _revision(first) or (save_key and _is_receipt(first, save_key))
    ):
        return first
    return there


def _is_receipt(assignment: Assignment, save_key: uuid.UUID) -> bool:
    keys = SaveReceipt.keys_of(assignment.annotator_id, save_key)
    return SaveReceipt.objects.filter(pk__in=keys, assignment=assignment).exists()


def _parked(user: User, key: str, position: int) -> Assignment | None:
    return (
        Assignment.objects.select_related(
            "annotator__study", "annotator__user", "simplification__item", "draft"
        )
        .filter(
            annotator__user=user,
            annotator__kind=Annotator.Kind.PERSON,
            annotator__withdrawn_at__isnull=True,
            annotator__study__key=key,
            annotator__study__state__in=[Study.State.MAIN, Study.State.CLOSED],
            position=position + PARKED,
        )
        .first()
        if position <= _LAST_POSITION - PARKED
        else None
    )


def _revision(assignment: Assignment) -> int:
    draft = getattr(assignment, "draft", None)
    return draft.revision if draft else 0


def released_for(user: User, key: str, position: int) -> Assignment:
    """The user's own assignment that was released to others while their browser had its page, and
    so is out of sight until they begin it: what they answered meanwhile is theirs to hand in.
    Raises ``Http404`` for every other one."""
    released = Assignment.objects.select_related(
        "annotator__study", "annotator__user", "simplification__item"
    ).filter(
        annotator__user=user,
        annotator__kind=Annotator.Kind.PERSON,
        annotator__withdrawn_at__isnull=True,
        annotator__study__key=key,
        annotator__study__state__in=[Study.State.MAIN, Study.State.CLOSED],
        position=position,
        standing=Assignment.Standing.HIDDEN,
        released_at__isnull=False,
    )
    assignment = None if position > _LAST_POSITION else released.exclude(offered_again()).first()
    if assignment is None:
        raise _missing(user, key)
    return assignment


def _assignments(user: int, key: str, position: int) -> QuerySet[Assignment]:
    return with_guide(
        Assignment.objects.select_related(
            "annotator__study", "annotator__user", "simplification__item", "draft", "judgment"
        )
        .filter(
            annotator__user=user,
            annotator__kind=Annotator.Kind.PERSON,
            annotator__withdrawn_at__isnull=True,
            annotator__study__key=key,
            position=position,
            standing__gt=Assignment.Standing.HIDDEN,
        )
        .exclude(annotator__study__state=Study.State.DRAFT)
        .exclude(annotator__study__state=Study.State.PRACTICE, in_practice=False)
    )


# What the column holds. A driver or a planned statement refuses more, and addresses take any.
_LAST_POSITION = 2**31 - 1
# Asked at each step of judging: composed once.
_PARTS = Prepared(
    lambda user, key: _parts_of(user).filter(study__key=key).order_by("pk")[:1],
    plan_once=True,
    user=STAND_IN,
    key="a study's key",
)
_ASSIGNMENTS = Prepared(
    _assignments, plan_once=True, user=STAND_IN, key="a study's key", position=STAND_IN + 1
)


def job_for_lead(user: User, key: str, public_id: uuid.UUID, *, kind: str = "") -> Job:
    """A study's job, of this kind where one is given, for leads and admins. Raises ``Http404`` for
    everybody else."""
    jobs = Job.objects.select_related("study").filter(
        study=study_for_lead(user, key), public_id=public_id
    )
    job = (jobs.filter(kind=kind) if kind else jobs).first()
    if job is None:
        raise Http404("no such job")
    return job


def snapshot_for_lead(user: User, key: str, number: int) -> DatasetSnapshot:
    """A study's snapshot, for its leads and admins. Raises ``Http404`` for everybody else."""
    study = study_for_lead(user, key)
    snapshot = (
        DatasetSnapshot.objects.select_related("study", "created_by")
        .filter(study=study, number=number)
        .first()
    )
    if snapshot is None:
        raise Http404("no such snapshot")
    return snapshot


def run_for_lead(user: User, key: str, number: int) -> GenerationRun:
    """A study's generation run, for its leads and admins. Raises ``Http404`` for everybody else."""
    run = (
        GenerationRun.objects.select_related("study")
        .filter(study=study_for_lead(user, key), number=number)
        .first()
    )
    if run is None:
        raise Http404("no such run")
    return run


def import_for_lead(user: User, key: str, pk: int) -> PairsImport:
    """A study's import, for its leads and admins. Raises ``Http404`` for everybody else."""
    records = PairsImport.objects.select_related("study", "imported_by", "undone_by")
    record = records.filter(study=study_for_lead(user, key), pk=pk).first()
    if record is None:
        raise Http404("no such import")
    return record


def practice_pair_for_lead(user: User, key: str, pk: int) -> tuple[Study, Simplification]:
    """A study and one of its practice pairs with its note, for its leads and admins. Raises
    ``Http404`` for everybody else."""
    study = study_for_lead(user, key)
    pairs = Simplification.objects.select_related("item", "practice_note")
    pair = pairs.filter(item__study=study, item__round=Item.Round.PRACTICE, pk=pk).first()
    if pair is None:
        raise Http404("no such practice pair")
    return study, pair


def case_for_lead(user: User, key: str, pk: int, dimension: str) -> tuple[Study, Simplification]:
    """A study and one of its main round's pairs, to rule on a dimension of it. Raises ``Http404``
    as ``study_with_answers`` does, and where the protocol has no such dimension."""
    study = study_with_answers(user, key)
    pairs = Simplification.objects.select_related("item")
    pair = pairs.filter(item__study=study, item__round=Item.Round.MAIN, pk=pk).first()
    if pair is None or dimension not in study.protocol.dimensions:
        raise Http404("no such case")
    return study, pair


def document_for_lead(user: User, key: str, pk: uuid.UUID) -> SourceDocument:
    """A study's source document, for its leads and admins. Raises ``Http404`` for everybody
    else."""
    document = (
        SourceDocument.objects.select_related("study")
        .filter(study=study_for_lead(user, key), pk=pk)
        .first()
    )
    if document is None:
        raise Http404("no such document")
    return document


def may_create_studies(user: User) -> bool:
    """Admins, and whoever leads a study already: a first study is made for a lead by an admin."""
    return user.is_authenticated and (user.is_admin or Lead.objects.filter(user=user).exists())


def brings_tables_still(user: User | None) -> bool:
    """Whether somebody may have tables of their own measured at this moment, with an open
    account."""
    return user is not None and user.is_active and may_create_studies(user)


def table_reports_of(user: User) -> QuerySet[TableReport]:
    """What somebody who may create studies had measured of tables of their own. Raises ``Http404``
    for everybody else."""
    if not may_create_studies(user):
        raise Http404("no such page")
    return TableReport.objects.filter(requested_by=user)


def table_report_for(user: User, public_id: uuid.UUID) -> TableReport:
    """One of them. Raises ``Http404`` for everybody else, admins among them."""
    report = table_reports_of(user).filter(public_id=public_id).first()
    if report is None:
        raise Http404("no such report")
    return report


def protocol_drafts_of(user: User) -> QuerySet[ProtocolDraft]:
    """The protocols that somebody who may create studies is composing. Raises ``Http404`` for
    everybody else."""
    if not may_create_studies(user):
        raise Http404("no such page")
    return ProtocolDraft.objects.filter(owner=user)


def protocol_draft_for(user: User, public_id: uuid.UUID) -> ProtocolDraft:
    """One of them. Raises ``Http404`` for everybody else, admins among them."""
    draft = protocol_drafts_of(user).filter(public_id=public_id).first()
    if draft is None:
        raise Http404("no such draft")
    return draft


def composed_protocol_for(user: User, name: str) -> PublishedProtocol:
    """One that people have installed, or installed and removed, by its ``key-version``, for whoever
    did, while they may compose, and for admins. Raises ``Http404`` for everybody else, and for one
    that whoever runs Barème has installed as well."""
    key, _dash, version = name.partition("-")
    published()
    there = PublishedProtocol.objects.filter(key=key, version=version)
    installed = there.exclude(installed_at=None).first()
    if (
        installed is None
        or (key, version) in PROTOCOLS.keys() - COMPOSED.keys()
        or not may_create_studies(user)
        or not (user.is_admin or installed.installed_by_id == user.pk)
    ):
        raise Http404("no such protocol")
    return installed


def erasures_to_decide(user: User) -> QuerySet[ErasureRequest]:
    """Requests for erasure that are the user's to decide: all as admin, and as lead those of people
    who have or had parts in studies of theirs only. Never their own."""
    if not user.is_authenticated:
        return ErasureRequest.objects.none()
    requests = ErasureRequest.objects.exclude(user=user).select_related("user", "decided_by")
    if user.is_admin:
        return requests
    led = Lead.objects.filter(user=user).values("study")
    annotates = Annotator.objects.filter(user=OuterRef("user"))
    leads = Lead.objects.filter(user=OuterRef("user"))
    theirs = requests.filter(
        Exists(annotates.filter(study__in=led)),
        ~Exists(annotates.exclude(study__in=led)),
        ~Exists(leads),
        user__is_admin=False,
    )
    return theirs.exclude(user__in=_had_part_elsewhere(theirs.values("user"), led))


def _had_part_elsewhere(users: QuerySet[Any, Any], led: QuerySet[Any, Any]) -> set[int]:
    """Ids of those whom only the audit trail remembers in a study that is not among these: an
    erasure takes them out of its texts too."""
    asking = set(users.values_list("user", flat=True))
    if not asking:
        return set()
    others = Study.objects.exclude(pk__in=led)
    events = Event.objects.filter(study__in=others).order_by()
    acted = events.filter(actor__in=asking).values_list("actor", flat=True).distinct()
    parts = events.filter(verb__in=Event.PARTS).values_list("details__user", flat=True)
    return {*acted, *(user for user in parts if user in asking)}


def erasure_to_decide(user: User, pk: int) -> ErasureRequest:
    """One of ``erasures_to_decide``. Raises ``Http404`` for everybody else's."""
    request = erasures_to_decide(user).filter(pk=pk).first()
    if request is None:
        raise Http404("no such request")
    return request


def require_admin(user: User) -> User:
    """The user, who must be an admin. Raises ``Http404`` otherwise."""
    if not user.is_authenticated or not user.is_admin:
        raise Http404("no such page")
    return user
