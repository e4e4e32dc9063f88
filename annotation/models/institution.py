"""Accounts of an institution that people log in with."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone


class InstitutionAccount(models.Model):
    """Whom an institution means by one of its names (OpenID Connect, ``sub`` of an issuer): never
    their address, which it may give to somebody else one day."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="institution_account"
    )
    issuer = models.CharField(max_length=500)
    subject = models.CharField(max_length=255)
    linked_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["issuer", "subject"], name="institution_account_of_one_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.issuer}"
