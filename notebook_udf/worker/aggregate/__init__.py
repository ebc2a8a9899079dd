"""Aggregate functions: accumulators, partial and merged, over groups and over window frames."""
