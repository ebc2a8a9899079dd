"""Java source with Python's meaning, and the library that it calls."""
