"""Operators with state, which Spark's ``transformWithState`` runs a micro-batch at a time."""
