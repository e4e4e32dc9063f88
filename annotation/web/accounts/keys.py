"""Which keys the judging page knows, and which choices of one's own it can be given."""

from __future__ import annotations

import re

from annotation.protocols.protocol import Protocol
from annotation.protocols.registry import published
from annotation.web.base.presenters import mark_letters

# The same names and keys as static/js/judging/keyboard.js.
DEFAULTS = {
    "submit": "ctrl+enter",
    "save": "ctrl+s",
    "undo": "z",
    "redo": "shift+z",
    "back": "backspace",
    "filter": "/",
    "original": "o",
    "simplification": "s",
    "add_error": "e",
    "keep": "k",
    "move": "m",
    "doubt": "u",
    "later": "l",
    "private_note": "n",
    "renderings": "r",
    "look_up": "y",
    "voice": "v",
    "differences": "d",
    "term": "t",
    "guide": "g",
    "help": "?",
    "attach": "a",
    "find": "t",
}
# These act on selected words only, so that their keys may be those of others; so do the keys for
# the types of marks, which are the protocol's.
ON_WORDS = {"attach", "find"}
# What chooses, goes on, leaves and moves about stays with its key.
_RESERVED = re.compile(r"(?:ctrl\+|shift\+)*(?:[0-9]|enter|escape|tab|arrow\w+|[ ])", re.IGNORECASE)
_TYPE = re.compile(r"type_[A-Za-z0-9_]{1,60}")
_NAME = re.compile(r"(?:ctrl\+)?(?:shift\+)?(?:\S|[a-z][a-z0-9]{1,15})")


def type_keys(protocol: Protocol) -> list[dict[str, str]]:
    """The keys that mark selected words, by action, for each step in which something is marked:
    only those of one are at hand at a time."""
    letters = mark_letters(protocol)
    groups = [
        {
            f"type_{key}": letter
            for field in step.fields
            for key, letter in letters.get(field.name, {}).items()
            if letter
        }
        for step in protocol.steps
    ]
    return [group for group in groups if group]


def keys_are_allowed(keys: object) -> bool:
    """Whether these are keys of one's own: known actions, keys that are free, none of them
    twice."""
    typed = [group for protocol in published() for group in type_keys(protocol)]
    if not isinstance(keys, dict) or not all(map(_is_action, keys)):
        return False
    known = DEFAULTS | {action: key for group in typed for action, key in group.items()}
    for name, key in keys.items():
        if not isinstance(key, str) or not _NAME.fullmatch(key):
            return False
        if _RESERVED.fullmatch(key) and known.get(name) != key:
            return False
    # A letter of marks that was not chosen yields to one that was: their digit is left. Each group
    # has letters of its own: two protocols may call types alike.
    chosen = [group for group in typed if group.keys() & keys.keys()]
    for names, letters in (
        (ON_WORDS, DEFAULTS),
        *((ON_WORDS | group.keys(), DEFAULTS | group) for group in chosen),
        (DEFAULTS.keys() - ON_WORDS, DEFAULTS),
    ):
        used = [keys.get(name, letters[name]) for name in names]
        if len(used) != len(set(used)):
            return False
    return True


def _is_action(name: object) -> bool:
    """A type of marks may be of a protocol that is no longer installed."""
    return name in DEFAULTS or (isinstance(name, str) and _TYPE.fullmatch(name) is not None)
