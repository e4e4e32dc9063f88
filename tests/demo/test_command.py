"""`manage.py demo`: made once, through the services, and gone without a trace when removed."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth import authenticate
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import RequestFactory, override_settings

from annotation.demo import others
from annotation.demo.small_studies import JUDGED
from annotation.demo.study import (
    ANNOTATORS,
    JUDGED_IN_MAIN,
    KEY,
    LEAD,
    LOGINS,
    PASSWORD,
    demo_remove,
    demo_seed,
)
from annotation.models import (
    Annotator,
    Assignment,
    Draft,
    Event,
    Judgment,
    JudgmentRevision,
    Rating,
    Simplification,
    Study,
    User,
)
from annotation.protocols.registry import PROTOCOLS, PUBLISHED, SOURCES
from tests.factories import make_annotator, make_study
from tests.worlds import world

pytestmark = pytest.mark.django_db
STUDIES = 1 + len(others.STUDIES)


@pytest.fixture(autouse=True)
def demo_mode(settings: Any) -> None:
    settings.DEMO = True


@world
def demonstration() -> str:
    """The demonstration, made by the command; what that printed."""
    with override_settings(DEMO=True):
        return run()


def run(*options: str) -> str:
    out = StringIO()
    call_command("demo", *options, stdout=out)
    return out.getvalue()


def every_row() -> dict[str, list[dict[str, Any]]]:
    return {
        model._meta.label: list(model._default_manager.order_by("pk").values())
        for model in apps.get_app_config("annotation").get_models()
    }


def test_it_is_refused_outside_the_demo(settings: Any) -> None:
    settings.DEMO = False
    with pytest.raises(CommandError, match="BAREME_DEMO"):
        run()
    assert not User.objects.exists()


def test_it_never_takes_over_a_real_study() -> None:
    make_study(KEY)
    with pytest.raises(CommandError, match="no demonstration"):
        run()
    assert not User.objects.filter(is_demo=True).exists()


def test_running_it_twice_changes_nothing(demonstration: str) -> None:
    assert "made" in demonstration
    before = every_row()
    assert "nothing was changed" in run()
    assert every_row() == before


def test_everybody_it_prints_can_log_in(demonstration: str) -> None:
    for login in LOGINS:
        assert login.email in demonstration
        request = RequestFactory().post("/")
        user = authenticate(request, username=login.email, password=PASSWORD)
        assert isinstance(user, User)
        assert user.is_demo


def test_no_page_is_empty(demonstration: str) -> None:
    study = Study.objects.get(key=KEY)
    assert study.is_demo
    assert study.state == Study.State.MAIN
    assert study.leads.get().user.email == LEAD.email
    assert study.guides.get().body_en
    assert [a.user.email for a in study.annotators.select_related("user") if a.user] == [
        p.email for p in ANNOTATORS
    ]
    judged = Judgment.objects.filter(submitted_at__isnull=False)
    for annotator, amount in zip(
        Annotator.objects.filter(study=study), JUDGED_IN_MAIN, strict=True
    ):
        own = judged.filter(assignment__annotator=annotator)
        assert own.filter(assignment__simplification__item__round="practice").count() == 8
        assert own.filter(assignment__simplification__item__round="main").count() == amount
    assert judged.filter(sides__field="doubt").count() >= 3
    assert judged.filter(sides__field="comment").count() >= 3
    assert Draft.objects.filter(assignment__judgment__isnull=True).count() == 3
    assert JudgmentRevision.objects.filter(number=2).count() == 1
    assert Rating.objects.exclude(crossing_answer="").exists()
    assert Simplification.objects.filter(is_identical=True).exists()
    assert Simplification.objects.filter(language="en").exists()


def test_there_is_a_small_study_of_every_other_protocol(demonstration: str) -> None:
    own = {
        protocol.key
        for protocol in PROTOCOLS.values()
        if SOURCES[protocol.key, protocol.version] in PUBLISHED
    }
    assert {study.protocol_key for study in Study.objects.filter(is_demo=True)} == own
    for other_study in others.STUDIES:
        study = Study.objects.get(key=other_study.key)
        assert (study.state, study.leads.get().user.email) == (Study.State.MAIN, LEAD.email)
        judged = Judgment.objects.filter(assignment__annotator__study=study)
        for annotator, amount in zip(study.annotators.order_by("pk"), JUDGED, strict=True):
            assert judged.filter(assignment__annotator=annotator).count() == amount


def test_a_small_study_of_somebody_s_own_is_left_alone() -> None:
    own = make_study("demo-jades")
    demo_seed()
    own.refresh_from_db()
    assert (own.is_demo, own.protocol_key) == (False, "legal_meaning")


def test_every_change_has_its_audit_event(demonstration: str) -> None:
    verbs = set(Event.objects.values_list("verb", flat=True))
    assert verbs >= {
        "study_created",
        "guide_published",
        "pairs_imported",
        "annotator_added",
        "judgment_submitted",
    }


def test_removing_leaves_what_was_there_before() -> None:
    other = make_annotator(make_study())
    before = {label: rows for label, rows in every_row().items() if label != "annotation.Event"}
    demo_seed()
    assert f"demo studies {STUDIES}" in run("--remove")
    assert {
        label: rows for label, rows in every_row().items() if label != "annotation.Event"
    } == before
    assert Annotator.objects.get() == other
    assert Event.objects.filter(verb="demo_removed").count() == STUDIES


def test_removing_needs_no_demo_mode_and_can_be_repeated(demonstration: str, settings: Any) -> None:
    settings.DEMO = False
    assert demo_remove() == (STUDIES, len(LOGINS))
    assert demo_remove() == (0, 0)


def test_a_demo_login_with_a_part_elsewhere_is_closed_but_its_part_stays(
    demonstration: str,
) -> None:
    user = User.objects.get(email=ANNOTATORS[0].email)
    part = make_annotator(make_study(), user)
    demo_remove()
    user.refresh_from_db()
    assert (user.is_active, user.is_demo, user.has_usable_password()) == (False, False, False)
    assert Annotator.objects.get() == part
    assert not Assignment.objects.exists()
