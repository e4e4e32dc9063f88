"""Before an erasure: the list of mentions that is read, decided on by hand, and carried out as it
was shown."""

from __future__ import annotations

import html
import re

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone

from annotation.backup import erasures
from annotation.models import (
    Draft,
    ErasureRequest,
    GuideVersion,
    Judgment,
    Lead,
    RemarkAnswer,
    SideAnswer,
    Study,
    User,
)
from annotation.selectors.privacy.erasure_places import ELSEWHERE, Place
from annotation.services.people.people import lead_remove
from annotation.services.privacy.erasure_requests import erasure_places
from tests.erasing import Stage
from tests.factories import make_user, said

pytestmark = pytest.mark.django_db
SAID = "Voir Zeltane Quorivaux (person-to-erase@example.org), QUORIVAUX, la rose et la plante."


@pytest.fixture
def stage() -> Stage:
    stage = Stage(SAID)
    stage.called("Zeltane Quorivaux")
    User.objects.update(language="en")
    return stage


@pytest.fixture
def erasure(stage) -> ErasureRequest:
    return stage.asked()


def client(user: User) -> Client:
    browser = Client()
    browser.force_login(user)
    return browser


def page(user: User, erasure: ErasureRequest) -> str:
    answer = client(user).get(f"/erasures/{erasure.pk}/")
    assert answer.status_code == 200
    return answer.content.decode()


def sent(page_: str, **more: str) -> dict[str, str]:
    """What the page's form for erasing sends back."""
    seen = re.search(r'name="seen" value="([^"]*)"', page_)
    assert seen is not None
    return {
        "action": "grant",
        "judgments": "keep",
        "reason": "Consentement retiré",
        "seen": seen[1],
    } | more


def one(stage: Stage, erasure: ErasureRequest, column: str, doubt: str = "") -> Place:
    erasure.refresh_from_db()
    places = erasure_places(stage.admin, erasure)
    return next(place for place in places if place.column == column and place.doubt == doubt)


def decide(user: User, erasure: ErasureRequest, place: Place, action: str, why: str = ""):
    body = {"action": action, "place": place.key, "shown": place.shown, "why": why}
    return client(user).post(f"/erasures/{erasure.pk}/", body)


def test_the_list_says_where_and_changes_nothing(stage, erasure):
    shown = " ".join(page(stage.admin, erasure).split())
    assert shown.count('class="stack stack--tight"') >= len(erasure_places(stage.admin, erasure))
    assert '<del class="diff diff--removed">Zeltane Quorivaux</del>' in shown
    assert '<ins class="diff diff--added">[…]</ins>' in shown
    assert stage.alpha.title in shown
    assert RemarkAnswer.objects.get(assignment__annotator__study=stage.alpha).text == SAID
    assert client(stage.admin).post(f"/erasures/{erasure.pk}/", sent(shown)).status_code == 302
    assert "Zeltane" not in RemarkAnswer.objects.get(assignment__annotator__study=stage.alpha).text
    assert RemarkAnswer.objects.get(assignment__annotator__study=stage.beta).text == SAID


def test_kept_out_by_hand_with_a_reason(stage, erasure):
    place = one(stage, erasure, "remarkanswer.text")
    assert decide(stage.admin, erasure, place, "place-stays").status_code == 422, (
        "no reason, no decision"
    )
    assert (
        decide(stage.admin, erasure, place, "place-stays", "Une autre Zeltane").status_code == 302
    )
    shown = page(stage.admin, erasure)
    assert "Une autre Zeltane" in shown
    assert RemarkAnswer.objects.filter(text=SAID).count() == 2
    answer = client(stage.admin).post(f"/erasures/{erasure.pk}/", sent(shown), follow=True)
    kept = RemarkAnswer.objects.get(assignment__annotator__study=stage.alpha).text
    assert kept == "Voir Zeltane Quorivaux ([…]), […], la rose et la plante."
    assert "Une autre […]" in answer.content.decode(), "the reason named somebody"
    erasure.refresh_from_db()
    assert [row["column"] for row in erasure.statement["left"] if row["by_hand"]] == [
        "remarkanswer.text"
    ]
    assert decide(stage.admin, erasure, place, "place-stays", "trop tard").status_code == 422


