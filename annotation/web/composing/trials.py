"""A protocol tried as its annotators would see it: the judging page's own texts, steps and keys.
Nothing that is answered there is kept."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation import answers as storage
from annotation.access import may_create_studies, protocol_draft_for
from annotation.bodies import UnreadableBody, json_body
from annotation.corpus.language import original_language, simplification_language
from annotation.models import Item, User
from annotation.protocols.base import Answers, Problem
from annotation.protocols.first_guide import first_guide
from annotation.protocols.kinds import ShapeError
from annotation.protocols.protocol import ORIGINAL, SIMPLIFICATION, Protocol
from annotation.protocols.registry import published
from annotation.selectors.agreement.voices import Voice
from annotation.selectors.composing.drafts import examined
from annotation.selectors.judging.blinded import BlindedPair
from annotation.web.agreement.voices import voices_context
from annotation.web.base.presenters import (
    judge_state,
    own_headings,
    panels_context,
    steps_context,
    text,
)
from annotation.web.composing.presenters import stored
from annotation.web.judging.forms.judging import apply_action, posted_answers
from annotation.web.judging.views.annotate import frame_context, option_cards, shown_again
from annotation.web.platform.markdown import render_guide
from annotation.web.platform.requests import PersonRequest

SAMPLES = {
    "fr": (
        "Lorsque l'eau qui a endommagé le logement provient d'un appareil laissé sans surveillance "
        "pendant plus de quatre jours, la Compagnie ne verse aucune indemnité, à moins que le "
        "titulaire n'ait fait fermer l'arrivée d'eau avant son départ.",
        "Si un appareil que personne ne surveille depuis plus de 4 jours cause un dégât d'eau, la "
        "Compagnie ne paie rien, sauf si vous aviez coupé l'eau avant de partir.",
    ),
    "en": (
        "Where the water that has damaged the dwelling comes from an appliance left unattended for "
        "more than four days, the Company pays no compensation, unless the holder had the water "
        "supply shut off before leaving.",
        "If an appliance that nobody has watched for more than 4 days causes water damage, the "
        "Company pays nothing, unless you had turned the water off before you left.",
    ),
}
"""The pair that a protocol is tried on where no other is given, by language."""


@dataclass(frozen=True)
class Trial:
    """What is tried, and on what. ``name`` tells it from every other, its content included;
    ``draft`` is its number, None for an installed protocol."""

    name: str
    protocol: Protocol
    original: str
    simplification: str
    draft: uuid.UUID | None = None

    @property
    def rulings(self) -> dict[str, str | bool]:
        """What studies decide, as it stands where none has."""
        return self.protocol.clean_rulings({})

    @property
    def texts(self) -> dict[str, str]:
        """By side."""
        return {ORIGINAL: self.original, SIMPLIFICATION: self.simplification}

    @property
    def languages(self) -> dict[str, str]:
        """Of the texts, by side."""
        stated = self.protocol.language_of
        return {
            ORIGINAL: original_language(stated(ORIGINAL), self.original),
            SIMPLIFICATION: simplification_language(
                stated(SIMPLIFICATION), "", self.simplification
            ),
        }


def _trial(user: User, tried: str) -> Trial | None:
    """What is to be tried; None for a draft that nobody could judge by. Raises ``Http404``."""
    if not may_create_studies(user):
        raise Http404("no such page")
    try:
        number = uuid.UUID(tried)
    except ValueError:
        return _installed(tried)
    if str(number) != tried:
        raise Http404("no such draft")
    draft = protocol_draft_for(user, number)
    seen = examined(draft.text, user)
    if seen.protocol is None or not seen.is_sound:
        return None
    original, simplification = _sample(seen.protocol)
    if draft.original or draft.simplification:
        original, simplification = draft.original, draft.simplification
    # Parts of pages are kept by this name: another text of the file is another protocol.
    name = f"trial-{draft.public_id}-{draft.revision}"
    return Trial(name, seen.protocol, original, simplification, draft.public_id)


def _installed(tried: str) -> Trial:
    known = {f"{protocol.key}-{protocol.version}": protocol for protocol in published()}
    if tried not in known:
        raise Http404("no such protocol")
    return Trial(tried, known[tried], *_sample(known[tried]))


def _sample(protocol: Protocol) -> tuple[str, str]:
    stated = {panel.language[:2] for panel in protocol.panels}
    return SAMPLES["en"] if stated == {"en"} else SAMPLES["fr"]


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def trial(request: PersonRequest, tried: str) -> HttpResponse:
    """The pair as an annotator would have it before them. POST checks what they answered, and says
    what would be stored."""
    shown = _trial(request.user, tried)
    if shown is None:
        return redirect("protocol_draft", draft=tried)
    if request.method == "GET":
        return _page(request, shown, shown.protocol.empty_answers())
    try:
        raw = _raw(request, shown.protocol)
    except UnreadableBody:
        return render(request, "400.html", status=400)
    action = request.POST.get("action", "save")
    if action != "submit":
        again = shown_again(shown.protocol, raw)
        return _page(request, shown, apply_action(shown.protocol, again, action))
    try:
        answers = shown.protocol.clean(raw)
        problems = shown.protocol.problems(answers, _pair(shown, raw).facts, shown.rulings)
    except ShapeError as error:
        problems = [error.problem]
    if problems:
        return _page(request, shown, shown_again(shown.protocol, raw), problems)
    return _answered(request, shown, answers)


def _raw(request: PersonRequest, protocol: Protocol) -> dict[str, Any]:
    """What the page's scripts read off it, else what the plain form sent. Raises
    ``UnreadableBody``."""
    if not (written := request.POST.get("answers", "")):
        return posted_answers(protocol, request.POST)
    received = json_body(written.encode("utf-8", "replace"))
    if not isinstance(received, dict):
        raise UnreadableBody("syntax")
    return received


def _pair(shown: Trial, answers: Answers) -> BlindedPair:
    language = shown.languages[SIMPLIFICATION]
    return BlindedPair(
        position=1,
        round=Item.Round.MAIN,
        original=shown.original,
        simplification=shown.simplification,
        facts=storage.facts(
            original=shown.original,
            simplification=shown.simplification,
            is_identical=shown.original == shown.simplification,
            language=language,
        ),
        findings_open=True,
        answers=answers,
        revision=0,
        saved_at=None,
        active_seconds=0,
        submitted_at=None,
        has_unsent_changes=False,
        editable=True,
        is_installed=True,
        context_before="",
        context_after="",
        languages=shown.languages,
        again="",
    )


def _page(
    request: PersonRequest, shown: Trial, answers: Answers, problems: list[Problem] | None = None
) -> HttpResponse:
    protocol, pair = shown.protocol, _pair(shown, answers)
    steps = steps_context(protocol, answers, pair.facts, problems or [], shown.rulings)
    context = {
        **_frame(shown),
        # As the judging page's own parts call it.
        "study": {"key": shown.name, "protocol": shown.name, "language": "fr"},
        "pair": pair,
        "steps": steps,
        **frame_context(protocol, steps),
        "panels": panels_context(protocol, pair),
        "own_headings": own_headings(protocol),
        "score": protocol.running_score(answers, shown.rulings),
        "state": judge_state(protocol, pair, answers)
        | {"advance": request.user.auto_advance, "keys": request.user.keys},
        "problems": [
            {"field": problem.field, "message": text(problem.message)} for problem in problems or ()
        ],
    }
    return render(request, "composing/trial.html", context, status=422 if problems else 200)


def _frame(shown: Trial) -> dict[str, Any]:
    """What the pages of a trial say of it, and where they lead."""
    return {
        "title": text(shown.protocol.title),
        "tried": shown.draft or shown.name,
        "back": (
            reverse("protocol_draft", args=[shown.draft]) if shown.draft else reverse("protocols")
        ),
    }


def _answered(request: PersonRequest, shown: Trial, answers: Answers) -> HttpResponse:
    ratings = shown.protocol.ratings(answers, shown.rulings)
    voice = Voice("A", answers, {rating.dimension: rating.value for rating in ratings}, mark="A")
    context = {
        **_frame(shown),
        "panels": panels_context(shown.protocol, _pair(shown, answers)),
        **voices_context(shown.protocol, shown.texts, [voice], shown.languages),
        **stored(shown.protocol, answers, shown.rulings),
    }
    return render(request, "composing/tried.html", context)


@never_cache
@login_required
@require_safe
def guide(request: PersonRequest, tried: str) -> HttpResponse:
    """The guide that a study of this protocol begins with."""
    shown = _trial(request.user, tried)
    if shown is None:
        raise Http404("no such protocol")
    language = "en" if get_language() == "en" else "fr"
    context = {
        **_frame(shown),
        "guide_html": render_guide(first_guide(shown.protocol, shown.rulings, language)),
    }
    return render(request, "composing/guide.html", context)


@never_cache
@login_required
@require_safe
def options(request: PersonRequest, tried: str, field: str) -> HttpResponse:
    """What each option of a field covers, in the language that is not the page's."""
    shown = _trial(request.user, tried)
    if shown is None:
        raise Http404("no such protocol")
    return option_cards(request, shown.protocol, field)
