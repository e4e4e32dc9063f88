"""Which columns hold words that somebody typed freely, and which the program reads: every text and
JSON column of ours stands in exactly one of the tables below (a test walks all models).

An erasure takes a person out of ``FREE_TEXT`` alone. ``TO_EDIT`` is published or refers to files: a
mention there is shown, and mended by a person. What stands in ``READ`` is a state, a key, a digest,
the material of a study or an answer of a machine: a name in it means nothing, and changing it would
break what reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.models import PublishedProtocol
from annotation.protocols.description import recovered
from annotation.protocols.kinds.former import ANY
from annotation.protocols.registry import COMPOSED, PROTOCOLS

Path = tuple[str, ...]


def answer_members() -> tuple[Path, ...]:
    """Where free text stands in stored answers, in any protocol's; "*" is every entry. Also of
    those that are no longer installed: what people wrote under them is still theirs. It is asked
    for each row: whoever begins has looked for what was installed meanwhile (``published``)."""
    return _answer_members(frozenset((name, COMPOSED.get(name)) for name in list(PROTOCOLS)))


@lru_cache(maxsize=8)
def _answer_members(installed: frozenset[tuple[tuple[str, str], object]]) -> tuple[Path, ...]:
    """``installed``: by key and version, with since when where people have installed it, as what
    has been taken away may come back under its name and say something else."""
    names = {name for name, since in installed}
    kept = (
        _members_kept(protocol)
        for protocol in PublishedProtocol.objects.order_by("pk")
        if (protocol.key, protocol.version) not in names
    )
    members = (
        protocol.free_members
        for name in sorted(names)
        if (protocol := PROTOCOLS.get(name)) is not None
    )
    return tuple(dict.fromkeys(member for each in (*members, *kept) for member in each))


def _members_kept(kept: PublishedProtocol) -> tuple[Path, ...]:
    """Where people wrote under a protocol that is not installed; anywhere, where that cannot be
    read: an erasure must not stop there, nor leave anything out."""
    try:
        return recovered(kept.description).free_members
    except (KeyError, TypeError, ValueError, AttributeError):
        return (("*", ANY),)


def free_names() -> frozenset[str]:
    """What free text of answers is called, or what it stands under, in any protocol."""
    return frozenset(
        member[-2] if member[-1] == ANY else member[-1] for member in answer_members()
    ) - {"*"}


@dataclass(frozen=True)
class FreeText:
    """How one column is read. ``study``: the way to the id of its study ("" where it belongs to no
    single one, see ``selectors.privacy.identity``). ``where``: where in its JSON, ``ANSWERS``
    for wherever a protocol's answers have free text; empty for a column of text. ``round``: for
    answers, the way to the round of their pair. ``is_private``: of the words around a mention
    nobody but their author may know."""

    label: Promise
    study: str = ""
    where: tuple[Path, ...] = ()
    round: str = ""
    is_private: bool = False

    @property
    def members(self) -> tuple[Path, ...]:
        """The ways to its free text, as they are now."""
        return answer_members() if self.where is _ANSWERS else self.where


_ANSWERS: tuple[Path, ...] = (("answers",),)
_ROUND = "simplification__item__round"
_WHEN = ("before", "after")
_TYPED = ("title", "contact", "licence", "question", "expected_answer")

FREE_TEXT: dict[str, FreeText] = {
    "draft.answers": FreeText(
        _("answers that were not submitted"),
        "assignment__annotator__study",
        _ANSWERS,
        f"assignment__{_ROUND}",
        is_private=True,
    ),
    "draftversion.answers": FreeText(
        _("answers that were put aside"),
        "assignment__annotator__study",
        _ANSWERS,
        f"assignment__{_ROUND}",
        is_private=True,
    ),
    "sideanswer.value": FreeText(
        _("comment or explanation on a judgment"),
        "judgment__assignment__annotator__study",
        round=f"judgment__assignment__{_ROUND}",
    ),
    "errordeduction.note": FreeText(
        _("note on an error"),
        "judgment__assignment__annotator__study",
        round=f"judgment__assignment__{_ROUND}",
    ),
    "judgmentrevision.answers": FreeText(
        _("submission in the history of a judgment"),
        "assignment__annotator__study",
        _ANSWERS,
        f"assignment__{_ROUND}",
    ),
    "privatenote.text": FreeText(
        _("private note"), "assignment__annotator__study", is_private=True
    ),
    "practicenote.note": FreeText(_("note on a practice pair"), "simplification__item__study"),
    "practicenote.reference": FreeText(
        _("reference of a practice pair"), "simplification__item__study", _ANSWERS
    ),
    "practicemeeting.reason": FreeText(_("reason of a meeting"), "study"),
    "rejudgerequest.reason": FreeText(
        _("reason of a judgment sent back"), "assignment__annotator__study"
    ),
    "remarkanswer.text": FreeText(_("answer to a remark"), "assignment__annotator__study"),
    "adjudication.reasons": FreeText(_("legal reasons of a ruling"), "study"),
    "adjudication.marks": FreeText(
        _("note on an edit that stands by a ruling"), "study", (("*", "note"),)
    ),
    "sourcedocument.overrides": FreeText(
        _("reason of a decision on a block"), "study", (("*", "reason"),)
    ),
    # What a setting or a question was and became: no page reads them back, and nobody can edit the
    # trail.
    "event.details": FreeText(
        _("audit trail"),
        "study",
        (
            *((name,) for name in ("reason", "said", "question", "metric", "reference_system")),
            *((when, name) for when in _WHEN for name in _TYPED),
        ),
    ),
    "scorer.promoted_reason": FreeText(_("reason of a promotion"), "training_run__snapshot__study"),
    "scorerpromotion.reason": FreeText(
        _("reason of a promotion"), "scorer__training_run__snapshot__study"
    ),
    "erasurerequest.reason": FreeText(_("reason of a decision on an erasure")),
    "broughtmetric.note": FreeText(_("note on scores that were brought in"), "study"),
    # What was said of them stands once more in every report that compared them.
    "job.result": FreeText(
        _("note on scores, in a report of metrics"), "study", (("lines", "*", "signature"),)
    ),
    # Of a freeze that waits or is being made: with its end it leaves the job.
    "job.parameters": FreeText(_("reason of a snapshot"), "study", (("reason",),)),
    # A model's, until a lead has edited it.
    "question.text": FreeText(_("question that was edited"), "generation__run__study"),
    "question.expected": FreeText(_("expected answer that was edited"), "generation__run__study"),
    "apitoken.name": FreeText(_("name of somebody's API token"), is_private=True),
    "idempotencyrecord.answer": FreeText(
        _("answer kept for somebody's program"), where=((ANY,),), is_private=True
    ),
}

TO_EDIT: dict[str, tuple[Promise, str]] = {
    "study.title": (_("title of the study"), "pk"),
    "study.contact": (_("whom annotators ask"), "pk"),
    "study.licence": (_("licence of the data"), "pk"),
    "guideversion.body_fr": (_("published guide"), "study"),
    "guideversion.body_en": (_("published guide"), "study"),
    "glossaryentry.term": (_("glossary"), "study"),
    "glossaryentry.definition": (_("glossary"), "study"),
    "glossaryentry.source": (_("glossary"), "study"),
    "generationsystem.prompt": (_("prompt"), "run__study"),
    "sourcedocument.name": (_("name of a file"), "study"),
    "pairsupload.name": (_("name of a file"), "study"),
    "pairsimport.name": (_("name of a file"), "study"),
    "scoringjob.input_name": (_("name of a file"), "study"),
    "item.source": (_("source of an item"), "study"),
    "simplification.system": (_("name of a system"), "item__study"),
    "generationsystem.name": (_("name of a system"), "run__study"),
    "broughtmetric.name": (_("name of scores that were brought in"), "study"),
    "publishedprotocol.file": (_("words of a protocol"), ""),
}
"""Published, or named by what refers to it: the label, and the way to the study; none where studies
name it."""

SHARED = frozenset({"item.source", "simplification.system"})
"""Of these many rows have the same, and one is shown."""

READ: dict[str, str] = {
    "study": ("key language protocol_key protocol_version rulings state context_arm pay_currency"),
    "pairsimport": "kind round",
    "item": "key round control context_before original context_after structure original_digest",
    "simplification": "text language finish_reason",
    "studysize": "systems",
    "adjudicationrules": "rules",
    "adjudication": "dimension outcome judgments_digest",
    "sourcedocument": "kind sha256 file encoding note_fr note_en text hints page_starts criteria "
    "draw",
    # ``places`` names rows, never a person; its reasons are cleaned when an erasure is granted.
    "erasurerequest": "wish state decision statement places",
    "event": "verb target_type target_id",
    "annotator": "kind pseudonym",
    "generationrun": "purpose mode endpoint round state stopped estimate questioning",
    "generationsystem": "model parameters price_as_of",
    "generation": "state claim problem problem_detail",
    "output": "raw text finish_reason flags decision",
    "generationcall": "outcome model response_id request_id fingerprint finish_reason",
    # Answers and grades are a model's, and what a question quotes is the text's.
    "question": "type quotation",
    "questionanswer": "text quotation",
    "questiongrade": "reason",
    "generationbatch": "state remote_id remote_state problem_detail",
    "backuprun": "state name problem detail",
    "job": "kind state problem result_name result_path",
    "publishedprotocol": "key version description",
    "judgment": "origin protocol",
    "sideanswer": "field",
    "rating": "dimension derivation crossing_policy crossing_answer",
    "errordeduction": "field type original_spans simplification_spans severity source",
    "studyplan": "control_unit",
    "peoplepart": "digest",
    "keptreadings": "content readings",
    "broughtmetric": "sha256",
    # Its owner's alone, who takes it out; it goes with their account.
    "protocoldraft": "name title text original simplification",
    "tablereport": "name asked input_path state problems result",
    # Names left it when it was frozen; others build on it.
    "datasetsnapshot": "reason protocol_key protocol_version recipe manifest content_digest path",
    "trainingrun": "source data_path data_sha256 corpus_path backend parameters seeds state device "
    "progress losses log problem report files code_version preset",
    "trainingschedule": "backend seeds refusals",
    "scorer": "target backend folder files metrics interval seen_sources",
    "scorerpromotion": "target kind decision",
    "scoringjob": "pairs input_path state problem results result_path",
    "apitoken": "prefix digest scopes",
    "institutionaccount": "issuer subject",
    "idempotencyrecord": "key_digest request_digest",
    "pairsupload": "file choices",
    "reminder": "outcome",
    "leaddigest": "period outcome",
    "savereceipt": "answers_digest",
    "draftversion": "origin",
    "glossaryentry": "term_key",
}

OWN: dict[str, str] = {
    "user": "password email name language theme type_size spacing typeface keys digest tables",
    "formername": "name",
    "addresschange": "before email code_digest",
    "invitation": "email role token_digest",
}
"""Of the person alone: emptied or removed with the account, and never searched for somebody else's
name."""


def leaves(value: Any, members: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    """Each text of a column that is free, with its way in the JSON; ``()`` of a column of text."""
    if not members:
        if isinstance(value, str):
            yield (), value
        return
    # Ways may lie within one another: no text is read twice.
    yield from dict(leaf for member in members for leaf in _under(value, member, ())).items()


def _under(value: Any, member: Path, way: Path) -> Iterator[tuple[Path, str]]:
    if member == (ANY,):
        yield from _everywhere(value, way)
    elif not member:
        if isinstance(value, str):
            yield way, value
    else:
        for name, inner in _entries(value):
            if member[0] in ("*", name):
                yield from _under(inner, member[1:], (*way, name))


def _everywhere(value: Any, way: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield way, value
    for name, inner in _entries(value):
        yield from _everywhere(inner, (*way, name))


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from ((str(number), inner) for number, inner in enumerate(value))


def at(value: Any, way: Path) -> Any:
    """What stands at a way given by ``leaves``; None where nothing does any more."""
    for name in way:
        value = dict(_entries(value)).get(name)
    return value


def put(value: Any, way: Path, text: str) -> Any:
    """The value with another text at a way given by ``leaves``; the given one stays as it is."""
    if not way:
        return text
    if isinstance(value, dict):
        return {**value, way[0]: put(value[way[0]], way[1:], text)}
    return [
        put(inner, way[1:], text) if str(number) == way[0] else inner
        for number, inner in enumerate(value)
    ]
