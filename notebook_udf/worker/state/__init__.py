"""State of streams: Spark's state server, the caches before it, values as they are kept in it."""
