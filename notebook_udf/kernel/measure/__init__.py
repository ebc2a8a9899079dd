"""What functions cost: ways to run them compared, and lines sampled."""
