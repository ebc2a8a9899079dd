"""Finds Java, and starts Spark or adopts one that is running."""
