"""The same ordinary functions on the same rows, in Spark, in ours, and in other engines.

What runs in the environment of another engine (``cases``, ``serving`` and the module that has its
name) imports neither this project nor Spark.
"""
