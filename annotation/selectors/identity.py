"""Where a person's name or address stands in what people typed: for the erasure, which takes it out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db.models import CharField, Field, JSONField, Model, Q, QuerySet, TextField

from annotation.models import Study, User
from annotation.selectors.redaction import MARK

SHORTEST = 3

# Texts that are judged, and what models answered: the study's material, which says nothing of who works on it, and
# whose spans and digests must stay true. Snapshots lost names and addresses when they were frozen and never change.
MATERIAL = frozenset(
    {
        "batchentry",
        "datasetsnapshot",
        "generation",
        "generationcall",
        "item",
        "output",
        "scorer",
        "simplification",
        "trainingrun",
    }
)
MATERIAL_COLUMNS = frozenset({("sourcedocument", "text"), ("scoringjob", "pairs"), ("scoringjob", "results")})
# What a person typed beside material.
TYPED_COLUMNS = frozenset({("scorer", "promoted_reason")})


# The way from what is typed about a study to that study. There a first name alone gives somebody away: freezing takes
# such parts out as long as it knows the name, so an erasure must do it once for all.
STUDY_OF = {
    "draft": "assignment__annotator__study",
    "errordeduction": "judgment__assignment__annotator__study",
    "judgment": "assignment__annotator__study",
    "judgmentrevision": "assignment__annotator__study",
    "practicenote": "simplification__item__study",
    "rejudgerequest": "assignment__annotator__study",
    "remarkanswer": "assignment__annotator__study",
}


@dataclass(frozen=True)
class Identity:
    """A name and an address, and how they are found. ``studies``: ids of those in which parts of the name count."""

    email: str
    name: str
    studies: frozenset[int]

    @classmethod
    def of(cls, user: User) -> Identity:
        studies = Study.objects.filter(Q(annotators__user=user) | Q(leads__user=user))
        return cls(user.email, " ".join(user.name.split()), frozenset(studies.values_list("pk", flat=True)))

    def cleaned(self, value: Any, *, parts: bool = False) -> Any:
        """The value (a text, or JSON) with name and address replaced by the mark of redaction."""
        if isinstance(value, str):
            return self._pattern(parts=parts).sub(MARK, value)
        if isinstance(value, dict):
            return {key: self.cleaned(inner, parts=parts) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.cleaned(inner, parts=parts) for inner in value]
        return value

    def _pattern(self, *, parts: bool) -> re.Pattern[str]:
        words = [word for word in self.name.split() if len(word) >= SHORTEST]
        whole = [self.name] if " " in self.name else []
        # A single word in another case may be a word of the language, or one of ours: it must be written like the name.
        single = [word for word in words if (parts and word[:1].isupper()) or not whole]
        anyhow = "|".join(map(re.escape, [self.email, *whole]))
        exactly = "".join(f"|{re.escape(word)}" for word in single)
        # ``re`` keeps the patterns that it has compiled.
        return re.compile(rf"(?<!\w)(?:(?i:{anyhow}){exactly})(?!\w)")


def typed_columns() -> Iterator[tuple[type[Model], Field[Any, Any]]]:
    """Every column of ours that holds words somebody typed, or JSON that may."""
    for model in apps.get_app_config("annotation").get_models():
        name = model._meta.model_name or ""
        if model is User:
            continue
        for field in model._meta.concrete_fields:
            if name in MATERIAL and (name, field.name) not in TYPED_COLUMNS:
                continue
            if isinstance(field, CharField | TextField | JSONField) and not _is_code(name, field):
                yield model, field


def _is_code(model: str, field: Field[Any, Any]) -> bool:
    """Digests, choices and keys: an address cannot stand there, and changing one would break what refers to it."""
    fixed = field.choices or field.unique or field.primary_key or field.name.endswith(("_digest", "sha256", "_path"))
    return bool(fixed) or (model, field.name) in MATERIAL_COLUMNS


def mentions(model: type[Model], field: Field[Any, Any], identity: Identity) -> Iterator[tuple[Any, Any]]:
    """Rows that mention the person: their id, with what should stand there instead.

    Looked at one by one: how a database stores letters with accents inside JSON differs from one to the other.
    """
    study = STUDY_OF.get(model._meta.model_name or "", "study" if hasattr(model, "study_id") else "")
    names = ["pk", field.name, *([study] if study else [])]
    rows: QuerySet[Any, Any] = model._base_manager.order_by("pk").values_list(*names)
    for pk, value, *studies in rows.iterator(chunk_size=2000):
        parts = bool(identity.studies.intersection(studies))
        if value and (cleaned := identity.cleaned(value, parts=parts)) != value:
            yield pk, cleaned
