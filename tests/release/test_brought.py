"""What documents say of judgments that come from a file, and of texts that are no simplifications:
what is so of these data, and no more."""

from __future__ import annotations

import json

import pytest

from annotation.agreement.report import dimension_report
from annotation.agreement.table import Ratings
from annotation.corpus.csmd import read_csmd
from annotation.corpus.frjudge import FrjudgeFile, FrjudgeRow
from annotation.corpus.released import ReleasedFile, ReleasedPair
from annotation.models import Study
from annotation.protocols.registry import protocol
from annotation.release.card import card
from annotation.release.front_matter import DEFAULT_CONFIG, Released
from annotation.release.frozen import Frozen
from annotation.release.heds import heds
from annotation.release.methods import methods
from annotation.services.items.frjudge import frjudge_import
from annotation.services.items.released import released_import
from annotation.services.studies.studies import study_create
from tests.protocols.judged import judged
from tests.release.test_methods import frozen

pytestmark = pytest.mark.django_db


def card_of(files: Frozen) -> str:
    return card(files, [Released(DEFAULT_CONFIG, "", 1)])


def sheet(files: Frozen) -> str:
    return json.dumps(heds(files), ensure_ascii=False)


def closed(study: Study) -> Study:
    Study.objects.filter(pk=study.pk).update(state="closed")
    return study


def test_judges_that_a_file_names_are_not_said_to_be_unnamed():
    """Every import was said to be of a file that names none, with brackets that are not known."""
    study = study_create(actor=None, key="named", title="Named", protocol_key="direct_assessment")
    pairs = [
        ReleasedPair(1, "p1", "La mer monte.", "Elle monte.", scores={"A": {"meaning": 90}}),
        ReleasedPair(2, "p2", "Le vent souffle.", "Il souffle.", scores={"B": {"meaning": 40}}),
    ]
    released_import(actor=None, study=study, released=ReleasedFile("direct_assessment", pairs))
    said = card_of(frozen(closed(study)))
    assert (
        "- 2 annotators come from a file: how their answers were collected, and how long they "
        "took, is not known here (empty, never zero).\n"
    ) in said
    assert "names none" not in said
    assert "bracket" not in said


def test_judges_of_frjudge_are_told_by_the_order_of_rows():
    study = study_create(actor=None, key="nameless", title="Nameless")
    rows = [
        FrjudgeRow(
            row=row,
            original="La mer monte.",
            simplification="Elle monte.",
            simplicity=2,
            qualification=3,
            legal_meaning=score,
            justifications="",
        )
        for row, score in ((1, 7), (2, 9))
    ]
    frjudge_import(actor=None, study=study, released=FrjudgeFile(rows, []))
    said = card_of(frozen(closed(study)))
    assert "The file names none of 2 of them: their pseudonyms follow the order of its rows" in said
    assert "- 2 imported judgments state a score alone: the bracket and the errors" in said


def test_a_mean_of_several_people_is_nobody():
    """Of CSMD it was said that one person judged all of it."""
    content = "original\tsimplification\tlabel\n" + "".join(
        f"The sea {verb}.\tIt {verb}.\t{label}\n"
        for verb, label in (("rises", "81.5"), ("falls", "40"), ("waits", "99"))
    )
    study = study_create(actor=None, key="means", title="Means", protocol_key="direct_assessment")
    released_import(actor=None, study=study, released=read_csmd(content.encode(), "train"))
    files = frozen(closed(study))
    wording = methods(files)
    assert wording.en.startswith(
        "Of 3 simplifications of 3 original texts the published mean of what several people "
        "answered is given, under the protocol"
    )
    assert wording.fr.startswith(
        "De 3 simplifications de 3 textes originaux est donnée la moyenne publiée de ce que "
        "plusieurs personnes ont répondu, selon le protocole"
    )
    assert "1 annotator" not in wording.en
    assert "one person" not in wording.en
    said = card_of(files)
    assert ": 3 published means of what several people answered each. " in said
    assert "- 3 judgments are the published mean of what several people answered" in said
    assert "published means of what several people answered" in json.dumps(
        heds(files), ensure_ascii=False
    )


def test_questions_and_answers_are_called_what_their_protocol_calls_them():
    """They were simplifications, of original texts, in each document."""
    files = frozen(judged(protocol("qa_answers", "1")).study)
    number, sources = len(files.judged), files.sources
    wording = methods(files)
    assert f" {number} texts (“Question and answers”) beside {sources} texts (“Text”)" in wording.en
    assert (
        f" {number} textes («\u00a0Question et réponses\u00a0») en regard de {sources} textes "
        "(«\u00a0Texte\u00a0»)"
    ) in wording.fr
    assert "for each judged text" in wording.en
    assert "implification" not in wording.en.replace("Barème", ""), wording.en
    said = card_of(files)
    assert "(“Question and answers”) beside" in said
    assert "Annotators saw “Text” and “Question and answers” side by side" in said
    assert "text-simplification" not in said
    assert "(“Question and answers”) beside" in sheet(files)


@pytest.mark.parametrize(
    ("without", "words", "mots"),
    [
        (0, "with the outputs of C as references (27", "de C (27"),
        (1, "references, which one output does not have: what compares", "que n'a pas une sortie"),
        (
            15,
            "references, which 15 outputs do not have: what",
            "que n'ont pas 15 sorties\u00a0: ce",
        ),
    ],
)
def test_outputs_that_have_no_reference_are_counted(without: int, words: str, mots: str):
    """All 27 were said to be held against references, of which 12 had one."""
    figure = {"value": 0.5, "low": None, "high": None}
    line = {
        "name": "bleu",
        "n": 27,
        "is_baseline": False,
        "versus": None,
        "direction": 1,
        "figures": dict.fromkeys(("pearson", "spearman", "kendall"), figure),
    }
    report = {
        "dimension": "answered",
        "reference": "C",
        "without_reference": without,
        "n": 27,
        "confidence": 0.95,
        "draws": 0,
        "seed": 1,
        "lines": [line],
    }
    files = frozen(judged(protocol("qa_answers", "1")).study)
    files.__dict__["metrics"] = {"reports": [report]}
    wording = methods(files)
    assert words in wording.en
    assert mots in wording.fr


def test_the_signature_of_a_mean_kappa_counts_the_pairs_that_it_is_of():
    """Two people who both said 1 all along have no kappa: the mean is of the other pairs."""
    matrix = [[1, 1, 1], [1, 1, 2], [1, 1, 1], [1, 1, 2], [1, 1, 2], [1, 1, 1]]
    report = dimension_report(Ratings.from_matrix(matrix), level="nominal", scale=(1, 2))
    assert report.kappa.left_out == 1
    signature = str(report.kappa.average.signature)
    assert signature.startswith("kappa|weights:identity|pairs:2|undefined:1|")