def test_a_name_that_is_a_word_is_taken_out_where_somebody_says_so(stage, erasure):
    stage.called("Rose")
    place = one(stage, erasure, "remarkanswer.text", "word")
    assert not place.is_taken
    assert html.escape("the name is an ordinary word too") in page(stage.admin, erasure)
    assert decide(stage.admin, erasure, place, "place-out").status_code == 302
    client(stage.admin).post(f"/erasures/{erasure.pk}/", sent(page(stage.admin, erasure)))
    text = RemarkAnswer.objects.get(assignment__annotator__study=stage.alpha).text
    assert text == "Voir Zeltane Quorivaux ([…]), QUORIVAUX, la […] et la plante."
    assert "la rose" in said(
        Judgment.objects.filter(assignment__annotator__study=stage.alpha)[0], "comment"
    )


def test_what_changed_since_the_list_was_read(stage, erasure):
    before = sent(page(stage.admin, erasure))
    RemarkAnswer.objects.filter(assignment__annotator__study=stage.alpha).update(
        text=f"Encore: {SAID}"
    )
    answer = client(stage.admin).post(
        f"/erasures/{erasure.pk}/", before, headers={"accept-language": "en"}
    )
    again = answer.content.decode()
    assert answer.status_code == 422
    assert "(3 more, 3 fewer)" in again
    assert again.count("new since you read the list") == 3
    assert User.objects.get(pk=stage.person.pk).name == "Zeltane Quorivaux"
    assert client(stage.admin).post(f"/erasures/{erasure.pk}/", sent(again)).status_code == 302


def test_a_decision_holds_for_the_text_that_was_read(stage, erasure):
    place = one(stage, erasure, "remarkanswer.text")
    decide(stage.admin, erasure, place, "place-stays", "Une autre")
    RemarkAnswer.objects.filter(assignment__annotator__study=stage.alpha).update(
        text=f"Encore: {SAID}"
    )
    assert one(stage, erasure, "remarkanswer.text").is_taken
    assert decide(stage.admin, erasure, place, "place-stays", "Une autre").status_code == 422


def test_what_is_published_is_shown_and_left_to_a_person(stage, erasure):
    Study.objects.filter(pk=stage.alpha.pk).update(title="Étude de Quorivaux")
    shown = page(stage.admin, erasure)
    assert html.escape("To be edited by a person") in shown
    client(stage.admin).post(f"/erasures/{erasure.pk}/", sent(shown))
    assert SAID in GuideVersion.objects.get(study=stage.alpha).body_fr
    assert Study.objects.get(pk=stage.alpha.pk).title == "Étude de Quorivaux"
    erasure.refresh_from_db()
    assert {row["column"] for row in erasure.statement["to_edit"]} == {
        "guideversion.body_fr",
        "study.title",
    }


def test_words_around_a_mention_that_are_nobody_s_to_read(stage, erasure):
    """A blind round stays blind, and a draft its author's."""
    Draft.objects.filter(assignment__annotator__study=stage.alpha).update(
        answers={"comment": f"zzdraft {SAID}"}
    )
    judged = Judgment.objects.filter(assignment__annotator__study=stage.alpha)
    judged.update(submitted_at=None)
    SideAnswer.objects.filter(judgment__in=judged, field="comment").update(
        value=f"zzcomment {SAID}"
    )
    judged.update(submitted_at=timezone.now())
    for user in (stage.admin, stage.alpha.leads.get().user):
        shown = page(user, erasure)
        assert "zzcomment" in shown
        assert "zzdraft" not in shown
    Study.objects.filter(pk=stage.alpha.pk).update(is_blind=True)
    for user in (stage.admin, stage.alpha.leads.get().user):
        shown = page(user, erasure)
        assert "zzcomment" not in shown
        assert shown.count("words around it are not yours to read") > 2


def test_a_lead_does_not_decide_on_texts_of_a_study_of_others(stage, erasure):
    """The person once led another study: an admin reads what it would change there, and decides."""
    once = Lead.objects.create(study=stage.beta, user=stage.person)
    lead_remove(actor=stage.admin, lead=once)
    lead = stage.alpha.leads.get().user
    RemarkAnswer.objects.filter(assignment__annotator__study=stage.beta).update(
        text=f"zzbeta {SAID}"
    )
    assert "zzbeta" in page(stage.admin, erasure)
    for path in ("/erasures/", f"/erasures/{erasure.pk}/"):
        shown = client(lead).get(path)
        assert (shown.status_code == 404) == (path != "/erasures/")
        assert "zzbeta" not in shown.content.decode()
        assert stage.person.email not in shown.content.decode()


