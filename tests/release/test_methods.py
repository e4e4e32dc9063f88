"""The paragraph on methods says what the snapshot holds, in both languages, and nothing else."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import call_command

from annotation.agreement.result import ONE_VALUE
from annotation.agreement.sources import WIDENED
from annotation.agreement.systems.resampling import BOOTSTRAP
from annotation.corpus.released import ReleasedFile, ReleasedPair
from annotation.models import Assignment, Simplification, Study
from annotation.protocols.registry import protocol
from annotation.release.bundle import write_bundle
from annotation.release.card import card
from annotation.release.front_matter import DEFAULT_CONFIG, Released
from annotation.release.frozen import Frozen
from annotation.release.labels import Ruling
from annotation.release.methods import methods
from annotation.services.guides.guides import guide_acknowledge
from annotation.services.guides.rejudging import rejudge_request
from annotation.services.items.released import released_import
from annotation.services.judging.judgments import judgment_submit
from annotation.services.people.people import annotator_withdraw
from annotation.services.planning.assignments import assignments_fill
from annotation.services.publishing.snapshots import snapshot_folder, study_freeze
from annotation.services.studies.studies import study_create
from tests.factories import kept_anew, make_annotator, make_pair, make_study, make_user, save
from tests.protocols.judged import judged
from tests.release.test_bundle import RELEASED, needs_frjudge
from tests.services.publishing.test_snapshots import judged_study

pytestmark = pytest.mark.django_db


def frozen(study: Study, rulings: Any = None, reason: str = "", **recipe: Any) -> Frozen:
    made = study_freeze(actor=None, study=study, recipe=recipe, rulings=rulings, reason=reason)
    return Frozen(snapshot_folder(made))


def test_what_was_judged_here():
    study = judged_study()
    Simplification.objects.filter(item__key="item-0001").update(system="alpha")
    Simplification.objects.filter(item__key="item-0002").update(system="beta")
    wording = methods(frozen(study))
    assert wording.en.startswith(
        "3 annotators judged 2 simplifications of 2 original texts by 2 systems under the protocol"
    )
    assert wording.fr.startswith(
        "3 personnes ont jugé 2 simplifications de 2 textes originaux par 2 systèmes, selon le "
        "protocole"
    )
    assert "The data hold 6 judgments, 3 for each simplification" in wording.en
    assert "median active time of 70 seconds" in wording.en
    assert "durée active médiane de 70\u00a0secondes" in wording.fr
    assert "original and simplification side by side" in wording.en
    assert "practice round" not in wording.en
    assert "around the passage" not in wording.en
    assert "To be completed" in wording.en, "who they are is for people to say"
    assert "alpha" not in wording.en.replace("Krippendorff's alpha", ""), "no system's name"


def test_one_second_is_one(monkeypatch):
    study = judged_study()
    made = frozen(study)
    rows = [dict(row, active_seconds=1) for row in made.rows("judgments")]
    rows_of = Frozen.rows
    monkeypatch.setattr(
        Frozen, "rows", lambda self, name: rows if name == "judgments" else rows_of(self, name)
    )
    wording = methods(made)
    assert "durée active médiane de 1\u00a0seconde." in wording.fr
    assert "median active time of 1 second." in wording.en


@pytest.mark.parametrize(
    ("counts", "pairs"),
    [({"items": 2, "simplifications": 6}, 6), ({"items": 2}, 2)],
    ids=["as now", "as before outputs were counted"],
)
def test_practice_counts_the_pairs_not_their_passages(counts, pairs):
    files = frozen(judged_study())
    facts = files.study | {
        "rounds": files.study["rounds"] | {"practice": counts | {"judgments": 12}}
    }
    (files.folder / "study.json").write_text(json.dumps(facts), "utf-8")
    wording = methods(Frozen(files.folder))
    assert f"A practice round of {pairs} pairs came first" in wording.en
    assert f"Un essai de {pairs} paires a précédé" in wording.fr


def test_where_a_step_shows_one_text_alone_the_conditions_say_so():
    files = frozen(judged(protocol("jades", "1")).study)
    wording = methods(files)
    assert (
        "anybody else's answers or any automatic score; beside some questions, one of the two "
        "texts alone. Annotators worked at times of their own choosing."
    ) in wording.en
    assert (
        "ni aucun score automatique; à côté de certaines questions, un seul des deux textes. "
        "Chaque personne travaillait au moment de son choix."
    ) in wording.fr
    assert "none is called the best" not in wording.en, "no metric was held against anybody"
    said = card(files, [Released(DEFAULT_CONFIG, "", 1)])
    assert "” stands the simplification alone. Guidance, shown and not enforced: " in said


def test_alike_items_are_one_original_text():
    """As the card of the same bundle counts passages."""
    study = study_create(actor=None, key="alike", title="Alike", protocol_key="direct_assessment")
    pairs = [
        ReleasedPair(row, f"p{row}", original, f"Sortie {row}.", scores={"A": {"meaning": row}})
        for row, original in enumerate(("La mer monte.", "La mer monte!", "Le vent souffle."), 1)
    ]
    released_import(actor=None, study=study, released=ReleasedFile("direct_assessment", pairs))
    Study.objects.update(state="closed")
    files = frozen(study)
    assert files.judged_texts.endswith("of 2 passages")
    said = card(files, [Released(DEFAULT_CONFIG, "", 1)])
    assert "3 simplifications (language not recorded) of 2 passages: 3 judgments by 1 anno" in said
    # Richness falls as texts are repeated: 6 distinct words of the 6 of two originals.
    assert "| texts | 2 | 3 |" in said
    assert "| words | 6 | 6 |" in said
    assert "| lexical richness (distinct words / words, %) | 100 | 66.6667 |" in said
    assert "1 annotator judged 3 simplifications of 2 original texts" in methods(files).en
    assert "3 simplifications de 2 textes originaux" in methods(files).fr


def test_outputs_of_no_named_system_are_not_said_to_be_of_the_others():
    study = judged_study()
    Simplification.objects.update(system="")
    first = Simplification.objects.filter(item__study=study, item__round="main").earliest("pk")
    Simplification.objects.filter(pk=first.pk).update(system="vif")
    wording = methods(frozen(study))
    assert "by 1 system (1 without a system's name) under the protocol" in wording.en
    assert "par 1 système (1 sans nom de système), selon le protocole" in wording.fr


def test_systems_that_are_not_told_are_not_counted():
    study = judged_study()
    Simplification.objects.update(system="alpha")
    wording = methods(frozen(study, systems=False))
    assert "system" not in wording.en.split(" under ")[0]
    assert "follow the order of the file" not in wording.en, "no text has two outputs"


def test_settings_have_their_sentences():
    study = judged_study()
    Study.objects.filter(pk=study.pk).update(context_arm="half")
    wording = methods(frozen(Study.objects.get(pk=study.pk)))
    assert "shown for half of the judgments, drawn at random" in wording.en
    assert "pour une moitié des jugements" in wording.fr


@needs_frjudge
def test_the_released_ratings(tmp_path: Path):
    """FrJUDGE: 297 pairs, five annotators (paper, section 3); the alphas are those of the
    report."""
    call_command("import_frjudge", str(RELEASED), study="frjudge", verbosity=0, stdout=StringIO())
    Study.objects.update(state="closed")
    study = Study.objects.get()
    files = frozen(study)
    wording = methods(files)
    assert wording.en.startswith("5 annotators judged 297 simplifications of")
    assert "The judgments were made elsewhere" in wording.en
    assert "Annotators worked at times" not in wording.en, "nothing is known of that"
    assert "The data hold 1485 judgments, 5 for each simplification." in wording.en
    report = files.agreement["dimensions"]["legal_meaning"]
    value = report["alpha"][report["fitting"]]
    low, high = report["other_annotators"]["interval"]
    assert "holds for other annotators of the same kind on other texts" in wording.en
    assert f" {value:.2f} [{low:.2f}; {high:.2f}]" in wording.en
    assert f" {value:.2f} [{low:.2f}; {high:.2f}]".replace(".", ",") in wording.fr
    assert f"ties were drawn with seed {files.manifest['recipe']['labels']['seed']}" in wording.en


def test_without_enough_people_the_interval_is_for_these_on_other_texts(tmp_path: Path):
    """The one over pairs alone would be too narrow where pairs share a text, and is quoted of
    snapshots of before only."""
    study = judged_study()
    files = frozen(study)
    report = files.agreement["dimensions"]["legal_meaning"]
    people = {row["annotator"] for row in files.rows("ratings")}
    assert len(people) < 4
    assert report["other_annotators"]["interval"] is None
    said = methods(files).en
    kind = report["other_sources"]["interval"]
    assert ("holds for these annotators on other texts" in said) is (kind is not None)
    for dimension in files.agreement["dimensions"].values():
        del dimension["other_annotators"], dimension["other_sources"]
    assert "which holds for these annotators on other pairs" in methods(files).en


def test_one_person_and_pairs_that_nobody_judged():
    study = judged_study()
    for annotator in study.annotators.exclude(pseudonym="A"):
        annotator_withdraw(actor=None, annotator=annotator, reason="parti")
    make_pair(study, key="item-0003", original="Une clause que personne n'a jugée.")
    files = frozen(study)
    wording = methods(files)
    assert wording.fr.startswith("1 personne a jugé 2 simplifications de 2 textes originaux")
    assert wording.en.startswith("1 annotator judged 2 simplifications of 2 original texts")
    assert "The data hold 2 judgments, 1 for each simplification" in wording.en
    assert "interval" not in wording.en
    questions = ", ".join(files.label(dimension["name"]) for dimension in files.dimensions)
    assert f"Krippendorff's alpha is not defined for {questions} (only one person" in wording.en
    assert "judged, or a file gives a mean alone: agreement takes at least two" in wording.en
    assert "(une seule personne a jugé, ou un fichier ne donne qu'une moyenne\u00a0: " in wording.fr


def test_what_people_ruled_on_is_counted():
    study = judged_study()
    first, second = Simplification.objects.order_by("pk").values_list("pk", flat=True)
    rulings = {
        (first, "legal_meaning"): Ruling("settled", 7.0),
        (second, "legal_meaning"): Ruling("divided", None),
    }
    wording = methods(frozen(study, rulings))
    assert "; 1 by adjudication, 1 as legitimately divided" in wording.en
    assert "; 1 par arbitrage, 1 tenue pour divisée à bon droit" in wording.fr
    rulings[first, "legal_meaning"] = Ruling("divided", None)
    wording = methods(frozen(study, rulings))
    assert "; 0 by adjudication, 2 as legitimately divided" in wording.en
    assert "; 0 par arbitrage, 2 tenues pour divisées à bon droit" in wording.fr


def judged_twice_each(texts: int = 12) -> Study:
    """So many texts with two outputs each, judged by three."""
    study = make_study("deux", state="main")
    for letter in "ABC":
        make_annotator(study, pseudonym=letter)
    for number in range(texts):
        pair = make_pair(study, original=f"La clause {chr(97 + number) * 3} du contrat.")
        pair.item.simplifications.create(text=f"Une autre sortie de {number}.", position=1)
    kept_anew()
    assignments_fill(actor=None, study=study)
    chance = Random(7)
    for assignment in Assignment.objects.order_by("simplification", "pk"):
        answered = {
            "simplicity": chance.choice((1, 1, 2)),
            "characterization": chance.choice((3, 3, 9)),
        }
        judgment_submit(
            actor=assignment.annotator.user, assignment=assignment, save=save(**answered)
        )
    Study.objects.update(state="closed")
    return Study.objects.get(pk=study.pk)


def test_each_question_quotes_the_best_interval_that_it_has():
    """A question that was answered on too few texts keeps none of the others from theirs."""
    files = frozen(judged_twice_each())
    reports = files.agreement["dimensions"]
    assert reports["simplicity"]["other_sources"]["shared"]
    # As of a question that few answers call for: on eleven texts and fewer there is none.
    reports["characterization"]["other_sources"]["interval"] = None
    low, high = reports["simplicity"]["other_sources"]["interval"]
    wording = methods(files)
    best, rest = wording.en.split("For other questions it is given")
    assert "holds for these annotators on other texts: " in best
    assert f" [{low:.2f}; {high:.2f}]" in best
    of_pairs = reports["characterization"]["intervals"]["alpha"]["nominal"]
    assert "holds for these annotators on other pairs of these same texts: " in rest
    assert f" [{of_pairs[0]:.2f}; {of_pairs[1]:.2f}]." in rest
    fr = wording.fr.split("Pour d'autres questions, il est donné")[1]
    assert "d'autres paires de ces mêmes textes" in fr
    assert f" [{of_pairs[0]:.2f}; {of_pairs[1]:.2f}]".replace(".", ",") in fr


@pytest.mark.parametrize("kind", ["other_sources", "other_annotators"])
def test_a_jackknife_over_texts_is_told_where_there_was_one(kind):
    """Of more than 500 texts they are drawn alone: the method of each question's interval says
    which, and they may differ within a snapshot."""
    files = frozen(judged_study())
    reports = files.agreement["dimensions"]
    names = [name for name, report in reports.items() if report["alpha"][report["fitting"]]]
    for name in names:
        reports[name]["other_sources"] = {"interval": [0.1, 0.9], "method": BOOTSTRAP}
        reports[name]["other_annotators"] = {"interval": [0.1, 0.9]}
        if kind == "other_sources":
            reports[name]["other_annotators"] = None
    drawn = methods(files)
    seed = files.manifest["recipe"]["seed"]
    assert f"seed {seed}" in drawn.en.split("Final labels")[0]
    assert "bootstrap over original texts" in drawn.en
    assert "rééchantillonnage des textes originaux" in drawn.fr
    if kind == "other_sources":
        assert "jackknife" not in drawn.en + drawn.fr
    else:
        assert "and jackknife over annotators, Satterthwaite's t)" in drawn.en
        assert "et jackknife sur les annotateurs, t de Satterthwaite)" in drawn.fr
    reports[names[0]]["other_sources"]["method"] = WIDENED
    one_of_both = methods(files)
    assert ("and a jackknife" in one_of_both.en) is (kind == "other_sources")
    assert ("jackknife over original texts" in one_of_both.en) is (kind == "other_annotators")
    assert "For other questions it is given, in brackets its" in one_of_both.en
    for name in names:
        del reports[name]["other_sources"]["method"]
    assert "For other questions" not in methods(files).en, "as snapshots of before were told"
    assert "jackknife" in methods(files).en


def test_a_small_negative_alpha_is_not_minus_nothing():
    files = frozen(judged_study())
    report = files.agreement["dimensions"]["legal_meaning"]
    report["alpha"][report["fitting"]] = -0.001
    report["other_annotators"], report["other_sources"] = {"interval": [-0.004, 0.2]}, None
    assert " 0.00 [0.00; 0.20]" in methods(files).en
    assert " 0,00 [0,00; 0,20]" in methods(files).fr


def test_a_question_without_any_interval_says_so():
    files = frozen(judged_study())
    report = files.agreement["dimensions"]["characterization"]
    report["intervals"]["alpha"] = report["other_sources"] = None
    assert ". For other questions it is given, without an interval: " in methods(files).en
    for other in files.agreement["dimensions"].values():
        other["intervals"]["alpha"], other["other_sources"] = None, None
    assert "interval" not in methods(files).en


def test_of_one_pair_no_alpha_is_quoted_not_of_snapshots_of_before_either():
    """Which gave 0 of it."""
    study = judged_study()
    files = frozen(study)
    report = files.agreement["dimensions"]["characterization"]
    assert "; characterization " in methods(files).en.split("Final labels")[0]
    assert "not defined" not in methods(files).en
    report["n"]["pairable_items"], report["alpha"]["nominal"] = 1, 0.0
    assert "; characterization " not in methods(files).en.split("Final labels")[0]
    reason = "alpha is not defined for characterization (only one item was judged by two people or"
    assert reason in methods(files).en


def test_a_question_without_alpha_is_named_with_its_reason():
    files = frozen(judged_study())
    reports = files.agreement["dimensions"]
    for name in ("characterization", "simplicity"):
        fitting = reports[name]["fitting"]
        reports[name]["alpha"][fitting] = None
        reports[name]["undefined"][f"alpha.{fitting}"] = {"fr": ONE_VALUE.fr, "en": ONE_VALUE.en}
    wording = methods(files)
    named = "is not defined for simplicity, characterization (all comparable ratings have the same"
    assert named in wording.en
    labels = ", ".join(files.label(name, "fr") for name in ("simplicity", "characterization"))
    assert f"n'est pas défini pour {labels} (tous les jugements comparables ont" in wording.fr


def test_a_tie_that_somebody_ruled_on_was_not_drawn(tmp_path: Path):
    study = judged_study()
    pair = study.items.get(key="item-0002").simplifications.get().pk
    before = frozen(study)
    assert "(2 draws)" in methods(before).en
    files = frozen(study, rulings={(pair, "characterization"): ("settled", 7)})
    assert [row["dimension"] for row in files.rows("drawn")] == ["simplicity"]
    assert "(1 draw); 1 by adjudication" in methods(files).en
    write_bundle(files.folder, tmp_path)
    assert "1 label was drawn" in (tmp_path / "README.md").read_text("utf-8")
    # As snapshots of before have it.
    drawn = (before.folder / "drawn.jsonl").read_text("utf-8").splitlines()
    ruled = [
        json.dumps(json.loads(row) | {"provenance": "adjudicated"}) if number else row
        for number, row in enumerate(drawn)
    ]
    (before.folder / "drawn.jsonl").write_text("\n".join(ruled) + "\n", "utf-8")
    assert "(1 draw)" in methods(Frozen(before.folder)).en


def test_where_no_tie_was_left_nothing_is_said_to_have_been_drawn():
    """Somebody ruled on each: the rule alone is named."""
    study = judged_study()
    pair = study.items.get(key="item-0002").simplifications.get().pk
    ruled = {(pair, name): ("settled", 1) for name in ("characterization", "simplicity")}
    files = frozen(study, rulings=ruled)
    assert not files.drawn
    wording = methods(files)
    assert "; no tie was left to draw (the rule: with seed 7); 2 by adjudication" in wording.en
    assert "aucune égalité n'est restée à tirer (la règle\u00a0: avec la graine 7)" in wording.fr
    assert "(0 draws)" not in wording.en
    text = card(files, [Released(DEFAULT_CONFIG, "", 1)])
    assert "Ties are drawn with seed 7: " in text
    assert "ascending. No tie was left to draw (`drawn` is empty). Beside each" in text
    assert "0 labels" not in text
    # Where a model was asked before the lot.
    model = {"method": "mace", "package": "1.4.2", "signature": "mace"}
    files.agreement["models"] = {"simplicity": model}
    wording = methods(files)
    assert "1.4.2; 0 ties); no other was left to draw (the rule: with seed 7)" in wording.en
    assert "50\u00a0% (0 égalité); aucune autre n'est restée à tirer" in wording.fr


def test_where_no_rule_leaves_a_tie_nothing_is_said_to_be_drawn():
    study = judged_study()
    files = frozen(study)
    labels = files.manifest["recipe"]["labels"]
    labels["rules"] = dict.fromkeys(labels["rules"], "mean")
    wording = methods(files)
    assert "mean; no label is drawn by lot." in wording.en
    assert "moyenne; aucune étiquette n'est tirée au sort." in wording.fr
    assert "seed 42 (" not in wording.en
    text = card(files, [Released(DEFAULT_CONFIG, "", 1)])
    assert "No label is drawn: no rule of these leaves a tie." in text
    assert "Ties are drawn" not in text


@pytest.mark.parametrize(
    ("reasons", "said"),
    [
        (["Vu.", "Lu."], "2 departures from the plan are recorded with their reasons."),
        (["Vu.", ""], "2 departures from the plan are recorded, 1 of them with a reason: the oth"),
        (["", " "], "2 departures from the plan are recorded, without a reason: none was given"),
        (["Vu."], "One departure from the plan is recorded with its reason."),
        ([""], "One departure from the plan is recorded, without a reason: none was given"),
    ],
)
def test_departures_have_the_reasons_that_are_published(reasons: list[str], said: str):
    """A withdrawal's is not, and that a guide was published has none: all were said to have one."""
    files = frozen(judged_study())
    files.study["deviations"] = [{"reason": reason} for reason in reasons]
    assert said in methods(files).en


