"""Pages of pairs that a browser keeps for their annotator, so that the next ones are there without
a network."""

from __future__ import annotations

import json

from django.contrib.staticfiles.storage import staticfiles_storage
from django.utils.crypto import salted_hmac

from annotation.models import Assignment, Study, User
from annotation.selectors.judging.queue import Ahead
from annotation.web.platform.user_ref import user_ref

MARK_HEADER = "X-Bareme-Mark"
# How many pairs ahead.
KEPT = 10


def pair_mark(user: User, study: Study, pair: Assignment | Ahead, total: int) -> str:
    """Tells whether a page that was kept still shows what one fetched now would; its answers apart,
    which have a revision. ``total``: how many pairs there are in its round.

    Keyed: rows are numbered as systems wrote them, and whoever could compute the mark of each
    number would read from it which system wrote a pair that is yet to be judged.
    """
    simplification = pair.simplification if isinstance(pair, Ahead) else pair.simplification_id
    shown = [simplification, pair.context_shown, total, *_of_study(study), *_of_reader(user)]
    return salted_hmac("annotation.pair_mark", json.dumps(shown), algorithm="sha256").hexdigest()[
        :18
    ]


def _of_study(study: Study) -> list[object]:
    rules = [study.protocol_key, study.protocol_version, study.rulings]
    return [
        study.pk,
        study.title,
        study.state,
        *rules,
        study.guidance_seconds,
        study.aid_renderings,
        study.aid_glossary,
    ]


def _of_reader(user: User) -> list[object]:
    looks = [user.language, user.theme, user.type_size, user.spacing, user.typeface]
    ways = [user.auto_advance, user.keys, user.break_after_minutes]
    # Another deployment has other scripts.
    return [user_ref(user), *looks, *ways, getattr(staticfiles_storage, "manifest_hash", "")]
