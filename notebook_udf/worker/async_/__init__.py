"""Async functions: calls in flight, the order of their results, and results as columns."""
