"""State of streams: the client of Spark's state server, the caches before it, and its layout."""
