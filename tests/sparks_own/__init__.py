"""Spark's own tests of Python functions, run with and without this package; see ``__main__``."""
