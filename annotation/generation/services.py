"""Services that are known to answer as OpenAI's does: where they are, and what each needs.

Whatever answers ``/chat/completions`` can be set up; these are the ones whose ways are told, so
that nobody has to find them out by failed calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from annotation.protocols.base import Wording

_PENALTIES = Wording(
    "ne tient pas compte des pénalités ni de la graine",
    "pays no attention to the penalties or the seed",
)


@dataclass(frozen=True)
class Service:
    """One service: the name proposed for it, its address, and what a system there needs."""

    name: str
    title: str
    address: str
    note: Wording
    is_keyed: bool = True

    @property
    def host(self) -> str:
        """The end of the host's name that tells this service from others."""
        return (urlsplit(self.address).hostname or "").removeprefix("resource.")


SERVICES = (
    Service(
        "openai",
        "OpenAI",
        "https://api.openai.com/v1",
        Wording(
            "Modèles de raisonnement : laissez vides le plafond de jetons, la température et top "
            'p, et donnez "max_completion_tokens" parmi les autres paramètres.',
            "Reasoning models: leave the token cap, the temperature and top p empty, and give "
            '"max_completion_tokens" among the other parameters.',
        ),
    ),
    Service(
        "azure",
        "Azure OpenAI",
        "https://resource.openai.azure.com/openai/v1",
        Wording(
            "« resource » est le nom de votre ressource; le modèle est le nom du déploiement. Le "
            "prix n'est pas dans la table : indiquez-le.",
            "“resource” is the name of your resource; the model is the name of the deployment. "
            "The price is not in the table: give it.",
        ),
    ),
    Service(
        "mistral",
        "Mistral",
        "https://api.mistral.ai/v1",
        Wording(
            "Laissez la graine vide : elle porte un autre nom là-bas. Le mode par lots est tout "
            "autre : choisissez « appel par appel ».",
            "Leave the seed empty: it has another name there. The batch mode is quite another: "
            "choose “call by call”.",
        ),
    ),
    Service(
        "anthropic",
        "Anthropic",
        "https://api.anthropic.com/v1",
        Wording(
            f"La température va de 0 à 1, et certains modèles refusent top p à côté d'elle; le "
            f"service {_PENALTIES.fr}. Appel par appel seulement.",
            f"The temperature goes from 0 to 1, and some models refuse top p beside it; the "
            f"service {_PENALTIES.en}. Call by call only.",
        ),
    ),
    Service(
        "google",
        "Google (Gemini)",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        Wording(
            "Les jetons du raisonnement comptent dans le plafond de jetons : donnez-lui de la "
            'marge, ou "reasoning_effort" parmi les autres paramètres. Appel par appel.',
            "Tokens of reasoning count within the token cap: leave it room, or give "
            '"reasoning_effort" among the other parameters. Call by call.',
        ),
    ),
    Service(
        "vllm",
        "vLLM",
        "http://localhost:8000/v1",
        Wording(
            "Sans clé, et sans frais. Le modèle est le nom sous lequel il a été lancé.",
            "Without a key, and free. The model is the name under which it was started.",
        ),
        is_keyed=False,
    ),
    Service(
        "ollama",
        "Ollama",
        "http://localhost:11434/v1",
        Wording(
            "Sans clé, et sans frais. Le modèle est un nom de « ollama list ».",
            "Without a key, and free. The model is a name in “ollama list”.",
        ),
        is_keyed=False,
    ),
    Service(
        "llamacpp",
        "llama.cpp",
        "http://localhost:8080/v1",
        Wording(
            "Sans clé, et sans frais. Le serveur n'a qu'un modèle : son nom peut être quelconque.",
            "Without a key, and free. The server has one model: any name will do.",
        ),
        is_keyed=False,
    ),
)


def service_at(address: str) -> Service | None:
    """The keyed service at this address; None for one that nobody here knows. A machine of one's
    own is told by no address: any of the local ones may be anywhere."""
    host = urlsplit(address).hostname or ""
    for service in SERVICES:
        if service.is_keyed and (host == service.host or host.endswith(f".{service.host}")):
            return service
    return None
