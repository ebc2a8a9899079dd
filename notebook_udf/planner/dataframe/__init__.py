"""Calls on DataFrames: what ``nu.aggregate``, ``nu.join_lateral`` and ``nu.process`` plan."""
