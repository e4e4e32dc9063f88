"""What an import of judgments would do to a study, before it does it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from django.utils.crypto import salted_hmac

from annotation.corpus.columns import plain
from annotation.corpus.judged import JudgedFile, folded
from annotation.corpus.problems import RowProblem
from annotation.models import Annotator, Study
from annotation.selectors.items.judged_places import FilePair, judged_places, pair_of

# What tells nobody who somebody is: «3», «A», «J12», «annotator_2», «JADES-0». Any other word may
# be a name.
_WORDS = (
    "annotator|annotateur|annotatrice|juge|judge|rater|coder|worker|user|participant|expert|jades"
)
_CODE = re.compile(rf"[A-Z]|(?:(?:(?i:{_WORDS})|[A-Z]{{1,2}})[ ._-]?)?[0-9]{{1,4}}")
_WORD, _WINDOW = 3, 100


@dataclass
class JudgedPlan:
    """What a file of judgments would add. ``items``, ``simplifications``: new ones. ``attached``:
    how many of the ``judgments`` go onto pairs that the study has, and onto which (``places``: by
    pair of the file, the simplification's id). ``judges``: pseudonyms by the names in the file."""

    items: int = 0
    simplifications: int = 0
    judgments: int = 0
    attached: int = 0
    places: dict[FilePair, int] = field(default_factory=dict)
    systems: list[str] = field(default_factory=list)
    judges: dict[str, str] = field(default_factory=dict)
    rated: dict[str, int] = field(default_factory=dict)
    """How many judgments have an answer, by slot."""
    problems: list[RowProblem] = field(default_factory=list)

    @property
    def existing(self) -> int:
        """How many pairs of the study get judgments."""
        return len(set(self.places.values()))

    @property
    def renamed(self) -> int:
        """How many judges get another name than the file has for them."""
        return sum(name != pseudonym for name, pseudonym in self.judges.items())

    @property
    def addresses(self) -> int:
        """How many judges the file names by their e-mail address."""
        return sum("@" in name for name in self.judges)


def judged_plan(*, study: Study, judged: JudgedFile) -> JudgedPlan:
    """What importing these judgments would add, and every row that cannot go in."""
    judges = pseudonyms(study=study, names=[row.annotator for row in judged.rows])
    places = judged_places(study=study, rows=judged.rows, judges=judges)
    new = {pair_of(row) for row in judged.rows} - places.pairs.keys()
    rated: dict[str, int] = {}
    for row in judged.rows:
        for name in row.cells:
            rated[name] = rated.get(name, 0) + 1
    return JudgedPlan(
        items=len({item for item, _system, _text in new}),
        simplifications=len(new),
        judgments=len(judged.rows),
        attached=sum(pair_of(row) in places.pairs for row in judged.rows),
        places=places.pairs,
        systems=sorted({row.system for row in judged.rows} - {""}),
        judges=judges,
        rated=rated,
        problems=[*judged.problems, *places.problems],
    )


def pseudonyms(*, study: Study, names: Collection[str]) -> dict[str, str]:
    """What judges are called in the study, by what a file calls them.

    Names of a file are kept where all of them are codes. Otherwise each becomes a pseudonym of its
    own, the same for the same name in each file of the study, from which nobody without the
    installation's key can tell the name. Whom an earlier file brought is called as there, however
    that wrote capitals and spaces.
    """
    kinds = dict(study.annotators.values_list("pseudonym", "kind"))
    brought = {
        folded(pseudonym): pseudonym
        for pseudonym, kind in kinds.items()
        if kind == Annotator.Kind.IMPORTED and is_code(pseudonym)
    }
    codes = all(map(is_code, names))

    def called(name: str) -> str:
        # To the letter as well: so names were told apart in earlier versions.
        ways = [_pseudonym(study, each) for each in (name, folded(name))]
        if there := next((way for way in ways if way in kinds), ""):
            return there
        if is_code(name) and kinds.get(name) == Annotator.Kind.IMPORTED:
            return name
        is_free = codes and name not in kinds
        return brought.get(folded(name), name if is_free else ways[-1])

    return {name: called(name) for name in names}


def is_code(name: str) -> bool:
    """Whether what a file calls a judge tells nobody who that is."""
    return _CODE.fullmatch(name) is not None


def file_name_kept(name: str, judges: Iterable[str]) -> str:
    """What a file of judgments is called, where that cannot say who judged: not where only one
    person did, whom it may be called after, nor where it has a word of somebody's name."""
    named = set(judges)
    windows = [name[at : at + _WINDOW] for at in range(0, len(name), _WINDOW // 2)]
    forms = " ".join([name.casefold(), *map(plain, windows)])
    people = [judge.split("@")[0] for judge in named if not is_code(judge)]
    words = {word for person in people for word in plain(person).split() if len(word) >= _WORD}
    wholes = {way(person).strip() for person in people for way in (str.casefold, plain)} - {""}
    return "" if len(named) <= 1 or any(word in forms for word in words | wholes) else name


def _pseudonym(study: Study, name: str) -> str:
    digest = salted_hmac("annotation.imported_judge", f"{study.pk} {name}", algorithm="sha256")
    return f"J-{digest.hexdigest()[:10]}"
