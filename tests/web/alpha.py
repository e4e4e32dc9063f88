"""A real value for each part of the pages' addresses."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile
from django.utils import timezone

from annotation.corpus.glossary import Term
from annotation.models import ErasureRequest, Job, PairsImport, PairsUpload, Simplification
from annotation.services.composing.drafts import Composed, protocol_draft_begin
from annotation.services.generation.runs import run_create
from annotation.services.guides.glossaries import glossary_replace
from annotation.services.people.invitations import invitation_create
from annotation.services.studies.digests import digest_token
from annotation.services.studies.ending import study_delete
from annotation.web.composing.rows import skeleton
from tests.cast import Cast
from tests.composing import installed
from tests.documents import make_document
from tests.factories import make_study
from tests.metrics.reports import finished_report, finished_table
from tests.planted import plant
from tests.scorers.rows import make_scorer, make_scoring
from tests.services.generation.questioning import addresses
from tests.worlds import world


@world
def web_alpha(cast: Cast) -> dict[str, object]:
    """A real value for each part of an address, all of study «alpha»."""
    glossary_replace(actor=cast.lead, study=cast.alpha, terms=[Term("prime", "Un prix.")])
    exported = Path(settings.DATA_DIR) / "export.csv"
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
    reading = Job.objects.create(
        study=cast.alpha, kind="reading", requested_by=cast.lead, parameters={"what": "document"}
    )
    run = run_create(actor=cast.lead, study=cast.alpha)
    content = b"original,simplification\nUne clause.,Une phrase.\n"
    upload = PairsUpload.objects.create(
        study=cast.alpha,
        uploaded_by=cast.lead,
        name="a.csv",
        size=len(content),
        file=ContentFile(content, "a.csv"),
    )
    _, token = invitation_create(
        actor=cast.lead, study=cast.alpha, email="new@example.org", role="annotator"
    )
    finished_report(cast.alpha, cast.lead)
    scorer = make_scorer()
    erasure = ErasureRequest.objects.create(user=cast.peer, wish="keep")
    record = PairsImport.objects.create(
        study=cast.alpha, name="a.csv", undone_at=timezone.now(), undone_by=cast.lead
    )
    gone = make_study("gone", lead=cast.other_lead)
    number = gone.pk
    study_delete(actor=cast.admin, study=gone, key="gone")
    installed(cast.lead)
    make_study("clear", protocol_key="clarity")
    composed = protocol_draft_begin(actor=cast.lead, composed=Composed(skeleton()))
    return {
        "deleted": number,
        "brought": record.pk,
        "asked": erasure.pk,
        "training": scorer.training_run.public_id,
        "version": scorer.version,
        "filename": "splits.csv",
        "scoring": make_scoring(scorer).public_id,
        "scored": finished_table(cast.lead).public_id,
        "draft": composed.public_id,
        "installed": "clarity-1",
        "tried": "legal_meaning-1",
        "study": "alpha",
        "position": 2,
        "item": "item-0002",
        "chart": "overview",
        "drawing": "shares",
        "picture": "scatter",
        "table": "means",
        "columns": "items",
        "digest": digest_token(cast.lead),
        "sheet": "agreement",
        "upload": upload.pk,
        "document": make_document(cast.alpha, cast.lead).pk,
        "job": job.public_id,
        "reading": reading.public_id,
        "number": run.number,
        **addresses(cast.alpha),
        "simplification": Simplification.objects.filter(item__study=cast.alpha, item__round="main")[
            0
        ].pk,
        "dimension": "legal_meaning",
        "field": "characterization",
        "pair": Simplification.objects.get(item__study=cast.alpha, item__round="practice").pk,
        "token": token,
        "uidb64": "MQ",
    }


@world
def web_planted(web_alpha: dict[str, object], cast: Cast) -> dict[str, object]:
    """The same, in a study where what nobody may learn is planted."""
    plant(cast)
    return web_alpha
