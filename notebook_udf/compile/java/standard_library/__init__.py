"""Functions of Python's standard library, by its modules."""
