"""Which keys the judging page knows, and which choices of one's own it can be given."""

from __future__ import annotations

import re

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
    "type_hallucination": "h",
    "type_omission": "o",
    "type_incoherence": "i",
    "type_confusion": "c",
    "attach": "a",
    "find": "t",
}
# These act on selected words only, so that their keys may be those of others.
ON_WORDS = {name for name in DEFAULTS if name.startswith("type_")} | {"attach", "find"}
# What chooses, goes on, leaves and moves about stays with its key.
_RESERVED = re.compile(r"(?:ctrl\+|shift\+)*(?:[0-9]|enter|escape|tab|arrow\w+|[ ])", re.IGNORECASE)
_NAME = re.compile(r"(?:ctrl\+)?(?:shift\+)?(?:\S|[a-z][a-z0-9]{1,15})")


def keys_are_allowed(keys: object) -> bool:
    """Whether these are keys of one's own: known actions, keys that are free, none of them
    twice."""
    if not isinstance(keys, dict) or any(name not in DEFAULTS for name in keys):
        return False
    for name, key in keys.items():
        if not isinstance(key, str) or not _NAME.fullmatch(key):
            return False
        if _RESERVED.fullmatch(key) and DEFAULTS[name] != key:
            return False
    whole = DEFAULTS | keys
    for group in (ON_WORDS, DEFAULTS.keys() - ON_WORDS):
        used = [whole[name] for name in group]
        if len(used) != len(set(used)):
            return False
    return True
