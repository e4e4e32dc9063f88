"""What the services refuse, as types: each says whether trying again helps and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

from annotation.protocols.base import Problem, Wording

# The number of the request that is being answered: in its log lines, its header and on its error
# page. Empty elsewhere.
request_reference: ContextVar[str] = ContextVar("request_reference", default="")


class BaremeError(Exception):
    """A refusal that a person can be told about."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message


class RuleError(BaremeError):
    """A request broke one or more rules; ``problems`` names each with its field and remedy."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(problem.message.en for problem in problems))
        self.problems = list(problems)

    @classmethod
    def single(cls, field: str, code: str, fr: str, en: str) -> RuleError:
        """A refusal with a single problem."""
        return cls([Problem(field, code, Wording(fr, en))])


class StudyClosed(BaremeError):
    """The study does not take judgments (any more, or yet). The draft stays where it is."""


class StudyArchived(BaremeError):
    """The study is archived: it is read and exported, and nothing is written to it before somebody
    who runs it brings it back."""

    def __init__(self, study: Any) -> None:
        super().__init__("this study is archived: bring it back to change something")
        self.study = study


class AnswersHidden(BaremeError):
    """Nobody reads the study's answers yet: its round is blind for its leads too, or its practice
    goes on. ``words`` say which."""

    def __init__(self, study: Any) -> None:
        super().__init__("this study shows its answers once the main round is closed")
        self.study = study

    @property
    def words(self) -> Wording:
        """For whoever asked."""
        if self.study.state == self.study.State.PRACTICE:
            return Wording(
                "Les réponses d'essai restent cachées jusqu'à ce que tout le monde ait soumis ou "
                "que la réunion soit ouverte.",
                "Practice answers stay hidden until everybody has submitted or the meeting is "
                "opened.",
            )
        return Wording(
            "L'étude ne montre aucune réponse avant la clôture de la ronde principale.",
            "The study shows no answers before its main round is closed.",
        )


class StorageAway(BaremeError, OSError):
    """The bucket that finished files lie in does not answer as it should. Trying again helps once
    it does; nothing of what was asked for was stored."""


class StaleNote(BaremeError):
    """Another window saved the note after the revision that this one builds on; nothing was
    overwritten."""

    def __init__(self, current: Any) -> None:
        super().__init__("the note was saved by another window in the meantime")
        self.current = current


class StaleProtocolDraft(BaremeError):
    """Another window has saved a newer version of the protocol that is being composed; ``current``
    is that."""

    def __init__(self, current: Any) -> None:
        super().__init__("a newer version of this draft was saved in another window")
        self.current = current


class StaleDraft(BaremeError):
    """Another window saved after the revision that this save builds on; nothing was overwritten."""

    def __init__(self, current: Any) -> None:
        super().__init__("the draft was saved by another window in the meantime")
        self.current = current
