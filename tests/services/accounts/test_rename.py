"""A name that its person corrects: the one before is still taken out of what is published, and goes
with the account."""

from __future__ import annotations

import pytest

from annotation.errors import RuleError
from annotation.models import Draft, ErasureRequest, Event, FormerName, User
from annotation.selectors.base.redaction import redaction
from annotation.selectors.privacy.erasure_places import places
from annotation.selectors.privacy.identity import Identity
from annotation.selectors.privacy.personal import personal_data
from annotation.services.accounts.accounts import MOST_FORMER_NAMES, user_rename
from annotation.services.planning.assignments import assignments_fill
from annotation.services.privacy.erasure import erasure_grant
from tests.factories import make_annotator, make_pair, make_study, make_user

pytestmark = pytest.mark.django_db
BEFORE, NOW = "Zeltane Quorivaux", "Zeltane Brindamour"


@pytest.fixture
def user() -> User:
    return make_user(BEFORE, email="someone@example.org")


def former(user: User) -> list[str]:
    return list(user.former_names.values_list("name", flat=True))


def test_the_name_before_is_kept_and_the_trail_holds_neither(user):
    renamed = user_rename(user=user, name=f"  {NOW.replace(' ', '   ')} ")
    assert (renamed.name, former(user)) == (NOW, [BEFORE])
    event = Event.objects.get(verb="name_corrected")
    assert (event.actor, event.target_id, event.details) == (user, str(user.pk), {})


def test_the_same_name_is_no_correction(user):
    user_rename(user=user, name=f" {BEFORE} ")
    assert former(user) == []
    assert not Event.objects.filter(verb="name_corrected").exists()


def test_a_name_that_is_taken_again_is_none_of_before(user):
    for name in (NOW, BEFORE, NOW):
        user_rename(user=user, name=name)
    assert (User.objects.get(pk=user.pk).name, former(user)) == (NOW, [BEFORE])


def test_names_are_not_corrected_for_ever(user):
    """Five thousand of them made a release take thirty times as long."""
    names = [f"Zeltane {number}" for number in range(MOST_FORMER_NAMES)]
    for name in names:
        user_rename(user=user, name=name)
    with pytest.raises(RuleError, match="too often"):
        user_rename(user=user, name="Zeltane encore")
    assert User.objects.get(pk=user.pk).name == names[-1]
    # One of before is none more.
    user_rename(user=user, name=BEFORE)
    assert User.objects.get(pk=user.pk).name == BEFORE


def test_who_had_no_name_has_none_of_before():
    nobody = make_user()
    User.objects.filter(pk=nobody.pk).update(name="")
    user_rename(user=nobody, name=NOW)
    assert not FormerName.objects.exists()


@pytest.mark.parametrize("name", ["", "  ", "\u200b\u200d", "é" * 151])
def test_what_is_no_name_is_refused(user, name):
    with pytest.raises(RuleError):
        user_rename(user=user, name=name)
    assert User.objects.get(pk=user.pk).name == BEFORE


def test_a_closed_account_keeps_its_name(user):
    """A request that was under way when an erasure emptied it."""
    User.objects.filter(pk=user.pk).update(is_active=False, name="")
    with pytest.raises(RuleError, match="closed"):
        user_rename(user=user, name=NOW)
    assert User.objects.get(pk=user.pk).name == ""


def test_both_names_are_taken_out_of_a_release(user):
    study = make_study("alpha")
    make_annotator(study, user)
    user_rename(user=user, name=NOW)
    said = "Mme Quorivaux (Zeltane) et Zeltane Brindamour sont la même, dit Quorivaux."
    redacted = redaction(study).text(said)
    assert not any(word in redacted for word in ("Quorivaux", "Brindamour", "Zeltane"))


def test_an_erasure_finds_both_and_leaves_neither(user):
    admin = make_user("admin", is_admin=True)
    study = make_study("alpha", lead=make_user("lead"), state="main")
    make_annotator(study, user)
    peer = make_annotator(study)
    make_pair(study)
    assignments_fill(actor=None, study=study)
    user = user_rename(user=user, name=NOW)
    assignment = peer.assignments.get()
    Draft.objects.create(assignment=assignment, answers={"comment": "Quorivaux et Brindamour"})
    identity = Identity.of(user)
    assert {place.text[place.start : place.end] for place in places(identity)} == {
        "Quorivaux",
        "Brindamour",
    }
    assert personal_data(user)["former_names"][0]["name"] == BEFORE
    request = ErasureRequest.objects.create(user=user, wish="keep")
    done = erasure_grant(actor=admin, request=request, judgments="keep", reason="Retrait")
    assert done.statement["removed"]["former_names"] == 1
    assert not FormerName.objects.exists()
    assert Draft.objects.get(assignment=assignment).answers["comment"] == "[…] et […]"
