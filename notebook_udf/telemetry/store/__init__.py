"""The kernel's store: workers, queries and their sums, log lines, failed calls."""
