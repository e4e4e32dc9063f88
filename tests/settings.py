"""The settings, with four protocols that only tests have (tests/protocols/samples)."""

from annotation.config.settings import *  # noqa: F403  (all of them)

PROTOCOLS = [
    "tests.protocols.samples.everything",
    "tests.protocols.samples.plain",
    "tests.protocols.samples.mixed",
    "tests.protocols.samples.bracketed",
]
