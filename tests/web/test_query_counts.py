"""No page asks the database more often because there is more to show."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.cache import caches
from django.core.files.base import ContentFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import (
    ApiToken,
    Assignment,
    ErasureRequest,
    Event,
    GuideVersion,
    Job,
    Judgment,
    PairsUpload,
    RemarkAnswer,
)
from annotation.services.generation.runs import run_create
from annotation.services.guides.guides import guide_acknowledge
from annotation.services.people.invitations import invitation_create
from annotation.services.planning.assignments import assignments_fill
from tests.bulk import judge_assignments
from tests.cast import SYSTEM, Cast
from tests.documents import make_document
from tests.factories import make_annotator, make_pair, make_study, make_user
from tests.scorers.rows import make_scorer, make_scoring
from tests.web.access_table import TABLE
from tests.web.test_access_matrix import URLS, address, whole  # noqa: F401  (values is a fixture)

pytestmark = [pytest.mark.django_db, pytest.mark.walk]
# At the last of these nothing is on a second page yet.
ONCE, TWICE, TEN_TIMES = 1, 2, 10


class Growing:
    """Study «alpha» and everything beside it, of which there are as many as was last asked for."""

    def __init__(self, cast: Cast) -> None:
        self.cast, self.size = cast, 0
        self.guide = GuideVersion.objects.create(study=cast.alpha, number=1, body_fr="Guide")
        guide_acknowledge(annotator=cast.judge, number=1)

    def to(self, size: int) -> None:
        for number in range(self.size, size):
            self._study(number)
            self._files(number)
            self._elsewhere(number)
        self.size = size
        assignments_fill(actor=None, study=self.cast.alpha)
        judged = Assignment.objects.filter(annotator__study=self.cast.alpha, judgment__isnull=True)
        # What the annotator's own address of the table shows stays to be judged.
        judged = judged.exclude(annotator=self.cast.judge, position__lte=3)
        judge_assignments(list(judged.order_by("pk")), self.guide)
        self._answered()

    def _study(self, number: int) -> None:
        cast = self.cast
        make_pair(cast.alpha, key=f"more-{number}", system=SYSTEM)
        make_pair(cast.alpha, key=f"try-{number}", round="practice")
        make_annotator(cast.alpha, pseudonym=f"M{number}")
        run_create(actor=cast.lead, study=cast.alpha)
        Event.objects.create(
            study=cast.alpha, actor=make_user(f"actor{number}"), verb="study.settings_changed"
        )
        invitation_create(
            actor=cast.lead, study=cast.alpha, email=f"new{number}@example.org", role="annotator"
        )

    def _files(self, number: int) -> None:
        cast = self.cast
        content = b"original,simplification\nUne clause.,Une phrase.\n"
        file = ContentFile(content, f"{number}.csv")
        PairsUpload.objects.create(
            study=cast.alpha,
            uploaded_by=cast.lead,
            name=f"{number}.csv",
            size=len(content),
            file=file,
        )
        make_document(
            cast.alpha, cast.lead, text=f"Article {number}. L'assureur paie.", name=f"{number}.txt"
        )
        parameters = {"layout": "long", "format": "csv"}
        Job.objects.create(
            study=cast.alpha,
            kind="export",
            requested_by=make_user(f"asks{number}"),
            parameters=parameters,
        )

    def _elsewhere(self, number: int) -> None:
        cast = self.cast
        for person in (cast.annotator, cast.lead, cast.admin):
            own = {
                "digest": f"{person.pk}-{number}",
                "scopes": ["read"],
                "expires_at": timezone.now() + timedelta(days=9),
            }
            ApiToken.objects.create(user=person, name=f"{number}", **own)
        ErasureRequest.objects.create(
            user=make_annotator(cast.alpha, pseudonym=f"E{number}").user, wish="keep"
        )
        make_annotator(make_study(f"judged-{number}", lead=cast.lead, state="main"), cast.annotator)
        make_scoring(make_scorer())

    def _answered(self) -> None:
        remarked = Judgment.objects.filter(
            assignment__annotator__study=self.cast.alpha, sides__field="comment"
        )
        RemarkAnswer.objects.bulk_create(
            RemarkAnswer(assignment=judgment.assignment, text="Vu.", answered_by=self.cast.lead)
            for judgment in remarked.select_related("assignment")
            if not judgment.assignment.remark_answers.exists()
        )


def pages(role: str) -> list[str]:
    """What this role may open; of an admin, only what a lead may not."""
    opened = {name for name, rule in TABLE.items() if rule.get[role] == 200}
    if role == "admin":
        opened -= set(pages("lead"))
    return sorted(opened)


@pytest.mark.parametrize("role", ["annotator", "lead", "admin"])
def test_ten_times_the_data_cost_no_further_query(role: str, cast: Cast, values, monkeypatch):
    monkeypatch.setattr("annotation.selectors.platform.parts.broker_answers", lambda: True)
    # Always the frame first: a page that draws its figures at once would keep them for the part.
    monkeypatch.setattr("annotation.web.agreement.views.marks.AT_ONCE", 0)
    growing, client = Growing(cast), cast.client(role)
    wanted = {name: address(name, values) for name in pages(role)}

    def queries() -> dict[str, int]:
        counts = {}
        for name, url in wanted.items():
            # What is kept hides what computing it asks.
            for cache in caches.all():
                cache.clear()
            with CaptureQueriesContext(connection) as captured:
                answer = client.get(url)
                whole(answer)
            assert answer.status_code == 200, name
            counts[name] = len(captured)
        return counts

    queries()  # a first visit may write that it was one
    growing.to(ONCE)
    once = queries()
    growing.to(TWICE)
    twice = queries()
    growing.to(TEN_TIMES)
    ten_times = queries()
    grown = {
        name: (once[name], twice[name], ten_times[name])
        for name in wanted
        if ten_times[name] > once[name]
    }
    assert grown == {}, "queries of the page at 1, 2 and 10 times the data"
