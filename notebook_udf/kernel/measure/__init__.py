"""What functions cost: benchmarks of ways to run them, and profiles by line."""
