"""A real value for each part of the API's addresses."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.utils import timezone

from annotation.corpus.glossary import Term
from annotation.generation.presets import PAPER
from annotation.models import (
    Annotator,
    Assignment,
    DatasetSnapshot,
    DraftVersion,
    Job,
    PairsImport,
    Scorer,
    ScoringJob,
    Simplification,
    TrainingRun,
)
from annotation.selectors.documents.documents import document_funnel
from annotation.services.generation.runs import run_create
from annotation.services.generation.systems import system_add
from annotation.services.guides.glossaries import glossary_replace
from annotation.services.judging.judgments import judgment_submit
from annotation.services.people.invitations import invitation_create
from annotation.services.studies.ending import study_delete
from annotation.services.studies.studies import guide_publish
from tests.cast import Cast
from tests.documents import make_document
from tests.factories import answers, kept_anew, make_study, save
from tests.metrics.reports import finished_report, finished_table
from tests.planted import plant
from tests.services.generation.questioning import addresses
from tests.worlds import world


@world
def api_alpha(cast: Cast) -> dict[str, object]:
    """A real value for each part of an address, all of study «alpha»."""
    glossary_replace(actor=cast.lead, study=cast.alpha, terms=[Term("prime", "Un prix.")])
    folder = Path(settings.DATA_DIR)
    exported = folder / "export.csv"
    exported.write_text("a\r\n")
    job = Job.objects.create(
        study=cast.alpha,
        kind="export",
        state="done",
        requested_by=cast.lead,
        result_name=exported.name,
        result_path=str(exported),
        parameters={"layout": "long", "format": "csv"},
    )
    publication = Job.objects.create(study=cast.alpha, kind="freeze", requested_by=cast.lead)
    reading = Job.objects.create(
        study=cast.alpha, kind="reading", requested_by=cast.lead, parameters={"what": "document"}
    )
    finished_report(cast.alpha, cast.lead)
    run = run_create(actor=cast.lead, study=cast.alpha)
    system_add(actor=cast.lead, run=run, spec=PAPER)
    training = TrainingRun.objects.create(backend="lexical", data_path="a", data_sha256="b")
    scorer = Scorer.objects.create(
        training_run=training,
        version=1,
        target="t",
        backend="lexical",
        seed=1,
        lowest=1,
        highest=10,
        folder="a",
    )
    scoring = ScoringJob.objects.create(scorer=scorer)
    snapshot = DatasetSnapshot.objects.create(
        study=cast.alpha,
        number=run.number,
        content_digest="c",
        path="frozen",
        manifest={"files": {PAPER.name: {"sha256": ""}}},
    )
    (folder / snapshot.path).mkdir()
    (folder / snapshot.path / PAPER.name).write_text("{}")
    remark = remarked(cast)  # before there is a guide to confirm
    own = Assignment.objects.get(
        annotator__user=cast.annotator, annotator__study=cast.alpha, position=2
    )
    DraftVersion.objects.create(
        assignment=own,
        number=run.number,
        answers=answers(),
        origin="refused",
        saved_at=timezone.now(),
    )
    guide_publish(actor=cast.lead, study=cast.alpha, body_fr="Lisez.")
    invitation, _token = invitation_create(
        actor=cast.lead, study=cast.alpha, email="new@example.org", role="annotator"
    )
    document = make_document(cast.alpha, cast.lead)
    record = PairsImport.objects.create(
        study=cast.alpha, name="a.csv", undone_at=timezone.now(), undone_by=cast.lead
    )
    gone = make_study("gone", lead=cast.other_lead)
    number = gone.pk
    study_delete(actor=cast.admin, study=gone, key="gone")
    return {
        "deleted": number,
        "brought": record.pk,
        "rank": 0,
        "assignment": remark.pk,
        "document": document.pk,
        "block": document_funnel(document).verdicts[0].key,
        "together": "0" * 16,
        "pair": Simplification.objects.get(item__study=cast.alpha, item__round="practice").pk,
        "simplification": Simplification.objects.filter(item__study=cast.alpha, item__round="main")[
            0
        ].pk,
        "dimension": "legal_meaning",
        "study": "alpha",
        "position": 2,
        "item": "item-0002",
        "job": job.public_id,
        "reading": reading.public_id,
        "number": run.number,
        **addresses(cast.alpha),
        "name": PAPER.name,
        "publication": publication.public_id,
        "scoring": scoring.public_id,
        "scored": finished_table(cast.lead).public_id,
        "training": training.public_id,
        "step": "pause",
        "pseudonym": "A",
        "lead": cast.alpha.leads.get().pk,
        "invitation": invitation.pk,
        "person": cast.admin.pk,
        "key": "legal_meaning",
        "version": 1,
    }


def remarked(cast: Cast) -> Assignment:
    """A pair that somebody commented on who has left since: nobody else's turn needs it."""
    judge = Annotator.objects.filter(study=cast.alpha, user=cast.withdrawn)
    left = judge.get().withdrawn_at
    judge.update(withdrawn_at=None)
    assignments = Assignment.objects.select_related(
        "annotator__study", "annotator__user", "simplification__item"
    )
    assignment = assignments.filter(annotator__in=judge, simplification__item__round="main")[0]
    judgment_submit(
        actor=cast.withdrawn, assignment=assignment, save=save(comment="Quelle fourchette ?")
    )
    judge.update(withdrawn_at=left)
    kept_anew()
    return assignment


@world
def api_planted(api_alpha: dict[str, object], cast: Cast) -> dict[str, object]:
    """The same, in a study where what nobody may learn is planted."""
    plant(cast)
    return api_alpha
