"""Plans of queries with state, by ``transformWithState``."""
