"""Numbers: arithmetic and comparisons, which times and texts have too, and powers."""
