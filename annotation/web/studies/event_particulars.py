"""The particulars of an event in the reader's language: how a detail is called, and how its value
reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.generation.review import FLAGS
from annotation.models import (
    Adjudication,
    ApiToken,
    Backend,
    ErasureRequest,
    Event,
    GenerationRun,
    Invitation,
    Item,
    Job,
    Output,
    Study,
    StudyPlan,
)
from annotation.protocols.base import Ruling
from annotation.protocols.registry import PROTOCOLS
from annotation.services.studies.studies import SETTINGS
from annotation.web.base.numbers import decimal
from annotation.web.base.presenters import text
from annotation.web.studies.presenters import CHECKS

LABELS = {
    "assumed": gettext_lazy("assumed"),
    "confidence": gettext_lazy("confidence"),
    "design": gettext_lazy("computed of it"),
    "half_width": gettext_lazy("wanted half-width (points)"),
    "judged": gettext_lazy("judgments that were in"),
    "learned": gettext_lazy("learned from"),
    "mean": gettext_lazy("mean"),
    "method": gettext_lazy("method"),
    "others": gettext_lazy("with other annotators too"),
    "question": gettext_lazy("question"),
    "questioning": gettext_lazy("how questions are asked"),
    "types": gettext_lazy("types of questions"),
    "least": gettext_lazy("questions of a text, at least"),
    "most": gettext_lazy("questions of a text, at most"),
    "window": gettext_lazy("tokens of a text, at most"),
    "border": gettext_lazy("longer texts are cut at"),
    "quotation": gettext_lazy("quotation"),
    "ratings": gettext_lazy("ratings"),
    "rest": gettext_lazy("rest"),
    "scale": gettext_lazy("scale"),
    "sets": gettext_lazy("simulated sets of texts"),
    "sources": gettext_lazy("between texts"),
    "target": gettext_lazy("of"),
    "teams": gettext_lazy("simulated teams"),
    "texts": gettext_lazy("texts"),
    "these": gettext_lazy("with these annotators"),
    "variances": gettext_lazy("variances (points²)"),
    "widths": gettext_lazy("half-widths to expect (points)"),
    "added": gettext_lazy("added"),
    "after": gettext_lazy("after"),
    "against": gettext_lazy("not done"),
    "all": gettext_lazy("all"),
    "annotators": gettext_lazy("annotators"),
    "as_form": gettext_lazy("read as a form"),
    "attached": gettext_lazy("onto pairs that were there"),
    "augment": gettext_lazy("made-up pairs"),
    "backend": gettext_lazy("kind of scorer"),
    "because": gettext_lazy("because"),
    "before": gettext_lazy("before"),
    "block": gettext_lazy("block"),
    "blocks": gettext_lazy("blocks"),
    "by": gettext_lazy("by"),
    "bytes": gettext_lazy("bytes"),
    "ceiling": gettext_lazy("ceiling (USD)"),
    "changed": gettext_lazy("changed"),
    "column": gettext_lazy("column"),
    "content_digest": gettext_lazy("digest of the content"),
    "control_identical": gettext_lazy("identical control pairs"),
    "control_unit": gettext_lazy("control pairs counted as"),
    "control_unrelated": gettext_lazy("unrelated control pairs"),
    "controls": gettext_lazy("control pairs"),
    "count": gettext_lazy("number"),
    "days": gettext_lazy("days"),
    "decision": gettext_lazy("decision"),
    "reference_system": gettext_lazy("system that is the reference"),
    "metric": gettext_lazy("metric"),
    "draws": gettext_lazy("draws"),
    "dimension": gettext_lazy("dimension"),
    "documents": gettext_lazy("source documents"),
    "drop_boilerplate": gettext_lazy("boilerplate left out"),
    "drop_duplicates": gettext_lazy("duplicates left out"),
    "drop_fields": gettext_lazy("fields to fill in left out"),
    "drop_tables": gettext_lazy("tables left out"),
    "drop_verbless": gettext_lazy("what has no verb left out"),
    "early": gettext_lazy("early"),
    "encoders": gettext_lazy("encoders"),
    "endpoint": gettext_lazy("service"),
    "event": gettext_lazy("event"),
    "expected": gettext_lazy("expected (USD)"),
    "expected_answer": gettext_lazy("expected answer"),
    "failed": gettext_lazy("failed"),
    "fewest_ratings": gettext_lazy("fewest ratings"),
    "fewest_sentences": gettext_lazy("fewest sentences"),
    "files": gettext_lazy("files"),
    "flag": gettext_lazy("flag"),
    "format": gettext_lazy("format"),
    "french_only": gettext_lazy("French only"),
    "generations": gettext_lazy("outputs asked for"),
    "given": gettext_lazy("places in lists"),
    "giver": gettext_lazy("account that had made it"),
    "guide": gettext_lazy("version of the guide"),
    "hardest_only": gettext_lazy("reading ease at most"),
    "identical": gettext_lazy("identical"),
    "guides": gettext_lazy("versions of the guide"),
    "instead_of": gettext_lazy("instead of"),
    "invitations": gettext_lazy("invitations"),
    "item": gettext_lazy("item"),
    "keys": gettext_lazy("items"),
    "items": gettext_lazy("items"),
    "judges": gettext_lazy("judges"),
    "judgment": gettext_lazy("judgment"),
    "judgments": gettext_lazy("judgments"),
    "kept": gettext_lazy("kept"),
    "key": gettext_lazy("key"),
    "kind": gettext_lazy("kind"),
    "layout": gettext_lazy("layout"),
    "leads": gettext_lazy("leads"),
    "made_at": gettext_lazy("made on"),
    "main": gettext_lazy("main round"),
    "majority_share": gettext_lazy("share of the majority"),
    "mode": gettext_lazy("mode"),
    "model": gettext_lazy("model"),
    "moment": gettext_lazy("as it was at"),
    "most_sentences": gettext_lazy("most sentences"),
    "names": gettext_lazy("names shown"),
    "notes": gettext_lazy("notes"),
    "new_judgments": gettext_lazy("new judgments"),
    "number": gettext_lazy("number"),
    "of": gettext_lazy("of"),
    "offered": gettext_lazy("offered"),
    "open": gettext_lazy("still to judge"),
    "opened": gettext_lazy("looked at"),
    "out": gettext_lazy("taken out"),
    "outcome": gettext_lazy("outcome"),
    "outputs": gettext_lazy("outputs"),
    "left_to_models": gettext_lazy("items left to models"),
    "pairs": gettext_lazy("pairs"),
    "passages": gettext_lazy("passages for people"),
    "people": gettext_lazy("people"),
    "per_item": gettext_lazy("answers per pair"),
    "period": gettext_lazy("period"),
    "places": gettext_lazy("last place in the list"),
    "practice": gettext_lazy("practice round"),
    "problem": gettext_lazy("problem"),
    "pseudonym": gettext_lazy("pseudonym"),
    "reason": gettext_lazy("reason"),
    "recounted": gettext_lazy("counted again"),
    "reference": gettext_lazy("with a reference"),
    "release_after_days": gettext_lazy("pairs offered to others after (days)"),
    "released": gettext_lazy("taken back"),
    "remarks": gettext_lazy("remarks"),
    "remote_state": gettext_lazy("state at the service"),
    "removed": gettext_lazy("removed"),
    "repeat_after_days": gettext_lazy("repeats not before (days)"),
    "repeat_percent": gettext_lazy("repeats (% of the pairs)"),
    "replaced": gettext_lazy("in the place of another"),
    "requests": gettext_lazy("calls"),
    "revision": gettext_lazy("revision"),
    "role": gettext_lazy("role"),
    "round": gettext_lazy("round"),
    "rows": gettext_lazy("rows"),
    "runs": gettext_lazy("runs of models"),
    "saw_pseudonyms": gettext_lazy("pseudonyms seen"),
    "scopes": gettext_lazy("may"),
    "score_range": gettext_lazy("range of the scores"),
    "score_ranges": gettext_lazy("range of single scales"),
    "scorer": gettext_lazy("scorer"),
    "seed": gettext_lazy("seed"),
    "seeds": gettext_lazy("seeds"),
    "sha256": "SHA-256",
    "simplifications": gettext_lazy("simplifications"),
    "size": gettext_lazy("bytes"),
    "skipped": gettext_lazy("passed over"),
    "snapshot": gettext_lazy("snapshot"),
    "standing_from": gettext_lazy("mention from how many times on"),
    "together": gettext_lazy("decided together"),
    "source": gettext_lazy("source"),
    "spent": gettext_lazy("spent (USD)"),
    "studies": gettext_lazy("studies"),
    "submitted_at": gettext_lazy("submitted on"),
    "surplus": gettext_lazy("surplus answers"),
    "syllables": gettext_lazy("count of syllables"),
    "systems": gettext_lazy("systems"),
    "terms": gettext_lazy("terms of the glossary"),
    "threshold": gettext_lazy("threshold"),
    "type": gettext_lazy("type"),
    "unrelated": gettext_lazy("unrelated"),
    "user": gettext_lazy("account"),
    "protocol": gettext_lazy("protocol"),
    "value": gettext_lazy("value"),
    "version": gettext_lazy("version"),
    "what": gettext_lazy("what"),
    "wish": gettext_lazy("wish"),
}
"""How a detail is called, by its key. Settings of a study are called as on their form."""

_CHOICES: dict[str, tuple[type[TextChoices], ...]] = {
    "after": (Study.State, GenerationRun.State),
    "backend": (Backend,),
    "because": (GenerationRun.Stopped,),
    "before": (Study.State, GenerationRun.State),
    "context_arm": (Study.ContextArm,),
    "control_unit": (StudyPlan.ControlUnit,),
    "decision": (Output.Decision,),
    "judgments": (ErasureRequest.Judgments,),
    "kind": (Job.Kind,),
    "language": (Study.Language,),
    "mode": (GenerationRun.Mode,),
    "outcome": (Adjudication.Outcome,),
    "role": (Invitation.Role,),
    "round": (Item.Round, Item.Aside),
    "scopes": (ApiToken.Scope,),
    "wish": (ErasureRequest.Judgments,),
}
_WORDS = {
    ("by", "hand"): gettext_lazy("hand"),
    ("by", "mail"): gettext_lazy("e-mail"),
    ("what", "document"): gettext_lazy("document"),
    ("what", "import"): gettext_lazy("import"),
    ("what", "preview"): gettext_lazy("preview"),
    ("target", "difference"): gettext_lazy("difference between two systems"),
    ("target", "mean"): gettext_lazy("mean of a system"),
    ("target", "pair"): gettext_lazy("value of one pair"),
    ("round", "all"): gettext_lazy("both rounds"),
    ("round", "surplus"): gettext_lazy("surplus answers"),
}
_PLAIN = {
    "True": gettext_lazy("yes"),
    "False": gettext_lazy("no"),
    "None": gettext_lazy("none"),
}


def particulars(event: Event) -> list[tuple[str, str]]:
    """Label and value of every detail that says something, in the reader's language."""
    return [
        (label_of(name), _value(name, value))
        for name, value in event.details.items()
        if value not in ("", {}, [])
    ]


