"""Registered functions as Spark expressions and as passes over partitions, one module per kind."""
