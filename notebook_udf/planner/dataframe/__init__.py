"""Plans of calls on DataFrames: ``nu.aggregate``, ``nu.join_lateral`` and ``nu.process``."""
