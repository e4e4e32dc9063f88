"""Keys and passwords in what is committed. `python -m tests.house.leaks` looks at every line that
any commit ever added, and at what is not committed yet: what was taken out again is still there for
everybody who has the repository.

detect-secrets knows what keys look like. With ``--staged`` only what the next commit would add is
looked at: that is the hook that `make hooks` sets up.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from detect_secrets.core.scan import get_plugins
from detect_secrets.filters.allowlist import is_line_allowlisted
from detect_secrets.filters.heuristic import is_potential_uuid, is_sequential_string
from detect_secrets.settings import transient_settings
from detect_secrets.util.code_snippet import get_code_snippet

# What has a form of its own, wherever it stands.
_FORMS = (
    "ArtifactoryDetector", "AWSKeyDetector", "AzureStorageKeyDetector", "BasicAuthDetector", "CloudantDetector",  # noqa: E501
    "DiscordBotTokenDetector", "GitHubTokenDetector", "GitLabTokenDetector", "JwtTokenDetector", "MailchimpDetector",  # noqa: E501
    "NpmDetector", "OpenAIDetector", "PrivateKeyDetector", "PypiTokenDetector", "SendGridDetector", "SlackDetector",  # noqa: E501
    "SquareOAuthDetector", "StripeDetector", "TelegramBotTokenDetector", "TwilioKeyDetector",
)  # fmt: skip
# What is only too random to be written by hand. Tests have made-up keys, documents have checksums;
# words in Python that are named like passwords are ruff's to find (S105 to S107).
_RANDOM = (
    {"name": "Base64HighEntropyString", "limit": 4.5},
    {"name": "HexHighEntropyString", "limit": 3.0},
)
_NOT_RANDOM = re.compile(r"^(tests|docs|locale)/|\.(txt|lock|svg|md)$|/migrations/")
# In addresses of examples; and the characters of request numbers.
_PUBLIC = frozenset(
    {"password", "hidden", "p%40ss", "%(PASSWORD)s", "23456789ABCDEFGHJKMNPQRSTUVWXYZ"}
)
_MOST_CHARACTERS = 5000


@dataclass(frozen=True)
class Added:
    """A line that a commit added; ``commit`` is empty for what is not committed yet."""

    commit: str
    path: str
    text: str


@dataclass(frozen=True)
class Leak:
    """What looks like a secret. Not the secret itself: logs are read by more people than
    repositories."""

    kind: str
    path: str
    commit: str

    def __str__(self) -> str:
        return f"{self.kind} in {self.path}, {self.commit or 'not committed yet'}"


def added(diff: Iterable[str]) -> Iterator[Added]:
    """The lines that are added by the output of ``git log -p`` or ``git diff``."""
    commit = path = ""
    for line in diff:
        if line.startswith("commit "):
            commit = line.split()[1][:12]
        elif line.startswith("+++ "):
            path = line[4:].removeprefix("b/").rstrip()
        elif line.startswith("+"):
            yield Added(commit, path, line[1:].rstrip("\n")[:_MOST_CHARACTERS])


def leaks(lines: Iterable[Added]) -> Iterator[Leak]:
    """Each kind once for each place."""
    seen: set[Leak] = set()
    with _settings():
        plugins = list(get_plugins())
        forms = [plugin for plugin in plugins if type(plugin).__name__ in _FORMS]
        looked: set[tuple[str, bool]] = set()
        for line in lines:
            may_be_random = bool(_NOT_RANDOM.search(line.path))
            if (line.text, may_be_random) in looked:
                continue
            looked.add((line.text, may_be_random))
            for kind in _kinds(line, forms if may_be_random else plugins):
                leak = Leak(kind, line.path, line.commit)
                if leak not in seen:
                    seen.add(leak)
                    yield leak


def _kinds(line: Added, plugins: Iterable[Any]) -> Iterator[str]:
    if is_line_allowlisted(line.path, line.text, get_code_snippet([line.text], 1)):
        return
    for plugin in plugins:
        for secret in plugin.analyze_line(filename=line.path, line=line.text, line_number=1):
            value = secret.secret_value or ""
            is_within_a_word = re.search(rf"(?<![A-Za-z]){re.escape(value)}", line.text) is None
            if (
                value in _PUBLIC
                or is_within_a_word
                or is_potential_uuid(value)
                or is_sequential_string(value)
            ):
                continue
            yield secret.type


@contextmanager
def _settings() -> Iterator[None]:
    with transient_settings({"plugins_used": [*({"name": name} for name in _FORMS), *_RANDOM]}):
        yield


def _git(*arguments: str, folder: Path) -> Iterator[str]:
    command = ["git", "-c", "core.quotepath=off", *arguments, "--no-color", "--no-ext-diff", "-U0"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, encoding="utf-8", errors="replace"
    ) as running:
        assert running.stdout
        yield from running.stdout
    if running.returncode:
        raise SystemExit(f"git {arguments[0]} failed: what was committed could not be looked at")


def main(arguments: list[str], folder: Path = Path()) -> int:
    """0 where nothing was found in the repository that this folder belongs to."""
    lines = added(_git("diff", "--cached", folder=folder))
    if "--staged" not in arguments:
        history = added(_git("log", "-p", "--diff-merges=separate", folder=folder))
        lines = (
            line for part in (history, added(_git("diff", "HEAD", folder=folder))) for line in part
        )
    all_leaks = list(leaks(lines))
    for leak in all_leaks:
        print(f"SECRET? {leak}")
    if all_leaks:
        print(
            "A key that was committed is known: take it out of service first. What only looks "
            "like one gets the"
        )
        print("comment `pragma: allowlist secret` in its line.")
    return 1 if all_leaks else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
