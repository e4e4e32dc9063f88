"""Services that can be asked for outputs, and what they charge, from the environment.

Leads choose a service by its name: an address typed in a form would get the key sent to it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from annotation.config.env import env_int, env_list, env_secret, env_str, env_url, read_url
from annotation.generation.services import service_at

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_SCHEMES = ("https", "http")

# USD per million tokens read and written, as the provider's page had them. BAREME_LLM_PRICES names
# a file that replaces them; a lead can type others for a run, and what was used is stored with it.
PRICES_AS_OF = "2025-06-01"
PRICES = {
    "gpt-4-turbo-2024-04-09": ("10", "30"),
    "gpt-4-turbo": ("10", "30"),
    "gpt-4o-2024-08-06": ("2.50", "10"),
    "gpt-4o": ("2.50", "10"),
    "gpt-4o-mini-2024-07-18": ("0.15", "0.60"),
    "gpt-4o-mini": ("0.15", "0.60"),
    "gpt-4.1-2025-04-14": ("2", "8"),
    "gpt-4.1": ("2", "8"),
    "gpt-4.1-mini-2025-04-14": ("0.40", "1.60"),
    "gpt-4.1-mini": ("0.40", "1.60"),
    "gpt-4.1-nano-2025-04-14": ("0.10", "0.40"),
    "gpt-4.1-nano": ("0.10", "0.40"),
}


@dataclass(frozen=True)
class Endpoint:
    """One OpenAI-compatible service. Limits hold for all workers together; 0 is none."""

    name: str
    base_url: str
    key: str = field(repr=False)
    requests_per_minute: int
    tokens_per_minute: int
    concurrency: int

    @property
    def lacks_key(self) -> bool:
        """Whether nothing would be answered without the key that is not set.

        Any other address without one is taken for a machine of one's own (vLLM, Ollama,
        llama.cpp), which asks for none.
        """
        return not self.key and service_at(self.base_url) is not None

    @property
    def is_free(self) -> bool:
        """Whether nobody is billed by it: what is called without a key costs nothing."""
        return not self.key and not self.lacks_key


@dataclass(frozen=True)
class PriceTable:
    """USD per million tokens read and written, by model, and the day that it was true."""

    as_of: str
    usd: dict[str, tuple[Decimal, Decimal]]


def env_endpoints() -> dict[str, Endpoint]:
    """OpenAI itself (OPENAI_API_KEY, OPENAI_BASE_URL), then what BAREME_LLM_ENDPOINTS adds as
    name=url."""
    endpoints = {
        "openai": _endpoint(
            "openai",
            _shown(
                "OPENAI_BASE_URL",
                env_url("OPENAI_BASE_URL", "https://api.openai.com/v1", schemes=_SCHEMES),
                "OPENAI_API_KEY",
            ),
            env_secret("OPENAI_API_KEY", ""),
        )
    }
    entries = env_list("BAREME_LLM_ENDPOINTS")
    for number, entry in enumerate(entries, 1):
        name, _, url = entry.partition("=")
        if not _NAME.fullmatch(name) or not url.startswith(("https://", "http://")):
            # By its number: it may hold a password.
            raise ImproperlyConfigured(
                f"BAREME_LLM_ENDPOINTS has an entry, number {number} of {len(entries)}, that names "
                "no service. Write name=https://host/v1, the name in small letters."
            )
        setting, key = f"BAREME_LLM_ENDPOINTS ({name})", f"BAREME_LLM_KEY_{name.upper()}"
        _shown(setting, read_url(setting, url, schemes=_SCHEMES), key)
        if name == "openai":
            raise ImproperlyConfigured(
                f"{setting} is there by itself. Set OPENAI_BASE_URL to its address, or write "
                "another name."
            )
        if name in endpoints:
            raise ImproperlyConfigured(f"{setting} stands there twice. Write each name once.")
        endpoints[name] = _endpoint(name, url, env_secret(key, ""))
    return endpoints


def _shown(setting: str, url: str, key: str) -> str:
    """The address of a service, which whoever leads a study chooses it by."""
    if "@" in urlsplit(url).netloc:
        raise ImproperlyConfigured(
            f"{setting} holds a user name or a password, which each lead would be shown. Leave out "
            f"what stands before the @, and the @; a key goes into {key}."
        )
    return url


def env_prices() -> PriceTable:
    """The table above, or the JSON file {"as_of": "2026-01-31", "usd_per_million": {"model": [read,
    written]}}."""
    file_name = env_str("BAREME_LLM_PRICES", "")
    if not file_name:
        return PriceTable(PRICES_AS_OF, {model: _pair(pair) for model, pair in PRICES.items()})
    try:
        table = json.loads(Path(file_name).read_text(encoding="utf-8"))
        prices = {str(model): _pair(pair) for model, pair in table["usd_per_million"].items()}
        return PriceTable(str(table["as_of"]), prices)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, InvalidOperation) as error:
        raise ImproperlyConfigured(
            f"BAREME_LLM_PRICES names {file_name!r}, which is no table of prices ({error}). Write "
            '{"as_of": "2026-01-31", "usd_per_million": {"model": [read, written]}}.'
        ) from error


def _pair(pair: tuple[str, str]) -> tuple[Decimal, Decimal]:
    read, written = (Decimal(str(price)) for price in pair)
    if not (read.is_finite() and written.is_finite() and read >= 0 and written >= 0):
        raise ValueError(f"{pair} are no prices")
    return read, written


def _endpoint(name: str, url: str, key: str) -> Endpoint:
    def limit(setting: str, maximum: int) -> int:
        of_all = env_int(setting, 0, maximum=maximum)
        return env_int(f"{setting}_{name.upper()}", of_all, maximum=maximum)

    return Endpoint(
        name=name,
        base_url=url.rstrip("/"),
        key=key,
        requests_per_minute=limit("BAREME_LLM_REQUESTS_PER_MINUTE", 1_000_000),
        tokens_per_minute=limit("BAREME_LLM_TOKENS_PER_MINUTE", 1_000_000_000),
        concurrency=limit("BAREME_LLM_CONCURRENCY", 10_000),
    )