def test_an_address_where_they_had_no_part_is_for_an_admin_to_decide(stage, erasure):
    places = erasure_places(stage.admin, erasure)
    elsewhere = [place for place in places if place.doubt == ELSEWHERE]
    assert {place.study for place in elsewhere} == {stage.beta.pk}
    assert not any(place.is_taken for place in elsewhere)
    lead = stage.alpha.leads.get().user
    assert not [place for place in erasure_places(lead, erasure) if place.doubt == ELSEWHERE]
    place = next(place for place in elsewhere if place.column == "remarkanswer.text")
    decide(stage.admin, erasure, place, "place-out")
    client(stage.admin).post(f"/erasures/{erasure.pk}/", sent(page(stage.admin, erasure)))
    text = RemarkAnswer.objects.get(assignment__annotator__study=stage.beta).text
    assert text == SAID.replace("person-to-erase@example.org", "[…]")


def test_nobody_else_decides_on_a_mention(stage, erasure):
    place = one(stage, erasure, "remarkanswer.text")
    for user in (stage.person, make_user(), stage.beta.leads.get().user):
        assert decide(user, erasure, place, "place-stays", "Non").status_code == 404
    erasure.refresh_from_db()
    assert erasure.places == {}


def test_a_restore_repeats_what_was_decided_by_hand(stage, erasure):
    """The list of erasures says which mentions stayed, and the person's name stands nowhere in
    it."""
    place = one(stage, erasure, "remarkanswer.text")
    decide(stage.admin, erasure, place, "place-stays", "Une autre")
    erasure.refresh_from_db()
    line = erasures.Erased(
        stage.person.pk,
        stage.person.created_at,
        erasure.requested_at,
        "keep",
        dict.fromkeys(erasure.places, False),
    )
    assert "Zeltane" not in repr(line)
    ErasureRequest.objects.filter(pk=erasure.pk).update(places={})
    assert erasures.repeat([line], is_sure=True, after="a restore").again == [stage.person.pk]
    text = RemarkAnswer.objects.get(assignment__annotator__study=stage.alpha).text
    assert text == "Voir Zeltane Quorivaux ([…]), […], la rose et la plante."


def test_by_command(stage, capsys):
    email = stage.person.email
    call_command("erase_person", email, show=True)
    listed = capsys.readouterr().out
    assert '"to_edit": "guideversion.body_fr"' in listed
    key = (
        next(line for line in listed.splitlines() if '"remarkanswer.text' in line)
        .split('"place": "')[1]
        .split('"')[0]
    )
    assert User.objects.get(pk=stage.person.pk).erased_at is None
    with pytest.raises(CommandError, match="are needed"):
        call_command("erase_person", email)
    with pytest.raises(CommandError, match="Give a reason"):
        call_command("erase_person", email, judgments="keep", reason="Par lettre", keep_out=[key])
    assert not ErasureRequest.objects.filter(user=stage.person).exists()
    call_command(
        "erase_person", email, judgments="keep", reason="Par lettre", keep_out=[f"{key}=Une autre"]
    )
    assert (
        "Zeltane Quorivaux"
        in RemarkAnswer.objects.get(assignment__annotator__study=stage.alpha).text
    )


def test_what_stays_is_not_shown_as_struck_out(stage, erasure):
    stage.called("Rose")
    one(stage, erasure, "remarkanswer.text", "word")
    shown = page(stage.admin, erasure)
    assert "<mark>rose</mark>" in shown
    assert '<del class="diff diff--removed">rose</del>' not in shown


def test_what_a_decision_needs_is_not_called_optional(stage, erasure):
    assert "optional" not in page(stage.admin, erasure)
    refused = client(stage.admin).post(f"/erasures/{erasure.pk}/", {"action": "grant"})
    assert refused.status_code == 422


def test_the_statement_is_punctuated_in_french(stage, erasure):
    User.objects.update(language="fr")
    body = client(stage.admin).post(
        f"/erasures/{erasure.pk}/", sent(page(stage.admin, erasure)), follow=True
    )
    main = body.content.decode().partition("<main")[2].partition("</main>")[0]
    words = html.unescape(re.sub(r"<[^>]+>", "", main))
    assert "Consentement retiré" in words
    assert re.findall(r"[^\s\u00a0\d]:(?!//)", words) == [], "a no-break space before a colon"
