"""Real pipelines from files to files: each is a query that calls ordinary functions."""
