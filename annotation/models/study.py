"""A study: what is judged, by which protocol, under which rulings, in which state."""

from __future__ import annotations

import secrets
from typing import Any, ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q, Sum, Value
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.models.protocol import PublishedProtocol
from annotation.protocols.description import recovered
from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import PROTOCOLS, UnknownProtocol, protocol

MOST_SEED = 2**63 - 1
"""What a column of seeds holds."""


def new_seed() -> int:
    """A seed that is drawn once and recorded. Blindness hangs on it: one of 31 bits, as there were,
    is found in minutes by trying which gives the order of one's own pairs."""
    return secrets.randbelow(MOST_SEED + 1)


CURRENCY_VALIDATOR = RegexValidator(
    r"^[A-Z]{3}$", _("A currency has three capital letters, for instance CAD.")
)


class Study(models.Model):
    """One annotation campaign. Pins its protocol's key and version."""

    class State(models.TextChoices):
        DRAFT = "draft", _("in preparation")
        PRACTICE = "practice", _("practice round")
        MAIN = "main", _("main round")
        CLOSED = "closed", pgettext_lazy("the study", "closed")

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
    rulings = models.JSONField(
        blank=True,
        default=dict,
        db_default=Value({}, models.JSONField()),
        help_text="what it decided within its protocol, all of it: see ``Protocol.rulings``",
    )
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.DRAFT)
    seed = models.BigIntegerField(_("seed"), default=new_seed)
    is_demo = models.BooleanField(default=False, editable=False)
    licence = models.CharField(_("licence of the data"), max_length=100, blank=True, default="")
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
    archived_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="out of everybody's list since, and nothing is written to it",
    )
    item_places_used = models.PositiveIntegerField(
        default=0,
        db_default=0,
        editable=False,
        help_text="the last number of items that were taken out: no other item gets one of them",
    )

    _recovered: tuple[tuple[str, str], Protocol] | None = None

    class Meta:
        ordering: ClassVar = ["title", "key"]
        verbose_name_plural = "studies"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(state__in=["draft", "practice", "main", "closed"]), name="study_state"
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

    def save(self, *args: object, **kwargs: object) -> None:
        if self._state.adding:
            # All of them stand in the row, whoever made it.
            self.rulings = self.protocol.clean_rulings(self.rulings)
        super().save(*args, **kwargs)  # type: ignore[arg-type]

    @classmethod
    def from_db(cls, *args: Any, **kwargs: Any) -> Study:
        """With every ruling of its protocol: a version of Barème that does not know them stores
        none."""
        study = super().from_db(*args, **kwargs)
        known = study.__dict__
        pinned = PROTOCOLS.get(
            (known.get("protocol_key", ""), known.get("protocol_version", ""))
            if "rulings" in known
            else ("", "")
        )
        if pinned is not None and len(study.rulings) < len(pinned.rulings):
            study.rulings = pinned.clean_rulings(study.rulings)
        return study

    @property
    def protocol(self) -> Protocol:
        """The pinned protocol; where it is no longer installed, as it was described: to read and
        export what was judged by it. Raises ``UnknownProtocol`` for one that never was."""
        name = (self.protocol_key, self.protocol_version)
        if self._recovered is not None and self._recovered[0] == name:
            return self._recovered[1]
        try:
            return protocol(*name)
        except UnknownProtocol:
            kept = PublishedProtocol.objects.filter(key=name[0], version=name[1]).first()
            if kept is None:
                raise
            self._recovered = name, recovered(kept.description)
            return self._recovered[1]

    def hides_answers(self, round_: str = "main") -> bool:
        """Whether leads must not see what people answered in that round ("main", "practice",
        "control", "repeat", "machine" or "all") yet: the one rule for every page, export and
        operation."""
        if self.state == self.State.PRACTICE:
            return round_ in ("practice", "all") and not self.practice_answers_open
        return self.is_blind and self.state == self.State.MAIN and round_ != "practice"

    @property
    def practice_answers_open(self) -> bool:
        """Whether practice answers may stand side by side: a lead has opened the meeting, or there
        is a practice round and nobody has any of it left. Once it is over nobody can answer more of
        it: whoever joins later has all of it left for good."""
        if self.meetings.exists():
            return True
        people = self.annotators.filter(
            kind="person", user__isnull=False, withdrawn_at__isnull=True
        )
        # As it is kept: this is asked at every page of answers.
        rows = people.filter(tallies__in_practice__in=[True]).aggregate(
            judged=Sum("tallies__judged"), awaited=Sum("tallies__awaited")
        )
        return bool(rows["judged"]) and (self.practice_is_over or not rows["awaited"])

    @property
    def practice_is_over(self) -> bool:
        """Whether the study has left its practice round, if it had one, behind. Of whoever
        has judged none of it by then it is awaited no more."""
        return self.state not in (self.State.DRAFT, self.State.PRACTICE)

    @property
    def open_rounds(self) -> tuple[str, ...]:
        """The rounds whose items take judgments now: none of an archived study. Practice stays
        readable but closed in main."""
        if self.archived_at is not None:
            return ()
        return {"practice": ("practice",), "main": ("main", "control", "repeat")}.get(
            self.state, ()
        )

    def takes_judgments(self, round_: str) -> bool:
        """Whether items of that round can be judged now: it is open, and the protocol is there."""
        return round_ in self.open_rounds and self.protocol.is_installed


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
