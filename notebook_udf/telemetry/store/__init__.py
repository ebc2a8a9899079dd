"""What the kernel knows: workers, queries and their sums, lines of logs, failures."""
