"""People and their part in a study: users, leads, annotators, invitations."""

from __future__ import annotations

import secrets
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


def browser_secret() -> bytes:
    """A new secret of a user, for ``User.browser_secret``."""
    return secrets.token_bytes(32)


class UserManager(BaseUserManager["User"]):
    """Users are named by their e-mail address, whatever its case."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """A user; without a password nobody can log in as them until one is set."""
        if not email:
            raise ValueError("a user needs an e-mail address")
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser, PermissionsMixin):
    """Somebody who can log in. What they may do follows from ``Lead``, ``Annotator`` and
    ``is_admin``."""

    class Theme(models.TextChoices):
        AUTO = "auto", _("As the system")
        LIGHT = "light", _("Light")
        DARK = "dark", _("Dark")

    class TypeSize(models.TextChoices):
        SMALL = "s", _("Small")
        MEDIUM = "m", _("Medium")
        LARGE = "l", _("Large")
        EXTRA_LARGE = "xl", _("Very large")

    class Spacing(models.TextChoices):
        NORMAL = "normal", _("Normal")
        WIDE = "wide", _("Wide")

    class Typeface(models.TextChoices):
        STANDARD = "standard", _("Standard")
        OPENDYSLEXIC = "opendyslexic", _("For dyslexia (OpenDyslexic)")

    class BreakAfter(models.IntegerChoices):
        NEVER = 0, _("Never")
        TWENTY_FIVE = 25, _("25 minutes")
        FIFTY = 50, _("50 minutes")
        NINETY = 90, _("90 minutes")

    class Language(models.TextChoices):
        FRENCH = "fr", "Français"
        ENGLISH = "en", "English"

    class Digest(models.TextChoices):
        NEVER = "never", _("Never")
        DAILY = "daily", _("Every morning")
        WEEKLY = "weekly", _("On Monday morning")

    email = models.EmailField(_("e-mail address"), unique=True)
    name = models.CharField(_("name"), max_length=150, blank=True)
    language = models.CharField(
        _("language"), max_length=2, choices=Language, default=Language.FRENCH
    )
    theme = models.CharField(_("theme"), max_length=5, choices=Theme, default=Theme.AUTO)
    type_size = models.CharField(
        _("type size"), max_length=2, choices=TypeSize, default=TypeSize.MEDIUM
    )
    spacing = models.CharField(
        _("letter and line spacing"),
        max_length=6,
        choices=Spacing,
        default=Spacing.NORMAL,
        db_default=Spacing.NORMAL,
    )
    typeface = models.CharField(
        _("typeface"),
        max_length=12,
        choices=Typeface,
        default=Typeface.STANDARD,
        db_default=Typeface.STANDARD,
    )
    break_after_minutes = models.PositiveSmallIntegerField(
        _("suggest a break after"), choices=BreakAfter, default=BreakAfter.FIFTY, db_default=50
    )
    # On the judging page: whether an answer goes on to the next step by itself, and keys of their
    # own by action.
    auto_advance = models.BooleanField(_("go on by itself after an answer"), default=True)
    keys = models.JSONField(_("keys"), default=dict, blank=True)
    # Of those who run studies: how often they are told by e-mail what waits, and which columns of
    # which table they left out.
    digest = models.CharField(
        _("what waits in your studies, by e-mail"),
        max_length=6,
        choices=Digest,
        default=Digest.WEEKLY,
        db_default=Digest.WEEKLY,
    )
    tables = models.JSONField(
        default=dict, blank=True, db_default=Value({}, models.JSONField()), editable=False
    )
    is_admin = models.BooleanField(_("administrator"), default=False)
    is_active = models.BooleanField(_("active"), default=True)
    is_demo = models.BooleanField(default=False, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    erased_at = models.DateTimeField(null=True, blank=True, editable=False)
    # What their browsers seal unsent answers with (annotation/web/platform/user_ref.py). Kept, not
    # derived from the signing key: answers that wait on a laptop must outlive a new one, and a new
    # password too.
    browser_secret = models.BinaryField(max_length=32, default=browser_secret, editable=False)

    # Whether they were asked, beside their new password, what becomes of their API tokens; no
    # column.
    tokens_asked = False

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(Lower("email"), name="user_email_case_insensitive"),
            models.CheckConstraint(
                condition=Q(break_after_minutes__in=[0, 25, 50, 90]), name="user_break_after"
            ),
            models.CheckConstraint(
                condition=Q(digest__in=["never", "daily", "weekly"]), name="user_digest"
            ),
        ]

    def __str__(self) -> str:
        if self.erased_at:
            return str(_("erased account"))
        return self.name or self.email

    @property
    def is_staff(self) -> bool:
        return self.is_admin


class Lead(models.Model):
    """A person who runs a study."""

    study = models.ForeignKey("annotation.Study", on_delete=models.CASCADE, related_name="leads")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="led")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "user"], name="lead_once_per_study")
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.study}"


class LeadDigest(models.Model):
    """The last letter that told somebody what waits in their studies: of which day or week
    (``period``), and what became of it. The row is what keeps two workers from sending it twice."""

    class Outcome(models.TextChoices):
        NONE = "", ""
        CLAIMED = "claimed", _("being written")
        SENDING = "sending", _("being sent")
        SENT = "sent", _("sent")
        NOTHING = "nothing", _("nothing waited")
        FAILED = "failed", _("the mail server refused it")

    user = models.OneToOneField(
        User, on_delete=models.CASCADE, primary_key=True, related_name="lead_digest"
    )
    period = models.CharField(max_length=10)
    outcome = models.CharField(max_length=7, choices=Outcome, blank=True, default=Outcome.NONE)
    tries = models.PositiveSmallIntegerField(default=0)
    tried_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(outcome__in=["", "claimed", "sending", "sent", "nothing", "failed"]),
                name="lead_digest_outcome",
            )
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.period} {self.outcome}"


class Annotator(models.Model):
    """One rater in one study, known to everybody but the leads by a pseudonym.

    ``imported`` raters come from a published file and have no account; ``machine`` raters are
    models.
    """

    class Kind(models.TextChoices):
        PERSON = "person", _("person")
        IMPORTED = "imported", _("imported, identity unknown")
        MACHINE = "machine", _("machine")

    study = models.ForeignKey(
        "annotation.Study", on_delete=models.CASCADE, related_name="annotators"
    )
    user = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="annotates"
    )
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.PERSON)
    pseudonym = models.CharField(max_length=20)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    places_used = models.PositiveIntegerField(
        default=0,
        db_default=0,
        editable=False,
        help_text="the last position of pairs that were taken back: no other pair gets one of them",
    )

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "user"], name="annotator_once_per_study"),
            models.UniqueConstraint(
                fields=["study", "pseudonym"], name="annotator_pseudonym_once_per_study"
            ),
            models.CheckConstraint(
                condition=Q(kind="person") | Q(user__isnull=True),
                name="annotator_only_persons_have_accounts",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["person", "imported", "machine"]), name="annotator_kind"
            ),
            models.CheckConstraint(condition=~Q(pseudonym=""), name="annotator_has_pseudonym"),
        ]

    def __str__(self) -> str:
        return self.pseudonym

    @property
    def is_erased(self) -> bool:
        """Whether a person's account was behind it and is no more: nobody can judge as them."""
        return self.kind == self.Kind.PERSON and self.user_id is None


