"""Queries with state: what ``transformWithState`` is asked for."""
