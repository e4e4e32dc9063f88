"""Which tests are traced, for the gate on branches of rules and services (``make coverage``).

Tracing costs most tests nearly their own time again. Rules and services are tried by tests of
theirs; a few branches are reached by others alone, whose files are named here. Where the gate finds
a branch missing, a test of the service is the remedy; failing that, the file that reaches it.
"""

from __future__ import annotations

ROOMS = ("tests/protocols/", "tests/services/")
BESIDE = frozenset(
    (
        "tests/api/items/test_judgments.py",
        "tests/api/items/test_pairs_large.py",
        "tests/api/metrics/test_questions.py",
        "tests/api/metrics/test_score_tables.py",
        "tests/api/platform/test_protocol.py",
        "tests/api/platform/test_tokens.py",
        "tests/api/studies/test_steering.py",
        "tests/api/test_access.py",
        "tests/api/test_long_documents.py",
        "tests/corpus/test_judged.py",
        "tests/generation/test_judging.py",
        "tests/management/test_import_document.py",
        "tests/management/test_training_resumed.py",
        "tests/operations/test_backup_erasures.py",
        "tests/release/test_bundle.py",
        "tests/selectors/agreement/test_with_models.py",
        "tests/selectors/watching/test_watching.py",
        "tests/test_sharing.py",
        "tests/web/accounts/test_new_password.py",
        "tests/web/accounts/test_security.py",
        "tests/web/agreement/test_marks_ruled.py",
        "tests/web/documents/test_reading_apart.py",
        "tests/web/generation/test_pages.py",
        "tests/web/items/test_imports_judged.py",
        "tests/web/items/test_imports_large.py",
        "tests/web/items/test_imports_scores.py",
        "tests/web/items/test_imports_stored.py",
        "tests/web/judging/test_keeping.py",
        "tests/web/metrics/test_questions.py",
        "tests/web/people/test_pages.py",
        "tests/web/platform/test_columns.py",
        "tests/web/platform/test_full_disk.py",
        "tests/web/practice/test_practice.py",
        "tests/web/practice/test_reference_edits.py",
        "tests/web/privacy/test_erasure_page.py",
        "tests/web/privacy/test_personal_data.py",
        "tests/web/scoring/test_schedule.py",
        "tests/web/scoring/test_scorers.py",
        "tests/web/test_blindness.py",
        "tests/web/test_escaping.py",
        "tests/workers/scoring/test_training.py",
        "tests/workers/scoring/test_training_bad_input.py",
        "tests/workers/scoring/test_training_transformer.py",
    )
)


def is_reaching(path: str) -> bool:
    """Whether tests of this file, relative to the project, are to be traced."""
    return path.startswith(ROOMS) or path in BESIDE
