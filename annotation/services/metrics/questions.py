"""Questions of a text beside people: a study in which people judge them, and the share that is
still answered as a metric."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from annotation.corpus.metric_scores import MetricScores, ScoreRow
from annotation.corpus.pairs import PairRow, Pairs
from annotation.corpus.problems import TableError
from annotation.errors import RuleError
from annotation.models import BroughtMetric, GenerationRun, Study, User
from annotation.questions.people import ANSWERS, PAIRS, for_people
from annotation.questions.values import THRESHOLD
from annotation.selectors.generation.question_rows import chain_of, named_shares
from annotation.selectors.metrics.material import pair_names
from annotation.selectors.publishing.questions import rows_for_people, texts_of
from annotation.services.items.items import pairs_import
from annotation.services.metrics.brought import ScoresNote, scores_bring
from annotation.services.platform.events import event_record
from annotation.services.studies.studies import study_create


@transaction.atomic
def people_study(
    *, actor: User, run: GenerationRun, protocol: str, key: str, title: str, language: str
) -> Study:
    """A new study in which people judge a run's questions (``qa_pairs``) or the answers of one
    (``qa_answers``): its pairs are there, who judges is the lead's to say.

    Raises ``RuleError`` where there is nothing to judge, and whatever ``study_create`` raises.
    """
    if protocol not in (PAIRS, ANSWERS):
        raise RuleError.single(
            "protocol",
            "unknown",
            "On juge des questions (qa_pairs) ou des réponses (qa_answers).",
            "Questions are judged (qa_pairs) or answers (qa_answers).",
        )
    try:
        shown = for_people(rows_for_people(run, protocol), texts_of(run.study), protocol, language)
    except TableError as error:
        raise RuleError([error.problem]) from error
    if not shown:
        raise RuleError.single(
            "protocol",
            "nothing",
            "Il n'y a rien à juger\u00a0: aucune question n'est restée, ou rien n'a été répondu.",
            "There is nothing to judge: no question is left, or nothing was answered.",
        )
    study = study_create(actor=actor, key=key, title=title, protocol_key=protocol)
    rows = [
        PairRow(row=number, original=original, simplification=text, key=pair, system=system)
        for number, (pair, original, text, system) in enumerate(shown, start=1)
    ]
    outcome = pairs_import(
        actor=actor, study=study, pairs=Pairs(rows=rows), name=f"{run.study.key}-{run.number}"
    )
    # They are the same texts: whoever has seen in one which system wrote them judges in neither.
    event_record(
        actor=actor, study=study, verb="study_copied", target=study,
        of=run.study.key, source=run.study_id, items=outcome.items,
    )  # fmt: skip
    return study


def shares_bring(
    *, actor: User, run: GenerationRun, threshold: int = THRESHOLD
) -> list[BroughtMetric]:
    """Of each pair of the main round, the share of questions that its simplification still
    answers, as a metric for each chain of systems; in place of the former ones of these names.

    Raises ``RuleError`` for a run that grades nothing, and where nothing is graded.
    """
    chain = chain_of(run)
    names: Mapping[str, int] = pair_names(run.study)
    shares = named_shares(chain, threshold) if chain.grading is not None else []
    rows = tuple(
        ScoreRow(number, pair, metric, share)
        for number, (pair, metric, share) in enumerate(shares, start=1)
        if pair in names
    )
    if not rows:
        raise RuleError.single(
            "run",
            "no_grades",
            "Cette passe n'a noté aucune réponse sur les paires de la ronde principale.",
            "This run has graded no answer on pairs of the main round.",
        )
    note = f"run {run.number}, YES from {threshold}"
    scores_note = ScoresNote(lowest=0.0, highest=1.0, note=note)
    return scores_bring(
        actor=actor, study=run.study, scores=MetricScores(rows=rows), note=scores_note
    )
