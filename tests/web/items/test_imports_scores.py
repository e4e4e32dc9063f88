"""Released scores of other protocols brought in by the browser."""

from __future__ import annotations

import json

import pytest

from annotation.models import Judgment, Rating, SideAnswer, Study
from tests.factories import make_study
from tests.web.items.importing import page_text, post, sent


def row(sentence: int, system: str, *scores: tuple[int, int, int]) -> dict[str, object]:
    fields: dict[str, object] = {
        "idx_scores": sentence,
        "idx_sentence": sentence,
        "system": system,
        "sentence_origin": f"La prime {sentence} est due.",
        "sentence_reference": f"Payez {sentence}.",
        "sentence_hypothesis": f"Payez la prime {sentence} ({system}).",
    }
    fields |= {f"idx_annotator_{place}": place - 1 for place in range(1, len(scores) + 1)}
    for number, name in enumerate(("fluency", "meaning", "simplicity")):
        fields |= {
            f"score_{name}_{at}": float(triple[number]) for at, triple in enumerate(scores, 1)
        }
    return fields


JADES = json.dumps(
    [row(1, "BART", (1, 2, 3), (4, 4, 4)), row(2, "EditNTS", (2, 2, 2))], ensure_ascii=False
)
CSMD = "original\tsimplification\tlabel\nLa prime est due.\tPayez.\t71.5\nAutre.\tAussi.\t0\n"


@pytest.fixture
def lead(cast):
    return cast.client("lead")


def made(cast, protocol: str) -> Study:
    return make_study("gamma", lead=cast.lead, protocol_key=protocol)


class TestJades:
    def test_the_page_shows_what_each_judge_gave(self, cast, lead):
        made(cast, "jades")
        answer = lead.get(sent(lead, JADES, name="scores.json"))
        assert answer.context["shown"].scores is not None
        rows = answer.context["sample"]["rows"]
        assert rows[0][1][2:] == ["BART", "1, 4", "2, 4", "3, 4"]
        assert "map_original" not in answer.context["form"].fields
        assert "notes publiées" in page_text(answer) or "published scores" in page_text(answer)

    def test_outputs_and_scores_go_in(self, cast, lead):
        study = made(cast, "jades")
        assert post(lead, sent(lead, JADES, name="scores.json")).status_code == 302
        assert Judgment.objects.filter(origin="imported").count() == 3
        assert sorted(study.annotators.values_list("pseudonym", flat=True)) == [
            "JADES-0",
            "JADES-1",
        ]
        given = Rating.objects.filter(dimension="meaning").values_list("value", flat=True)
        assert sorted(given) == [2, 2, 4]

    def test_a_study_of_another_protocol_takes_none(self, cast, lead):
        study = made(cast, "direct_assessment")
        url = sent(lead, JADES, name="scores.json")
        shown = lead.get(url).context
        assert [problem.code for problem in shown["shown"].problems] == ["other_protocol"]
        assert "jades" in shown["problems"][0]["message"]
        assert shown["problems"][0]["remedy"]
        assert (shown["promise"], shown["shown"].can_import) == ("", False)
        answer = post(lead, url)
        assert answer.status_code == 302
        text = page_text(lead.get(answer.url))
        assert "jades" in text
        assert not study.items.exists()

    def test_a_score_off_the_scale_is_named_by_its_row(self, cast, lead):
        study = made(cast, "jades")
        bad = json.dumps([row(1, "BART", (1, 2, 5))])
        url = sent(lead, bad, name="scores.json")
        assert [problem["row"] for problem in lead.get(url).context["problems"]] == [1]
        assert post(lead, url).status_code == 422
        assert not study.items.exists()

    def test_what_is_there_already_is_named(self, cast, lead):
        made(cast, "jades")
        post(lead, sent(lead, JADES, name="scores.json"))
        again = lead.get(sent(lead, JADES, name="scores.json"))
        assert again.context["problem_count"] == 2
        assert not again.context["shown"].can_import


class TestCsmd:
    def test_labels_go_in_as_the_rating_of_one_judge(self, cast, lead):
        study = made(cast, "direct_assessment")
        assert post(lead, sent(lead, CSMD, name="train.tsv")).status_code == 302
        assert list(study.items.order_by("position").values_list("key", flat=True)) == [
            "train-0001",
            "train-0002",
        ]
        values = Rating.objects.filter(judgment__assignment__annotator__study=study)
        assert sorted(values.values_list("dimension", "value")) == [("meaning", 0), ("meaning", 72)]
        assert sorted(SideAnswer.objects.values_list("value", flat=True)) == ["0", "71.5"]

    def test_or_without_them(self, cast, lead):
        study = made(cast, "direct_assessment")
        url = sent(lead, CSMD, name="train.tsv")
        assert lead.get(url).context["form"]["content"].value() == "frjudge"
        assert post(lead, url, content="pairs").url == url
        assert lead.get(url).context["shown"].scores is None
        assert post(lead, url).status_code == 302
        assert (study.items.count(), Judgment.objects.count()) == (2, 0)

    def test_elsewhere_such_columns_are_pairs(self, cast, lead):
        made(cast, "legal_meaning")
        shown = lead.get(sent(lead, CSMD, name="train.tsv")).context["shown"]
        assert shown.scores is None
        assert not shown.is_released_file
