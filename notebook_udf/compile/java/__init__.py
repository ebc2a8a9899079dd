"""Java source with Python's meaning, and the library that it calls.

``java_class`` writes a function's class, by the folders; ``library`` is what stands in ``runtime``.
"""