def test_people_whom_a_file_does_not_name_are_taken_for_the_same_from_pair_to_pair():
    """FrJUDGE's rows have no annotator: who is stricter, and what holds for others, supposes it."""
    files = frozen(judged_study())
    assert "supposes" not in methods(files).en
    for judge in files.study["annotators"][:2]:
        judge["identity"] = "unnamed"
    assert "The pseudonyms of 2 annotators whom the file does not name" in methods(files).en
    assert "Les pseudonymes de 2 personnes que le fichier ne nomme pas" in methods(files).fr


def test_what_was_sent_back_and_not_made_again_is_said():
    """A departure said that judgments were sent back to be made again; the data hold old ones."""
    study = judged_study()
    Study.objects.update(state="main")
    files = frozen(study, reason="essai")
    assert (files.waiting, "sent back" in methods(files).en) == (0, False)
    lead = make_user("Lucie Lavoie")
    rejudge_request(actor=lead, study=study, keys=["item-0001"], reason="Le guide a changé.")
    again = Assignment.objects.filter(simplification__item__key="item-0001").order_by("pk")
    first, second, _third = again
    guide_acknowledge(annotator=first.annotator, number=1)
    answered = {"simplicity": 1, "characterization": 3, "bracket": 2, "errors": []}
    draft = save(active_seconds=5, base_revision=1, **answered)
    judgment_submit(actor=first.annotator.user, assignment=first, save=draft)
    files = frozen(study, reason="essai")
    assert "Among them, 2 that were sent back to be made again were not yet" in methods(files).en
    assert "2 judgments were sent back" in card(files, [Released(DEFAULT_CONFIG, "", 1)])
    annotator_withdraw(actor=lead, annotator=second.annotator, reason="Est parti.")
    files = frozen(study, reason="essai")
    assert "Among them, one that was sent back to be made again was not yet" in methods(files).en
    assert "un seul renvoyé pour être refait ne l'était pas" in methods(files).fr
    del files.study["rounds"]["main"]["sent_back"]
    assert files.waiting == 0, "as snapshots of before have it"
