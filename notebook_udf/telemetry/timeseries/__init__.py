"""Time series of queries: points of equal width, what they sum up, how they are drawn."""
