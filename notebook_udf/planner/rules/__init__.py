"""Rewrites of a query, one per module: each keeps a promise of SQL or saves work."""
