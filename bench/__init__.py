"""Timings, as ratios against floors measured in the same run; never part of the tests."""
