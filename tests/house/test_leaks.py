"""The search for keys in commits finds planted ones, and says where without repeating them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from tests.house import leaks

# In two parts each: put together they would be found here.
KEYS = {
    "AWS Access Key": "AKIA" + "QYLPMN5HHHFPZAM2",
    "GitHub Token": "ghp" + "_wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx",
    "OpenAI Token": "sk-Ab3dEf6hIj9kLm2nOp5q" + "T3BlbkFJ" + "Rs8tUv1wXy4zAb7cDe0f",
    "Private Key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "Slack Token": "xoxb-" + "34532454-e039d02840a0b9379c",
    "Stripe Access Key": "sk_live_" + "ReTllpYQYfIZu2Jnf2lAPFjD",
    "Basic Auth Credentials": "postgres://bareme:" + "kJ8sWq2n" + "@db.example.org/bareme",
    "Base64 High Entropy String": 'SECRET_KEY = "c3VwZXIg+bG9uZyBzdHJp/bmcgc2hvdWxkIGNhdXNlIGVub3VnaCBlbnRyb3B5"',  # noqa: E501
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "config", "user.email", "a@example.org")
    git(tmp_path, "config", "user.name", "A")
    git(tmp_path, "config", "commit.gpgsign", "false")
    commit(tmp_path, "nothing secret\n")
    return tmp_path


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, text: str, name: str = "settings.py") -> None:
    (folder / name).write_text(text)
    git(folder, "add", name)
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "x")


@pytest.mark.parametrize("kind", KEYS)
def test_a_planted_key_is_found_also_when_it_was_taken_out_again(
    kind: str, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(repository, f"{KEYS[kind]}\n")
    commit(repository, "nothing secret any more\n")
    assert leaks.main([], repository) == 1
    said = capsys.readouterr().out
    assert f"SECRET? {kind} in settings.py" in said
    assert KEYS[kind] not in said


@pytest.mark.parametrize("staged", [True, False])
def test_one_that_is_not_committed_yet_is_found(
    staged: bool, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "settings.py").write_text(KEYS["AWS Access Key"] + "\n")
    if staged:
        git(repository, "add", "settings.py")
    assert leaks.main([], repository) == 1
    assert leaks.main(["--staged"], repository) == int(staged)
    assert "not committed yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    [
        "nothing secret",
        "def test_the_mark_outweighs_the_words_and_the_first_heading_counts() -> None:",
        "postgres://user:password@host:5432/name",
        KEYS["AWS Access Key"] + "  # pragma: allowlist secret",
        'ID = "0f8fad5b-d9cb-469f-a165-70867728950e"',
    ],
)
def test_what_is_none_is_not_taken_for_one(text: str, repository: Path) -> None:
    commit(repository, text + "\n")
    assert leaks.main([], repository) == 0


def test_made_up_keys_of_tests_may_be_random_but_have_no_key_s_form(repository: Path) -> None:
    (repository / "tests").mkdir()
    commit(repository, KEYS["Base64 High Entropy String"] + "\n", "tests/test_a.py")
    assert leaks.main([], repository) == 0
    commit(repository, KEYS["Stripe Access Key"] + "\n", "tests/test_a.py")
    assert leaks.main([], repository) == 1


def test_without_a_repository_it_does_not_pass(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="could not be looked at"):
        leaks.main([], tmp_path)


def test_the_hook_refuses_the_commit(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(settings.BASE_DIR)
    (repository / ".venv").symlink_to(sys.prefix)
    monkeypatch.setenv("PYTHONPATH", str(root))
    git(repository, "config", "core.hooksPath", str(root / ".githooks"))
    with pytest.raises(subprocess.CalledProcessError) as refused:
        commit(repository, KEYS["Private Key"] + "\n")
    assert b"SECRET? Private Key in settings.py" in refused.value.stderr + refused.value.stdout
    commit(repository, "nothing secret here\n")
