"""Streaming queries: their start, their end, and access to those that run."""
