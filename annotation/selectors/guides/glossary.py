"""A study's glossary as it stands. It is the study's, the same for every pair: nothing in it can
tell a system."""

from __future__ import annotations

from django.db.models import QuerySet

from annotation.models import GlossaryEntry, Study


def glossary_entries(study: Study) -> QuerySet[GlossaryEntry]:
    """The entries in force, by term."""
    return GlossaryEntry.objects.filter(study=study, until__isnull=True).order_by("term_key", "pk")


def glossary_shown(study: Study) -> bool:
    """Whether annotators may look terms up."""
    return study.aid_glossary and study.glossary_size > 0
