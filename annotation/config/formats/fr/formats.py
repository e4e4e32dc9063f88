"""Dates and times as they are written in Quebec (Office québécois de la langue française): 15 h 29,
and 2026-11-30 in tables. A time stays on one line."""

TIME_FORMAT = "G\u00a0\\h\u00a0i"
DATETIME_FORMAT = f"j F Y \\à {TIME_FORMAT}"
SHORT_DATE_FORMAT = "Y-m-d"
SHORT_DATETIME_FORMAT = f"{SHORT_DATE_FORMAT} {TIME_FORMAT}"
