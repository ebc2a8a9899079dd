"""Async functions: calls in flight, their order, their results as columns."""
