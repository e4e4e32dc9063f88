"""Times end without a full stop, unlike Django's "8:50 a.m.": sentences end with one."""

TIME_FORMAT = "g:i A"
DATETIME_FORMAT = f"N j, Y, {TIME_FORMAT}"
SHORT_DATETIME_FORMAT = f"m/d/Y {TIME_FORMAT}"
