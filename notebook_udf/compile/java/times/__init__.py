"""Dates, datetimes and spans: their arithmetic, formats, sources and time zones."""
