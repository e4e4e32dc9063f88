"""Letters to those who run studies: what waits there, once a day or a week, as each has chosen.

A row for each reader says which day or week their last letter was of, and claims it: of any number
of workers one changes it. A worker that dies before it hands the letter over loses its claim after
``LEASE``, and another begins anew. One that dies while the mail server has the letter cannot know
whether it arrived: it is not sent a second time, and the next one comes as usual.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.core import signing
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from annotation.models import Lead, LeadDigest, User
from annotation.selectors.studies.digest import digest_of
from annotation.services.accounts.accounts import user_update_preferences
from annotation.services.platform.events import event_record
from annotation.services.platform.letters import digest_letter, letter_send, mail_configured

MORNING = timedelta(hours=7)
"""After midnight, in the installation's time zone: when a day, and on Monday a week, begins."""
LEASE = timedelta(minutes=10)
AFTER_FAILURE = timedelta(hours=1)
MOST_TRIES = 5
# One sweep waits for the mail server for so many letters at most; the next sweep sends the others.
AT_ONCE = 10
_SALT = "bareme.digest.off"
_Outcome = LeadDigest.Outcome


def period_of(every: str, now: datetime) -> str:
    """The day ("2026-11-23") or ISO week ("2026-W48") whose letter is due at that moment."""
    day = (timezone.localtime(now) - MORNING).date()
    if every == User.Digest.DAILY:
        return day.isoformat()
    year, week, _weekday = day.isocalendar()
    return f"{year}-W{week:02}"


def digests_send_due() -> int:
    """Send what is due; how many letters the mail server took. Nothing without mail, or without an
    address of this installation, to which a letter could lead.

    Who is met for the first time gets their first letter with the next day or week.
    """
    if not mail_configured() or not settings.PUBLIC_URL:
        return 0
    now = timezone.now()
    new = [
        LeadDigest(user=user, period=period_of(user.digest, now))
        for user in _readers().filter(lead_digest__isnull=True)
    ]
    LeadDigest.objects.bulk_create(new, ignore_conflicts=True)
    return sum(_send(user, timezone.now()) for user in _due(now)[:AT_ONCE])


def digest_token(user: User) -> str:
    """By which a letter's reader ends these letters without logging in; it never expires, and
    serves nothing else."""
    return signing.dumps(user.pk, salt=_SALT)


def digest_reader(token: str) -> User | None:
    """Whose letters the token ends; None for one that is not ours."""
    try:
        return User.objects.filter(pk=signing.loads(token, salt=_SALT), is_active=True).first()
    except signing.BadSignature:
        return None


def digest_end(*, user: User) -> None:
    """No further letters to this reader, until they ask for them on the page of their account."""
    user_update_preferences(user=user, digest=User.Digest.NEVER)


def _readers() -> QuerySet[User]:
    """Whoever leads a study and wants letters. Nobody of the demonstration: their addresses are
    invented."""
    leads = Exists(Lead.objects.filter(user=OuterRef("pk")))
    return (
        User.objects.filter(leads, is_active=True, is_demo=False)
        .exclude(digest=User.Digest.NEVER)
        .order_by("pk")
    )


def _due(now: datetime) -> QuerySet[User]:
    wanted = Q()
    for every in (User.Digest.DAILY, User.Digest.WEEKLY):
        wanted |= Q(digest=every) & _may_claim(period_of(every, now), now, "lead_digest__")
    return _readers().filter(wanted, lead_digest__isnull=False)


def _may_claim(period: str, now: datetime, way: str = "") -> Q:
    """Of another day or week; or refused a while ago; or left by a worker that died."""
    refused = {"outcome": _Outcome.FAILED, "tries__lt": MOST_TRIES}
    refused["tried_at__lte"] = now - AFTER_FAILURE
    left = {"outcome": _Outcome.CLAIMED, "tried_at__lte": now - LEASE}
    refused, left = ({f"{way}{k}": v for k, v in lookups.items()} for lookups in (refused, left))
    return ~Q(**{f"{way}period": period}) | Q(**refused) | Q(**left)


def _send(user: User, now: datetime) -> bool:
    """Claim this reader's letter, write it, hand it over; whether it was taken."""
    period = period_of(user.digest, now)
    row = LeadDigest.objects.filter(user=user)
    LeadDigest.objects.filter(user=user).exclude(period=period).update(tries=0)
    if not row.filter(_may_claim(period, now)).update(
        period=period, outcome=_Outcome.CLAIMED, tries=F("tries") + 1, tried_at=now
    ):
        return False
    mine = row.filter(period=period, tried_at=now)
    studies = digest_of(user, now)
    if not studies:
        mine.update(outcome=_Outcome.NOTHING)
        return False
    letter = digest_letter(user=user, studies=studies, site=settings.PUBLIC_URL, off=_off(user))
    # Whoever lost the claim meanwhile leaves the letter to the other.
    if not mine.filter(outcome=_Outcome.CLAIMED).update(outcome=_Outcome.SENDING):
        return False
    taken = letter_send(letter)
    mine.update(outcome=_Outcome.SENT if taken else _Outcome.FAILED)
    if taken:
        keys = [digest.study.key for digest in studies]
        event_record(actor=None, verb="digest_sent", target=user, period=period, studies=keys)
    return taken


def _off(user: User) -> str:
    return f"{settings.PUBLIC_URL}{reverse('digest_off', args=[digest_token(user)])}"
