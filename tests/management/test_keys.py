"""Commands that need the installation's key say which setting is missing, before they do anything;
any other command says it too, should it come to need one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.models import User
from annotation.services.studies.studies import study_create
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def keyless(settings):
    settings.SECRET_KEY = ""


def test_judges_of_a_file_cannot_be_named(keyless, tmp_path):
    study_create(actor=None, key="ailleurs", title="Ailleurs", protocol_key="jades")
    path = tmp_path / "notes.csv"
    path.write_text("original;simplification;annotator;fluency\nUn texte.;Court.;12;4\n")
    with pytest.raises(CommandError, match=r"pseudonyms\. Set BAREME_SECRET_KEY .*BAREME_DEMO=1"):
        call_command("import_judgments", str(path), "--study", "ailleurs")


def test_what_is_held_about_a_person_cannot_be_read(keyless, tmp_path):
    person = make_user()
    target = tmp_path / "all.zip"
    with pytest.raises(CommandError, match="Set BAREME_SECRET_KEY"):
        call_command("personal_data", person.email, "--output", str(target))
    assert not target.exists()


def test_nobody_is_erased_whose_log_ins_would_stay(keyless):
    person = make_user()
    with pytest.raises(CommandError, match="Set BAREME_SECRET_KEY"):
        call_command("erase_person", person.email, "--judgments", "keep", "--reason", "lettre")
    assert User.objects.filter(email=person.email).exists()
    call_command("erase_person", person.email, "--show")


def test_any_other_command_says_it_too(tmp_path):
    """``shell`` stands for a command that asks for the key without having said so."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("BAREME_")
    }
    done = subprocess.run(
        [
            sys.executable,
            "manage.py",
            "shell",
            "-c",
            "from django.conf import settings; settings.SECRET_KEY",
        ],
        cwd=Path(configured.BASE_DIR),
        env=environment | {"BAREME_DATA_DIR": str(tmp_path), "DATABASE_URL": "sqlite:///:memory:"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Set BAREME_SECRET_KEY" in done.stderr
    assert "Traceback" not in done.stderr
