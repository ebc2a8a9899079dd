"""Benchmarks that compare ways to run a function on a user's own rows, with results and advice.

What it leaves to others: planning and running the ways (``kernel.measure.benchmark``).
"""
