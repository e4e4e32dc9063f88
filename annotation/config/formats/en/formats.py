"""Times end without a full stop, unlike Django's "8:50 a.m.": sentences end with one. Short dates
as in French: who reads English in Canada takes 12/04/2026 for a day in April as well."""

TIME_FORMAT = "g:i A"
DATETIME_FORMAT = f"N j, Y, {TIME_FORMAT}"
SHORT_DATE_FORMAT = "Y-m-d"
SHORT_DATETIME_FORMAT = f"{SHORT_DATE_FORMAT} {TIME_FORMAT}"
