"""What ``garbage_settle`` does to a process."""

from __future__ import annotations

import subprocess
import sys

_ASKED = """
import gc
from annotation.garbage import garbage_settle
before = gc.get_threshold()
garbage_settle()
after = gc.get_threshold()
print(gc.get_freeze_count() > 1000, after[0] > before[0], after[1:] == before[1:], gc.isenabled())
"""
_AGAIN = """
import gc, weakref
from annotation.garbage import garbage_settle
class Circle:
    def __init__(self):
        self.itself = self
garbage_settle(is_anew=True)
circle = weakref.ref(Circle())
assert circle() is not None
garbage_settle()
print(circle())
"""


def test_what_is_loaded_is_left_alone_and_collections_come_rarely():
    output = subprocess.run(
        [sys.executable, "-c", _ASKED], capture_output=True, text=True, check=True
    ).stdout
    assert output.split() == ["True"] * 4


def test_garbage_made_between_two_forks_does_not_stay():
    output = subprocess.run(
        [sys.executable, "-c", _AGAIN], capture_output=True, text=True, check=True
    ).stdout
    assert output == "None\n"
