"""Streaming queries: how they start, how they end, and what is known of one that runs."""
