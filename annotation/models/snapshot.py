"""A study as it stood when it was frozen. What others build on must not change: rows are added and
never changed."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models.study import Study

UNCHANGING = "a snapshot is never changed: freeze the study again"
UNDELETABLE = "a snapshot is never deleted: others may build on it"


class FrozenQuerySet(models.QuerySet["DatasetSnapshot"]):
    """Rows that many at a time cannot be changed or deleted either."""

    def update(self, **kwargs: Any) -> NoReturn:
        raise TypeError(UNCHANGING)

    def delete(self) -> NoReturn:
        raise TypeError(UNDELETABLE)


class DatasetSnapshot(models.Model):
    """A numbered copy of a study's data in files, with the SHA-256 of each.

    ``recipe`` says how the final labels were made, ``manifest`` what the folder at ``path``
    (relative to DATA_DIR) holds. ``content_digest`` is a SHA-256 over the names and digests of the
    data files and the recipe: two snapshots of the same data under the same recipe have the same
    one, whenever and wherever they were made.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="snapshots")
    number = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    reason = models.TextField(blank=True, help_text="why it was frozen before the study was closed")
    protocol_key = models.CharField(max_length=40)
    protocol_version = models.CharField(max_length=10)
    recipe = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    manifest = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    content_digest = models.CharField(max_length=64, db_index=True)
    path = models.CharField(max_length=300)

    objects = FrozenQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["study", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["study", "number"], name="snapshot_number_once_per_study"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="snapshot_number_from_one"),
            models.CheckConstraint(condition=~Q(content_digest=""), name="snapshot_has_digest"),
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError(UNCHANGING)
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(UNDELETABLE)

    @property
    def name(self) -> str:
        """How commands and releases call it: the study's key and the number."""
        return f"{self.study.key}-{self.number}"