class Invitation(models.Model):
    """A link that makes somebody annotator or lead of a study, or admin. Only its digest is
    stored."""

    class Role(models.TextChoices):
        ANNOTATOR = "annotator", _("annotator")
        LEAD = "lead", _("lead")
        ADMIN = "admin", _("admin")

    study = models.ForeignKey(
        "annotation.Study",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="invitations",
    )
    email = models.EmailField()
    role = models.CharField(max_length=9, choices=Role)
    token_digest = models.CharField(max_length=64, unique=True, editable=False)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(role__in=["annotator", "lead", "admin"]), name="invitation_role"
            ),
            models.CheckConstraint(
                condition=Q(role="admin", study__isnull=True)
                | (~Q(role="admin") & Q(study__isnull=False)),
                name="invitation_study_unless_admin",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} · {self.email}"


class AddressChange(models.Model):
    """A new address of somebody's account: it waits for the code that was sent there, or was taken
    (``taken_at``). The one ``before`` is still taken out of what is published, and an erasure finds
    it. Removed with the account's own."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="address_changes")
    before = models.EmailField()
    email = models.EmailField()
    # Of a code that was sent; empty once it is taken, and where there was none to send.
    code_digest = models.CharField(max_length=64, blank=True, editable=False)
    tries = models.PositiveSmallIntegerField(default=0, editable=False)
    requested_at = models.DateTimeField(default=timezone.now, editable=False)
    taken_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user"], condition=Q(taken_at__isnull=True), name="address_change_one_waits"
            )
        ]

    def __str__(self) -> str:
        return self.email


class FormerName(models.Model):
    """What an account was called before its person corrected its name: others may have typed it,
    and a release's redaction and an erasure go on finding it. Removed with the account's own."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="former_names")
    name = models.CharField(max_length=150)
    until = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "name"], name="former_name_once")
        ]

    def __str__(self) -> str:
        return self.name
