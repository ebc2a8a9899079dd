"""A function's graph, evaluated for all rows of a bundle at once, with Python's answers."""
