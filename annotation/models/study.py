"""A study: what is judged, by which protocol, under which rulings, in which state."""

from __future__ import annotations

import secrets
from typing import ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.protocols.base import Settings
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import protocol


def new_seed() -> int:
    """A seed that is drawn once and recorded; below 2**31 so that every tool can read it."""
    return secrets.randbelow(2**31)


CURRENCY_VALIDATOR = RegexValidator(
    r"^[A-Z]{3}$", _("A currency has three capital letters, for instance CAD.")
)


class Study(models.Model):
    """One annotation campaign. Pins its protocol's key and version."""

    class State(models.TextChoices):
        DRAFT = "draft", _("in preparation")
        PRACTICE = "practice", _("practice round")
        MAIN = "main", _("main round")
        CLOSED = "closed", _("closed")

    class CrossingPolicy(models.TextChoices):
        ASK = "ask", _("ask the annotator")
        FALL_THROUGH = "fall_through", _("let the score fall through")
        CLAMP = "clamp", _("stop at the bottom of the bracket")

    class ContextArm(models.TextChoices):
        NONE = "none", _("never shown")
        ALL = "all", _("shown to everybody")
        HALF = "half", _("shown for a drawn half")

    class Language(models.TextChoices):
        FRENCH = "fr", "Français"
        ENGLISH = "en", "English"

    key = models.SlugField(_("key"), max_length=50, unique=True)
    title = models.CharField(_("title"), max_length=200)
    language = models.CharField(
        _("language of its title, notes and comments"),
        max_length=2,
        choices=Language,
        default=Language.FRENCH,
        db_default="fr",
    )
    protocol_key = models.CharField(max_length=40, default="legal_meaning")
    protocol_version = models.CharField(max_length=10, default="1")
    crossing_policy = models.CharField(
        _("bracket crossing"), max_length=12, choices=CrossingPolicy, default=CrossingPolicy.ASK
    )
    span_required = models.BooleanField(_("each error needs a marked passage"), default=False)
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.DRAFT)
    seed = models.BigIntegerField(_("seed"), default=new_seed)
    is_demo = models.BooleanField(default=False, editable=False)
    licence = models.CharField(
        _("licence of the data"), max_length=100, blank=True, default="CC-BY-4.0"
    )
    guidance_seconds = models.PositiveIntegerField(_("guidance per pair (seconds)"), default=300)
    hours_budget = models.PositiveIntegerField(_("hours per annotator"), default=30)
    hourly_rate = models.DecimalField(
        _("pay per active hour"),
        max_digits=7,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
    )
    pay_currency = models.CharField(
        _("currency"),
        max_length=3,
        default="CAD",
        db_default="CAD",
        validators=[CURRENCY_VALIDATOR],
    )
    contact = models.CharField(
        _("whom its annotators ask"), max_length=200, blank=True, default="", db_default=""
    )
    is_blind = models.BooleanField(
        _("the lead sees no answers before the round is closed"), default=False, db_default=False
    )
    context_arm = models.CharField(
        _("neighbouring text"),
        max_length=4,
        choices=ContextArm,
        default=ContextArm.NONE,
        db_default="none",
    )
    reminder_after_days = models.PositiveSmallIntegerField(
        _("remind after days without activity"),
        default=0,
        db_default=0,
        validators=[MaxValueValidator(365)],
    )
    reminder_gap_days = models.PositiveSmallIntegerField(
        _("days between two reminders"),
        default=3,
        db_default=3,
        validators=[MinValueValidator(1), MaxValueValidator(365)],
    )
    aid_renderings = models.BooleanField(
        _("annotators may have terms pointed out that are rendered by other words"),
        default=False,
        db_default=False,
    )
    aid_glossary = models.BooleanField(
        _("annotators may look terms up in the study's glossary"), default=True, db_default=True
    )
    glossary_number = models.PositiveIntegerField(
        default=0,
        db_default=0,
        editable=False,
        help_text="of the glossary's version in force; 0: there was none yet",
    )
    glossary_size = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text="its entries"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["title", "key"]
        verbose_name_plural = "studies"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(state__in=["draft", "practice", "main", "closed"]), name="study_state"
            ),
            models.CheckConstraint(
                condition=Q(crossing_policy__in=["ask", "fall_through", "clamp"]),
                name="study_crossing_policy",
            ),
            models.CheckConstraint(
                condition=Q(context_arm__in=["none", "all", "half"]), name="study_context_arm"
            ),
            models.CheckConstraint(condition=Q(language__in=["fr", "en"]), name="study_language"),
            models.CheckConstraint(
                condition=Q(reminder_gap_days__gte=1), name="study_reminder_gap"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def protocol(self) -> Protocol:
        return protocol(self.protocol_key, self.protocol_version)

    @property
    def protocol_settings(self) -> Settings:
        return Settings(crossing_policy=self.crossing_policy, span_required=self.span_required)

    def hides_answers(self, round_: str = "main") -> bool:
        """Whether leads must not see what people answered in that round ("main", "practice",
        "control", "repeat" or "all") yet: the one rule for every page, export and operation."""
        if self.state == self.State.PRACTICE:
            return round_ in ("practice", "all") and not self.practice_answers_open
        return self.is_blind and self.state == self.State.MAIN and round_ != "practice"

    @property
    def practice_answers_open(self) -> bool:
        """Whether practice answers may stand side by side: a lead has opened the meeting, or there
        is a practice round and nobody has any of it left."""
        if self.meetings.exists():
            return True
        people = self.annotators.filter(
            kind="person", user__isnull=False, withdrawn_at__isnull=True
        )
        rows = people.filter(assignments__simplification__item__round="practice").aggregate(
            given=Count("assignments"),
            judged=Count(
                "assignments", filter=Q(assignments__judgment__submitted_at__isnull=False)
            ),
        )
        return bool(rows["given"]) and rows["given"] == rows["judged"]

    @property
    def open_rounds(self) -> tuple[str, ...]:
        """The rounds whose items take judgments now. Practice stays readable but closed in main."""
        return {"practice": ("practice",), "main": ("main", "control", "repeat")}.get(
            self.state, ()
        )


class GuideVersion(models.Model):
    """A published version of the annotation guide (Markdown); a change is a new number."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="guides")
    number = models.PositiveIntegerField()
    body_fr = models.TextField(_("guide in French"))
    body_en = models.TextField(_("guide in English"), blank=True)
    published_at = models.DateTimeField(default=timezone.now, editable=False)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ["study", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "number"], name="guide_number_once")
        ]

    def __str__(self) -> str:
        return f"{self.study.key} v{self.number}"


KEY_VALIDATOR = RegexValidator(
    r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,79}$",
    _(
        "A key starts with a letter or digit and holds letters, digits, «.», «_», «:» and «-», "
        "80 at most."
    ),
)
