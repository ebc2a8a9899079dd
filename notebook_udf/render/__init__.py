"""Rendering for all of the package's objects, and independent of them: markup, tables, figures."""
