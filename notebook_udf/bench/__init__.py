"""Comparing forms of a function on a user's own rows: turns, results, what to advise.

What it leaves to others: planning and running the forms (``kernel.measure.benchmark``).
"""
