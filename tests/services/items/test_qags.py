"""YES and NO of three people per sentence of summaries (QAGS), brought in as judgments: their
agreement is the one that the raw answers have."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from annotation.corpus.judging import judging_options
from annotation.protocols.base import Level
from annotation.reading import pairs_file_read
from annotation.selectors.agreement.reliability import study_ratings
from annotation.services.items.judged import judged_import
from annotation.services.studies.studies import study_create

pytestmark = pytest.mark.django_db
FOLDER = Path(__file__).parents[3].parent / "shared" / "data" / "qags"


def table(name: str) -> bytes:
    """A row for each sentence and person."""
    out = io.StringIO()
    sheet = csv.writer(out)
    sheet.writerow(["id", "original", "simplification", "annotator", "answered"])
    for number, line in enumerate((FOLDER / name).read_text(encoding="utf-8").splitlines()):
        record = json.loads(line)
        for place, sentence in enumerate(record["summary_sentences"]):
            for said in sentence["responses"]:
                who, key = f"worker-{said['worker_id']}", f"s{number}-{place}"
                sheet.writerow(
                    [key, record["article"], sentence["sentence"], who, said["response"]]
                )
    return out.getvalue().encode()


@pytest.mark.skipif(not FOLDER.exists(), reason="QAGS is not here")
@pytest.mark.parametrize(
    ("name", "alpha"), [("mturk_cnndm.jsonl", 0.514), ("mturk_xsum.jsonl", 0.342)]
)
def test_agreement_is_that_of_the_raw_answers(name, alpha):
    study = study_create(
        actor=None, key="qags", title="QAGS", protocol_key="qa_answers", protocol_version="1"
    )
    judging = judging_options(study.protocol, study.rulings)
    file = pairs_file_read(table(name), person=None, judging=judging)
    assert file.judged is not None
    assert not file.judged.problems
    judged_import(actor=None, study=study, judged=file.judged, name=name)
    report = study_ratings(study).report("answered", draws=0)
    assert round(report.alpha[Level.NOMINAL].value, 3) == alpha
