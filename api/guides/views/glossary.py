"""A study's glossary: terms with their definition and its source."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import annotator_for, study_for_lead
from annotation.corpus.glossary import Term
from annotation.models import Study
from annotation.selectors.guides.glossary import glossary_entries, glossary_shown
from annotation.services.guides.glossaries import glossary_replace
from annotation.services.platform.study_rows import study_row_lock
from api.etags import check_if_match
from api.guides.serializers.glossary import GlossaryFacts, GlossaryWanted
from api.idempotency import idempotent
from api.resource import Resource, body_of
from api.schema import IF_MATCH


def _facts(study: Study) -> Any:
    return GlossaryFacts({"number": study.glossary_number, "terms": glossary_entries(study)}).data


@extend_schema(tags=["studies"])
class StudyGlossary(Resource):
    @extend_schema(responses=GlossaryFacts)
    def get(self, request: Request, study: str) -> Response:
        """The glossary in force."""
        return Response(_facts(study_for_lead(self.person, study)))

    @extend_schema(request=GlossaryWanted, responses=GlossaryFacts, parameters=[IF_MATCH])
    @idempotent()
    def put(self, request: Request, study: str) -> Response:
        """Replace the glossary: what you send is the whole of its next version. An empty list
        empties it. If-Match guards against another lead's terms in the meantime."""
        led_study = study_for_lead(self.person, study)
        wanted = body_of(GlossaryWanted, request, stands=_facts(led_study))
        terms = [Term(**row) for row in wanted["terms"]]
        with transaction.atomic():
            # As the service locks it, so that it still is what the client has seen.
            led_study = study_row_lock(led_study.pk)
            check_if_match(request, _facts(led_study))
            return Response(
                _facts(glossary_replace(actor=self.person, study=led_study, terms=terms))
            )


@extend_schema(tags=["judging"])
class OwnGlossary(Resource):
    @extend_schema(responses=GlossaryFacts)
    def get(self, request: Request, study: str) -> Response:
        """The glossary of a study in which you judge, where it has one for you."""
        annotator = annotator_for(self.person, study)
        if not glossary_shown(annotator.study):
            raise Http404("no glossary")
        return Response(_facts(annotator.study))
