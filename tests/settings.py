"""The settings, with four protocols that only tests have (tests/protocols/samples), one of them a
file."""

from pathlib import Path

from annotation.config.settings import *  # noqa: F403  (all of them)

PROTOCOLS = [
    "tests.protocols.samples.everything",
    "tests.protocols.samples.plain",
    "tests.protocols.samples.mixed",
    str(Path(__file__).parent / "protocols/samples/bracketed.json"),
]
