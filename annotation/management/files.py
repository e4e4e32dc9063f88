"""What commands share: naming a file and reading it within the limit, finding a study, naming bad
rows."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError

from annotation.access import answers_readable
from annotation.corpus.problems import RowProblem
from annotation.errors import AnswersHidden, RuleError
from annotation.models import Study
from annotation.services.items.items import RowsRefused

WITHOUT_SYSTEMS = (
    "leave out which system wrote what; keys and positions of outputs still follow the order of "
    "the file that was imported, which may tell which belong to one system"
)
"""What ``--without-systems`` does, and what it does not."""
_MOST_NAMED = 20


def named(given: str) -> str:
    """For argparse: what names a file, a folder or a database. An empty word names none, though
    Python takes it for the folder that one is in: it is what an unset variable of a shell leaves.
    Raises ``ArgumentTypeError``."""
    if not given.strip():
        raise ArgumentTypeError("it is empty, and names nothing (is a variable unset?)")
    return given


def header_row_argument(parser: ArgumentParser) -> None:
    """``--header-row``, 0 where it is to be found out."""
    parser.add_argument(
        "--header-row",
        type=int,
        default=0,
        metavar="ROW",
        help="number of the row that names the columns, where others stand above it",
    )


def read_file(name: str) -> bytes:
    """The file's bytes. Raises ``CommandError`` where it cannot be read or is larger than an upload
    may be."""
    path = Path(name)
    try:
        size = path.stat().st_size
        if size > settings.UPLOAD_LIMIT_BYTES:
            raise CommandError(
                f"{path} has {size:,} bytes; at most {settings.UPLOAD_LIMIT_BYTES:,} are read. "
                "Divide it, or set BAREME_UPLOAD_LIMIT_BYTES."
            )
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error


def unwritable(path: Path, error: OSError) -> CommandError:
    """Why a file that the command was to write could not be, and what to name instead."""
    if isinstance(error, FileExistsError | NotADirectoryError | IsADirectoryError):
        blocked = next((part for part in path.parents if part.exists()), path.parent)
        if path.is_dir():
            reason = "it is a folder. Name a file in it"
        elif not blocked.is_dir():
            reason = f"{blocked} is a file, not a folder. Name a file in a folder"
        else:
            reason = "it exists already. Name a file that does not"
    else:
        reason = (
            f"{error.strerror or error} in {path.parent}. Name a file in a folder that is there, "
            "and that the user of this command may write to"
        )
    return CommandError(f"{path} cannot be written: {reason}.")


def existing_study(key: str) -> Study:
    """The study with this key. Raises ``CommandError`` that names those there are."""
    study = Study.objects.filter(key=key).first()
    if study is None:
        raise no_such("study", key, "Studies", Study.objects.values_list("key", flat=True))
    return study


def study_with_answers(key: str, round_: str = "main") -> Study:
    """The study with this key, for what prints its answers in that round or figures of them.

    Raises ``CommandError`` where there is none, and while its answers are not to be read: a blind
    round is blind on a terminal too.
    """
    try:
        return answers_readable(existing_study(key), round_)
    except AnswersHidden as error:
        raise CommandError(error.words.en) from error


def no_such(kind: str, name: str, kinds: str, known: Iterable[str]) -> CommandError:
    """What is said of a wrong name: those that there are."""
    names = ", ".join(islice(known, _MOST_NAMED)) or "none yet"
    return CommandError(f"There is no {kind} “{name}”. {kinds}: {names}.")


def row_line(problem: RowProblem) -> str:
    """A problem in one line: row, column, what is wrong, what to do."""
    where = f"row {problem.row}" if problem.row else "file"
    field = f", {problem.field}" if problem.field else ""
    return f"{where}{field}: {problem.message.en} {problem.remedy.en}".rstrip()


def refused(error: RuleError) -> CommandError:
    """The refusal as a command's end, every row on a line of its own."""
    problems: Sequence[RowProblem] = error.rows if isinstance(error, RowsRefused) else []
    if not problems:
        return CommandError("\n".join(problem.message.en for problem in error.problems))
    lines = "\n".join(row_line(problem) for problem in problems)
    return CommandError(f"{lines}\nNothing was stored: {len(problems)} problem(s) in the file.")