def label_of(name: str) -> str:
    """How a detail is called; its key where nobody has named it, which a test finds."""
    if (ruling := _ruling(name)) is not None:
        return text(ruling.label)
    if name in SETTINGS:
        return str(getattr(Study._meta.get_field(name), "verbose_name", name))
    return str(LABELS.get(name, name))


def _ruling(name: str) -> Ruling | None:
    """What a protocol leaves to its studies under this name; a trail outlives its study's."""
    known = (ruling for protocol in list(PROTOCOLS.values()) for ruling in protocol.rulings)
    return next((ruling for ruling in known if ruling.name == name), None)


def _value(name: str, value: object) -> str:
    if isinstance(value, Mapping):
        # One mapping has dimensions for keys.
        of = partial(_word, "dimension") if name == "score_ranges" else label_of
        return ", ".join(f"{of(key)} = {_value(key, inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(_value(name, inner) for inner in value)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if value is None:
        return _("none")
    if isinstance(value, float):
        # As it was set, with every digit.
        return decimal(value, 0 if value.is_integer() else len(str(value).partition(".")[2]))
    return _word(name, str(value))


def _word(name: str, value: str) -> str:
    if " → " in value:  # a criterion as it was and as it is
        return " → ".join(_word(name, part) for part in value.split(" → "))
    if value in _PLAIN:
        return str(_PLAIN[value])
    if (ruling := _ruling(name)) is not None and value in dict(ruling.options):
        return text(dict(ruling.options)[value])
    if (name, value) in _WORDS:
        return str(_WORDS[name, value])
    if (named := _named_elsewhere(name, value)) is not None:
        return named
    choices: dict[Any, Any] = {}
    for kind in _CHOICES.get(name, ()):
        choices |= dict(kind.choices)
    if name == "scopes":
        return ", ".join(str(choices.get(scope, scope)) for scope in value.split())
    return str(choices.get(value, value))


def _named_elsewhere(name: str, value: str) -> str | None:
    """A check, a flag or a dimension as the pages about it call it."""
    if name == "against":
        return ", ".join(
            str(CHECKS[check][0]) if check in CHECKS else check for check in value.split(", ")
        )
    if name == "flag" and value in FLAGS:
        return text(FLAGS[value])
    if name == "dimension":
        labels = (
            scale.label
            for protocol in list(PROTOCOLS.values())
            for scale in protocol.scales
            if scale.name == value
        )
        return next((text(label) for label in labels), None)
    return None
