"""What goes wrong on a device, in words: encoders that cannot be loaded, memory, disks, losses that
are no number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from annotation.room import is_disk_full
from annotation.scoring.errors import ScoringError

_NO_MEMORY = (
    "out of memory",
    "can't allocate memory",
    "not enough memory",
    "cannot allocate memory",
)
_NO_ROOM = ("no space left", "disk quota")


@contextmanager
def device_errors_explained() -> Iterator[None]:
    """Turn what torch and the disk raise into ``ScoringError`` where a person can do something
    about it."""
    try:
        yield
    except MemoryError as error:
        raise _out_of_memory() from error
    except Exception as error:
        if isinstance(error, RuntimeError) and _says(error, _NO_MEMORY):
            raise _out_of_memory() from error
        # Safetensors, which writes checkpoints and scorers, has an error that is no OSError.
        if is_disk_full(error) or _says(error, _NO_ROOM):
            raise _disk_full() from error
        raise


def _says(error: Exception, any_of: Sequence[str]) -> bool:
    words = str(error).lower()
    return any(said in words for said in any_of)


def encoder_unloadable(encoder: str, error: Exception) -> ScoringError:
    """For whatever transformers raised; its own words come after ours."""
    why = str(error).strip().splitlines()[0][:300] if str(error).strip() else type(error).__name__
    return ScoringError(
        "encoder_unloadable",
        f"L'encodeur « {encoder} » ne se charge pas : vérifiez le nom ou le dossier, l'accès au "
        "réseau, et qu'il "
        f"contient des poids safetensors. ({why})",
        f"The encoder “{encoder}” cannot be loaded: check the name or folder, the network, and "
        "that it holds "
        f"safetensors weights. ({why})",
    )


def loss_not_finite(epoch: int) -> ScoringError:
    """NaN or infinity: nothing that follows would mean anything."""
    return ScoringError(
        "loss_not_finite",
        (
            f"La perte n'est plus un nombre à l'époque {epoch} : baissez le taux d'apprentissage "
            "ou passez en float32."
        ),
        (
            f"The loss is no number any more in epoch {epoch}: lower the learning rate, or train "
            "in float32."
        ),
    )


def torch_missing() -> ScoringError:
    """The transformer's libraries are an extra."""
    return ScoringError(
        "torch_missing",
        (
            "PyTorch et transformers ne sont pas installés ici : lancez « make ml » ou installez "
            "requirements-ml.txt."
        ),
        (
            "PyTorch and transformers are not installed here: run “make ml” or install "
            "requirements-ml.txt."
        ),
    )


def _out_of_memory() -> ScoringError:
    return ScoringError(
        "out_of_memory",
        (
            "La mémoire n'a pas suffi : réduisez les lots ou le nombre de jetons, ou prenez un "
            "plus petit encodeur."
        ),
        "Memory ran out: make batches or the number of tokens smaller, or take a smaller encoder.",
    )


def _disk_full() -> ScoringError:
    return ScoringError(
        "disk_full",
        (
            "Le disque est plein : faites de la place, puis relancez l'entraînement; il reprendra "
            "à la dernière époque."
        ),
        (
            "The disk is full: make room, then start the training again; it goes on from the last "
            "epoch."
        ),
    )
