"""Why a report that a worker computes brought nothing: what readers are told by page and by
program."""

from __future__ import annotations

from annotation.models import Job
from annotation.protocols.base import NO_WORDING, Wording

_REASONS = {
    "asker_left": Wording(
        "La personne qui l'a demandé ne dirige plus cette étude.",
        "Whoever asked for it does not lead this study any more.",
    ),
    "absent": Wording(
        "Le processus de travail n'a pas crowd-kit : une personne qui administre Barème l'ajoute "
        "par « make crowd ».",
        "The worker has no crowd-kit: whoever runs Barème adds it by “make crowd”.",
    ),
    "worker_lost": Wording(
        "Son processus a été interrompu trois fois : un·e admin doit consulter le journal du "
        "serveur.",
        "Its worker died three times: an admin has to look at the log.",
    ),
}
_DEFECT = Wording(
    "Une erreur de notre part : un·e admin la trouve dans le journal du serveur.",
    "An error of ours: an admin finds it in the log.",
)


def report_failure(job: Job | None) -> Wording:
    """Of a job that failed; empty where none did."""
    return NO_WORDING if job is None else _REASONS.get(job.problem, _DEFECT)
