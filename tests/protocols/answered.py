"""Answers to every question of each published protocol, in which each text is found again."""

from __future__ import annotations

from typing import Any

from annotation.protocols.base import Answers
from annotation.protocols.protocol import Protocol

JUDGES = ("A", "B", "C")


def typed(field: str, who: str) -> str:
    """What this judge wrote into this field: it stands nowhere else."""
    return f"zz{field}{who}zz"


def address(who: str) -> str:
    """Whom each of these texts names beside: nobody may read it in what is published."""
    return f"judge{who}@example.org"


def said(field: str, who: str) -> str:
    return f"{typed(field, who)} {address(who)}"


def _marked(who: str, first: str, second: str) -> list[dict[str, Any]]:
    return [
        {
            "type": first,
            "note": said("note", who),
            "original_start": 0,
            "original_end": 7,
            "simplification_start": 2,
            "simplification_end": 5,
        },
        {"type": second, "note": "", "simplification_start": 0, "simplification_end": 1},
    ]


def _edited(
    who: str, n: int, both: str, gone: str, severity: str | None = None
) -> list[dict[str, Any]]:
    """Two edits, one of which is marked in pieces, and one more for each later judge."""
    taken_out = {"type": gone, "original": [[0, 2]], "source": "suggested"}
    return [
        {
            "type": both,
            "original": [[5, 7], [0, 2]],
            "simplification": [[2, 5]],
            "note": said("note", who),
            "severity": severity,
        },
        taken_out,
        *[taken_out | {"original": [[3 + place, 4 + place]]} for place in range(n)],
    ]


def _refused(n: int) -> list[dict[str, Any]]:
    """Suggestions of the page, one more for each later judge."""
    return [{"original": [[place, place + 2]], "simplification": []} for place in range(n + 1)]


def _legal_meaning(who: str, n: int) -> dict[str, Any]:
    return {
        "simplicity": 4,
        "simplicity_confirmed": True,
        "characterization": 18,
        "explanation": said("explanation", who),
        "bracket": 2,
        "errors": _marked(who, "omission", "confusion"),
        "crossing_answer": "moved",
        "moved_from": 3,
        "comment": said("comment", who),
        "doubt": True,
    } | ({"simplicity": n + 1} if n else {})


def _jades(who: str, n: int) -> dict[str, Any]:
    return {
        "fluency": 4 - n,
        "meaning": 1 + n,
        "simplicity": 2,
        "comment": said("comment", who),
        "doubt": True,
    }


def _operations(who: str, n: int) -> dict[str, Any]:
    chosen = ([1, 7], [], [1, 2, 3, 4, 5, 6, 7])[n]
    return {"operations": chosen, "comment": said("comment", who), "doubt": True}


def _direct_assessment(who: str, n: int) -> dict[str, Any]:
    return {
        "meaning": 0 + 37 * n,
        "fluency": 100 - n,
        "simplicity": 50 + n,
        "comment": said("comment", who),
        "doubt": True,
    }


def _qa_pairs(who: str, n: int) -> dict[str, Any]:
    return {
        "captured": (1, 0, 1)[n],
        "correct": (1, 1, 0)[n],
        "comment": said("comment", who),
        "doubt": True,
    }


def _assetann(who: str, n: int) -> dict[str, Any]:
    return {
        "edits": _edited(who, n, "POSchange", "delmod"),
        "refused": _refused(n),
        "comment": said("comment", who),
        "doubt": True,
    }


def _qa_answers(who: str, n: int) -> dict[str, Any]:
    return {"answered": (1, 0, 1)[n], "comment": said("comment", who), "doubt": True}


def _plain(who: str, n: int) -> dict[str, Any]:
    return {"clarity": 1 + n, "adequacy": 5 - n, "style": 7 - 3 * n}


def _clarity(who: str, n: int) -> dict[str, Any]:
    return {"clarity": 1 + n}


def _everything(who: str, n: int) -> dict[str, Any]:
    return {
        "reader": 3,
        "reason": said("reason", who),
        "changes": ([20], [], [10, 20])[n],
        "ease": 0 + n,
        "warmth": -20 + 5 * n,
        "share": 0 + 50 * n,
        "tier": 1,
        "flaws": _marked(who, "typo", "gap"),
        "edits": _edited(who, n, "swapped", "wordGone", "heavy"),
        "unwanted": _refused(n),
        "tier_kept": "moved",
        "tier_before": 2,
        "decided_by": "second_reading",
        "readings": 0 + n,
        "tired": True,
        "unsure": True,
        "message": said("message", who),
    }


def _mixed(who: str, n: int) -> dict[str, Any]:
    return {
        "reason": said("reason", who),
        "hasty": True,
        "register": "plain",
        "losses": ([2], [1, 2, 3], [2, 3])[n],
        "gaps": _marked(who, "cut", "other"),
        "praise": _marked(who, "other", "apt"),
        "deadline_note": said("deadline_note", who),
        "balance": (-50, 0, 45)[n],
        "clarity": n,
        "sort": (-1, 7, 12)[n],
        "readers": -2 + n,
        "changes": _edited(who, n, "swap", "drop"),
        "remark": said("remark", who),
        "unsure": True,
    }


def _bracketed(who: str, n: int) -> dict[str, Any]:
    """The first one's score falls below its bracket."""
    slips = _marked(who, "word", "rule")
    return {"band": (2, 1, 2)[n], "slips": slips * (4, 1, 1)[n]}


RULED: dict[str, dict[str, str | bool]] = {
    "everything 1": {"below_tier": "ask", "flaw_needs_place": True},
}
"""What a study decides otherwise than its protocol's default, so that every field can be
answered."""

_ANSWERS = {
    "legal_meaning 1": _legal_meaning,
    "jades 1": _jades,
    "operations 1": _operations,
    "direct_assessment 1": _direct_assessment,
    "qa_pairs 1": _qa_pairs,
    "qa_answers 1": _qa_answers,
    "assetann 1": _assetann,
    "plain 2.0": _plain,
    "everything 1": _everything,
    "mixed 1.0": _mixed,
    "bracketed 1": _bracketed,
    "composed 1": _bracketed,
    "clarity 1": _clarity,
}


def answered(protocol: Protocol, who: str) -> Answers:
    """What the judge ``who`` (one of ``JUDGES``) answers: every field, and each judge otherwise."""
    return protocol.clean(_ANSWERS[protocol.name](who, JUDGES.index(who)))
